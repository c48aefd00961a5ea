"""What was measured and predicted, for a screen of 80 columns, and the same numbers for other programs."""

from collections.abc import Mapping, Sequence
from typing import Any

from models.unix_stdio.measure.fit import FittedConstant
from models.unix_stdio.measure.held import BUSY, LARGEST, NEAR, Comparison, MeasuredCell
from models.unix_stdio.parameters import UnixParameters
from sim.units import KIB, US

NS = 1e-9
PER_BYTE = ("copy", "write_byte", "read_byte")
PROCESSOR, WALL = "us a call, processor time", "us a call, wall clock"
SHOWN = ("kernel", "file system", "processor")


def page(compared: Comparison, head: Mapping[str, str], left_out: Sequence[str]) -> list[str]:
    lines = [", ".join(head[name] for name in SHOWN if name in head), *(f"left out: {each}" for each in left_out)]
    lines += ["", f"{'fitted':<62}to the row"]
    lines += [_constant(each, compared.fit.machine) for each in compared.fit.used]
    if not compared.fit.device:
        lines.append("nothing is fitted to the drive, some of whose rows are not there")
    for clock, rows in _clocks(compared).items():
        quartiles = "quartiles" if clock == WALL else ""
        lines += ["", f"{clock:<25}{'measured':>9}{quartiles:>19}{'predicted':>11}{'%':>8}"] if rows else []
        lines += [_row(each) for each in rows]
    return [*lines, "", *_verdict(compared)]


def _clocks(compared: Comparison) -> dict[str, list[MeasuredCell]]:
    """The rows by what they were measured with: processor time stands beside no time of another clock."""
    own = [each for each in compared.rows if each.row.undisturbed is not None]
    return {PROCESSOR: own, WALL: [each for each in compared.rows if each.row.undisturbed is None]}


def _constant(constant: FittedConstant, machine: UnixParameters) -> str:
    unit, scale = ("ns a byte", NS) if constant.parameter in PER_BYTE else ("us", US)
    value = _number(getattr(machine, constant.parameter) / scale)
    return f"{constant.parameter:<14}{constant.says:<29}{value:>8} {unit:<10}{constant.row}"


def _row(held: MeasuredCell) -> str:
    row = held.row
    prediction = "-" if held.predicted is None else _number(held.predicted / US)
    error = "fitted" if held.fitted else "-" if held.error is None else f"{100.0 * held.error:+.0f}"
    far = " far" if held.judged and not held.near else ""
    quartiles = f"{_number(row.low / US)} - {_number(row.high / US)}" if row.undisturbed is None else ""
    return f"{row.cell.title:<25}{_number(row.seconds / US):>9}{quartiles:>19}{prediction:>11}{error:>8}{far}"


def _number(value: float) -> str:
    return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"


def _verdict(compared: Comparison) -> list[str]:
    judged = compared.judged
    if not judged:
        return ["nothing to judge: every row was used for the fit"]
    busy = f"The machine was busy: calls took {compared.stretched:.1f} times as long as undisturbed."
    return [
        *([busy] if compared.stretched > BUSY else []),
        f"Not used for the fit, blocks up to {LARGEST // KIB} KiB: {compared.near} of {len(judged)} within "
        f"{100 * NEAR:.0f} %",
        "(or, where the drive is waited for, within the quartiles); mean distance "
        f"{100 * compared.mean_error:.1f} %",
    ]


def numbers(compared: Comparison, head: Mapping[str, str], left_out: Sequence[str]) -> dict[str, Any]:
    """The same, for JSON."""
    machine = compared.fit.machine
    return {
        "environment": dict(head), "left_out": list(left_out),
        "constants": {each.parameter: {"seconds": getattr(machine, each.parameter), "row": each.row}
                      for each in compared.fit.used},
        "rows": [_as_json(each) for each in compared.rows],
        "stretched": compared.stretched, "judged": len(compared.judged), "near": compared.near,
        "mean_error": compared.mean_error,
    }  # fmt: skip


def _as_json(held: MeasuredCell) -> dict[str, Any]:
    row, program = held.row, held.row.cell.program
    return {
        "program": program.name, "flags": sorted(program.flags), "block": program.block, "size": program.size,
        "stride": program.stride, "start": row.cell.start.value, "measured_seconds": row.seconds,
        "median_seconds": row.median, "quartiles_seconds": [row.low, row.high], "predicted_seconds": held.predicted,
        "error": held.error, "fitted": held.fitted, "judged": held.judged, "near": held.near,
    }  # fmt: skip
