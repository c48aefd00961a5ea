"""Constants fitted to rows that the simulation itself made: they are found again, and nothing is found in nothing."""

from dataclasses import replace

import pytest

from spindle.lab.measure.fit import (
    DEVICE,
    FITTED,
    PROCESSOR,
    Comparison,
    MeasuredCell,
    compare,
    fit,
    kernel,
    predict,
    simulates,
)
from spindle.lab.measure.table import Cell, MeasuredRow, ProgramStart, cells
from spindle.models.unix_stdio.parameters import LECTURE, VIRTUAL_2026, UnixParameters
from spindle.sim.error import UserError
from spindle.sim.units import KIB, MIB

EVERY = {cell.title: cell for cell in cells(2 * MIB)}
KERNEL = {"read_ahead": 8 * MIB, "request": 4 * MIB}
HEAD = {"drive read_ahead_kb": "8192", "drive max_sectors_kb": "4096"}


def row(cell: Cell, seconds: float) -> MeasuredRow:
    return MeasuredRow(
        cell, 5, 10, min(100, cell.program.calls), seconds, 0.9 * seconds, 1.1 * seconds, None, None, "by hand"
    )


def said_by(machine: UnixParameters) -> list[MeasuredRow]:
    return [row(cell, predict(cell, row(cell, 1.0).reached, machine)) for cell in EVERY.values()]


@pytest.mark.parametrize("machine", [VIRTUAL_2026, LECTURE])
def test_the_constants_of_a_machine_are_found_again(machine: UnixParameters) -> None:
    found = fit(said_by(machine), {name: getattr(machine, name) for name in KERNEL})
    assert found.device
    assert [*found.used] == [*PROCESSOR, *DEVICE]
    assert all(constant.matches(used.cell) for constant, used in found.used.items())
    for name in FITTED:
        assert getattr(found.machine, name) == pytest.approx(getattr(machine, name), rel=1e-3, abs=1e-12), name


def test_each_constant_has_a_row_of_the_laboratory() -> None:
    for constant in (*PROCESSOR, *DEVICE):
        assert [cell.title for cell in EVERY.values() if constant.matches(cell)] == [constant.row]


def test_r_and_u_by_hand() -> None:
    """A read of one byte takes 0.3 us, one of 64 KiB 6.3: U is 6 us for 65,535 bytes, and R is 0.3 us less one U."""
    taken = {"r01 1 warm": 0.3e-6, "r01 64K warm": 6.3e-6}
    rows = [row(each.cell, taken.get(each.cell.title, each.seconds)) for each in said_by(VIRTUAL_2026)]
    found = fit(rows, KERNEL).machine
    assert found.copy == pytest.approx(6e-6 / 65535)
    assert found.read_call == pytest.approx(0.3e-6 - 6e-6 / 65535)


def test_what_contradicts_itself_gives_nothing_negative() -> None:
    rows = [each if each.cell.title != "r01 64K warm" else row(each.cell, 1e-9) for each in said_by(VIRTUAL_2026)]
    found = fit(rows, KERNEL).machine
    assert found.copy == 0.0
    assert all(getattr(found, name) >= 0.0 for name in FITTED)


def test_without_its_row_nothing_is_fitted() -> None:
    rows = said_by(VIRTUAL_2026)
    with pytest.raises(UserError, match="nothing can be fitted without a row of w05 1"):
        fit([each for each in rows if each.cell.title != "w05 1"], KERNEL)
    found = compare([each for each in rows if not each.cell.waits], HEAD)
    assert not found.fit.device
    assert [*found.fit.used] == [*PROCESSOR]
    assert found.near_count == len(found.judged_cells) == 16
    with_one = compare([each for each in rows if not each.cell.program.direct], HEAD)
    assert [each.predicted for each in with_one.rows if each.row.cell.waits] == [None] * 6
    assert [*with_one.fit.used] == [*PROCESSOR], "one row of the drive is not enough"
    assert with_one.fit.machine == found.fit.machine


def test_a_machine_that_is_simulated_is_predicted_exactly() -> None:
    found = compare(said_by(VIRTUAL_2026), HEAD)
    assert found.mean_error < 0.005
    assert found.near_count == len(found.judged_cells)
    assert all(each.error == pytest.approx(0.0, abs=1e-4) for each in found.rows if each.fitted)


def held(seconds: float, predicted: float | None, title: str = "w04 512", fitted: bool = False) -> MeasuredCell:
    return MeasuredCell(row(EVERY[title], seconds), predicted, fitted)


@pytest.mark.parametrize(
    ("it", "judged", "near"),
    [
        (held(1.0, 1.14), True, True),
        (held(1.0, 1.16), True, False),
        (held(1.0, 0.84), True, False),
        (held(1.0, None), False, False),
        (held(1.0, 1.0, fitted=True), False, True),
        (held(1.0, 1.0, "w02 1M O_DIRECT O_SYNC"), False, True),
        (MeasuredCell(replace(row(EVERY["w02 512 O_DIRECT O_SYNC"], 1.0), high=2.0), 1.9, False), True, True),
        (MeasuredCell(replace(row(EVERY["w04 512"], 1.0), high=2.0), 1.9, False), True, False),  # it waits for nothing
    ],
)
def test_what_is_near_enough(it: MeasuredCell, judged: bool, near: bool) -> None:
    assert (it.is_judged, it.is_near) == (judged, near)


def test_the_verdict_counts_what_is_judged() -> None:
    machine = fit(said_by(VIRTUAL_2026), KERNEL)
    rows = [held(1.0, 1.1), held(1.0, 0.7), held(1.0, 5.0, fitted=True), held(1.0, None)]
    found = Comparison(machine, rows)
    assert (len(found.judged_cells), found.near_count) == (2, 1)
    assert found.mean_error == pytest.approx(0.2)
    assert Comparison(machine, rows[2:]).mean_error == 0.0


@pytest.mark.parametrize("text", ["", "-1", "8e3", "9" * 12, "\u0665"])
def test_settings_of_a_kernel_must_be_sizes(text: str) -> None:
    assert kernel(HEAD) == KERNEL
    assert kernel({"drive read_ahead_kb": "128"}) == {"read_ahead": 128 * KIB}
    assert kernel({"drive read_ahead_kb": "0"}) == {"read_ahead": 0}
    with pytest.raises(UserError, match="drive read_ahead_kb must be KiB up to"):
        kernel({"drive read_ahead_kb": text})


def test_a_stride_that_was_cut_short_is_not_predicted() -> None:
    cold = next(cell for cell in cells(2 * MIB) if cell.title == "r08 4K cold")
    assert simulates(cold, cold.program.calls)
    assert not simulates(cold, cold.program.calls - 1)
    assert simulates(Cell(cold.program, ProgramStart.WARM), 1)
    assert simulates(EVERY["r01 4K cold"], 1)


@pytest.mark.parametrize(
    ("size", "stride", "simulated"),
    [(1024 * MIB, MIB, True), (1024 * MIB, 1024 * MIB, True), (1024 * MIB, 1000, False), (MIB, 1000, False)],
)
def test_what_would_take_for_ever_is_not_simulated(size: int, stride: int, simulated: bool) -> None:
    program = EVERY["r06 1 warm"].program.change(size=size // 1000 * 1000 if stride == 1000 else size, stride=stride)
    assert simulates(Cell(program, ProgramStart.WARM), program.calls) is simulated
    assert not simulates(Cell(program.change(size=2 * size, stride=2 * size), ProgramStart.COLD), 2 * size)
