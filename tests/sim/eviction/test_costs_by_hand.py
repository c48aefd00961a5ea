"""Tests policies with costs of fetches: rankings, GreedyDual and the reconstruction of ATCA, worked out on paper."""

from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.eviction.fac import Atca, DynamicMaximum, Fac, Reading, StaticMaximum
from spindle.sim.eviction.greedy_dual import GreedyDual, cost_alone, cost_for_size, uses_for_size
from spindle.sim.eviction.policy import EvictionPolicy, Ranking, Traffic


def go(policy: EvictionPolicy, incoming: str = "x") -> Hashable:
    """Let one go."""
    victim = policy.choose(incoming)
    policy.remove(victim, evicted=True)
    return victim


def test_greedy_dual_keeps_the_dear_until_it_has_been_outlived() -> None:
    policy = GreedyDual()
    policy.insert("dear", cost=0.030)
    for key in "abc":
        policy.insert(key, cost=0.020)
    # a ... c have 20. From then on newcomers have 40, those after them 60, and "dear" still 30.
    assert go(policy) == "a"
    policy.insert("d", cost=0.020)
    assert [go(policy) for _ in range(4)] == ["b", "c", "dear", "d"]


def test_greedy_dual_restores_on_a_hit_what_an_entry_cost() -> None:
    policy = GreedyDual()
    for key, cost in (("a", 0.010), ("b", 0.015), ("c", 0.012)):
        policy.insert(key, cost=cost)
    assert go(policy) == "a"
    policy.touch("c")  # 10 + 12
    assert [go(policy), go(policy)] == ["b", "c"]


def test_greedy_dual_heeds_a_new_cost() -> None:
    policy = GreedyDual()
    policy.insert("a", cost=0.010)
    policy.insert("b", cost=0.020)
    policy.touch("a", cost=0.030)
    assert policy.choose() == "b"


def test_greedy_dual_weighs_by_size_or_does_not() -> None:
    victims = []
    for weight in (cost_alone, cost_for_size, uses_for_size):
        policy = GreedyDual(weight)
        policy.insert("small", size=1, cost=0.010)
        policy.insert("large", size=4, cost=0.030)
        policy.insert("larger", size=5, cost=0.050)
        victims.append(policy.choose())
    assert victims == ["small", "large", "larger"]


def test_greedy_dual_learns_a_cost_after_its_entry_has_come() -> None:
    policy = GreedyDual()
    policy.insert("a")
    policy.insert("b")
    policy.weigh(["a", "b"], 0.020)
    policy.insert("c", cost=0.010)
    policy.weigh(["c"], 0.090, Traffic.WRITE_BACK)
    assert [go(policy) for _ in range(3)] == ["c", "a", "b"]


def test_greedy_dual_never_falls_back() -> None:
    """50 has gone, and then 10, which had to stay before: newcomers are still ranked above 50."""
    policy = GreedyDual()
    for key, cost in (("a", 0.010), ("b", 0.050), ("c", 0.055)):
        policy.insert(key, cost=cost)
    for key in "ba":
        policy.remove(key, evicted=True)
    policy.insert("d", cost=0.010)
    assert policy.choose() == "c"


def test_greedy_dual_does_not_count_what_was_invalidated() -> None:
    policy = GreedyDual()
    policy.insert("b", cost=0.020)
    policy.insert("a", cost=0.050)
    policy.remove("a", evicted=False)
    policy.insert("c", cost=0.010)
    assert policy.choose() == "c"


def test_atca_weighs_partitions_of_access_times() -> None:
    """Of 100 ms in ten partitions: 12 and 18 ms are alike, 31 ms is two more, 250 ms is ten."""
    policy = Atca(lambda: StaticMaximum(0.1))
    for key, cost in (("a", 0.018), ("b", 0.012), ("c", 0.250), ("d", 0.031)):
        policy.insert(key, cost=cost)
    policy.touch("a", cost=0.099)  # an entry keeps the partition of its fetch
    # b 2, a 2 (used later), d 4, c 10; e comes when 2 has gone: 2 + 3.
    assert go(policy) == "b"
    policy.insert("e", cost=0.030)
    assert [go(policy) for _ in range(4)] == ["a", "d", "e", "c"]


def test_atca_has_ten_partitions() -> None:
    """What took longest has 10. Each that took least has one more than the one before it, which went: at 10 they are
    equal, and the one that came first goes."""
    policy = Atca(lambda: StaticMaximum(1.0))
    policy.insert("slow", cost=1.0)
    gone = []
    for number in range(10):
        policy.insert(number, cost=0.05)
        gone.append(go(policy))
    assert gone == [*range(9), "slow"]


def test_atca_measures_against_a_maximum_that_follows() -> None:
    policy = Atca()
    policy.insert("first", cost=0.020)  # its own maximum: 10
    policy.insert("longer", cost=0.500)  # more than the maximum: 10
    policy.insert("shorter", cost=0.010)  # 5 of 20 ms
    policy.weigh(["first"], 0.001, Traffic.WRITE_BACK)
    assert [go(policy) for _ in range(3)] == ["shorter", "first", "longer"]


def test_an_access_is_measured_before_the_maximum_follows_it() -> None:
    """750 ms are half of 1.5 s; the average is 1.9 s then."""
    maxima = [DynamicMaximum(average=1.5, maximum=2.0, counter=10) for _ in range(2)]
    atca, fac = Atca(lambda: maxima[0]), Fac(Reading(lambda: maxima[1]))
    for policy in (atca, fac):
        policy.insert("a", cost=0.75)
    assert (atca._ranks.rank("a"), fac.worth("a")) == (5, 1 + 5)
    assert [each.average for each in maxima] == pytest.approx([1.9, 1.9])


def test_a_ranking_finds_the_lowest_and_among_equals_the_first() -> None:
    ranking = Ranking()
    for key, rank in (("a", 3), ("b", 1), ("c", 2), ("d", 1)):
        ranking.put(key, rank)
    assert ranking.lowest(None) == "b"
    ranking.put("b", 1)
    assert ranking.lowest(None) == "d"
    ranking.put("a", 0, 5)
    ranking.put("c", 0, 4)
    assert [ranking.lowest(None), ranking.lowest(lambda key: key != "c")] == ["c", "a"]
    assert (ranking.rank("a"), len(ranking), "e" in ranking) == (0, 4, False)
    ranking.remove("c")
    assert ranking.lowest(None) == "a"


@given(st.lists(st.tuples(st.sampled_from(["put", "put", "put", "remove"]), st.integers(0, 5), st.integers(0, 4)),
                max_size=300))
def test_a_ranking_is_a_sorted_list_that_does_not_grow(steps: list[tuple[str, int, int]]) -> None:
    ranking, slow = Ranking(), dict[int, tuple[int, int]]()
    for now, (act, key, rank) in enumerate(steps):
        if act == "put":
            ranking.put(key, rank)
            slow[key] = (rank, now)
        elif key in slow:
            ranking.remove(key)
            del slow[key]
        even = [key for key in slow if key % 2 == 0]
        assert ranking.lowest(None) == min(slow, key=slow.__getitem__, default=None)
        assert ranking.lowest(lambda key: key % 2 == 0) == min(even, key=slow.__getitem__, default=None)
        assert len(ranking._heap) <= 2 * len(slow) + 64 + len(slow)
