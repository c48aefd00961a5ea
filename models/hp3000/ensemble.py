"""An ensemble of HP3000s that all meet the uncached measurements of McBride & Boles (1983). It has ranges of
unpublished numbers, knobs that are fitted, and the claims by which the cached machines are judged.

The uncached numbers do not identify the cached machine. Unpublished numbers are drawn from ranges, all of them
assumptions; four knobs are fitted; only machines that meet the measurements on unseen seeds are run with caching.
"""

from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any

from spindle.models.hp3000.load import CLERKS
from spindle.models.hp3000.parameters import MpeParameters
from spindle.studies.ensemble import FitStart, read_ensemble

SHIPPED_CALLS = 13.2
"""Data base calls an answer of the shipped ORDERS program, in the mean over the clerks' requests."""

SLOPES: Mapping[str, tuple[tuple[float, ...], ...]] = {
    "whole-call": (
        (-1.85, 0.43, 0.70, 0.50), (-0.45, 0.48, 0.00, 0.00), (-1.85, 0.13, 0.15, 0.00), (-0.24, 0.00, 0.13, 0.45),
    ),
    "cpu-part": (
        (-0.95, 0.10, 0.60, 0.65), (-0.62, 0.48, 0.05, 0.00), (-2.70, 0.40, -0.65, -0.45), (-0.50, 0.00, 0.37, 0.35),
    ),
}  # fmt: skip
"""Slopes of response time, CPU, impedes and disc rate (rows) against the four knobs, all in logarithms.

They were measured with knobs a fifth larger, at the default machine and at two members each."""

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
    """Guess the knobs at which a fit begins.

    The clerks' pace gives the calls a second, and more calls compute less. With fewer discs, a hold may have fewer
    accesses. The numbers come from a few fits by hand.
    """
    hold, calls = values["hold"], values["calls_scale"] * SHIPPED_CALLS
    cycle = CLERKS * calls / _call_rate(hold, calls)
    pace = (cycle - ENSEMBLE.aims["B33"]) / (THINK * MpeParameters().think_scale + TYPING)
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


ENSEMBLE = read_ensemble(Path(__file__).with_suffix(".toml"), start)
