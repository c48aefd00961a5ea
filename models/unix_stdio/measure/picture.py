"""Measured against predicted as a picture: rates over the size of blocks, as the lecture draws them."""

from collections.abc import Iterable, Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from models.unix_stdio.measure.cell import Cell, ProgramStart
from models.unix_stdio.measure.held import Comparison, MeasuredCell
from sim.plots.pictures import Picture, styled
from sim.plots.style import BLUE, FAINT, GREEN, ORANGE, PURPLE, VERMILION
from sim.request import WRITE
from sim.units import MB
from workloads.stdio.calls import Layer

COLOURS = {
    "write": BLUE, "fwrite": VERMILION, "write, O_DIRECT": GREEN, "write, O_SYNC": ORANGE,
    "write, O_DIRECT, O_SYNC": PURPLE,
    "read, warm": BLUE, "read, cold": ORANGE, "read, O_DIRECT": GREEN, "lseek + read, warm": VERMILION,
    "fseek + fread, warm": PURPLE,
}  # fmt: skip
"""By group of programs. Strides from a cold start are of one block only, and are left to the table."""


def picture(compared: Comparison, title: str) -> Figure:
    """Points are measured, with quartiles where a drive is waited for; lines are predicted."""
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
            if each.row.cell.waits:  # of others the points are processor time, and quartiles of the clock's
                ax.vlines(block, _rate(each, each.row.high), _rate(each, each.row.low), color=FAINT, linewidth=0.8)
        ax.plot(blocks, [_rate(each, each.row.seconds) for each in points], "o", color=colour, label=name)
        line = [(block, _rate(each, each.predicted)) for block, each in zip(blocks, points, strict=True)
                 if each.predicted]  # fmt: skip
        ax.plot([block for block, _ in line], [rate for _, rate in line], color=colour, linewidth=1.2)


def _rate(held: MeasuredCell, seconds: float) -> float:
    return held.row.cell.program.block / seconds / MB


def group(cell: Cell) -> str:
    """Which programs are drawn in one colour."""
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
