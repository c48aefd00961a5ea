"""Order-entry clerks whose answers come in other proportions than in the shipped script: more orders, or lists only."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from models.hp3000.load import answer_of, clerks_by, shipped, spread
from models.hp3000.parameters import MpeParameters
from models.hp3000.runs.loads import SECTOR, Row, mixed, parameters_of, row
from sim.error import UserError, unknown
from sim.script import Choose, Loop, Script, Step
from sim.units import KIB, MIB

SCRIPT = "orders_63.tepe"
SHARES: Mapping[str, float] = {"FIND": 40.0, "STOCK": 30.0, "ORDER": 20.0, "LIST": 10.0}
"""The shipped script's, percent."""

FETCH = 16 * SECTOR
BLOCK = 4 * KIB
"""As large as a fetch."""

ONCE = {"chain_step": 1.0, "set_bytes": 16 * MIB, "fetch_random": FETCH}
"""A block with every call, and none of them again."""


def with_share(orders: float, **others: Any) -> Row:
    """63 clerks, *orders* percent of whose answers are new orders."""
    return row(mixed(0, 0, scripts=clerks(63, with_orders(orders), parameters_of(others)), **others))


def lists(block: int, **others: Any) -> Row:
    """21 clerks who only list, each in another part of large data sets, and a block with every call."""
    scripts = clerks(21, {"LIST": 100.0}, parameters_of(others))
    return row(mixed(0, 0, scripts=scripts, block=block, **{**others, **ONCE}))


def with_orders(share: float) -> dict[str, float]:
    """*share* percent of the answers are new orders, the others as they are to one another."""
    if not 0.0 <= share <= 100.0:
        raise UserError(f"the share of orders must be between 0 and 100 percent, not {share!r}")
    rest = 100.0 - SHARES["ORDER"]
    return {name: share if name == "ORDER" else each * (100.0 - share) / rest for name, each in SHARES.items()}


def clerks(terminals: int, shares: Mapping[str, float], parameters: MpeParameters) -> list[Script]:
    """So many clerks whose answers come by *shares*; an answer without one is never given."""
    for name in shares:
        if name not in SHARES:
            raise unknown("answer", name, SHARES)
    if not any(share > 0.0 for share in shares.values()):
        raise UserError("clerks must give at least one answer")
    scripts = spread(shipped(SCRIPT), terminals)
    return clerks_by(parameters, [replace(each, steps=tuple(_weighed(each.steps, shares))) for each in scripts])


def _weighed(steps: tuple[Step, ...], shares: Mapping[str, float]) -> Iterator[Step]:
    for step in steps:
        match step:
            case Loop(inner, times):
                yield Loop(tuple(_weighed(inner, shares)), times)
            case Choose(_, branches):
                weighed = [(shares.get(answer_of(branch), 0.0), branch) for branch in branches]
                weights, kept = zip(*(each for each in weighed if each[0] > 0.0), strict=True)
                yield Choose(weights, kept)
            case _:
                yield step
