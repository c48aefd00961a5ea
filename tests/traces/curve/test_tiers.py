"""Tests tiers by hand, against two caches replayed one after the other, and the frontier of price against time."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.questions.storage import TierOptions
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.traces.blocks import NO_DROPS
from spindle.traces.curve.lru import curve_of, lru_curve
from spindle.traces.curve.tier_contents import replayed_answer
from spindle.traces.curve.tiers import Inclusion, Tier, frontier, stacks, tier_answer, tier_stack
from spindle.traces.curves import distances_with

CYCLE = lru_curve([0, 1, 2, 0, 1, 2, 0, 1, 2, 2])  # six hits from three blocks on, one from one block on


def test_exclusive_tiers_add_up_and_inclusive_ones_do_not() -> None:
    tiers = [Tier(1, 1.0), Tier(2, 10.0)]
    apart = tier_answer(CYCLE, tiers, 100.0, Inclusion.EXCLUSIVE)
    assert apart.shares == pytest.approx([0.1, 0.6, 0.3])
    assert apart.mean == pytest.approx(0.1 + 6.0 + 30.0)
    same = tier_answer(CYCLE, tiers, 100.0, Inclusion.INCLUSIVE)
    assert same.shares == pytest.approx([0.1, 0.0, 0.9])
    assert tier_answer(CYCLE, tiers[::-1], 100.0, Inclusion.INCLUSIVE).shares == pytest.approx([0.1, 0.0, 0.9])
    with pytest.raises(UserError, match="one tier at least"):
        tier_answer(CYCLE, [], 1.0, Inclusion.EXCLUSIVE)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=80), st.integers(1, 5), st.integers(1, 6))
def test_exclusive_tiers_are_two_caches_that_hand_down(string: list[int], upper: int, lower: int) -> None:
    above, below = OrderedDict[int, None](), OrderedDict[int, None]()
    hits = [0, 0]
    for block in string:
        hits[0] += block in above
        hits[1] += block in below
        above.pop(block, None), below.pop(block, None)
        above[block] = None
        if len(above) > upper:
            below[above.popitem(last=False)[0]] = None
        if len(below) > lower:
            below.popitem(last=False)
    answer = tier_answer(lru_curve(string), [Tier(upper, 1.0), Tier(lower, 2.0)], 3.0, Inclusion.EXCLUSIVE)
    np.testing.assert_allclose(answer.shares, [*(each / len(string) for each in hits), 1 - sum(hits) / len(string)])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=80), st.integers(1, 5), st.integers(1, 6), st.integers(0, 9),
       st.sampled_from(Inclusion))  # fmt: skip
def test_a_replay_of_lru_is_what_its_curve_says(
    string: list[int], upper: int, lower: int, early: int, inclusion: Inclusion
) -> None:
    tiers, early = [Tier(upper, 1.0), Tier(lower, 2.0)], min(early, len(string) - 1)
    replayed = replayed_answer(string, tiers, Lru, 3.0, inclusion, early)
    curve = tier_answer(curve_of(distances_with(np.array(string), NO_DROPS), early), tiers, 3.0, inclusion)
    assert replayed.shares == pytest.approx(curve.shares)
    assert replayed.mean == pytest.approx(curve.mean)


def test_a_policy_of_tiers_and_a_delete_by_hand() -> None:
    tiers = [Tier(2, 1.0)]
    assert replayed_answer([0, 1, 0, 2, 0], tiers, Fifo, None, Inclusion.EXCLUSIVE).shares == [0.2, 0.8]
    dropped = replayed_answer([0, 1, 0, 2, 0], tiers, Fifo, None, Inclusion.EXCLUSIVE, drops={3: [1]})
    assert dropped.shares == [0.4, 0.6]
    assert dropped.mean == 1.0


def test_on_the_frontier_more_money_is_less_time() -> None:
    random = np.random.default_rng(3)
    curve = lru_curve(random.zipf(1.2, 5000) % 900)
    best = frontier(curve, [Tier(64, 1e-6, 8.0), Tier(512, 1e-4, 2.0)], 1e-2, Inclusion.EXCLUSIVE)
    prices, means = [each.price for each in best], [each.mean for each in best]
    assert len(best) > 3
    assert prices == sorted(set(prices))
    assert means == sorted(set(means), reverse=True)
    with pytest.raises(UserError, match="more than 100000 stacks"):
        frontier(curve, [Tier(1, 1.0)] * 6, 1.0, Inclusion.EXCLUSIVE)


def test_stacks_have_sizes_and_prices_times_each_scale() -> None:
    """Of eight blocks for 2; a stack without a block is none."""
    found = [(tier.blocks, tier.price, tier.seconds) for (tier,) in stacks([Tier(8, 1.5, 2.0)])]
    assert found == [(1, 0.25, 1.5), (2, 0.5, 1.5), (4, 1.0, 1.5), (8, 2.0, 1.5), (16, 4.0, 1.5), (32, 8.0, 1.5)]
    assert [tier.blocks for (tier,) in stacks([Tier(2, 1.0)])] == [1, 2, 4, 8]
    assert len([*stacks([Tier(8, 1.0), Tier(8, 2.0)])]) == 48


def test_of_stacks_at_one_price_the_fastest_is_on_the_frontier() -> None:
    (best,) = frontier(CYCLE, [Tier(1, 1.0), Tier(2, 10.0)], 100.0, Inclusion.EXCLUSIVE)
    assert (best.price, best.mean) == (0.0, pytest.approx(0.7 * 1.0 + 0.3 * 100.0))  # all that can hit, in the first


@pytest.mark.parametrize(("room", "bytes"), [
    ("1T", 1 << 40), ("1TiB", 1 << 40), ("2tb", 2 * 10**12), ("3GiB", 3 << 30), ("1GB", 10**9), ("8192", 8192),
])  # fmt: skip
def test_rooms_of_tiers_are_bytes(room: str, bytes: int) -> None:
    (tier,) = tier_stack(TierOptions(f"{room}:2us"), 4096)
    assert (tier.blocks, tier.seconds) == (bytes // 4096, 2e-6)


@pytest.mark.parametrize(("rule", "shares"), [(Inclusion.EXCLUSIVE, [0, 0, 1]), (Inclusion.INCLUSIVE, [0, 0, 1])])
def test_what_is_deleted_is_in_no_tier(rule: Inclusion, shares: list[float]) -> None:
    tiers = [Tier(1, 1.0), Tier(2, 2.0)]
    assert replayed_answer([1, 2, 1], tiers, Lru, None, rule, drops={2: [1]}).shares == shares
    assert replayed_answer([1, 2, 1], tiers, Lru, None, rule).shares == pytest.approx([0, 1 / 3, 2 / 3])
