"""Answers the tiers of ``spindle curve``: parses them, finds the mean time of a reference and the sizes that pay."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from operator import mul
from typing import Any, NamedTuple

from spindle.output.text import thin_out
from spindle.questions.field import spell
from spindle.questions.storage import positive, prices_of
from spindle.sim.quantity import amount, common_unit, quantity
from spindle.sim.units import GB
from spindle.traces.blocks import TraceReferences
from spindle.traces.curve.question import LRU, CurveQuestion
from spindle.traces.curve.tier_contents import replayed_answer
from spindle.traces.curve.tiers import Inclusion, Tier, TierAnswer, frontier, tier_answer, tier_stack
from spindle.traces.curve_answers import CurveAnswer
from spindle.traces.curves import policy_of

MAX_STACKS_SHOWN = 12
"""Most stacks of the frontier (the fastest stack at each price) that are shown."""


class AskedTiers(NamedTuple):
    """Tiers of a question: *tiers* with blocks of *block* bytes, *priced* if each has a price.

    A reference that no tier answers takes *below* seconds.
    """

    tiers: Sequence[Tier]
    block: int
    below: float | None
    inclusion: Inclusion
    priced: bool

    def answers(
        self, string: TraceReferences, answers: CurveAnswer, policies: Sequence[str]
    ) -> dict[str, TierAnswer]:
        """Return the hits and times of the tiers by policy."""
        return {name: tier_answer(answers.curve, self.tiers, self.below, self.inclusion) if name == LRU else
                replayed_answer(string.blocks.tolist(), self.tiers, policy_of(name), self.below, self.inclusion,
                                answers.early, string.drops.by_reference()) for name in policies}  # fmt: skip

    def frontier(self, answers: CurveAnswer) -> list[TierAnswer]:
        """Return the fastest stack of LRU at each price; none where a price or the time below is not known."""
        if not self.priced or self.below is None:
            return []
        return list(frontier(answers.curve, self.tiers, self.below, self.inclusion))

    def lines(self, found: Mapping[str, TierAnswer], best: Sequence[TierAnswer]) -> list[str]:
        """Return the tiers under each policy as lines, and the frontier."""
        tiers = [line for name, answer in found.items()
                 for line in _tier_lines(answer, self.block, f"{self.inclusion.value} tiers, {name}")]  # fmt: skip
        return tiers + (_frontier_lines(best, self.block) if best else [])

    def data(self, found: Mapping[str, TierAnswer], best: Sequence[TierAnswer]) -> dict[str, Any]:
        """Return a row for each policy and place that answers, and one for each stack of the frontier, with bytes."""
        rows = [{"policy": name, "bytes": size, "time": seconds, "share": share, "mean": answer.mean}
                for name, answer in found.items() for size, seconds, share in
                zip_longest(self._sizes(answer), answer.seconds, answer.shares)]  # fmt: skip
        stacks = [{"money": each.price, "mean": each.mean, "bytes": self._sizes(each)} for each in best]
        return {"tiers": rows, "frontier": stacks}

    def _sizes(self, answer: TierAnswer) -> list[int]:
        return [tier.blocks * self.block for tier in answer.tiers]


def stack_of(question: CurveQuestion) -> AskedTiers:
    block = int(question.block)
    tiers = tier_stack(question.layers, block)
    if question.prices:
        prices = prices_of(spell("prices"), question.prices, len(tiers))
        tiers = [replace(tier, price=price * tier.blocks * block / GB)
                 for tier, price in zip(tiers, prices, strict=True)]
    below = positive(spell("below"), question.below, amount(question.below, "s")) if question.below else None
    return AskedTiers(tiers, block, below, Inclusion(question.layers.inclusion), bool(question.prices))


def _tier_lines(answer: TierAnswer, block: int, how: str) -> list[str]:
    """Return a line for each tier; *how* names their rule and their policy."""
    lines = ["", f"{how:<24}{'time':>12}{'share':>12}{'of the mean':>14}"]
    names = [*(quantity(tier.blocks * block, "bytes") for tier in answer.tiers), "below"]
    total = sum(map(mul, answer.shares, answer.seconds)) or 1.0
    unit = common_unit([*answer.seconds, answer.mean], "s")
    for name, seconds, share in zip_longest(names, answer.seconds, answer.shares):
        cells = "" if seconds is None else f"{share * seconds / total:>14.1%}"
        lines.append(f"{name:<24}{'?' if seconds is None else quantity(seconds, 's', shown_in=unit):>12}"
                     f"{share:>12.2%}{cells}")
    told = "" if answer.below is not None else "   of hits alone: --below TIME sets the time of the rest"
    return [*lines, f"{'mean':<24}{quantity(answer.mean, 's', shown_in=unit):>12}{told}"]


def _frontier_lines(best: Sequence[TierAnswer], block: int) -> list[str]:
    """Return lines of the cheapest stack, the fastest, and some between them."""
    lines = ["", f"{'money':>10}{'mean':>12}   tiers"]
    for answer in thin_out(best, MAX_STACKS_SHOWN):
        sizes = ", ".join(quantity(tier.blocks * block, "bytes") for tier in answer.tiers)
        lines.append(f"{answer.price:>10,.4g}{quantity(answer.mean, 's'):>12}   {sizes}")
    return lines
