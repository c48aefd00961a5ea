"""Tests deletes: a deleted object frees its room in every cache, and its next use is a first use."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.eviction.registry import POLICIES
from spindle.sim.request import READ
from spindle.traces.blocks import collect_references
from spindle.traces.curve.question import BELADY
from spindle.traces.curves import hit_curves
from spindle.workloads.traces.record import Record
from tests.samples import sample

Steps = list[tuple[int, bool]]


def records(steps: Steps) -> list[Record]:
    return [Record(None, "", READ, 0, 1, keys=(str(key),), delete=delete) for key, delete in steps]


def lru(steps: Steps, capacity: int) -> int:
    """The hits, by a cache that is one."""
    cache: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for key, delete in steps:
        if delete:
            cache.pop(key, None)
            continue
        hits += key in cache
        cache[key] = cache.pop(key, None)
        while len(cache) > capacity:
            cache.popitem(last=False)
    return hits


@settings(max_examples=sample(12, 50))
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=60), st.integers(1, 7))
def test_lru_is_exact_at_every_size(steps: Steps, capacity: int) -> None:
    string = collect_references(records([*steps, (0, False)]), 512)
    (row,) = hit_curves(string.blocks, ["lru"], [capacity], drops=string.drops)
    assert row.hits == lru([*steps, (0, False)], capacity)
    assert row.refs == 1 + sum(not delete for _, delete in steps)


def test_room_is_free_at_once() -> None:
    """In two: a b, b is deleted, c comes beside a, which hits."""
    string = collect_references(records([(0, False), (1, False), (1, True), (2, False), (0, False)]), 512)
    assert [row.hits for row in hit_curves(string.blocks, ["lru"], [1, 2], drops=string.drops)] == [0, 1]


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_hits_what_was_deleted(name: str) -> None:
    random = np.random.default_rng(5)
    steps = [(int(key), bool(delete)) for key, delete in zip(random.integers(0, 20, 600), random.random(600) < 0.2,
                                                             strict=True)]  # fmt: skip
    string = collect_references(records(steps), 512)
    (most,) = hit_curves(string.blocks, [BELADY], [8], drops=string.drops)
    (row,) = hit_curves(string.blocks, [name], [8], drops=string.drops)
    assert 0 < row.hits <= most.hits
