"""Tests by hand which blocks move between the tiers of a stack, and in which order."""

from collections.abc import Hashable

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.slru import Slru
from spindle.traces.curve.tier_contents import (
    NO_TIER,
    Move,
    TierBlocks,
    TierStack,
    UseResult,
    prefix_length,
    replayed_answer,
)
from spindle.traces.curve.tiers import Inclusion, Tier
from tests.doubles import ChoosesNothing

EXCLUSIVE, INCLUSIVE = Inclusion.EXCLUSIVE, Inclusion.INCLUSIVE


def stack(inclusion: Inclusion, *capacities: int) -> TierStack:
    return TierStack([TierBlocks(capacity, Lru) for capacity in capacities], inclusion)


def test_an_exclusive_stack_passes_victims_down_until_there_is_room() -> None:
    """Two tiers of one block: each newcomer pushes the one before down, and that the last one out."""
    tiers = stack(EXCLUSIVE, 1, 1)
    assert tiers.use([1]) == UseResult(0, [Move(1, NO_TIER, 0, pushed=False, stays=False)])
    assert tiers.use([2]).moves == [Move(2, NO_TIER, 0), Move(1, 0, 1, pushed=True)]
    assert tiers.use([3]).moves == [
        Move(3, NO_TIER, 0), Move(2, 0, 1, pushed=True), Move(1, 1, NO_TIER, pushed=True),
    ]  # fmt: skip
    assert [tiers.place(block) for block in (1, 2, 3)] == [NO_TIER, 1, 0]
    back = tiers.use([2])  # the first tier's victim takes the place that it leaves
    assert (back.found, back.moves) == (1, [Move(2, 1, 0), Move(3, 0, 1, pushed=True)])
    again = tiers.use([2])
    assert (again.found, again.moves) == (1, [])


def test_three_tiers_pass_on_what_each_gives_up() -> None:
    tiers = stack(EXCLUSIVE, 1, 1, 1)
    tiers.use([1, 2, 3])
    assert tiers.use([4]).moves == [
        Move(4, NO_TIER, 0), Move(3, 0, 1, pushed=True), Move(2, 1, 2, pushed=True), Move(1, 2, NO_TIER, pushed=True),
    ]  # fmt: skip


def test_an_inclusive_stack_copies_to_each_tier_that_lacks_it_and_drops_victims() -> None:
    tiers = stack(INCLUSIVE, 1, 2)
    assert tiers.use([1]).moves == [Move(1, NO_TIER, 0, stays=True), Move(1, NO_TIER, 1, stays=True)]
    assert tiers.use([2]).moves == [
        Move(2, NO_TIER, 0, stays=True), Move(1, 0, NO_TIER, pushed=True), Move(2, NO_TIER, 1, stays=True),
    ]  # fmt: skip
    found = tiers.use([1])
    assert (found.found, found.moves) == (1, [Move(1, 1, 0, stays=True), Move(2, 0, NO_TIER, pushed=True)])
    assert (tiers.place(1), tiers.place(2)) == (0, 1)
    tiers.use([3])  # the second tier saw the use of 1, so that 2 goes
    assert (tiers.place(1), tiers.place(2), tiers.place(3)) == (1, NO_TIER, 0)


@pytest.mark.parametrize("inclusion", Inclusion)
def test_what_is_forgotten_is_in_no_tier_and_leaves_room(inclusion: Inclusion) -> None:
    tiers = stack(inclusion, 1, 2)
    tiers.use([1, 2])
    tiers.forget(1)
    tiers.forget(7)
    assert [tiers.place(block) for block in (1, 2)] == [NO_TIER, 0]
    assert [len(tier) for tier in tiers.tiers] == ([1, 0] if inclusion is EXCLUSIVE else [1, 1])


def test_a_tier_is_of_its_policy_and_room() -> None:
    """A segmented LRU of four blocks protects what was used twice, which LRU gives up first."""
    gone = {}
    for kind in (Lru, Slru):
        tier = TierBlocks(4, kind)
        assert [tier.enter(block) for block in (1, 2, 3, 4)] == [NO_TIER] * 4
        for block in (1, 2, 3, 4, 1):
            tier.touch(block)
        tier.touch(1)
        gone[kind] = tier.enter(5)
        assert (len(tier), 5 in tier, gone[kind] in tier) == (4, True, False)
    assert gone[Lru] == 2


def test_a_policy_is_told_what_is_evicted_and_what_leaves() -> None:
    """1 goes down for 2, and back up, for which 2 goes down; then 1 is forgotten."""
    told: list[tuple[int, bool]] = []

    class Told(Lru):
        def remove(self, key: Hashable, evicted: bool) -> None:
            assert isinstance(key, int)
            told.append((key, evicted))
            super().remove(key, evicted)

    tiers = TierStack([TierBlocks(1, Told), TierBlocks(1, Told)], EXCLUSIVE)
    tiers.use([1, 2, 1])
    tiers.forget(1)
    assert told == [(1, True), (1, False), (2, True), (1, False)]


def test_a_prefix_ends_at_the_first_block_that_is_nowhere() -> None:
    assert [prefix_length(places) for places in ([], [0, 1], [NO_TIER, 0], [1, NO_TIER, 0])] == [0, 2, 0, 1]


def test_shares_of_hits_are_of_the_references_that_count() -> None:
    """1 2 1 3 2 through tiers of one block each: of the last three 1 is found, in the second, unless it was deleted."""
    tiers = [Tier(1, 1e-6), Tier(1, 1e-3)]
    answer = replayed_answer([1, 2, 1, 3, 2], tiers, Lru, None, EXCLUSIVE, early=2)
    assert answer.shares == pytest.approx([0.0, 1 / 3, 2 / 3])
    dropped = replayed_answer([1, 2, 1, 3, 2], tiers, Lru, None, EXCLUSIVE, early=2, drops={2: [1]})
    assert dropped.shares == [0.0, 0.0, 1.0]


def test_a_policy_that_chooses_nothing_is_named() -> None:
    with pytest.raises(UserError, match=ChoosesNothing.TOLD):
        TierStack([TierBlocks(1, ChoosesNothing)], EXCLUSIVE).use([1, 2])
