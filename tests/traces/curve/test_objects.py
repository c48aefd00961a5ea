"""Tests objects by hand: when they expire, which are admitted, and the most hits if the future were known."""

from collections.abc import Hashable
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle import curve
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.policy import MayGo
from spindle.traces.curve import object_hits
from spindle.traces.curve.object_hits import (
    AdmitAgain,
    AdmitSmall,
    SizedHits,
    SizedString,
    belady_size_hits,
    lives,
    mark_expired,
    replay_sized,
)
from tests.doubles import ChoosesNothing

Ask = tuple[int, float, float, bool]


def late(*asked: Ask) -> list[bool]:
    keys, times, ttls, writes = zip(*asked, strict=True)
    return mark_expired(np.array(keys), np.array(times), np.array(ttls), np.array(writes)).tolist()


@pytest.mark.parametrize(("asked", "too_late"), [
    # Read at 0 for 10 s: valid at 9.5, whatever that reference says; not at 10, from which on it is for 10 s more.
    ([(1, 0.0, 10.0, False), (1, 9.5, 10.0, False), (1, 10.0, nan, False), (1, 19.0, nan, False),
      (1, 20.0, nan, False)], [False, False, True, False, True]),
    # Written at 5 for 10 s: valid until 15; written for ever at 14.
    ([(1, 0.0, 6.0, True), (1, 5.0, 10.0, True), (1, 14.0, nan, True), (1, 99.0, nan, False)], [False] * 4),
    # A write without a time to live ends that of the one before; a read without one, too late, begins it anew.
    ([(1, 0.0, 3.0, True), (1, 1.0, nan, True), (1, 9.0, nan, False), (1, 9.5, 2.0, True), (1, 12.0, nan, False),
      (1, 13.9, nan, False), (1, 14.0, nan, False)], [False, False, False, False, True, False, True]),
    # A write that comes too late finds nothing to write over; another object goes on.
    ([(1, 0.0, 1.0, True), (2, 0.5, nan, False), (1, 2.0, 1.0, True), (2, 9.0, nan, False), (1, 2.5, nan, False)],
     [False, False, True, False, False]),
])  # fmt: skip
def test_objects_are_valid_for_their_time(asked: list[Ask], too_late: list[bool]) -> None:
    assert late(*asked) == too_late


def test_what_is_deleted_has_no_time_to_live_any_more_and_others_go_on() -> None:
    """Written at 0 for 5 s; deleted before 2, it is valid for ever; what was never there may be deleted."""
    asked = [(1, 0.0, 5.0, True), (2, 1.0, 5.0, True), (1, 2.0, nan, False), (1, 20.0, nan, False),
             (2, 7.0, nan, False)]  # fmt: skip
    keys, times, ttls, writes = (np.array(each) for each in zip(*asked, strict=True))
    found = mark_expired(keys, times, ttls, writes, {2: [1, 9], 4: [3]})
    assert found.tolist() == [False, False, False, False, True]
    assert mark_expired(keys, times, ttls, writes).tolist() == [False, False, False, True, True]


def test_times_to_live_need_times() -> None:
    with pytest.raises(UserError, match="need a time of each request"):
        late((1, nan, 5.0, True))
    assert late((1, nan, nan, True)) == [False]


def test_what_is_out_of_date_misses_and_takes_no_room_twice() -> None:
    # In two objects: 1 comes, 1 is too late and comes anew, 2 comes beside it, both hit.
    string = SizedString([1, 1, 2, 1, 2], [5] * 5, [False, True, False, False, False])
    for kind in (Lru, Arc):
        assert replay_sized(kind, string, [2], in_bytes=False) == {2: SizedHits(2, 10)}
    numbers = lives(np.array([1, 1, 2, 1, 2]), np.array(string.late))
    assert (numbers.tolist(), numbers.dtype) == ([0, 1, 2, 1, 2], np.int64)


def test_the_large_stay_out_and_the_strange_come_at_the_second_time() -> None:
    string = SizedString([1, 2, 1, 2, 1, 2], [9, 3, 9, 3, 9, 3])
    assert replay_sized(Lru, string, [20], admission=lambda: AdmitSmall(8))[20] == SizedHits(2, 6)
    assert replay_sized(Lru, string, [20], admission=AdmitAgain)[20] == SizedHits(2, 12)
    for made in (lambda: AdmitSmall(0), lambda: AdmitAgain(7), lambda: AdmitAgain(marks=0),
                 lambda: AdmitAgain((1 << 33) + 1), lambda: AdmitAgain(marks=17)):  # fmt: skip
        with pytest.raises(UserError, match=r"not 0|not 7|and 0|not 8589934593|and 17"):
            made()
    assert AdmitSmall(1).admits(1, 1)
    assert [AdmitSmall().admits(1, size) for size in (1 << 20, (1 << 20) + 1)] == [True, False]
    assert not AdmitAgain(8, marks=16).admits(1, 1)


def test_a_filter_has_as_many_bits_and_marks_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = AdmitAgain()
    assert not usual.admits(7, 1)
    assert (len(usual._filter), sum(map(int.bit_count, usual._filter))) == ((1 << 21) + 1, 4)
    monkeypatch.setattr(object_hits, "MAX_FILTER_BITS", 16)
    AdmitAgain(16)
    with pytest.raises(UserError, match="a Bloom filter has 8 to 16 bits and 1 to 16 marks, not 17 and 4"):
        AdmitAgain(17)


def test_admission_is_by_bytes_where_the_cache_is_of_objects() -> None:
    for most, hits in ((4, 0), (5, 1)):
        admission = lambda most=most: AdmitSmall(most)  # noqa: E731
        assert replay_sized(Lru, SizedString([1, 1], [5, 5]), [2], 0, admission, in_bytes=False)[2].hits == hits


def test_objects_of_no_bytes_take_one_each() -> None:
    string = SizedString([1, 2, 1, 2], [0] * 4)
    assert [found.hits for found in replay_sized(Lru, string, [1, 2]).values()] == [0, 2]


class Noted(Lru):
    """Notes for whom it chooses, and what was evicted and what was dropped."""

    acts: ClassVar[list[tuple[object, object]]] = []

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        self.acts.append(("for", incoming))
        return super().choose(incoming, may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self.acts.append((key, evicted))
        super().remove(key, evicted)


def test_a_policy_is_told_who_comes_and_whether_it_has_evicted() -> None:
    Noted.acts.clear()
    replay_sized(Noted, SizedString([1, 2, 3, 3], [1, 1, 1, 2], drops={3: [2]}), [2])
    assert Noted.acts == [("for", 3), (1, True), (2, False)]


def test_a_bloom_filter_forgets_nobody_and_takes_few_for_known() -> None:
    again = AdmitAgain(bits=1 << 14)
    first = sum(again.admits(key, 1) for key in range(1000))
    assert first < 20
    assert all(again.admits(key, 1) for key in range(1000))


@pytest.mark.parametrize("bits", [8, 9, 15, 16])
def test_a_small_filter_knows_everybody_soon(bits: int) -> None:
    again = AdmitAgain(bits, marks=1)
    assert [again.admits(key, 1) for key in range(200)][-50:] == [True] * 50


def test_who_is_known_to_a_filter_does_not_depend_on_the_machine() -> None:
    """Two marks each, of 16: computed by another program for splitmix64."""
    again = AdmitAgain(16, marks=2)
    assert [again.admits(key, 1) for key in (1, 2, 3, 1, 4, 5, 6, 7)] == [
        False, False, False, True, False, False, True, True]
    for bits, marks, known in ((512, 2, 55), (4096, 3, 0)):
        again = AdmitAgain(bits, marks)
        assert sum(again.admits(key, 1) for key in range(300)) == known


def test_with_the_future_known_the_large_and_late_goes() -> None:
    # 10 bytes hold 1 and 2; for 3 the larger one goes, although 2 is used later; what is never used again stays out.
    keys, sizes = [1, 2, 3, 4, 3, 2, 1], [8, 2, 4, 9, 4, 2, 8]
    assert belady_size_hits(keys, sizes, [10]) == {10: SizedHits(2, 6)}
    assert belady_size_hits(keys, sizes, [10], early=5) == {10: SizedHits(1, 2)}
    with pytest.raises(UserError, match="must have at least one"):
        belady_size_hits([1], [1], [0])
    assert belady_size_hits([1, 1, 1], [1, 5, 1], [3, 5]) == {3: SizedHits(), 5: SizedHits(2, 6)}
    # For 3, at 3, there are 1 with 2 bytes for 2 references more, and 2 with 3 for 1: it is 1 that goes.
    assert belady_size_hits([1, 2, 9, 3, 2, 1, 3], [2, 3, 1, 1, 3, 2, 1], [5]) == {5: SizedHits(2, 4)}


PRIMES = (53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
"""Sizes whose products with fewer references than the least of them are all different."""


@given(st.lists(st.integers(0, 9), max_size=50), st.integers(50, 400), st.integers(0, 9))
def test_with_the_future_known_the_most_bytes_times_references_go(keys: list[int], capacity: int, early: int) -> None:
    kept: dict[int, int] = {}
    hits = 0
    for now, key in enumerate(keys):
        hits += kept.pop(key, None) is not None and now >= early
        if key not in keys[now + 1 :]:
            continue
        wanted = {**kept, key: keys.index(key, now + 1)}
        while sum(PRIMES[each] for each in wanted) > capacity and key in wanted:
            worst = max(wanted, key=lambda each: PRIMES[each] * (wanted[each] - now))
            del wanted[worst]
            kept = {each: wanted[each] for each in wanted if each != key}
        kept = wanted if key in wanted else kept
    sizes = [PRIMES[key] for key in keys]
    assert belady_size_hits(keys, sizes, [capacity], early)[capacity].hits == hits


def test_what_is_worth_as_much_stays_and_the_new_one_stays_out() -> None:
    """Two bytes until four references on, and four bytes until two on: eight each."""
    assert belady_size_hits([1, 3, 2, 3, 2, 9, 1], [2, 1, 4, 1, 4, 1, 2], [5])[5] == SizedHits(2, 3)


def test_room_is_made_by_as_many_as_it_takes() -> None:
    assert replay_sized(Lru, SizedString([1, 2, 3, 2], [2, 2, 4, 2]), [4])[4].hits == 0
    assert replay_sized(Lru, SizedString([1, 2, 3, 2], [2, 2, 2, 2]), [4])[4].hits == 1


def test_those_looked_at_are_taken_in_turn() -> None:
    """Of one each: d puts out a, and e puts out b, which is next, although c has more bytes times references."""
    keys, sizes = [*map(ord, "abcddfeecbfa")], [2 if key in "cdf" else 1 for key in "abcddfeecbfa"]
    assert belady_size_hits(keys, sizes, [5], sample=1)[5] == SizedHits(4, 7)  # d, e, c and f


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=60), st.integers(1, 40))
def test_no_more_bytes_are_hit_than_come_again(asked: list[tuple[int, int]], capacity: int) -> None:
    size_of = dict(asked)
    keys = [key for key, _ in asked]
    string = SizedString(keys, [size_of[key] for key in keys])
    again = sum(size for place, size in enumerate(string.sizes) if keys[place] in keys[:place])
    for hits in (replay_sized(Lru, string, [capacity])[capacity],
                 belady_size_hits(keys, string.sizes, [capacity])[capacity]):
        assert 0 <= hits.bytes <= again
        assert hits.hits <= len(keys) - len(set(keys))


def test_an_object_that_outgrows_the_cache_leaves_it() -> None:
    assert replay_sized(Lru, SizedString([1, 1, 1], [1, 5, 1]), [3, 5])[3].hits == 0
    assert replay_sized(Lru, SizedString([1, 1, 1], [1, 5, 1]), [3, 5])[5].hits == 2


def test_what_is_deleted_leaves_its_room_before_the_reference_it_stands_at() -> None:
    """Two of one byte each: 1 is deleted before its next use, so that 3 has room, and 2 is there still."""
    string = SizedString([1, 2, 3, 2, 1], [1] * 5, drops={2: [1, 9], 3: [8]})
    assert replay_sized(Lru, string, [2])[2] == SizedHits(1, 1)
    assert replay_sized(Lru, replace(string, drops={}), [2])[2] == SizedHits(1, 1)
    assert replay_sized(Lru, replace(string, drops={4: [2]}, keys=[1, 2, 1, 2, 2]), [2])[2] == SizedHits(2, 2)
    assert replay_sized(Fifo, replace(string, keys=[1, 2, 1, 3, 1], drops={2: [1]}), [2])[2] == SizedHits(1, 1)


def test_an_object_that_grows_makes_others_leave() -> None:
    """The first grows to 4 of 5 bytes, and the second, of 2, must go: its next use misses."""
    assert replay_sized(Lru, SizedString([1, 2, 1, 2], [2, 2, 4, 2]), [5])[5].hits == 1


def test_what_is_not_used_again_does_not_enter() -> None:
    """It would evict the large one, of which more bytes times uses are to come."""
    assert belady_size_hits([1, 2, 3, 1], [4, 1, 1, 4], [4])[4].hits == 1


def test_an_object_that_is_deleted_begins_anew(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_s,op,key,size,ttl\n0,set,a,9,5\n1,delete,a,0,0\n2,get,a,9,0\n9,get,a,9,0\n"
                     "10,set,a,9,5\n12,get,a,9,0\n15,get,a,9,0\n")  # fmt: skip
    assert curve(trace, sizes=1, ttl="honour")["hits"].tolist() == [3]  # at 9, 10 and 12; at 15 it has expired
    assert curve(trace, sizes=1)["hits"].tolist() == [4]


def test_a_policy_that_chooses_nothing_is_named() -> None:
    with pytest.raises(UserError, match=ChoosesNothing.TOLD):
        replay_sized(ChoosesNothing, SizedString([1, 2], [3, 3]), [5])
