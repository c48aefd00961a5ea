"""Samples are small in the quick suite, and have their whole size where everything is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import FULL_SAMPLES, sample

ROOT = Path(__file__).parents[1]
SUITE = """
from hypothesis import settings
from tests.samples import sample
DRAWN = sample(12, 25)
def test_this():
    print("drawn", DRAWN, settings().max_examples)
"""


def test_many_are_drawn_where_everything_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FULL_SAMPLES, raising=False)
    assert sample(12, 25) == 12
    monkeypatch.setenv(FULL_SAMPLES, "1")
    assert sample(12, 25) == 25


@pytest.mark.parametrize(("option", "says"), [([], "drawn 12 30"), (["--full"], "drawn 25 50")])
def test_the_option_is_read_before_a_module_of_tests(
    option: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FULL_SAMPLES, raising=False)
    path = tmp_path / "test_drawn.py"
    path.write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-n0", "-c", "pyproject.toml", "-p", "tests.conftest",
               "--rootdir=.", "-o", "addopts=", str(path), *option]  # fmt: skip
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert says in ran.stdout, ran.stdout + ran.stderr
