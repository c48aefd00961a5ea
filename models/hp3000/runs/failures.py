"""The hybrid load, and what a failure of the power at a random moment would lose."""

from statistics import fmean
from typing import Any

from models.hp3000.caching.at_risk import Loss
from models.hp3000.operator import CountLosses
from models.hp3000.runs.loads import Row, mixed, parts_of, row
from sim.streams import stream
from sim.units import KIB

FAILURES = 60
"""Moments of a run at which the power might fail, without effect on the run."""


def failing(terminals: int, seed: object, minutes: float, warm_up: float, **others: Any) -> Row:
    losses: list[list[Loss]] = []
    random = stream(seed, "power failures")
    shift = [(warm_up + minutes * random.random(), CountLosses(losses.append)) for _ in range(FAILURES)]
    others |= {"operator": shift, "minutes": minutes, "warm_up": warm_up}
    return {**row(mixed(*parts_of(terminals), seed=seed, **others)), **lost(losses)}


def lost(losses: list[list[Loss]]) -> Row:
    """Means over failures, the worst, and the share of them that lost nothing, as without caching all do."""
    sizes = [sum(loss.bytes for loss in each) for each in losses] or [0]
    return {
        "lost_kib": fmean(sizes) / KIB,
        "lost_writes": fmean([len(each) for each in losses] or [0]),
        "lost_most_kib": max(sizes) / KIB,
        "lost_nothing": sizes.count(0) / len(sizes),
    }
