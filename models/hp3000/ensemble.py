"""An ensemble of HP3000s that all meet the uncached measurements of McBride & Boles (1983). It has ranges of
unpublished numbers, knobs that are fitted, and the claims by which the cached machines are judged.

The uncached numbers do not identify the cached machine. Unpublished numbers are drawn from ranges, all of them
assumptions; four knobs are fitted; only machines that meet the measurements on unseen seeds are run with caching.
"""

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

from spindle.models.hp3000.load import CLERKS
from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.units import KIB, MS
from spindle.studies.ensemble import Between, Ensemble, Extent, FitStart, Knob, OneOf

SHIPPED_CALLS = 13.2
"""Data base calls an answer of the shipped ORDERS program, in the mean over the clerks' requests."""


def _calls(*answers: int) -> tuple[float, ...]:
    return tuple(calls / SHIPPED_CALLS for calls in answers)


RANGES: Mapping[str, OneOf | Between] = {
    "calls_scale": OneOf(_calls(3, 6, 10, 20, 60), "calls of an answer: an inquiry takes 3, an order of ten lines 60"),
    "discs": OneOf((2, 3, 4, 6), "the paper gives no number; two HP 7933s are all busy with 46 accesses a second"),
    "hold": OneOf(("whole-call", "whole-call", "cpu-part"), "single-threaded calls (McBride), or only their computing"),
    "terminal_delay": OneOf((0.0, 0.1), "a fixed part of a response is one reading of 20 % at 21 terminals"),
    "alignment": OneOf(("from-request", "in-multiples", "centred"), "where MPE puts a fetch is not published"),
    "near": OneOf((0.0, 0.4, 0.65, 0.8), "spatial locality: answers that go on behind the last one of their user"),
    "hot_share": OneOf((0.0, 0.4, 0.8), "temporal locality beside it, in any mixture"),
    "hot_size": Between(0.003, 0.1, "from 6 to 200 Kbytes of a data set of 2 Mbytes"),
    "order_scale": OneOf((1.0, 2.0, 4.0), "new orders are a fifth, a third or half of a clerk's answers"),
    "file_bytes": OneOf((32 * KIB, 40 * KIB, 64 * KIB), "of a file of a development session"),
    "flush": OneOf(("read-through", "never"), "a cache-flush algorithm was tuned; the paper does not say which"),
    "hit_cpu": Between(3.0 * MS, 5.0 * MS, "a hit takes 4 ms, with the file system's millisecond or beside it"),
    "fault_cpu": Between(3.0 * MS, 9.0 * MS, "3000 to 9000 instructions to find room and bring a segment in"),
    "initiate": Between(0.75 * MS, 1.5 * MS, "750 to 1500 instructions to start and complete a physical I/O"),
}
KNOBS = {
    "pace": Knob(("pace_scale",)),
    "computing": Knob(("call_cpu", "compute_scale", "development_scale")),
    "touching": Knob(("touch_scale",)),
    "records": Knob(("records_scale",)),
}
AIMS = {"B33": 0.92, "B10": 0.47, "B15": 40.0, "B14": 50.0}
"""Values that a fit aims at, by claim. The paper's CPU is busy less than 50 %; 47 % leaves room for noise."""

SLOPES: Mapping[str, tuple[tuple[float, ...], ...]] = {
    "whole-call": (
        (-1.85, 0.43, 0.70, 0.50), (-0.45, 0.48, 0.00, 0.00), (-1.85, 0.13, 0.15, 0.00), (-0.24, 0.00, 0.13, 0.45),
    ),
    "cpu-part": (
        (-0.95, 0.10, 0.60, 0.65), (-0.62, 0.48, 0.05, 0.00), (-2.70, 0.40, -0.65, -0.45), (-0.50, 0.00, 0.37, 0.35),
    ),
}  # fmt: skip
"""Slopes of response time, CPU, impedes and disc rate (rows) against the four knobs, all in logarithms: measured with
knobs a fifth larger, at the default machine and at two members each."""

USUAL_CALLS, USUAL_DISCS = 17.2, 6
"""Calls an answer and discs of the machine around which the slopes were measured."""
SHIPPED_RECORDS = 1.2
"""Records of development sessions on that machine; its other knobs were as shipped."""
TOUCHING = 25.0
"""Calls an answer that take 0.92 s if half of them go to the disc and none waits for the control block."""
THINK, TYPING = 8.0, 3.3
"""Seconds that a clerk of the shipped script thinks and types for an answer."""
MIN_PACE = 0.1
"""Lowest pace that is believed of a clerk: a tenth of the shipped think and typing times, a second or two in all."""


def start(values: Mapping[str, Any]) -> FitStart:
    """Guess the knobs at which a fit begins: the clerks' pace gives the calls a second, and computing falls as calls
    grow.

    With fewer discs, a hold may have fewer accesses. The numbers come from a few fits by hand.
    """
    hold, calls = values["hold"], values["calls_scale"] * SHIPPED_CALLS
    cycle = CLERKS * calls / _call_rate(hold, calls)
    pace = (cycle - AIMS["B33"]) / (THINK * MpeParameters().think_scale + TYPING)
    why = "" if pace >= MIN_PACE else f"clerks would have to ask every {cycle:.2g} s"
    if hold == "whole-call":
        computing = min(1.1, (calls / USUAL_CALLS) ** 0.5)
        knobs = (pace, computing, exp(-0.07 * (USUAL_DISCS - values["discs"]) ** 3), 1.0)
    else:
        knobs = (pace, 0.7, min(2.0, TOUCHING / calls), 0.7)
    return FitStart(_relative(knobs), SLOPES[hold], why)


def _relative(knobs: Sequence[float]) -> tuple[float, ...]:
    """Convert *knobs*, factors of shipped values, to factors of the default machine's values."""
    pace, computing, touching, records = knobs
    usual = MpeParameters()
    return (pace / usual.pace_scale, computing / usual.compute_scale, touching / usual.touch_scale,
            records * SHIPPED_RECORDS / usual.records_scale)  # fmt: skip


def _call_rate(hold: str, calls: float) -> float:
    """Calls a second that give 40 impedes: calls times the probability that the control block is held.

    Where an answer makes few calls most clerks queue, and nearly every call is impeded; where it makes many, fewer are.
    """
    return 36.0 + 1.3 * calls if hold == "whole-call" else 135.0


ENSEMBLE = Ensemble(
    shows="Caching on every machine that meets the paper's uncached numbers, whatever the unpublished numbers are.",
    ranges=RANGES,
    met=("B33", "B10", "B15", "B14", "B11"),
    asked=("B22", "B22f", "B22m", "B29", "B30", "B30s", "B34", "B34r", "B35r", "B36", "B37", "B38", "B39"),
    extent=Extent(
        fitting={"minutes": 4.0, "warm_up": 1.5}, checking={"minutes": 7.0, "warm_up": 1.5},
        judging={"minutes": 5.0, "warm_up": 1.5},
    ),
    quick=Extent(
        fitting={"minutes": 0.5, "warm_up": 0.4}, checking={"minutes": 0.5, "warm_up": 0.4},
        judging={"minutes": 0.5, "warm_up": 0.4}, steps=2, rounds=1, seeds=1,
    ),
    knobs=KNOBS,
    aims=AIMS,
    start=start,
    fixed={"phases": 4},  # of a programmer's round of some six minutes, so that a short run sees all of it
    where={"B36": "busy_met", "B37": "pressed_met", "B38": "scattered_met", "B39": "block_met"},
    joint=(
        (("B29",), ("B30",)),
        (("B34",), ("B34r",)),
        (("B30",), ("B34r",)),
        (("B29",), ("B30",), ("B34r",)),
        (("B29",), ("B30",), ("B34",), ("B34r",)),
        (("B29",), ("B30",), ("B34",), ("B34r",), ("B22",), ("B22f",), ("B22m",), ("B35r",)),
    ),
)  # fmt: skip
