"""Tests random replacement: its hits as computed, each entry equally likely to be evicted, one seed one order."""

from random import Random

import pytest

from spindle.sim.eviction.random_draw import RandomDraw
from spindle.traces.curve.replay import replay


def victims(seed: int, count: int) -> list[object]:
    policy, gone = RandomDraw(seed), []
    for key in range(4):
        policy.insert(key)
    for _ in range(count):
        victim = policy.choose()
        policy.remove(victim, True)
        policy.insert(victim)
        gone.append(victim)
    return gone


def test_each_entry_is_as_likely_to_go() -> None:
    gone = victims(1, 4000)
    assert all(gone.count(key) == pytest.approx(1000, abs=110) for key in range(4))  # four standard deviations


def test_one_seed_is_one_order() -> None:
    assert victims(2, 50) == victims(2, 50) != victims(3, 50)
    assert RandomDraw()._drawn == RandomDraw(1)._drawn


def test_uniform_references_hit_by_the_share_that_is_cached() -> None:
    random = Random("uniform")
    string = [int(random.random() * 20) for _ in range(20_000)]
    assert replay(RandomDraw, string, 5) / len(string) == pytest.approx(0.25, abs=0.013)


def test_a_loop_of_one_more_than_fits_is_half_saved_where_lru_hits_nothing() -> None:
    """Of n + 1 blocks in turn in n places: a block survives its n - 1 misses in a row, on the mean."""
    hits = replay(RandomDraw, [*range(11)] * 500, 10) / 5500
    assert 0.55 < hits < 0.95


def test_what_may_not_go_is_passed_over() -> None:
    policy = RandomDraw()
    for key in "abc":
        policy.insert(key)
    assert policy.choose("x", lambda key: key == "b") == "b"
    assert policy.choose("x", lambda key: False) is None
    policy._drawn = 0.4  # b; the next is c
    assert policy.choose("x", lambda key: key != "b") == "c"
