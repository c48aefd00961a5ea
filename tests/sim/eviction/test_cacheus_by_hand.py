"""Tests the rate at which Cacheus learns, and the lists between which it moves its entries, worked out on paper."""

from math import log, sqrt

import pytest

from spindle.sim.eviction.cacheus import Cacheus, _Rate
from tests.doubles import Same

CALLS = {
    "F": (0.0, -0.1, 0.5), "Z": (0.0, 0.0, 0.0), "=": (0.0, 0.0, 0.5), "G": (0.0, 0.1, 0.5),
    "A": (0.1, 0.1, 0.5), "B": (-0.1, -0.1, 0.5), "C": (0.1, -0.1, 0.5), "D": (-0.1, 0.1, 0.5),
    "M": (3.0, 0.1, 0.5), "N": (3.0, -0.1, 0.5),
}  # fmt: skip
"""The step of the rate, the change of the hits, and the hits of a period: fewer, none as before, as many, more ..."""


def adapted(rate: _Rate, calls: str) -> list[float]:
    """The rate after each of *calls*, of which each finds it at a half."""
    found = []
    for each in calls:
        rate.now = 0.5
        rate._adapt(*CALLS[each])
        found.append(rate.now)
    return found


@pytest.mark.parametrize(("calls", "found"), [
    # Further in the direction that helped, back from the other, within 0.001 and 1.
    ("ABCDMN", [0.55, 0.55, 0.45, 0.45, 1.0, 0.001]),
    # The tenth period without hits begins anew, and so does the tenth after that; as many or more hits count as none.
    ("Z" * 9 + "==G=GG===GZ" + "Z" * 10, [0.5] * 19 + [0.8] + [0.5] * 9 + [0.8]),
    # A change counts from the beginning again.
    ("Z" * 9 + "A" + "Z" * 10, [0.5] * 9 + [0.55] + [0.5] * 9 + [0.8]),
])  # fmt: skip
def test_cacheus_adapts_its_rate(calls: str, found: list[float]) -> None:
    rate = _Rate(2, Same(0.25))
    rate._first = 0.8
    assert adapted(rate, calls) == pytest.approx(found)


def test_cacheus_begins_anew_after_ten_periods_each_with_fewer_hits() -> None:
    """Fewer hits move the rate anywhere, here up. Five such and five without any are ten idle ones; five fell."""
    rate = _Rate(2, Same(0.25))
    rate._first = 0.8
    up, still = 0.625, 0.5
    for _ in range(2):
        assert adapted(rate, "FFFFFZZZZZ") == [*[up] * 5, *[still] * 4, 0.8]
        assert adapted(rate, "FFFFF") == [*[up] * 4, 0.8]
        assert adapted(rate, "ZZZZZ") == [*[still] * 4, 0.8]
    assert adapted(rate, "F" * 10) == [*[up] * 9, 0.8]
    # Ten fell, which only a fall shows.
    assert adapted(rate, "ZFF") == [still, 0.8, up]


@pytest.mark.parametrize(("now", "uniform", "found"), [
    (1.0, 0.25, 0.9), (0.001, 0.25, 0.005), (0.5, 0.25, 0.625), (0.5, 0.5, 0.375), (0.9, 0.25, 1.0),
    (0.0012, 0.75, 0.001),
])  # fmt: skip
def test_cacheus_moves_its_rate_by_a_quarter(now: float, uniform: float, found: float) -> None:
    rate = _Rate(2, Same(uniform))
    rate.now = now
    rate._wander()
    assert rate.now == pytest.approx(found)


@pytest.mark.parametrize(("period", "first", "anew"), [
    (1, sqrt(2 * log(2)), 1.0), (8, sqrt(log(2) / 4), sqrt(log(2) / 4)), (2_000_000, sqrt(log(2)) / 1000, 0.001),
])  # fmt: skip
def test_cacheus_begins_at_the_rate_of_its_period(period: int, first: float, anew: float) -> None:
    rate = _Rate(period, Same(0.25))
    assert (rate.now, rate._first) == pytest.approx((first, anew))


def test_cacheus_counts_hits_of_a_whole_period_in_thousandths() -> None:
    rate = _Rate(4000, Same(0.25))
    first = rate.now
    for hits, ratio in ((1, 0.0), (3, 0.001)):
        rate._moment, rate.hits = 3998, hits
        rate.tick()
        assert (rate.hits, rate.now) == (hits, first)
        rate.tick()
        assert (rate.hits, rate._ratio) == (0, ratio)
    # More hits move no rate that has stayed; fewer do.
    assert rate.now == first
    rate._moment = 3999
    rate.tick()
    assert rate.now == first * 1.25


def lists(policy: Cacheus) -> tuple[str, str, int, int]:
    return "".join(map(str, policy._safe)), "".join(map(str, policy._probation)), policy._demoted, policy._fresh


def test_cacheus_moves_its_entries() -> None:
    """Four entries, three of them safe."""
    policy = Cacheus(4)
    for key in "abcd":
        policy.insert(key)
    assert lists(policy) == ("abc", "d", 0, 0)
    policy.touch("d")  # a is demoted for it
    assert lists(policy) == ("bcd", "a", 1, 0)
    policy.touch("a")  # one was demoted for naught
    assert lists(policy) == ("cda", "b", 1, 0)
    assert ([policy._safe[key].uses for key in "cda"], policy._rate.hits) == ([1, 2, 2], 2)
    policy.remove("b", evicted=False)
    policy.remove("a", evicted=False)  # it was safe again
    assert lists(policy) == ("cd", "", 0, 0)
    for key in "efg":
        policy.insert(key)
        if key == "f":  # nothing went for e and f; g comes where its place on probation is taken
            policy.remove("c", evicted=False)
    assert lists(policy) == ("de", "fg", 0, 0)
    assert [policy._probation[key].fresh for key in "fg"] == [False, True]


@pytest.mark.parametrize(("draw", "gone"), [(0.49, "c"), (0.5, "b")])
def test_cacheus_lets_the_least_recent_of_probation_or_the_most_recent_of_the_least_used_go(
    draw: float, gone: str
) -> None:
    """All have two uses, b the last of them, and c is on probation."""
    policy = Cacheus(3)
    for key in "abc":
        policy.insert(key)
    for key in "cab":
        policy.touch(key)
    assert lists(policy)[:2] == ("ab", "c")
    policy._draw = draw
    assert policy.choose() == gone


@pytest.mark.parametrize(("demoted", "fresh", "before", "after"), [
    (7, 2, 1, 5), (3, 0, 1, 4), (0, 4, 1, 2), (7, 2, 8, 9),
])  # fmt: skip
def test_cacheus_widens_probation(demoted: int, fresh: int, before: int, after: int) -> None:
    policy = Cacheus(10)
    policy._demoted, policy._fresh, policy._most_probation = demoted, fresh, before
    policy._widen_probation()
    assert policy._most_probation == after


def test_cacheus_remembers_half_as_many_as_it_holds_of_each_expert() -> None:
    policy = Cacheus(5)
    for key in "abcde":
        policy.insert(key)
    policy.touch("e")
    for key, ghosts in (("a", "a"), ("b", "ab"), ("c", "bc")):
        policy._draw = 0.0  # the least recent goes, where the other expert would have let d go
        assert policy.choose() == key
        policy.remove(key, evicted=True)
        assert [*policy._ghosts[0]] == [*ghosts]
    policy.remove("e", evicted=False)
    assert [*policy._ghosts[0]] == ["b", "c"]


def test_cacheus_meets_as_many_at_once_as_it_holds() -> None:
    policy = Cacheus(4)
    for key in range(9):
        policy.choose(key)
    assert [*policy._coming] == [5, 6, 7, 8]


def test_cacheus_trusts_no_expert_altogether() -> None:
    policy = Cacheus(4)
    policy._rate.now = 1.0
    for expert, weight in ((0, 0.01), (1, 0.99)):
        for _ in range(10):
            policy._regret(expert)
        assert policy._weight == pytest.approx(weight)
