"""Studies Linux's read-ahead: disc reads by its largest window, its adaptation to a stride, stdio's cost by stride."""

from collections.abc import Mapping
from functools import partial
from itertools import accumulate, islice
from typing import Any, NamedTuple

import pandas as pd

from spindle.models.unix_stdio.run import run_stack
from spindle.models.unix_stdio.stack import extras
from spindle.models.unix_stdio.studies.trials import PROGRAM, Row, curves, in_bytes, lecture, virtual_2026, with_paper
from spindle.sim.units import KIB, MB, MIB
from spindle.studies.plots.claim_points import MEASURED, Numbers, Point
from spindle.studies.plots.curves import curve
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.workloads.stdio_files import programs

CURVE_POINTS = 100
"""Most points of a curve of device reads."""


def fetching(program: str, stride: int, seed: object, seconds: float, **parameters: Any) -> Row:
    """Read 10 MB that are not in memory byte by byte; return the megabytes fetched by the disc's first reads."""
    changed_program = programs()[program].change(stride=stride)
    stack = run_stack(changed_program, seconds, **parameters)
    fetched = list(accumulate(stack.sizes))
    step = -(-len(fetched) // CURVE_POINTS)
    kept = sorted({*range(step - 1, len(fetched), step), len(fetched) - 1})
    first, second = islice(changed_program.offsets(), 2)
    return {
        **extras(stack, seed), "offset": second - first,
        "megabytes": [fetched[each] / MB for each in kept], "reads": [each + 1 for each in kept],
    }  # fmt: skip


WINDOWS = [4 * KIB << power for power in range(12)]
MAX_REQUEST = 1280 * KIB
"""Largest request in bytes of the loop device on which the reads were counted."""


class Pattern(NamedTuple):
    """An order of reads: a *program* with bytes of a *block* and of a *stride*, *called* so in the picture."""

    program: str
    block: int
    stride: int
    called: str


PATTERNS = (
    Pattern("r01", 512, 0, "front to back"), Pattern("r01", 64 * KIB, 0, "the same, 64 KiB each"),
    Pattern("r06", 512, 64 * KIB, "stride 64 KiB"), Pattern("r06", 512, MIB, "stride 1 MiB"),
)  # fmt: skip
CALLS_COUNTED = {
    "sequential_128": ("front to back", 128 * KIB), "sequential_1024": ("front to back", MIB),
    "stride_1m_64": ("stride 1 MiB", 64 * KIB), "stride_1m_128": ("stride 1 MiB", 128 * KIB),
    "stride_64k_128": ("stride 64 KiB", 128 * KIB), "stride_64k_8192": ("stride 64 KiB", 8 * MIB),
}  # fmt: skip
"""Pattern and window of the reads that claims compare with counts on Linux 6.18."""
BY_BYTE = (("r01", 0, "front to back"), ("r06", MIB, "stride 1 MiB"), ("r06", 64 * KIB, "stride 64 KiB"))
STRIDES = [64 << power for power in range(0, 15, 2)]
WAYS = (("r06", True, "without stdio"), ("r08", True, "with stdio"), ("r06", False, "from the disc"))


def device_reads(rows: SeedRows) -> Mapping[str, float]:
    return {name: rows.one(pattern=pattern, window=window)["device_reads"]
            for name, (pattern, window) in CALLS_COUNTED.items()}  # fmt: skip


def counted_reads(paper: Numbers) -> list[Point]:
    return [(window, paper[f"M2-0{place}"]) for place, (_, window) in enumerate(CALLS_COUNTED.values(), 1)]


draw_device_reads = with_paper(counted_reads, MEASURED)(
    partial(curves, x="window", y="device_reads", by="pattern", x_label="largest window of read-ahead",
            y_label="reads of the disc for 10 MB", title="A stride confuses the system"))


def adaptation(rows: SeedRows) -> Mapping[str, float]:
    sequential, stride = (rows.one(pattern=pattern) for pattern in ("front to back", "stride 1 MiB"))
    fewer = sequential["device_reads"] < stride["device_reads"]
    return {
        "stride": stride["offset"],
        "sequential_easier": float(fewer and sequential["in_disc"] < stride["in_disc"]),
        "confused": float(fewer),
        "adapts": float(stride["last_reads"] > 2 * stride["first_reads"]),
    }


def explode_curve(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each point of the curve."""
    return rows[["pattern", "megabytes", "reads"]].explode(["megabytes", "reads"], ignore_index=True).astype(
        {"megabytes": float, "reads": int})  # fmt: skip


draw_adaptation = partial(curve, x="megabytes", y="reads", by="pattern", x_label="megabytes fetched so far",
                          y_label="reads of the disc so far", title="Confused first, adapted later")


def by_stride(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[["how", "stride", "rate", "system_calls", "amplification", "device_reads"]]


draw_strides = partial(curves, x="stride", y="rate", by="how", x_label="stride", y_label="bytes a second",
                       title="A cache that does not fit")


def caption_strides(table: pd.DataFrame) -> str:
    rates = table.pivot(index="stride", columns="how", values="rate")
    worse = rates.index[rates["with stdio"] < rates["without stdio"]]
    return f"From a stride of {in_bytes(worse.min())} on stdio costs more than it saves." if len(worse) else ""


STUDIES = (
    Study(
        "device_reads",
        [Runs(virtual_2026, PROGRAM, {"pattern": each.called, "window": window}, program=each.program,
              changes={"stride": each.stride}, block=each.block, kernel={"read_ahead": window, "request": MAX_REQUEST})
         for each in PATTERNS for window in WINDOWS],
        Figure(lambda rows: rows[["pattern", "window", "device_reads", "rate"]], draw_device_reads), device_reads,
        replications=1,
    ),
    Study(
        "strides",
        [Runs(lecture, PROGRAM, {"how": how, "stride": stride}, program=program, warm=warm, block=64,
              changes={"stride": stride, "size": 4 * MIB}) for program, warm, how in WAYS for stride in STRIDES],
        Figure(by_stride, draw_strides, caption_strides), replications=1,
    ),
    Study(
        "adaptation",
        [Runs(fetching, PROGRAM, {"pattern": called}, program=program, stride=stride)
         for program, stride, called in BY_BYTE],
        Figure(explode_curve, draw_adaptation), adaptation, replications=1,
    ),
)  # fmt: skip
