"""Tests LHD by hand: units of age, classes of entries, explorers, newcomers and the sample of which one goes."""

from array import array

import pytest

from spindle.sim.eviction import lhd
from spindle.sim.eviction.lhd import Lhd
from spindle.sim.streams import stream
from tests.doubles import Same

LAST = lhd.MAX_AGE - 1


def held(capacity: int, keys: str = "", uniform: float = 0.5) -> Lhd:
    """A policy of *capacity* that holds *keys*; each draw of an explorer is *uniform*."""
    policy = Lhd(capacity)
    policy._explorers = Same(uniform)
    for key in keys:
        policy.insert(key)
    return policy


def test_ages_are_counted_in_another_unit() -> None:
    counts = array("d", range(1, lhd.MAX_AGE + 1))
    assert [*lhd._rescale(counts, 1)[:2]] == [3.0, 7.0]
    assert [*lhd._rescale(counts, -1)[:4]] == [0.5, 0.5, 1.0, 1.0]
    few = array("d", bytes(8 * lhd.MAX_AGE))
    few[15_000], few[-2], few[-1] = 6, 1, 4
    coarse, fine = lhd._rescale(few, 1), lhd._rescale(few, -1)
    assert {age: each for age, each in enumerate(coarse) if each} == {7500: 6, 9999: 5, LAST: 4}
    assert {age: each for age, each in enumerate(fine) if each} == {LAST: 11}  # all that are older than the last age
    # Of 64 ages 312 whole units; what is left is lost, save for the last age.
    ones = lhd._rescale(array("d", [1.0] * lhd.MAX_AGE), 6)
    assert [*ones] == [64.0] * 312 + [0.0] * (LAST - 312) + [1.0]
    assert len(coarse) == len(fine) == lhd.MAX_AGE


@pytest.mark.parametrize(("ages", "number"), [
    ((0, lhd.MAX_AGE), 0), ((9_999, 10_001), 0), ((9_999, 10_000), 1), ((5_000, 5_000), 1), ((9_999, 0), 2),
    ((2, 0), 14), ((0, 1), 15), ((0, 0), 15),
])  # fmt: skip
def test_a_class_goes_by_the_ages_at_two_hits(ages: tuple[int, int], number: int) -> None:
    policy = held(4, "a")
    entry = policy._entries[0]
    entry.age, entry.age_before = ages
    assert policy._class(entry) is policy._classes[number]


def test_an_age_ends_at_the_last() -> None:
    policy = held(4, "a")
    entry = policy._entries[0]
    policy._now = 3 << 10
    assert policy._age(entry) == 3  # in units of 1024 references
    policy._shift = 0
    for now, age in ((LAST - 1, LAST - 1), (LAST, LAST), (LAST + 1, LAST)):
        policy._now = now
        assert policy._age(entry) == age
        assert (policy._density(entry) == lhd.OLDEST_DENSITY) is (age == LAST)


def test_a_hit_is_counted_at_its_age() -> None:
    policy = held(4)
    policy._shift = 0
    policy.insert("a", size=8)
    for _ in range(2):
        policy.insert(policy._now)
    policy.touch("a")  # at 3, in class 0
    assert (policy._classes[0].hits[3], sum(policy._classes[0].hits)) == (1, 1)
    entry = policy._entries[0]
    assert (entry.age, entry.age_before, entry.used) == (3, 0, 3)
    policy.touch("a")  # at 4, an age of one
    assert (entry.age, entry.age_before, entry.used, entry.size) == (1, 3, 4, 8)


def test_explorers_take_a_share_of_the_room() -> None:
    """One in a hundred of 200 is two."""
    policy = held(200, uniform=0.0)
    for key, size in (("a", 1), ("b", 2), ("c", 0)):
        policy.insert(key, size)
    entries = {entry.key: entry for entry in policy._entries}
    assert ({key: entry.explorer for key, entry in entries.items()}, policy._budget) == (
        {"a": True, "b": True, "c": False}, -1)  # fmt: skip
    assert [policy._density(entries[key]) for key in "abc"] == [17 + 1, 17 / 2 + 1, 17]
    policy.remove("b", evicted=False)
    assert policy._budget == 1
    policy._budget = 5
    policy.touch("a")  # gives back what it has, and takes it again
    assert policy._budget == 5
    policy._budget = 1
    policy.touch("c")  # c is one now, and has the rest; its size is one at least
    assert (entries["c"].explorer, policy._budget) == (True, 0)
    policy.touch("a")
    assert (entries["a"].explorer, policy._budget) == (True, 0)
    policy._explorers = Same(1 / lhd.EXPLORERS_ONE_IN)
    policy.touch("a")
    assert (entries["a"].explorer, policy._budget) == (False, 1)
    policy._explorers, policy._periods = Same(0.0), lhd.FIRST_PERIODS
    policy.touch("a")
    assert (entries["a"].explorer, policy._budget) == (False, 1)


def test_newcomers_worse_than_who_went_are_looked_at() -> None:
    """A newcomer's density is 17, of the first class at age 0, over its size; the last eight are remembered."""
    policy = held(20)
    for victims, key in ((0.0, "a"), (17.0, "b"), (17.5, "c")):
        policy._density_of_victims = victims
        policy.insert(key)
    policy._explorers = Same(0.0)
    policy.insert("d")
    assert (policy._newcomers, policy._newest) == (["c", *[None] * 7], 1)
    policy._explorers = Same(0.5)
    for key in range(9):
        policy.insert(key)
    assert policy._newcomers == [7, 8, *range(1, 7)]
    policy.remove(7, evicted=False)
    policy.choose()
    assert policy._sample is not None
    assert policy._sample[lhd.FIRST_SAMPLE_SIZE :] == [8, *range(1, 7)]


def test_a_sample_is_drawn_once_between_changes() -> None:
    policy, draws = Lhd(4), stream(0, "lhd samples")
    assert policy._explorers.getstate() == stream(0, "lhd explorers").getstate()
    for key in "abcd":
        policy.insert(key)
    policy.choose()
    sample = policy._sample
    assert sample == ["abcd"[int(4 * draws.random())] for _ in range(lhd.FIRST_SAMPLE_SIZE)]
    policy.choose()
    assert policy._sample is sample
    policy.touch("a")
    assert policy._sample is None
    for periods, drawn in ((lhd.FIRST_PERIODS, 8), (lhd.FIRST_PERIODS + 1, 32)):
        policy._sample, policy._periods = None, periods
        policy.choose()
        assert policy._sample is not None
        assert len(policy._sample) == drawn
    policy.remove("a", evicted=False)
    assert (policy._sample, policy._places) == (None, {"d": 0, "b": 1, "c": 2})


def test_who_goes_leaves_its_density_and_its_age() -> None:
    policy = held(4, "ab")
    policy.remove("a", evicted=True)
    policy.remove("b", evicted=False)
    assert policy._density_of_victims == pytest.approx(0.1 * 17)
    assert (policy._classes[0].evictions[0], sum(policy._classes[0].evictions)) == (1, 1)


def test_a_unit_of_age_is_fitted_to_the_entries() -> None:
    """Of 800 entries 1 % are to be older than 20,000 units: of four references, in place of 1024."""
    policy = held(4000, "a")
    policy._entries *= 800
    del policy._classes[1:]
    policy._classes[0].hits[0] = 128.0
    for periods, seen, weight, shift in ((4, 800, 1.0, 10), (5, 1520 * 8, 1.9 * 8, 2), (6, 11_744, 14.68, 2)):
        policy._periods = periods
        policy._fit_ages()
        assert (policy._entries_seen, policy._weight, policy._shift) == pytest.approx((seen, weight, shift))
    assert [*policy._classes[0].hits[:257]] == [0.5] * 256 + [0.0]


def test_each_period_teaches() -> None:
    policy = Lhd(4, period=2)
    policy._explorers = Same(0.5)
    del policy._classes[1:]
    ages = policy._classes[0]
    ages.evictions[1] = 1.0
    policy.insert("a")
    assert (policy._periods, policy._left, ages.densities[0]) == (0, 1, 17)
    policy.touch("a")
    # A hit at age 0, and an eviction at age 1: of either 0.9 is left. From 0 on they are one in 1 + 2 ages.
    assert (policy._periods, policy._left) == (1, 2)
    assert (ages.hits[0], ages.evictions[1]) == (0.9, 0.9)
    assert [*ages.densities[:3]] == pytest.approx([1 / 3, 0.0, 0.0])
    assert (policy._entries_seen, policy._weight) == (1, 1.0)
