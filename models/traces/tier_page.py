"""What tiers answer, as a page for a screen of 80 columns, and what stacks are worth their money."""

from collections.abc import Sequence

from sim.curve.tiers import TierAnswer
from sim.quantity import quantity

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
    last = len(best) - 1
    shown = sorted({round(place * last / (MOST - 1)) for place in range(MOST)}) if last > 0 else [0]
    lines = ["", f"{'money':>10}{'mean':>12}   tiers"]
    for place in shown:
        answer = best[place]
        sizes = ", ".join(quantity(tier.blocks * block, "bytes") for tier in answer.tiers)
        lines.append(f"{answer.price:>10,.4g}{quantity(answer.mean, 's'):>12}   {sizes}")
    return lines
