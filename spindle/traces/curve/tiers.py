"""Computes the share of LRU references that each of several caches (tiers) answers, and the best tiers for a price."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import accumulate, pairwise, product
from operator import mul
from typing import TYPE_CHECKING

from spindle.questions.field import spell
from spindle.questions.storage import TierOptions, positive
from spindle.sim.error import UserError, quote
from spindle.sim.quantity import amount

if TYPE_CHECKING:  # a browser's Python has no NumPy
    from spindle.traces.curve.lru import LruCurve

MAX_STACKS = 100_000
"""Most stacks that are compared for the frontier."""
SCALES = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Factors by which the size of each tier is multiplied for the frontier: the fastest stack at each price."""


class Inclusion(Enum):
    """Rule for the contents of an upper tier: in the lower ones as well, or in one tier only."""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"


INCLUSIONS = {rule.value: rule for rule in Inclusion}


@dataclass(frozen=True)
class Tier:
    """A cache with room for *blocks*, *seconds* for each block that it answers, and a *price*."""

    blocks: int
    seconds: float
    price: float = 0.0


@dataclass(frozen=True)
class TierAnswer:
    """The *shares* of the references that each of *tiers* answers; the last share is answered by none.

    A reference of the last share takes *below* seconds, if that is known.
    """

    tiers: Sequence[Tier]
    shares: Sequence[float]
    below: float | None

    @property
    def seconds(self) -> Sequence[float]:
        """Seconds of a reference by the place that answers it, as far as they are known."""
        return [*(tier.seconds for tier in self.tiers), *([] if self.below is None else [self.below])]

    @property
    def mean(self) -> float:
        """Mean seconds of a reference; if *below* is unknown, of a reference that a tier answers."""
        known = sum(self.shares[: len(self.seconds)])
        return sum(map(mul, self.shares, self.seconds)) / known if known else 0.0

    @property
    def price(self) -> float:
        return sum(tier.price for tier in self.tiers)


def tier_answer(
    curve: "LruCurve", tiers: Sequence[Tier], below: float | None, inclusion: Inclusion
) -> TierAnswer:
    """Split the references of an LRU *curve* among *tiers*, fastest first; the rest takes *below* seconds.

    Exclusive tiers hand down their victims, and take up used blocks: together they are one list by last use, with the
    hits of LRU of all their sizes. Inclusive tiers see every reference: one hits like LRU of its size, and adds nothing
    below a larger one. Moving blocks between tiers costs nothing here.
    """
    if not tiers:
        raise UserError("a stack has one tier at least")
    sizes = [tier.blocks for tier in tiers]
    reach = list(accumulate(sizes) if inclusion is Inclusion.EXCLUSIVE else accumulate(sizes, max))
    up_to = [0.0, *(curve.ratio_at(size) for size in reach)]
    shares = [more - less for less, more in pairwise(up_to)] + [1.0 - up_to[-1]]
    return TierAnswer(tuple(tiers), shares, below)


def stacks(tiers: Sequence[Tier]) -> Iterator[Sequence[Tier]]:
    """Yield the stacks of *tiers* with sizes and prices multiplied by SCALES, except the one without room."""
    if len(SCALES) ** len(tiers) > MAX_STACKS:
        raise UserError(f"a frontier of {len(tiers)} tiers would take more than {MAX_STACKS} stacks")
    for scales in product(SCALES, repeat=len(tiers)):
        chosen = [replace(tier, blocks=round(tier.blocks * scale), price=tier.price * scale)
                  for tier, scale in zip(tiers, scales, strict=True)]
        if any(tier.blocks for tier in chosen):
            yield chosen


def frontier(
    curve: "LruCurve", tiers: Sequence[Tier], below: float, inclusion: Inclusion
) -> list[TierAnswer]:
    """Return the stacks that no other one beats in both price and time, cheapest first."""
    answers = [tier_answer(curve, chosen, below, inclusion) for chosen in stacks(tiers)]
    best: list[TierAnswer] = []
    for answer in sorted(answers, key=lambda each: (each.price, each.mean)):
        if not best or answer.mean < best[-1].mean:
            best.append(answer)
    return best


MAX_TIERS = 5


def tier_stack(asked: TierOptions, block: int) -> list[Tier]:
    """Return the tiers, whose blocks have *block* bytes."""
    tiers = [_tier(each, block) for each in asked.tiers.split(",")]
    if len(tiers) > MAX_TIERS:
        raise UserError(f"{spell('tiers')} names {len(tiers)} tiers, and {MAX_TIERS} are the most")
    return tiers


def _tier(text: str, block: int) -> Tier:
    room, colon, time = text.partition(":")
    name = spell("tiers")
    if not colon:
        raise UserError(f"{name} takes SIZE:SECONDS,..., as 8GB:0.1us,1TB:100us, not {quote(text)}")
    thousands = 1024 if room.upper().endswith(("T", "TIB")) else 1000
    held = amount(room.upper().replace("T", "G", 1), "bytes")
    blocks = int(positive(name, room, held) * (thousands if "T" in room.upper() else 1) // block)
    if not blocks:
        raise UserError(f"{name}: {room} has no room for a block of {block} bytes")
    return Tier(blocks, positive(name, time, amount(time, "s")))
