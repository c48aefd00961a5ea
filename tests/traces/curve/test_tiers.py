"""Tiers by hand, against two caches gone through one by one, and the frontier of money against time."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve.tiers import Inclusion, Tier, frontier, tier_answer

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
