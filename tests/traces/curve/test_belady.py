"""Tests Belady's bound against hand counts, against the best of all choices, and against every policy."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.streams import stream
from spindle.traces.curve.replay import belady_hits, replay


def best_of_all(references: list[int], capacity: int, bypass: bool) -> int:
    """The most hits over every choice of who goes, and of who comes, tried one after the other."""

    @cache
    def rest(at: int, resident: frozenset[int]) -> int:
        if at == len(references):
            return 0
        block = references[at]
        if block in resident:
            return 1 + rest(at + 1, resident)
        if len(resident) < capacity:
            return rest(at + 1, resident | {block})
        choices = [resident - {other} | {block} for other in resident] + [resident] * bypass
        return max(rest(at + 1, each) for each in choices)

    return rest(0, frozenset())


def test_by_hand() -> None:
    # Three frames: 1 2 3 come; 4 for 3; 1 2 hit; 5 for 4; 1 2 hit; 3 for 1; 4 for 2; 5 hits. Belady's own string.
    string = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]
    assert belady_hits(string, [3], bypass=False) == {3: 5}
    # 4 stays out, 1 2 hit; 5 stays out, 1 2 3 hit.
    assert belady_hits(string, [3]) == {3: 5}


def test_what_would_only_pass_through_stays_out() -> None:
    """Four blocks in turn, and after each one that is asked for once: the four are kept for ever."""
    string = [key for place in range(160) for key in (place % 4, 1000 + place)]
    assert belady_hits(string, [4]) == {4: 156}
    assert belady_hits(string, [4], bypass=False)[4] < 156


def test_a_loop_just_too_large_loses_only_what_does_not_fit() -> None:
    # Of ten blocks nine fit: at first eight are kept, and one more of ten is lost each round, never all.
    loop = [*range(10)] * 20
    hits = belady_hits(loop, [9, 10], bypass=False)
    assert hits == {9: 190 - 19 - 2, 10: 190}


@given(st.lists(st.integers(0, 5), max_size=14), st.integers(1, 4))
def test_no_choice_has_more_hits(references: list[int], capacity: int) -> None:
    for bypass in (True, False):
        most = best_of_all(references, capacity, bypass)
        assert belady_hits(references, [capacity], bypass=bypass) == {capacity: most}


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_has_more_hits(name: str) -> None:
    random = stream(3, "references")
    references = [int(120 * random.random() ** 2) for _ in range(1500)] + [*range(60), *range(60)] * 5
    for capacity, most in belady_hits(references, [1, 2, 10, 50, 119]).items():
        assert replay(POLICIES[name], references, capacity) <= most


def test_more_room_never_has_fewer_hits() -> None:
    random = stream(4, "references")
    hits = belady_hits([int(200 * random.random() ** 3) for _ in range(3000)], range(1, 220))
    assert list(hits.values()) == sorted(hits.values())


def test_nothing_has_no_hits_and_no_room_no_bound() -> None:
    assert belady_hits([], [5]) == {5: 0}
    with pytest.raises(UserError, match="a cache of 0 blocks has no bound"):
        belady_hits([1], [0])
