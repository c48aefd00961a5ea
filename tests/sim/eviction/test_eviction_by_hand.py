"""Tests each policy on short reference strings, worked out on paper."""

from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.policy import EvictionPolicy, make


def victims(policy: EvictionPolicy, references: Iterable[object], capacity: int) -> list[object]:
    """Who goes, in order, as *references* pass through a cache of *capacity* entries."""
    resident: list[object] = []
    gone: list[object] = []
    for key in references:
        if key in resident:
            policy.touch(key)
            continue
        if len(resident) == capacity:
            gone.append(policy.choose(key))
            policy.remove(gone[-1], evicted=True)
            resident.remove(gone[-1])
        policy.insert(key)
        resident.append(key)
    return gone


@pytest.mark.parametrize(
    ("kind", "gone"),
    [
        (Lru, "cba"),  # the order of last use
        (Fifo, "abc"),  # the order of arrival
        (Clock, "abc"),  # all bits set: one turn clears them, then the order of arrival
        (Lfu, "cde"),  # c reached a count of 2 first; then d and e have but 1
    ],
)
def test_all_used_again_in_reverse(kind: Callable[[], EvictionPolicy], gone: str) -> None:
    assert "".join(map(str, victims(kind(), "abccbadef", 3))) == gone


def test_who_comes_twice_is_named() -> None:
    policy = Lru()
    policy.insert("a")
    with pytest.raises(ValueError, match=r"^'a' is in the policy already$"):
        policy.insert("a")


def test_lru_keeps_what_is_used() -> None:
    assert victims(Lru(), "abcadaeaf", 3) == ["b", "c", "d"]


def test_fifo_does_not() -> None:
    assert victims(Fifo(), "abcadaeaf", 3) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(("frames", "faults"), [(3, 9), (4, 10)])
def test_fifo_may_fault_more_in_more_room(frames: int, faults: int) -> None:
    """The anomaly of Belady, Nelson and Shedler (1969)."""
    references = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]
    assert len(victims(Fifo(), references, frames)) + frames == faults


def test_clock_gives_a_second_chance_and_no_third() -> None:
    # a has its bit: passed and cleared, b goes. The hand stays behind b: c, then a without its bit.
    assert victims(Clock(), "abcadef", 3) == ["b", "c", "a"]


def test_clock_newcomers_enter_behind_the_hand_without_their_bit() -> None:
    # d takes b's place, just behind the hand: after c (bit set, cleared) comes a (cleared before), then d.
    assert victims(Clock(), "abcadcefg", 3) == ["b", "a", "d", "c"]


def test_clock_passes_over_what_may_not_go_and_takes_its_bit() -> None:
    policy = Clock()
    for key in "abc":
        policy.insert(key)
    policy.touch("a")
    assert policy.choose(None, lambda key: key == "c") == "c"
    # The hand has passed a (cleared) and b (pinned then) and points to c; used now, c is passed too.
    policy.touch("c")
    assert policy.choose() == "a"


def test_lfu_takes_the_lowest_count_and_among_equals_the_first_to_reach_it() -> None:
    # a has 3, b and c have 2, and c reached 2 before b: c goes, then d with 1.
    assert victims(Lfu(), "abccbaade", 3) == ["c", "d"]
    # e, used once more, stands with b at 2, but reached it later: b goes.
    assert victims(Lfu(), "abccbaadeef", 3) == ["c", "d", "b"]
    # a and b came together, and a alone is used: b has as few as c, and had them first.
    assert victims(Lfu(), "abacd", 3) == ["b"]


def test_lfu_forgets_the_count_of_what_goes() -> None:
    # a (count 3) is invalidated and comes back with 1, so that it goes before b (2).
    policy = Lfu()
    for key in "ab":
        policy.insert(key)
    for key in "aab":
        policy.touch(key)
    policy.remove("a", evicted=False)
    policy.insert("a")
    assert policy.choose() == "a"


def test_lfu_finds_the_next_count_after_a_gap() -> None:
    policy = Lfu()
    for key in "abc":
        policy.insert(key)
    for key in "b" * 1000 + "c" * 5:
        policy.touch(key)
    policy.remove("a", evicted=True)
    assert policy.choose() == "c"
    policy.remove("c", evicted=True)
    assert policy.choose() == "b"
    policy.insert("d")
    assert policy.choose() == "d"
    assert policy.choose(None, lambda key: key != "d") == "b"


def test_arc_step_by_step() -> None:
    """Two entries. T1 and T2 hold the used once and often, B1 and B2 their ghosts, p is the target of T1.

    key   T1  T2  B1  B2  p   why
    a b   ab               0
    c     bc               0   T1 is the whole cache: a goes without a ghost
    c     b   c            0   hit
    d     d   c   b        0   T1 is over p: b goes
    b     d   b       c    1   ghost of T1: p + 1; T1 is not over p: c goes
    c         bc  d        0   ghost of T2: p - 1; T1 is over p: d goes
    d         cd      b    1   ghost of T1; T1 is empty: b goes
    e     e   d       bc   1   new; T1 is empty: c goes
    b         db  e   c    0   ghost of T2: p - 1; T1 is over p: e goes
    """
    policy = Arc(2)
    targets = []
    gone = []
    resident: list[object] = []
    for key in "abccdbcdeb":
        if key in resident:
            policy.touch(key)
        else:
            if len(resident) == 2:
                gone.append(policy.choose(key))
                policy.remove(gone[-1], evicted=True)
                resident.remove(gone[-1])
            policy.insert(key)
            resident.append(key)
        targets.append(policy.target)
    assert gone == ["a", "b", "c", "d", "b", "c", "e"]
    assert targets == [0, 0, 0, 0, 0, 1, 0, 1, 1, 0]


def test_arc_keeps_the_often_used_through_a_scan() -> None:
    often = ["a", "b"]
    gone = victims(Arc(4), [*often, *often, *range(100)], 4)
    assert gone == list(range(98))


def test_arc_target_moves_by_the_ratio_of_the_ghost_lists() -> None:
    """Six entries: five used twice, one once; then ghosts in numbers of 1 and 4 make a step of 4."""
    policy = Arc(6)
    for key in "abcde":
        policy.insert(key)
        policy.touch(key)
    policy.insert("x")
    policy.remove("x", evicted=True)
    for key in "abcd":
        policy.remove(key, evicted=True)
    policy.insert("x")
    assert policy.target == 4.0
    # Now B1 is empty and B2 holds a, b, c, d: a step of one.
    policy.insert("a")
    assert policy.target == 3.0


def test_arc_target_stays_within_the_cache() -> None:
    policy = Arc(2)
    for key in "abc":
        policy.insert(key)
        policy.touch(key)
        policy.remove(key, evicted=True)
    policy.insert("a")
    assert policy.target == 0.0
    policy = Arc(2)
    policy.insert("x")
    policy.remove("x", evicted=True)
    for key in "abc":
        policy.insert(key)
        policy.touch(key)
        policy.remove(key, evicted=True)
    policy.insert("x")
    assert policy.target == 2.0


def test_arc_adapts_once_however_often_it_is_asked() -> None:
    policy = Arc(2)
    policy.insert("a")
    policy.insert("b")
    policy.touch("b")
    assert policy.choose("c") == "a"
    policy.remove("a", evicted=True)
    policy.insert("c")
    assert [policy.choose("a", may_go) for may_go in (None, lambda key: key == "c", lambda key: False, None)] == [
        "b", "c", None, "b",
    ]
    assert policy.target == 1.0
    policy.remove("b", evicted=True)
    assert policy.choose("a") == "c"
    policy.insert("a")
    assert policy.target == 1.0


def test_arc_adapts_on_insertion_where_nobody_had_to_go() -> None:
    policy = Arc(2)
    policy.insert("a")
    policy.remove("a", evicted=True)
    policy.insert("a")
    assert policy.target == 1.0
    policy.insert("b")
    # a came back from its ghost, so it counts as used often; b alone is not over the target of 1.
    assert policy.choose("c") == "a"


def test_arc_overlapping_fetches_each_adapt_once() -> None:
    policy = Arc(4)
    for key in "abcd":
        policy.insert(key)
    policy.touch("c")
    policy.touch("d")
    for key, victim in (("e", "a"), ("f", "b")):
        assert policy.choose(key) == victim
        policy.remove(victim, evicted=True)
        policy.insert(key)
    # T1 e f, T2 c d, B1 a b. Both ghosts are asked for before either has arrived: p is 1, then 2.
    assert policy.choose("a") == "e"
    policy.remove("e", evicted=True)
    assert policy.choose("b") == "c"
    policy.remove("c", evicted=True)
    assert policy.target == 2.0
    policy.insert("b")
    policy.insert("a")
    assert policy.target == 2.0
    # T1 f, T2 d b a: f is not over the target, so the oldest of the often used goes.
    assert policy.choose("z") == "d"


@given(st.lists(st.integers(0, 9), max_size=80))
def test_lru_in_more_room_holds_all_that_it_holds_in_less(references: list[int]) -> None:
    """The stack property (Mattson et al. 1970), after every reference."""
    capacities = range(1, 9)
    policies = [make(Lru, capacity) for capacity in capacities]
    residents: list[set[object]] = [set() for _ in capacities]
    for key in references:
        for policy, resident, capacity in zip(policies, residents, capacities, strict=True):
            if key in resident:
                policy.touch(key)
                continue
            if len(resident) == capacity:
                victim = policy.choose(key)
                policy.remove(victim, evicted=True)
                resident.remove(victim)
            policy.insert(key)
            resident.add(key)
        assert all(less <= more for less, more in pairwise(residents))
