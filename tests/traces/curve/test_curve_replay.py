"""Tests replay without a clock, and the blocks that requests touch."""

from collections.abc import Hashable, Iterator
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.sim.eviction.sieve import Sieve
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.two_q import TwoQ
from spindle.sim.streams import stream
from spindle.traces.curve import replay as replaying
from spindle.traces.curve.replay import block_references, replay, replay_at
from tests.doubles import ChoosesNothing

# Two blocks used twice, then a scan of three, then the two again.
SCANNED = [1, 2, 1, 2, 3, 4, 5, 1, 2]


@pytest.mark.parametrize(
    ("kind", "hits"),
    [
        (Lru, 2),  # the scan has driven both out
        (Fifo, 2),
        (Clock, 2),  # 4 takes the place of 3, but then 1 and 2 have had their second chance
        (Lfu, 4),  # the scan replaces its own
        (Arc, 4),
        (Slru, 4),  # 3 and 4 go from probation
        (TwoQ, 2),  # 1 and 2 are still newcomers, and go as such
        (Lirs, 4),
        (S3Fifo, 3),  # 1 goes when 4 comes, 2 stays in the main queue
        (Sieve, 2),  # 3 goes, and the hand is back at 1 and 2, whose marks it has cleared
    ],
)
def test_hits_of_a_scanned_string(kind: type, hits: int) -> None:
    assert replay(kind, SCANNED, 3) == hits


@pytest.mark.parametrize("kind", POLICIES.values(), ids=POLICIES)
def test_room_for_all_leaves_only_first_references(kind: type) -> None:
    assert replay(kind, SCANNED, 5) == 4
    assert replay(kind, SCANNED, 500) == 4
    assert replay(kind, [], 5) == 0


@pytest.mark.parametrize("kind", POLICIES.values(), ids=POLICIES)
def test_arrays_and_iterators_do_as_well_as_lists(kind: type) -> None:
    hits = replay(kind, SCANNED, 3)
    assert replay(kind, np.array(SCANNED), 3) == hits
    assert replay(kind, iter(SCANNED), 3) == hits


@pytest.mark.parametrize("kind", POLICIES.values(), ids=POLICIES)
def test_several_sizes_at_once_are_each_alone(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    random = stream(1, "references")
    references = [int(60 * random.random() ** 2) for _ in range(600)]
    alone = {capacity: replay(kind, references, capacity) for capacity in (1, 7, 20, 64)}
    monkeypatch.setattr(replaying, "CHUNK", 32)
    assert replay_at(kind, iter(references), (20, 1, 64, 7)) == alone
    assert replay_at(kind, np.array(references), (64, 20, 7, 1)) == alone


class Watched(Fifo):
    """Says with each entry how many references had been read."""

    read = 0
    at_insertion: ClassVar[list[int]] = []

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        super().insert(key, size, cost)
        self.at_insertion.append(Watched.read)


def test_a_string_is_never_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "CHUNK", 10)
    Watched.at_insertion.clear()

    def blocks() -> Iterator[int]:
        for block in range(30):
            Watched.read = block + 1
            yield block

    assert replay_at(Watched, blocks(), (2,)) == {2: 0}
    assert Watched.at_insertion == [10] * 10 + [20] * 10 + [30] * 10


class PlainLru:
    """LRU without a replay of its own."""

    def __init__(self) -> None:
        lru = Lru()
        self.insert, self.touch, self.choose, self.remove = lru.insert, lru.touch, lru.choose, lru.remove


@given(st.lists(st.integers(0, 12), max_size=100), st.integers(1, 9), st.integers(1, 30))
def test_lru_in_one_go_is_lru_step_by_step(references: list[int], capacity: int, cut: int) -> None:
    hits = replay(PlainLru, references, capacity)  # type: ignore[arg-type]
    assert replay(Lru, references, capacity) == hits
    policy = Lru()
    assert policy.replay(references[:cut], capacity) + policy.replay(references[cut:], capacity) == hits


def test_a_policy_that_chooses_nothing_is_named() -> None:
    with pytest.raises(UserError, match=ChoosesNothing.TOLD):
        replay(ChoosesNothing, [1, 2, 1, 3], 2)
    assert replay(ChoosesNothing, [1, 2, 1], 2) == 1


def test_a_loop_just_too_large_is_lru_at_its_worst() -> None:
    loop = [*range(10)] * 20
    assert replay(Lru, loop, 9) == 0
    assert replay(Lru, loop, 10) == 190


def test_a_policy_takes_the_least_of_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five, two and three seconds, for the first four references."""
    clock = iter([0.0, 5.0, 5.0, 7.0, 7.0, 10.0])
    monkeypatch.setattr(replaying, "process_time", lambda: next(clock))
    monkeypatch.setattr(replaying, "MAX_TIMED", 4)
    assert replaying.time_policy(Lru, [1, 2, 3, 1, 2, 3], 2) == 0.5
    assert not [*clock]


def test_a_cache_of_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="a cache of 0 blocks"):
        replay(Lru, [1], 0)


def test_a_policy_built_for_another_capacity_is_refused() -> None:
    with pytest.raises(UserError, match="built for 4 entries, but the cache has 5"):
        replay(lambda: Arc(4), [1], 5)


def test_a_request_touches_every_block_that_it_overlaps_once() -> None:
    requests = [(0, 1), (511, 1), (511, 2), (512, 512), (1000, 1100), (0, 1)]
    found = block_references(requests, 512)
    assert (found.tolist(), found.dtype) == ([0, 0, 0, 1, 1, 1, 2, 3, 4, 0], np.int64)


def test_no_requests_are_no_references() -> None:
    assert block_references([], 512).tolist() == []


@pytest.mark.parametrize("wrong", [(0, 0), (0, -512), (-1, 512)])
def test_a_request_without_bytes_is_refused(wrong: tuple[int, int]) -> None:
    with pytest.raises(UserError, match=f"request 1 is {wrong[1]} bytes from byte {wrong[0]}"):
        block_references([(0, 512), wrong], 512)


def test_a_block_without_bytes_is_refused() -> None:
    with pytest.raises(UserError, match="a block of 0 bytes"):
        block_references([(0, 512)], 0)
