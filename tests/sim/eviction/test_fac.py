"""Tests FAC: the two examples of the paper's figure 2, and the effect of each choice of a reading."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.eviction.fac import (
    DynamicMaximum,
    Fac,
    Partitions,
    Reading,
    Rounding,
    StaticMaximum,
    count_alone,
    count_and_number,
    identity,
    keep_maximum,
    number_alone,
    restart_maximum,
    round_up,
)
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.policy import Traffic

After = Callable[[float, float], float]


@pytest.mark.parametrize("rounding", [round_up, identity])
@pytest.mark.parametrize("after", [restart_maximum, keep_maximum])
def test_figure_2_example_1(after: After, rounding: Rounding) -> None:
    """Block 20, access time 200: N is 2, the counter 6, and nothing else changes. All in the paper's own units."""
    maximum = DynamicMaximum(after, average=1000, maximum=2000, counter=5)
    partitions = Partitions(maximum, rounding=rounding)
    assert partitions.number(200) == 2
    partitions.note(200)
    assert (maximum.counter, maximum.average, maximum.maximum) == (6, 1000, 2000)


@pytest.mark.parametrize("rounding", [round_up, identity])
@pytest.mark.parametrize("after", [restart_maximum, keep_maximum])
def test_figure_2_example_2(after: After, rounding: Rounding) -> None:
    """Block 20, access time 2200: N is 10, because 14.7 are more; the average becomes 1900, the maximum 2200."""
    maximum = DynamicMaximum(after, average=1500, maximum=2000, counter=10)
    partitions = Partitions(maximum, rounding=rounding)
    assert partitions.number(2200) == 10
    assert 10 * 2200 / maximum.reference(2200) == pytest.approx(14.7, abs=0.05)
    partitions.note(2200)
    assert (maximum.counter, maximum.average, maximum.maximum) == (0, 1900, 2200)


def test_what_figure_2_leaves_open_is_seen_where_the_access_is_no_new_maximum() -> None:
    maxima = []
    for after in (restart_maximum, keep_maximum):
        maximum = DynamicMaximum(after, average=1500, maximum=2000, counter=10)
        maximum.note(300)
        assert maximum.average == 1900
        maxima.append(maximum.maximum)
    assert maxima == [300, 2000]


def test_the_maximum_is_averaged_with_every_eleventh_access() -> None:
    maximum = DynamicMaximum()
    averages = []
    for seconds in range(100, 2400, 100):
        maximum.note(seconds)
        averages.append(maximum.average)
    # The first is its own average. The 11th averages it with 1000, the 22nd that with 2100: 0.2 x 820 + 0.8 x 2100.
    assert averages == [100] * 10 + [820] * 11 + [1844] * 2


def test_partitions_are_rounded_as_asked_between_one_and_all() -> None:
    roundings: tuple[Rounding, ...] = (round_up, identity)
    numbers = [[Partitions(StaticMaximum(8), 4, each).number(s) for s in (0.2, 3, 8, 99)] for each in roundings]
    assert numbers == [[1, 2, 4, 4], [0.1, 1.5, 4, 4]]


def test_a_mistaken_maximum_or_number_of_partitions_is_refused() -> None:
    with pytest.raises(UserError, match="the static maximum of access times must be positive, not 0"):
        StaticMaximum(0)
    with pytest.raises(UserError, match="at least one partition, not 0"):
        Fac(Reading(partitions=0))


STATIC = partial(StaticMaximum, 0.1)


def test_worth_is_one_and_n_for_the_first_use_and_each_other() -> None:
    policy = Fac(Reading(maximum=STATIC))
    policy.insert("a", cost=0.045)
    assert policy.worth("a") == 6
    policy.touch("a")
    policy.touch("a", cost=0.045)
    assert policy.worth("a") == 18
    policy.insert("b")
    policy.touch("b")
    assert policy.worth("b") == 2  # no access time, no N
    policy.weigh(["b"], 0.061)
    assert policy.worth("b") == 9  # now its first use is made up for
    policy.touch("b")
    assert policy.worth("b") == 17


def test_the_first_use_is_made_up_for_once() -> None:
    policy = Fac(Reading(maximum=STATIC))
    policy.insert("a", cost=0.015)
    policy.weigh(["a"], 0.055)
    assert policy.worth("a") == 3
    for cost, worth in ((0.025, 7), (0.035, 12)):
        policy.touch("a", cost)
        assert policy.worth("a") == worth


@pytest.mark.parametrize(
    ("first", "again", "worths"),
    [
        (count_and_number, count_and_number, [4, 8, 12]),
        (count_alone, count_and_number, [1, 5, 9]),
        (number_alone, number_alone, [3, 6, 9]),
        (count_alone, count_alone, [1, 2, 3]),
    ],
)
def test_what_the_first_use_and_a_hit_add(
    first: Callable[[float], float], again: Callable[[float], float], worths: list[float]
) -> None:
    policy = Fac(Reading(maximum=STATIC, first=first, again=again))
    policy.insert("a", cost=0.03)
    seen = [policy.worth("a")]
    for _ in range(2):
        policy.touch("a")
        seen.append(policy.worth("a"))
    assert seen == worths


def test_the_n_of_a_hit_is_that_of_the_last_access_to_the_disc() -> None:
    policy = Fac()
    policy.insert("a", cost=0.010)  # its own maximum: N is 10
    for number in range(11):
        policy.insert(number, cost=0.095)
    # The average is now 0.2 x 10 + 0.8 x 95 = 78 ms, of which 10 ms are in the second tenth.
    policy.touch("a")
    policy.touch("a", cost=0.010)
    assert policy.worth("a") == 33


def test_what_the_first_use_adds_before_its_time_is_known() -> None:
    policy = Fac(Reading(first=count_alone, again=number_alone))
    policy.insert("a")
    assert policy.worth("a") == 1


def test_another_access_that_adds_nothing_leaves_an_entry_among_its_equals() -> None:
    policy = Fac(Reading(maximum=STATIC))
    for key in "ab":
        policy.insert(key, cost=0.02)
    policy.weigh(["a"], 0.02)
    assert policy.choose() == "a"


def test_equals_go_by_their_last_gain() -> None:
    policy = Fac()
    policy.insert("a")
    policy.insert("b")
    policy.touch("b")
    policy.touch("a")
    assert policy.choose() == "b"


def test_the_counter_advances_by_request() -> None:
    maximum = DynamicMaximum()
    policy = Fac(Reading(maximum=lambda: maximum))
    for key in "abc":
        policy.insert(key)
    policy.weigh(["a", "b", "c"], 0.02)
    assert maximum.counter == 1
    assert [policy.worth(key) for key in "abc"] == [11, 11, 11]


def test_write_backs_are_not_heeded() -> None:
    maximum = DynamicMaximum()
    policy = Fac(Reading(maximum=lambda: maximum))
    policy.insert("a", cost=0.02)
    policy.weigh(["a"], 0.01, Traffic.WRITE_BACK)
    policy.touch("a")
    assert (maximum.counter, policy.worth("a")) == (1, 22)


def test_a_dear_entry_outlives_a_more_frequent_one_and_pollutes_without_ageing() -> None:
    policy = Fac(Reading(maximum=STATIC))
    policy.insert("dear", cost=0.1)
    policy.insert("cheap", cost=0.001)
    for _ in range(4):
        policy.touch("cheap")
    assert policy.choose() == "cheap"  # 10 against 11
    for number in range(100):
        assert policy.choose() != "dear"
        policy.remove(policy.choose(), evicted=True)
        policy.insert(number, cost=0.05)


@given(st.lists(st.integers(0, 9), max_size=150), st.integers(1, 6))
def test_without_access_times_fac_is_lfu(references: list[int], capacity: int) -> None:
    fac, lfu, resident = Fac(), Lfu(), set[int]()
    for key in references:
        if key in resident:
            fac.touch(key)
            lfu.touch(key)
            continue
        if len(resident) == capacity:
            victim = fac.choose(key)
            assert victim == lfu.choose(key)
            assert isinstance(victim, int)
            for policy in (fac, lfu):
                policy.remove(victim, evicted=True)
            resident.remove(victim)
        for policy in (fac, lfu):
            policy.insert(key)
        resident.add(key)
