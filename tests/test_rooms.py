"""The tests of a room are where they mirror its code, and below, where they are cut finer than the code."""

from pathlib import Path

import pytest

from tests.rooms import room_of, rooms

FILES = ("sim/cpu.py", "sim/disc/drive.py", "sim/disc/raid/plan.py", "sim/disc/sheets/found.py", "spindle/ask.py",
         "spindle/cli/run.py", "tests/sim/test_cpu.py", "tests/sim/disc/test_drive.py", "tests/sim/disc/helper.py",
         "tests/sim/disc/buffer/test_hits.py", "tests/sim/disc/raid/test_plan.py", "tests/test_ask.py",
         "tests/cli/test_run.py", "tests/fuzz/test_all.py")  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for each in FILES:
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).touch()
    return tmp_path


@pytest.mark.parametrize(("paths", "expected"), [
    (["sim/disc/raid"], {"sim/disc/raid": ["sim/disc/raid/plan.py"]}),
    (["sim/disc/drive.py", "sim/cpu.py"], {"sim": ["sim/cpu.py"], "sim/disc": ["sim/disc/drive.py"]}),
    (["spindle", "spindle/ask.py"], {"spindle": ["spindle/ask.py"], "spindle/cli": ["spindle/cli/run.py"]}),
])  # fmt: skip
def test_files_are_told_by_their_room(house: Path, paths: list[str], expected: dict[str, list[str]]) -> None:
    assert rooms(paths, house) == expected


@pytest.mark.parametrize(("folder", "expected"), [
    ("sim", ["tests/sim/test_cpu.py"]),
    ("sim/disc", ["tests/sim/disc/buffer/test_hits.py", "tests/sim/disc/test_drive.py"]),
    ("sim/disc/raid", ["tests/sim/disc/raid/test_plan.py"]),
    ("sim/disc/sheets", ["tests/sim/disc/buffer/test_hits.py", "tests/sim/disc/test_drive.py"]),  # as of sim/disc
    ("spindle", ["tests/test_ask.py"]),
    ("spindle/cli", ["tests/cli/test_run.py"]),
])  # fmt: skip
def test_tests_mirror_the_tree(house: Path, folder: str, expected: list[str]) -> None:
    assert room_of(folder, house) == expected
