"""Order-entry clerks whose answers come in other proportions than in the shipped script."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from models.hp3000.load import shipped, slower, spread
from models.hp3000.parameters import Parameters
from sim.error import UserError, unknown
from sim.script import Call, Choose, Loop, Script, Step

SCRIPT = "orders_63.tepe"
SHARES: Mapping[str, float] = {"FIND": 40.0, "STOCK": 30.0, "ORDER": 20.0, "LIST": 10.0}
"""The shipped script's, percent."""


def with_orders(share: float) -> dict[str, float]:
    """*share* percent of the answers are new orders, the others as they are to one another."""
    if not 0.0 <= share <= 100.0:
        raise UserError(f"the share of orders must be between 0 and 100 percent, not {share!r}")
    rest = 100.0 - SHARES["ORDER"]
    return {name: share if name == "ORDER" else each * (100.0 - share) / rest for name, each in SHARES.items()}


def clerks(
    terminals: int, shares: Mapping[str, float] = SHARES, think_scale: float = Parameters.think_scale
) -> list[Script]:
    """So many clerks who give answers by *shares*; who has none is never given."""
    for name in shares:
        if name not in SHARES:
            raise unknown("answer", name, SHARES)
    if not any(share > 0.0 for share in shares.values()):
        raise UserError("clerks must give at least one answer")
    return [
        replace(script, steps=slower(tuple(_weighed(script.steps, shares)), think_scale))
        for script in spread(shipped(SCRIPT), terminals)
    ]


def _weighed(steps: tuple[Step, ...], shares: Mapping[str, float]) -> Iterator[Step]:
    for step in steps:
        match step:
            case Loop(inner, times):
                yield Loop(tuple(_weighed(inner, shares)), times)
            case Choose(_, branches):
                named = [(shares.get(_answer(branch), 0.0), branch) for branch in branches]
                weights, given = zip(*(each for each in named if each[0] > 0.0), strict=True)
                yield Choose(weights, given)
            case _:
                yield step


def _answer(branch: tuple[Step, ...]) -> str:
    return next(step.name for step in branch if isinstance(step, Call))
