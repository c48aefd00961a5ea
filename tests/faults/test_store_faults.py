"""A store on a disc that is full, or fails: one line, nothing computed twice, and nothing left behind."""

from pathlib import Path

import pytest

from tests.faults.faulty import perform


@pytest.mark.timeout(900)
def test_a_sweep_outlives_each_call_that_fails(shim: Path, tmp_path: Path) -> None:
    assert int(perform(shim, "tests.faults.store_faults", tmp_path)) > 60
