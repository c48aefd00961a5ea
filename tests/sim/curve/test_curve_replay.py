"""Replay without a clock, and requests expanded into blocks."""

import numpy as np
import pytest

from sim.cache.eviction.arc import Arc
from sim.cache.eviction.clock import Clock
from sim.cache.eviction.fifo import Fifo
from sim.cache.eviction.lfu import Lfu
from sim.cache.eviction.lru import Lru
from sim.curve.replay import block_references, replay
from sim.mistake import Mistake

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
    ],
)
def test_hits_of_a_scanned_string(kind: type, hits: int) -> None:
    assert replay(kind, SCANNED, 3) == hits


@pytest.mark.parametrize("kind", [Lru, Fifo, Clock, Lfu, Arc])
def test_room_for_all_leaves_only_first_references(kind: type) -> None:
    assert replay(kind, SCANNED, 5) == 4
    assert replay(kind, SCANNED, 500) == 4
    assert replay(kind, [], 5) == 0


@pytest.mark.parametrize("kind", [Lru, Fifo, Clock, Lfu, Arc])
def test_arrays_and_iterators_do_as_well_as_lists(kind: type) -> None:
    hits = replay(kind, SCANNED, 3)
    assert replay(kind, np.array(SCANNED), 3) == hits
    assert replay(kind, iter(SCANNED), 3) == hits


def test_a_loop_just_too_large_is_lru_at_its_worst() -> None:
    loop = [*range(10)] * 20
    assert replay(Lru, loop, 9) == 0
    assert replay(Lru, loop, 10) == 190


def test_a_cache_of_nothing_is_refused() -> None:
    with pytest.raises(Mistake, match="a cache of 0 blocks"):
        replay(Lru, [1], 0)


def test_a_policy_built_for_another_capacity_is_refused() -> None:
    with pytest.raises(Mistake, match="built for 4 entries, but the cache has 5"):
        replay(lambda: Arc(4), [1], 5)


def test_a_request_touches_every_block_that_it_overlaps_once() -> None:
    requests = [(0, 1), (511, 1), (511, 2), (512, 512), (1000, 1100), (0, 1)]
    assert block_references(requests, 512).tolist() == [0, 0, 0, 1, 1, 1, 2, 3, 4, 0]


def test_no_requests_are_no_references() -> None:
    assert block_references([], 512).tolist() == []


@pytest.mark.parametrize("wrong", [(0, 0), (0, -512), (-1, 512)])
def test_a_request_without_bytes_is_refused(wrong: tuple[int, int]) -> None:
    with pytest.raises(Mistake, match=f"request 1 is {wrong[1]} bytes from byte {wrong[0]}"):
        block_references([(0, 512), wrong], 512)


def test_a_block_without_bytes_is_refused() -> None:
    with pytest.raises(Mistake, match="a block of 0 bytes"):
        block_references([(0, 512)], 0)
