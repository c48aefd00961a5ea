"""Keeps the blocks of each tier of a cache, exclusive or inclusive, and returns the moves that each use causes.

There is no clock. A replay counts the hits. The commands ``curve``, ``replay`` and ``kv`` use it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle.sim.eviction.policy import EvictionPolicy, chose_nothing, make
from spindle.traces.curve.tiers import Inclusion, Tier, TierAnswer

NO_TIER = -1
"""The place of a block that is in no tier: the source of a missed block, and the target of one evicted from all."""


class Move(NamedTuple):
    """A move of *block* from tier *source* to tier *target*; each may be NO_TIER.

    If the block *stays* in the source, a copy is moved. A move is *pushed* if it makes room for another block.
    """

    block: int
    source: int
    target: int
    pushed: bool = False
    stays: bool = False


@dataclass
class UseResult:
    """The result of using some blocks in order: how many were *found* in some tier, and all *moves* in their order."""

    found: int = 0
    moves: list[Move] = field(default_factory=list)


def prefix_length(places: Sequence[int]) -> int:
    """Count the blocks before the first that is in no tier: only these save work in a language model's cache."""
    return next((number for number, place in enumerate(places) if place == NO_TIER), len(places))


class TierBlocks:
    """The blocks of one tier with room for *capacity*, under its policy."""

    def __init__(self, capacity: int, kind: Callable[..., EvictionPolicy]) -> None:
        self.capacity = capacity
        self._policy = make(kind, capacity)
        self._resident: set[int] = set()

    def __contains__(self, block: int) -> bool:
        return block in self._resident

    def __len__(self) -> int:
        return len(self._resident)

    def touch(self, block: int) -> None:
        self._policy.touch(block)

    def enter(self, block: int) -> int:
        """Enter *block*; return the block evicted for it, or NO_TIER."""
        victim = NO_TIER
        if len(self._resident) >= self.capacity:
            chosen = self._policy.choose(block)
            if not isinstance(chosen, int):
                raise chose_nothing(self._policy)
            victim = chosen
            self._policy.remove(victim, True)
            self._resident.remove(victim)
        self._policy.insert(block)
        self._resident.add(block)
        return victim

    def leave(self, block: int) -> None:
        self._policy.remove(block, False)
        self._resident.remove(block)


class TierStack:
    """A stack of *tiers*, one below another.

    Exclusive: a block is in one tier; when used, it goes to the first, and its victim goes one down. Inclusive: each
    tier sees every use, and takes in what it lacks; its victims are dropped. So hits do not depend on speeds.
    """

    def __init__(self, tiers: Sequence[TierBlocks], inclusion: Inclusion) -> None:
        self._exclusive = inclusion is Inclusion.EXCLUSIVE
        self.tiers = tiers

    def place(self, block: int) -> int:
        """The first tier that has *block*, or NO_TIER."""
        return next((number for number, tier in enumerate(self.tiers) if block in tier), NO_TIER)

    def use(self, blocks: Sequence[int]) -> UseResult:
        """Use *blocks*, one after another."""
        uses = UseResult()
        use_one = self._use_exclusive if self._exclusive else self._use_inclusive
        for block in blocks:
            place = self.place(block)
            uses.found += place != NO_TIER
            use_one(block, place, uses.moves)
        return uses

    def forget(self, block: int) -> None:
        """Take *block* out of every tier."""
        for tier in self.tiers:
            if block in tier:
                tier.leave(block)

    def _use_exclusive(self, block: int, place: int, moves: list[Move]) -> None:
        if place == 0:
            self.tiers[0].touch(block)
            return
        if place != NO_TIER:
            self.tiers[place].leave(block)
        moves.append(Move(block, place, 0))
        down = self.tiers[0].enter(block)
        for target, tier in enumerate(self.tiers[1:], 1):
            if down == NO_TIER:
                return
            moves.append(Move(down, target - 1, target, pushed=True))
            down = tier.enter(down)
        if down != NO_TIER:
            moves.append(Move(down, len(self.tiers) - 1, NO_TIER, pushed=True))

    def _use_inclusive(self, block: int, place: int, moves: list[Move]) -> None:
        for target, tier in enumerate(self.tiers):
            if block in tier:
                tier.touch(block)
                continue
            moves.append(Move(block, place, target, stays=True))
            gone = tier.enter(block)
            if gone != NO_TIER:
                moves.append(Move(gone, target, NO_TIER, pushed=True))


def replayed_answer(
    references: Sequence[int], tiers: Sequence[Tier], kind: Callable[..., EvictionPolicy], below: float | None,
    inclusion: Inclusion, early: int = 0, drops: Mapping[int, Sequence[int]] | None = None,
) -> TierAnswer:  # fmt: skip
    """Replay *references* through *tiers* under policies of that *kind*; the first *early* references do not count.

    *drops* are blocks that are deleted, by the number of the reference that comes next.
    """
    stack = TierStack([TierBlocks(tier.blocks, kind) for tier in tiers], inclusion)
    counts = [0] * (len(tiers) + 1)
    for number, block in enumerate(references):
        for dropped in (drops or {}).get(number, ()):
            stack.forget(dropped)
        counts[stack.place(block)] += number >= early
        stack.use((block,))
    total = max(1, sum(counts))
    return TierAnswer(tiers, [count / total for count in counts], below)
