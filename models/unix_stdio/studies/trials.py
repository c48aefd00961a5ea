"""Serves all studies of the lecture CS61: runs of programs as rows, windows, printed numbers, curves over bytes."""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

from spindle.models.unix_stdio.parameters import LECTURE, VIRTUAL_2026, UnixParameters
from spindle.models.unix_stdio.run import UnixOptions, perform
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.claim_points import with_points
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import label_ends
from spindle.studies.study import StudyWindow
from spindle.workloads.stdio_files import programs

MEASURED = {each.name for each in fields(UnixParameters)
            if getattr(VIRTUAL_2026, each.name) != getattr(LECTURE, each.name)}  # fmt: skip
"""Parameters of the machine of 2026 that were measured or read on it, whatever is assumed of the lecture's."""
Row = Mapping[str, Any]


def lecture(
    program: str, seed: object, seconds: float, warm: bool = False, changes: Mapping[str, Any] | None = None,
    block: int | None = None, **parameters: Any,
) -> Row:  # fmt: skip
    """Run *program* on the lecture's machine, with another *block* and *changes*.

    ``law`` is the seconds of a call by R + size x U, ``transfer`` the part of them that depends on the size.
    """
    machine = change(LECTURE, **parameters)
    size = programs()[program].block if block is None else block
    law = {"law": machine.write_request + size * machine.write_byte, "transfer": size * machine.write_byte}
    return {**_row(program, seed, seconds, warm, UnixOptions(), changes, block, parameters), **law}


def on_drive(program: str, seed: object, seconds: float, block: int | None = None, **parameters: Any) -> Row:
    """Run *program* on the lecture's machine with a 7200 rpm drive as its data sheet describes it, and a journal."""
    return _row(program, seed, seconds, False, UnixOptions(drive=HITACHI_7K1000C), None, block, parameters)


def virtual_2026(
    program: str, seed: object, seconds: float, warm: bool = False, changes: Mapping[str, Any] | None = None,
    block: int | None = None, kernel: Mapping[str, Any] | None = None, **parameters: Any,
) -> Row:  # fmt: skip
    """Run *program* on the machine of 2026 with *kernel* settings, and *parameters* that were not measured on it."""
    constants = {name: value for name, value in parameters.items() if name not in MEASURED} | dict(kernel or {})
    return _row(program, seed, seconds, warm, UnixOptions(VIRTUAL_2026), changes, block, constants)


def _row(
    program: str, seed: object, seconds: float, warm: bool, choices: UnixOptions, changes: Mapping[str, Any] | None,
    block: int | None, parameters: Mapping[str, Any],
) -> Row:  # fmt: skip
    blocks = {} if block is None else {"block": block}
    result = perform(programs()[program].change(**blocks, **(changes or {})), seed, seconds, warm, choices,
                     **parameters)  # fmt: skip
    return {**result.extras, **_phases(result)}


def _phases(result: Result) -> dict[str, float]:
    return {f"part_{name}": seconds for name, seconds in result.breakdown().items()}


PROGRAM = StudyWindow({"seconds": 120.0}, {"seconds": 60.0})
"""Window in which every program ends, except those that wait for the disc byte by byte, which show their rate."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
PAPER = partial(published_by_id, CLAIMS)
with_paper = partial(with_points, PAPER)
"""Decorate a function that draws with the points that the paper prints."""

BYTE_UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def in_bytes(number: float) -> str:
    """Write *number* bytes as 512 B, 4 KiB or 1 MiB."""
    size, unit = next((size, unit) for size, unit in BYTE_UNITS if number >= size or size == 1)
    return f"{number / size:g} {unit}"


def curves(frame: pd.DataFrame, x: str, y: str, by: str, x_label: str, y_label: str, title: str) -> Axes:
    """Draw *y* against *x* bytes, one line for each value of *by*, both axes logarithmic."""
    ax = curve(frame, x, y, by, x_label=x_label, y_label=y_label, title=title)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_ylim(frame[y].min() / 2, frame[y].max() * 2)
    ticks = sorted(frame[x].unique())
    ax.xaxis.set_major_locator(FixedLocator(ticks[:: -(-len(ticks) // 5)]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: in_bytes(value)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(EngFormatter())
    label_ends(ax)
    return ax
