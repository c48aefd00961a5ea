"""Where the fit of a member begins: a first guess, and how the uncached machine follows its knobs."""

from collections.abc import Mapping

from models.hp3000.control_block import CpuPart, WholeCall
from models.hp3000.ensemble.member import Member
from models.hp3000.ensemble.work import Knobs
from models.hp3000.parameters import Parameters

CLERKS, PROGRAMMERS = 63, 38

SLOPES: Mapping[object, tuple[tuple[float, ...], ...]] = {
    WholeCall: (
        (-2.44, 0.30, 1.41, 0.77), (-0.43, 0.52, -0.08, 0.29), (-1.63, 0.08, 0.04, 0.00), (-0.24, -0.01, 0.09, 0.57),
    ),
    CpuPart: (
        (-1.17, 0.47, 2.13, 0.23), (-0.74, 0.46, 0.53, 0.08), (-2.40, 0.87, 1.94, -0.05), (-0.76, -0.04, 0.64, 0.19),
    ),
}  # fmt: skip
"""Of response time, CPU, impedes and disc rate (rows) against the four knobs, all in logarithms, measured once."""

CALL_RATE: Mapping[object, float] = {WholeCall: 45.0, CpuPart: 110.0}
"""Calls a second that give 40 impedes: the rate times the probability that the control block is held."""

RESPONSE = 0.92
THINK, TYPING = 8.0, 3.3
"""Seconds that a clerk of the shipped script thinks and types for an answer."""

TOUCHING = 26.0
"""Calls an answer that make 0.92 s if half of them go to the disc, without the control block."""


def slopes(member: Member) -> tuple[tuple[float, ...], ...]:
    return SLOPES[member.hold]


def first_guess(member: Member) -> Knobs:
    """Clerks as fast as the calls a second want it, and accesses to fill the response; all else as by default."""
    cycle = CLERKS * member.calls / CALL_RATE[member.hold]
    pace = max(0.05, (cycle - RESPONSE) / (THINK * Parameters().think_scale + TYPING))
    return Knobs(pace, touching=1.0 if member.hold is WholeCall else min(2.5, TOUCHING / member.calls))
