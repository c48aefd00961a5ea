"""Compares a run with the numbers that a paper prints, where the run is one of the paper's own cases."""

import inspect
from collections.abc import Mapping, Sequence
from math import isfinite
from shutil import get_terminal_size
from textwrap import shorten
from typing import Any, NamedTuple

from spindle.sim.measure.result import Result
from spindle.sim.quantity import amount, show, unit_of
from spindle.studies.claims.claims import Claim, read_claims
from spindle.system import PaperCase, System

SHOWING_ARGUMENTS = ("seed", "minutes", "warm_up", "log", "report")
"""Arguments that may differ from the paper's case: they change the length or the output of a run, not the machine."""

USUAL_WIDTH, NUMBERS_WIDTH = 92, 52
"""Columns of a screen whose size is unknown, and columns of a line before the words of the claim."""
MIN_WORDS_WIDTH = 20
"""Least columns for the words of a claim, however narrow the screen."""


class PaperNumber(NamedTuple):
    """A number of a run beside the paper's: the *measure*, *simulated* and *published* in one unit, and the claim.

    *claim* is the id of the claim, *says* its words.
    """

    measure: str
    simulated: float
    published: float
    claim: str
    says: str


def paper_numbers(system: System, point: Mapping[str, Any], result: Result) -> list[PaperNumber]:
    """Return the paper's numbers for a run with *point*; empty unless it is one of the paper's cases.

    A number that a short run does not have is left out.
    """
    case = next((each for each in system.cases if _is(system, each, point)), None)
    if case is None:
        return []
    claims, summary = {each.id: each for each in read_claims(system.claims)}, result.summary()
    return [
        PaperNumber(measure, summary[measure], _number(claims[name], unit_of(measure)), name, claims[name].says)
        for measure, name in case.claims.items() if isfinite(summary[measure])
    ]  # fmt: skip


def _is(system: System, case: PaperCase, point: Mapping[str, Any]) -> bool:
    usual = {name: each.default for name, each in inspect.signature(system.run).parameters.items()}
    asked, printed = (
        {name: value for name, value in each.items() if name not in SHOWING_ARGUMENTS and usual.get(name) != value}
        for each in (point, case.arguments)
    )
    return asked == printed


def _number(claim: Claim, unit: str) -> float:
    """Return the number that the *claim* prints, in *unit* where it can be converted, else in the claim's unit."""
    read = amount(f"{claim.published!r} {claim.unit}", unit)
    return claim.published if read is None else read


def lines(numbers: Sequence[PaperNumber]) -> list[str]:
    """Return a heading and a line for each of *numbers*, as wide as the screen."""
    if not numbers:
        return []
    width = get_terminal_size((USUAL_WIDTH, 24)).columns
    head = f"{'beside the paper':>21}{'here':>11}{'printed':>11}  claim"
    return ["", head, *(_line(each, width) for each in numbers)]


def _line(each: PaperNumber, width: int) -> str:
    numbers = "".join(f"{show(each.measure, value, 3):>11}" for value in (each.simulated, each.published))
    says = shorten(each.says, max(MIN_WORDS_WIDTH, width - NUMBERS_WIDTH), placeholder=" ...")
    return f"{each.measure.replace('_', ' '):>21}{numbers}  {each.claim:<6}{says}"
