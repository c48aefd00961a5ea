"""A run of each system gives the bytes that were kept, on whichever Python the tests run."""

import json
import platform

import pytest

from tests.models.one_run import KEPT, RUNS, SHORTER, digest

KEPT_ON = ("Linux", "x86_64", "glibc")


def test_kept_runs_are_of_systems() -> None:
    assert set(SHORTER) <= set(json.loads(KEPT.read_text("utf-8"))) <= set(RUNS)


@pytest.mark.parametrize("system", RUNS)
def test_a_run_gives_the_bytes_that_were_kept(system: str) -> None:
    if (platform.system(), platform.machine(), platform.libc_ver()[0]) != KEPT_ON:
        pytest.skip(f"kept on {' '.join(KEPT_ON)}: logarithms of another library may differ in the last digit")
    kept = json.loads(KEPT.read_text("utf-8")).get(system)
    if kept is None:
        pytest.skip("nothing is kept of it yet: python -m tests.models.one_run --write")
    assert digest(system) == kept, "if it is meant to: python -m tests.models.one_run --write"
