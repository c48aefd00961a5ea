"""What tiers answer, as a page for a screen of 80 columns, and what stacks are worth their money."""

from collections.abc import Sequence
from typing import Any

from models.shown import spaced
from sim.curve.tiers import TierAnswer
from sim.quantity import quantity
from workloads.traces.replay.tiers import TieredStorage

MOST = 12
"""Stacks of the frontier that are shown."""


def tier_lines(answer: TierAnswer, below: float, block: int, how: str) -> list[str]:
    lines = ["", f"{how + ' tiers, lru':<24}{'time':>12}{'share':>12}{'of the mean':>14}"]
    costs = [*(tier.seconds for tier in answer.tiers), below]
    names = [*(quantity(tier.blocks * block, "bytes") for tier in answer.tiers), "below"]
    for name, seconds, share in zip(names, costs, answer.shares, strict=True):
        part = share * seconds / answer.mean if answer.mean else 0.0
        lines.append(f"{name:<24}{quantity(seconds, 's'):>12}{share:>12.2%}{part:>14.1%}")
    return [*lines, f"{'mean':<24}{quantity(answer.mean, 's'):>12}"]


def frontier_lines(best: Sequence[TierAnswer], block: int) -> list[str]:
    """The cheapest, the fastest, and some between them."""
    lines = ["", f"{'money':>10}{'mean':>12}   tiers"]
    for answer in spaced(best, MOST):
        sizes = ", ".join(quantity(tier.blocks * block, "bytes") for tier in answer.tiers)
        lines.append(f"{answer.price:>10,.4g}{quantity(answer.mean, 's'):>12}   {sizes}")
    return lines


def served_numbers(storage: TieredStorage, seconds: float) -> list[dict[str, Any]]:
    """What each tier did in a replay of so many *seconds*, and what was left to drives: shares of references."""
    below = sum(drive.below for drive in storage.caches)
    count = max(1, below + sum(server.answered for server in storage.servers))
    tiers = [{"blocks": server.tier.blocks, "seconds": server.tier.seconds, "share": server.answered / count,
              "utilisation": server.busy / seconds if seconds else 0.0,
              "queue_seconds": server.waited / server.asked if server.asked else 0.0} for server in storage.servers]
    return [*tiers, {"share": below / count}]


def served_lines(storage: TieredStorage, seconds: float) -> list[str]:
    lines = ["", f"{'tiers, lru':<24}{'time':>12}{'share':>12}{'busy':>10}{'mean queue':>14}"]
    *tiers, below = served_numbers(storage, seconds)
    for each in tiers:
        room = quantity(each["blocks"] * storage.block, "bytes")
        lines.append(f"{room:<24}{quantity(each['seconds'], 's'):>12}{each['share']:>12.2%}"
                     f"{each['utilisation']:>10.1%}{quantity(each['queue_seconds'], 's'):>14}")
    return [*lines, f"{'drives':<24}{'':>12}{below['share']:>12.2%}"]
