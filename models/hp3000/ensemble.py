"""Defines an ensemble: many HP3000s that all meet the uncached measurements of McBride & Boles (1983).

The uncached numbers do not identify the cached machine. So numbers that the paper does not print are drawn from
ranges, which are assumptions. For each draw four parameters (the knobs) are fitted. Machines that then meet the
measurements on seeds that the fit did not use are run with caching, and claims judge them.
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

KNOB_SLOPES: Mapping[str, tuple[tuple[float, ...], ...]] = {
    "whole-call": (
        (-1.85, 0.43, 0.70, 0.50), (-0.45, 0.48, 0.00, 0.00), (-1.85, 0.13, 0.15, 0.00), (-0.24, 0.00, 0.13, 0.45),
    ),
    "cpu-part": (
        (-0.95, 0.10, 0.60, 0.65), (-0.62, 0.48, 0.05, 0.00), (-2.70, 0.40, -0.65, -0.45), (-0.50, 0.00, 0.37, 0.35),
    ),
}  # fmt: skip
"""Slopes of the logarithms of response time, CPU, impedes and disc rate (rows) by those of the four knobs (columns).

An impede is a call that finds the control block held. The slopes were measured with knobs a fifth larger, at the
default machine and at two members each."""

USUAL_CALLS, USUAL_DISCS = 17.2, 6
"""Calls an answer and discs of the machine around which KNOB_SLOPES were measured."""
SHIPPED_RECORDS = 1.2
"""Factor of the records of development sessions on that machine; its other knobs were as shipped."""
TOUCHING_CALLS = 25.0
"""Calls that an answer makes in the paper's 0.92 s without caching, if half go to the disc and none waits."""
THINK_SECONDS, TYPING_SECONDS = 8.0, 3.3
"""Seconds for which a clerk of the shipped script thinks, and types, for each answer."""
MIN_PACE = 0.1
"""The shortest think and typing times that are believed of a clerk, as a factor of the shipped: a second or two."""


def start(values: Mapping[str, Any]) -> FitStart:
    """Guess the knobs at which a fit begins.

    The clerks' pace is chosen for the calls a second, and with more calls an answer computes less. With fewer discs,
    fewer calls may access a disc while they hold the control block. The numbers are from a few fits by hand.
    """
    hold, calls = values["hold"], values["calls_scale"] * SHIPPED_CALLS
    cycle = CLERKS * calls / _call_rate(hold, calls)
    pace = (cycle - ENSEMBLE.aims["B33"]) / (THINK_SECONDS * MpeParameters().think_scale + TYPING_SECONDS)
    why = "" if pace >= MIN_PACE else f"clerks would have to ask every {cycle:.2g} s"
    if hold == "whole-call":
        computing = min(1.1, (calls / USUAL_CALLS) ** 0.5)
        knobs = (pace, computing, exp(-0.07 * (USUAL_DISCS - values["discs"]) ** 3), 1.0)
    else:
        knobs = (pace, 0.7, min(2.0, TOUCHING_CALLS / calls), 0.7)
    return FitStart(_relative(knobs), KNOB_SLOPES[hold], why)


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
