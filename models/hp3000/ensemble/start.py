"""Where the fit of a member begins: a first guess, and how the uncached machine follows its knobs."""

from collections.abc import Mapping
from math import exp

from models.hp3000.ensemble.member import Member
from models.hp3000.ensemble.work import Knobs
from models.hp3000.image.control_block import CpuPart, WholeCall
from models.hp3000.parameters import Parameters

CLERKS, PROGRAMMERS = 63, 38

SLOPES: Mapping[object, tuple[tuple[float, ...], ...]] = {
    WholeCall: (
        (-1.85, 0.43, 0.70, 0.50), (-0.45, 0.48, 0.00, 0.00), (-1.85, 0.13, 0.15, 0.00), (-0.24, 0.00, 0.13, 0.45),
    ),
    CpuPart: (
        (-0.95, 0.10, 0.60, 0.65), (-0.62, 0.48, 0.05, 0.00), (-2.70, 0.40, -0.65, -0.45), (-0.50, 0.00, 0.37, 0.35),
    ),
}  # fmt: skip
"""Of response time, CPU, impedes and disc rate (rows) against the four knobs, all in logarithms: measured with knobs a
fifth larger, at the default machine and at two members each."""

USUAL_CALLS, USUAL_DISCS = 15.8, 6
"""Of the default machine, whose knobs are all 1."""

TOUCHING = 25.0
"""Calls an answer that make 0.92 s if half of them go to the disc, without the control block."""

RESPONSE = 0.92
THINK, TYPING = 8.0, 3.3
"""Seconds that a clerk of the shipped script thinks and types for an answer."""


def slopes(member: Member) -> tuple[tuple[float, ...], ...]:
    return SLOPES[member.hold]


LEAST_PACE = 0.1
"""Who has a tenth of the shipped think and typing times, a second or two in all, is no clerk."""


def hopeless(member: Member) -> str:
    """Why no knobs can bring *member* to 40 impedes a second, by arithmetic; empty where some may."""
    return "" if _pace(member) >= LEAST_PACE else f"clerks would have to ask every {_cycle(member):.2g} s"


def first_guess(member: Member) -> Knobs:
    """Clerks as fast as the calls a second want it; who answers more often computes less for each answer.

    The fewer discs there are to queue at, the fewer accesses a hold may have. The numbers come of a few fits by hand.
    """
    pace = max(_pace(member), LEAST_PACE)
    if member.hold is WholeCall:
        computing = min(1.1, (member.calls / USUAL_CALLS) ** 0.5)
        return Knobs(pace, computing, touching=exp(-0.07 * (USUAL_DISCS - member.discs) ** 3))
    return Knobs(pace, computing=0.7, touching=min(2.0, TOUCHING / member.calls), records=0.7)


def call_rate(member: Member) -> float:
    """Calls a second that give 40 impedes: the rate times the probability that the control block is held.

    That is nearly all of them where an answer makes few, for then most clerks queue; it has no time to be so with many.
    """
    return 36.0 + 1.3 * member.calls if member.hold is WholeCall else 135.0


def _cycle(member: Member) -> float:
    return CLERKS * member.calls / call_rate(member)


def _pace(member: Member) -> float:
    return (_cycle(member) - RESPONSE) / (THINK * Parameters().think_scale + TYPING)
