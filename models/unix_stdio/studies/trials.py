"""Shared by studies of the stdio lecture: a program's times of a call, its read-ahead and its bytes lost when power
fails, as rows; the levels of memory; the studies' window, the lecture's numbers, and logarithmic axes."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

from spindle.models.unix_stdio.page_cache.writing import WriteHistory
from spindle.models.unix_stdio.parameters import LECTURE, MACHINES, PAGE, VIRTUAL_2026, UnixParameters, not_fitted
from spindle.models.unix_stdio.run import UnixOptions, perform, run_stack
from spindle.models.unix_stdio.stack import extras
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.streams import stream
from spindle.sim.units import MB
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import curve, with_points
from spindle.studies.plots.style import label_ends
from spindle.studies.study import StudyWindow
from spindle.workloads.stdio import programs

# What the studies run: one program on the lecture's machine or that of 2026, and the pyramid of memories, as rows.

class Level(NamedTuple):
    """*seconds* to get one byte that lies on the level *name*; it *survives* a failure of the power or not."""

    name: str
    seconds: float
    survives: bool


def levels(parameters: UnixParameters) -> list[Level]:
    """Return the levels from the fastest to the slowest; each is a cache of the next."""
    call = parameters.read_call + parameters.copy
    fill = parameters.read_call + PAGE * parameters.copy
    disc = parameters.read_request + PAGE * parameters.read_byte
    safe = parameters.write_request + PAGE * parameters.write_byte + parameters.flush
    return [
        Level("buffer of stdio", parameters.library_call, False),
        Level("page cache, by a system call", call, False),
        Level("page cache, by a buffer filled for it", parameters.library_call + fill, False),
        Level("disc", disc + call, True),
        Level("disc, a byte to be written there", safe + parameters.write_call, True),
    ]


MEASURED = {each.name for each in fields(UnixParameters)
            if getattr(VIRTUAL_2026, each.name) != getattr(LECTURE, each.name)}  # fmt: skip
"""Parameters of the machine of 2026 that were measured or read on it, whatever is assumed of the lecture's."""
POINTS = 100
"""Most points of a curve of device reads."""
MINUTE, SAMPLES = 60.0, 240
"""Seconds for which the bytes at risk are sampled, and the number of samples."""
FAILURES = 50
"""Moments at which the power fails, for each seed."""
Row = Mapping[str, Any]


def lecture(
    program: str, seed: object, seconds: float, warm: bool = False, changes: Mapping[str, Any] | None = None,
    block: int | None = None, **parameters: Any,
) -> Row:  # fmt: skip
    """Run *program* on the lecture's machine, with another *block* and *changes*.

    ``law`` is the seconds of a call by R + size x U, ``transfer`` the part of them that depends on the size.
    """
    machine = change(LECTURE, **parameters)
    size = block or programs()[program].block
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


def compare_measured(number: int, seed: object, **parameters: Any) -> Row:
    """Run one of the programs that nothing was fitted to; return it as simulated and as measured."""
    each = not_fitted()[number]
    us = perform(each.program, seed, each.seconds, each.warm, UnixOptions(VIRTUAL_2026)).extras["us_per_call"]
    return {"program": each.name, "us_per_call": us, "measured_us": each.quiet, "close": float(each.is_close(us)),
            "usual": float(each.is_usual(us))}


def _row(
    program: str, seed: object, seconds: float, warm: bool, choices: UnixOptions, changes: Mapping[str, Any] | None,
    block: int | None, parameters: Mapping[str, Any],
) -> Row:  # fmt: skip
    blocks = {} if block is None else {"block": block}
    result = perform(programs()[program].change(**blocks, **(changes or {})), seed, seconds, warm, choices,
                     **parameters)  # fmt: skip
    return {**result.extras, **_parts(result)}


def _parts(result: Result) -> dict[str, float]:
    return {f"part_{name}": seconds for name, seconds in result.breakdown().items()}


def fetching(program: str, stride: int, seed: object, seconds: float, **parameters: Any) -> Row:
    """Read 10 MB that are not in memory byte by byte; return the megabytes fetched by the disc's first reads."""
    changed_program = programs()[program].change(stride=stride)
    stack = run_stack(changed_program, seconds, **parameters)
    fetched = list(accumulate(stack.sizes))
    step = -(-len(fetched) // POINTS)
    kept = sorted({*range(step - 1, len(fetched), step), len(fetched) - 1})
    first, second = islice(changed_program.offsets(), 2)
    return {
        **extras(stack, seed), "offset": second - first,
        "megabytes": [fetched[each] / MB for each in kept], "reads": [each + 1 for each in kept],
    }  # fmt: skip


def at_risk(
    how: str, program: str, changes: Mapping[str, Any], kernel: Mapping[str, Any], seed: object, seconds: float,
    **parameters: Any,
) -> Row:  # fmt: skip
    """Sample the bytes that *program* has written and that are not on the disc, through a minute with power failures.

    The moments of failure are drawn for each seed and each name *how*.
    """
    history = run_stack(programs()[program].change(**changes), seconds, **{**parameters, **kernel}).at_risk
    instants = [MINUTE * point / SAMPLES for point in range(SAMPLES + 1)]
    curve = list(history.curve(instants))
    random = stream(seed, f"power {how}")
    moments = sorted(MINUTE * random.random() for _ in range(FAILURES))
    return {
        "second": [instant for instant, _ in curve], "megabytes": [risk / MB for _, risk in curve],
        **_failures(history, moments),
    }  # fmt: skip


def _failures(history: WriteHistory, moments: Sequence[float]) -> dict[str, float]:
    left = [history.left_at(moment) for moment in moments]
    written = sum(each.handed_over for each in left)
    return {
        "failures": len(left),
        "lost": sum(each.lost_bytes for each in left) / written,
        "with_loss": sum(each.lost_bytes > 0 for each in left) / len(left),
        "whole": sum(each.whole == each.handed_over for each in left) / len(left),
        "in_library": sum(each.in_library for each in left) / len(left),
    }


def pyramid(machine: str, seed: object, **parameters: Any) -> Row:
    """Return the levels of *machine*, from the fastest down: seconds to a byte there, and 1 if it is permanent."""
    constants = parameters if machine == "lecture" else {}
    steps = levels(change(MACHINES[machine], **constants))
    return {
        "level": [each.name for each in steps], "seconds": [each.seconds for each in steps],
        "survives": [int(each.survives) for each in steps],
    }  # fmt: skip


PROGRAM = StudyWindow({"seconds": 120.0}, {"seconds": 60.0})
"""Window in which every program ends, except those that wait for the disc byte by byte, which show their rate."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
PAPER = partial(published_by_id, CLAIMS)
with_paper = partial(with_points, PAPER)
"""Decorate a function that draws with the points that the paper prints."""


UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def in_bytes(number: float) -> str:
    """Write *number* bytes as 512 B, 4 KiB or 1 MiB."""
    size, unit = next((size, unit) for size, unit in UNITS if number >= size or size == 1)
    return f"{number / size:g} {unit}"


def curves(frame: pd.DataFrame, x: str, y: str, by: str, x_label: str, y_label: str, title: str) -> Axes:
    """Draw *y* against *x* bytes, one line for each value of *by*, both axes logarithmic."""
    ax = curve(frame, x, y, by, x_label=x_label, y_label=y_label, title=title, names={each: each for each in frame[by]})
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
