"""Shows measured and predicted times of stdio programs: as text of 80 columns, as numbers for JSON, as a picture."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spindle.lab.measure.fit import BUSY_STRETCH, MAX_JUDGED_BLOCK, NEAR_ERROR, Comparison, FittedConstant, MeasuredCell
from spindle.lab.measure.table import Cell, ProgramStart
from spindle.models.unix_stdio.parameters import LECTURE, UnixParameters
from spindle.sim.request import WRITE
from spindle.sim.units import KIB, MB, NS, US
from spindle.studies.plots.files import Picture
from spindle.studies.plots.style import BLUE, FAINT, GREEN, ORANGE, PURPLE, VERMILION, styled
from spindle.workloads.stdio import Layer

BYTE_CONSTANTS = ("copy", "write_byte", "read_byte")
PROCESSOR, WALL = "us a call, processor time", "us a call, wall clock"
SHOWN_ORIGINS = ("kernel", "file system", "processor")


def page(compared: Comparison, head: Mapping[str, str], left_out: Sequence[str]) -> list[str]:
    lines = [", ".join(head[name] for name in SHOWN_ORIGINS if name in head)]
    lines += [f"left out: {each}" for each in left_out]
    lines += ["", f"{'fitted':<62}to row"]
    lines += [_constant(each, compared.fit.machine) for each in compared.fit.used]
    if not compared.fit.device:
        lines.append("constants of the drive are not fitted, for some of its rows are missing")
    for clock, rows in _clocks(compared).items():
        quartiles = "quartiles" if clock == WALL else ""
        lines += ["", f"{clock:<25}{'measured':>9}{quartiles:>19}{'predicted':>11}{'%':>8}"] if rows else []
        lines += [_row(each) for each in rows]
    return [*lines, "", *_verdict(compared), "", *_command(compared.fit.machine)]


def _command(machine: UnixParameters) -> list[str]:
    """Return the command that runs a program with the numbers of *machine*, each on its own line."""
    given = {name: value for name, value in vars(machine).items() if value != getattr(LECTURE, name)}
    texts = {name: str(value) if isinstance(value, int) else f"{value:.4g}" for name, value in given.items()}
    lines = ["spindle run unix_stdio --program r01", *(f"  --set {name}={text}" for name, text in texts.items())]
    return ["A program with these numbers:", *(f"{line} \\" for line in lines[:-1]), lines[-1]]


def _clocks(compared: Comparison) -> dict[str, list[MeasuredCell]]:
    """Return the rows by their clock: processor time, or wall clock."""
    own = [each for each in compared.rows if each.row.undisturbed is not None]
    return {PROCESSOR: own, WALL: [each for each in compared.rows if each.row.undisturbed is None]}


def _constant(constant: FittedConstant, machine: UnixParameters) -> str:
    unit, scale = ("ns a byte", NS) if constant.parameter in BYTE_CONSTANTS else ("us", US)
    value = _number(getattr(machine, constant.parameter) / scale)
    return f"{constant.parameter:<14}{constant.says:<29}{value:>8} {unit:<10}{constant.row}"


def _row(held: MeasuredCell) -> str:
    row = held.row
    prediction = "-" if held.predicted is None else _number(held.predicted / US)
    error = "fitted" if held.fitted else "-" if held.error is None else f"{100.0 * held.error:+.0f}"
    far = " far" if held.is_judged and not held.is_near else ""
    quartiles = f"{_number(row.low / US)} - {_number(row.high / US)}" if row.undisturbed is None else ""
    return f"{row.cell.title:<25}{_number(row.seconds / US):>9}{quartiles:>19}{prediction:>11}{error:>8}{far}"


def _number(value: float) -> str:
    return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"


def _verdict(compared: Comparison) -> list[str]:
    judged = compared.judged_cells
    if not judged:
        return ["nothing to judge: every row was used for the fit"]
    busy = f"The machine was busy: calls took {compared.stretch:.1f} times as long as undisturbed."
    return [
        *([busy] if compared.stretch > BUSY_STRETCH else []),
        f"Not used for the fit, blocks up to {MAX_JUDGED_BLOCK // KIB} KiB: {compared.near_count} of {len(judged)} "
        "within "
        f"{100 * NEAR_ERROR:.0f} %",
        "(or, where the drive is waited for, within the quartiles); mean distance "
        f"{100 * compared.mean_error:.1f} %",
    ]


def numbers(compared: Comparison, head: Mapping[str, str], left_out: Sequence[str]) -> dict[str, Any]:
    """Return the numbers of the answer, for JSON."""
    machine = compared.fit.machine
    return {
        "environment": dict(head), "left_out": list(left_out),
        "constants": {each.parameter: {"seconds": getattr(machine, each.parameter), "row": each.row}
                      for each in compared.fit.used},
        "rows": [_as_json(each) for each in compared.rows],
        "stretched": compared.stretch, "judged": len(compared.judged_cells), "near": compared.near_count,
        "mean_error": compared.mean_error,
    }  # fmt: skip


def _as_json(held: MeasuredCell) -> dict[str, Any]:
    row, program = held.row, held.row.cell.program
    return {
        "program": program.name, "flags": sorted(program.flags), "block": program.block, "size": program.size,
        "stride": program.stride, "start": row.cell.start.value, "measured_seconds": row.seconds,
        "median_seconds": row.median, "quartiles_seconds": [row.low, row.high], "predicted_seconds": held.predicted,
        "error": held.error, "fitted": held.fitted, "judged": held.is_judged, "near": held.is_near,
    }  # fmt: skip


# The picture of measured and predicted rates by the size of blocks, as the lecture draws them.

COLOURS = {
    "write": BLUE, "fwrite": VERMILION, "write, O_DIRECT": GREEN, "write, O_SYNC": ORANGE,
    "write, O_DIRECT, O_SYNC": PURPLE,
    "read, warm": BLUE, "read, cold": ORANGE, "read, O_DIRECT": GREEN, "lseek + read, warm": VERMILION,
    "fseek + fread, warm": PURPLE,
}  # fmt: skip
"""Colours of groups of programs. Strides from a cold start have one size of block only, and are not drawn."""


def picture(compared: Comparison, title: str) -> Figure:
    """Draw measured points, with quartiles where programs wait for a drive, and predicted lines."""
    with styled():
        figure = Picture(figsize=(9.6, 4.4))
        axes = figure.subplots(1, 2, sharey=True)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
        for ax, head, rows in zip(axes, ("writes", "reads"), _halves(compared.rows), strict=True):
            _draw(ax, list(rows))
            ax.set(title=head, xlabel="block, bytes", xscale="log", yscale="log")
            ax.set_xticks([1, 16, 512, 4096, 65536, 1 << 20], ["1", "16", "512", "4K", "64K", "1M"])
            ax.minorticks_off()
            ax.legend(loc="lower right")
        axes[0].set_ylabel("MB/s: measured (points), predicted (lines)")
        return figure


def _halves(rows: Iterable[MeasuredCell]) -> tuple[Iterator[MeasuredCell], Iterator[MeasuredCell]]:
    every = list(rows)
    return (each for each in every if _writes(each)), (each for each in every if not _writes(each))


def _writes(held: MeasuredCell) -> bool:
    return held.row.cell.program.operation is WRITE


def _draw(ax: Axes, rows: list[MeasuredCell]) -> None:
    for name, colour in COLOURS.items():
        points = sorted((each for each in rows if group(each.row.cell) == name),
                        key=lambda each: each.row.cell.program.block)  # fmt: skip
        if not points:
            continue
        blocks = [each.row.cell.program.block for each in points]
        for block, each in zip(blocks, points, strict=True):
            if each.row.cell.waits:  # points of others are processor time, but quartiles are of the clock
                ax.vlines(block, _rate(each, each.row.high), _rate(each, each.row.low), color=FAINT, linewidth=0.8)
        ax.plot(blocks, [_rate(each, each.row.seconds) for each in points], "o", color=colour, label=name)
        line = [(block, _rate(each, each.predicted)) for block, each in zip(blocks, points, strict=True)
                 if each.predicted]  # fmt: skip
        ax.plot([block for block, _ in line], [rate for _, rate in line], color=colour, linewidth=1.2)


def _rate(held: MeasuredCell, seconds: float) -> float:
    return held.row.cell.program.block / seconds / MB


def group(cell: Cell) -> str:
    """Return the group of programs that share a colour."""
    program = cell.program
    if program.stride and not program.direct:
        if cell.start is ProgramStart.COLD:
            return "cold stride"
        return "lseek + read, warm" if program.layer is Layer.CALLS else "fseek + fread, warm"
    if program.layer is Layer.STDIO:
        return program.call.value
    operation = program.operation.value
    if program.direct:
        return f"{operation}, O_DIRECT, O_SYNC" if program.sync else f"{operation}, O_DIRECT"
    if program.sync:
        return f"{operation}, O_SYNC"
    return operation if cell.start is ProgramStart.NEW else f"{operation}, {cell.start.value}"
