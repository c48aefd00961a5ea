"""The page and the picture of a comparison: what a row says, and which programs are drawn together."""

import json
from dataclasses import replace
from shlex import split

import numpy as np
import pytest

from spindle.cli.main import main
from spindle.lab.measure.fit import PROCESSOR, Comparison, FittedMachine, MeasuredCell
from spindle.lab.measure.page import COLOURS, group, numbers, page, picture
from spindle.lab.measure.table import Cell, MeasuredRow, ProgramStart, cells
from spindle.models.unix_stdio.parameters import LECTURE, VIRTUAL_2026
from spindle.sim.units import MIB

EVERY = {cell.title: cell for cell in cells(2 * MIB)}


def held(title: str, seconds: float, predicted: float | None, fitted: bool = False) -> MeasuredCell:
    waits = EVERY[title].waits
    median, alone = (seconds, None) if waits else (1.1 * seconds, seconds)
    row = MeasuredRow(EVERY[title], 3, 30, 10, median, seconds, 2.0 * seconds, alone, None, "by hand")
    return MeasuredCell(row, predicted, fitted)


ROWS = [held("w04 512", 1e-6, 1.2e-6), held("r01 1 warm", 2e-7, 2e-7, fitted=True), held("r08 4K cold", 1.5e-3, None)]
COMPARED = Comparison(FittedMachine(VIRTUAL_2026, {PROCESSOR[0]: ROWS[1].row}, False), ROWS)


def test_a_page_by_hand() -> None:
    lines = page(COMPARED, {"kernel": "Linux", "threads": "2", "file system": "ext4"}, ["w01: refused"])
    assert lines[:2] == ["Linux, ext4", "left out: w01: refused"]
    assert lines[2:4] == ["", f"{'fitted':<62}to row"]
    assert lines[4].split() == ["read_call", "R", "of", "read", "0.3501", "us", "r01", "1", "warm"]
    assert lines[5] == "constants of the drive are not fitted, for some of its rows are missing"
    assert [line.split() for line in lines[7:13]] == [
        ["us", "a", "call,", "processor", "time", "measured", "predicted", "%"],
        ["w04", "512", "1", "1.2", "+20", "far"],
        ["r01", "1", "warm", "0.2", "0.2", "fitted"],
        [],
        ["us", "a", "call,", "wall", "clock", "measured", "quartiles", "predicted", "%"],
        ["r08", "4K", "cold", "1,500", "1,500", "-", "3,000", "-", "-"],
    ]
    verdict = lines[: lines.index("A program with these numbers:") - 1]
    assert verdict[-2].startswith("Not used for the fit, blocks up to 64 KiB: 0 of 1 within 15 %")
    assert verdict[-1].endswith("mean distance 20.0 %")
    only = page(replace(COMPARED, rows=ROWS[1:]), {}, [])
    assert "nothing to judge: every row was used for the fit" in only


def test_the_command_has_every_number_that_the_machine_has_and_the_lecture_has_not() -> None:
    lines = page(COMPARED, {}, [])
    command = lines[lines.index("A program with these numbers:") + 1 :]
    assert all(line.endswith(" \\") for line in command[:-1])
    words = split(" ".join(line.removesuffix(" \\") for line in command))
    given = dict(word.split("=") for word in words if "=" in word)
    machine = replace(LECTURE, **{name: type(getattr(LECTURE, name))(float(text)) for name, text in given.items()})
    assert machine.read_call == pytest.approx(VIRTUAL_2026.read_call, rel=1e-3)
    assert machine.read_ahead == pytest.approx(VIRTUAL_2026.read_ahead, rel=1e-3)
    assert main([*words[1:], "--seconds", "0.01"]) == 0


def test_a_busy_machine_is_called_so() -> None:
    busy = [replace(each, row=replace(each.row, median=3.0 * each.row.seconds)) for each in ROWS]
    assert [line for line in page(COMPARED, {}, []) if "busy" in line] == []
    (line,) = (line for line in page(replace(COMPARED, rows=busy), {}, []) if "busy" in line)
    assert "calls took 3.0 times as long as undisturbed" in line
    assert Comparison(COMPARED.fit, ROWS[2:]).stretch == 1.0
    assert Comparison(COMPARED.fit, [busy[1], *3 * ROWS[2:]]).stretch == pytest.approx(3.0)  # who waits is not asked


def test_numbers_are_json() -> None:
    found = json.loads(json.dumps(numbers(COMPARED, {"kernel": "Linux"}, [])))
    assert found["constants"] == {"read_call": {"seconds": VIRTUAL_2026.read_call, "row": "r01 1 warm"}}
    assert [(row["program"], row["block"], row["near"]) for row in found["rows"]] == [
        ("w04", 512, False), ("r01", 1, True), ("r08", 4096, False)
    ]  # fmt: skip
    assert found["rows"][0]["error"] == pytest.approx(0.2)
    row = found["rows"][1]
    times = (row["measured_seconds"], row["median_seconds"], *row["quartiles_seconds"], row["predicted_seconds"])
    assert times == pytest.approx((2e-7, 2.2e-7, 2e-7, 4e-7, 2e-7))
    assert (row["fitted"], row["judged"]) == (True, False)
    assert found["rows"][2]["predicted_seconds"] is None


@pytest.mark.parametrize(
    ("title", "name"),
    [("w03 1", "write"), ("w06 512", "fwrite"), ("w01 1 O_SYNC", "write, O_SYNC"),
     ("w04 4K O_DIRECT", "write, O_DIRECT"), ("w02 4K O_DIRECT O_SYNC", "write, O_DIRECT, O_SYNC"),
     ("r01 1 warm", "read, warm"), ("r01 4K cold", "read, cold"), ("r06 4K O_DIRECT cold", "read, O_DIRECT"),
     ("r06 1 warm", "lseek + read, warm"), ("r08 1 warm", "fseek + fread, warm")],
)  # fmt: skip
def test_programs_of_a_kind_are_drawn_together(title: str, name: str) -> None:
    assert group(EVERY[title]) == name
    assert name in COLOURS


def test_a_stride_from_cold_is_left_to_the_table() -> None:
    assert group(EVERY["r08 4K cold"]) == "cold stride"
    assert "cold stride" not in COLOURS
    assert group(Cell(EVERY["r06 4K cold"].program.change(stride=0), ProgramStart.COLD)) == "read, cold"


def test_points_are_measured_and_lines_predicted() -> None:
    writes, reads = picture(COMPARED, "title").axes
    points, line = (np.asarray(each.get_xydata()) for each in writes.lines)
    assert points == pytest.approx(np.array([[512, 512.0]]))
    assert line == pytest.approx(np.array([[512, 512 / 1.2]]))
    assert len(reads.lines) == 2
