"""Tests Che's approximation against exact LRU where references are independent, and at its limits."""

import numpy as np
import pytest
import simpy

from spindle.sim.error import UserError
from spindle.traces.curve import references
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve.references import AlikeBlocks, CacheReferences, ReferenceLog, _time


def zipf(items: int, count: int, seed: int = 1) -> np.ndarray:
    popularity = 1 / np.arange(1, items + 1) ** 0.8
    return np.random.default_rng(seed).choice(items, count, p=popularity / popularity.sum())


def test_independent_references_hit_as_often_in_any_order() -> None:
    drawn = zipf(2000, 100_000)
    exact, references = lru_curve(drawn), CacheReferences.from_blocks(drawn)
    for capacity in (50, 200, 1000, 1900):
        assert references.lru_hits(capacity) == exact.hits_at(capacity)
        assert references.che_hits(capacity) == pytest.approx(exact.hits_at(capacity), rel=0.01)


def test_so_do_those_after_a_warm_up_which_is_shorter_or_longer_than_the_characteristic_time() -> None:
    drawn = zipf(2000, 100_000)
    for early in (1_000, 30_000):
        references = CacheReferences.from_blocks(drawn, early=early)
        for capacity in (20, 1500):
            assert references.che_hits(capacity) == pytest.approx(references.lru_hits(capacity), rel=0.01)


def test_a_cache_for_everything_misses_what_is_new() -> None:
    references = CacheReferences.from_blocks([1, 2, 1, 3, 1, 2])
    assert references.lru_hits(3) == references.lru_hits(99) == 3.0
    assert references.che_hits(3) == references.che_hits(99) == pytest.approx(3.0)
    assert references.che_hits(0) == references.lru_hits(0) == 0.0
    assert _time(np.array([1, 2]), np.array([3, 1]), 4.0) == 1.0
    assert CacheReferences.from_blocks([1, 2, 3, 4]).che_hits(2) == pytest.approx(0.0, abs=1e-12)  # none comes back
    # Two come by twice, one of them within t where 2 (1 - (1 - t)^2) is 1: by the chance of the mean of min(x, t).
    time = 1 - 0.5**0.5
    assert CacheReferences.from_blocks([1, 1, 2, 2]).che_hits(1) == pytest.approx(4 * (time - time**2 / 2))


def test_where_all_are_as_popular_the_share_that_fits_is_hit() -> None:
    references = CacheReferences.from_blocks(np.tile(np.arange(100), 1000), early=50_000)
    for capacity in (10, 50, 90):
        assert references.che_hits(capacity) / 50_000 == pytest.approx(capacity / 100, abs=0.002)


def test_what_is_not_asked_for_is_no_hit_and_keeps_its_block() -> None:
    writes = CacheReferences.from_blocks([1, 1, 2, 1], [1, 0, 1, 1])
    assert (writes.worths.tolist(), writes.worths.dtype) == ([1.0, 0.0, 1.0, 1.0], np.float64)
    assert (writes.lru_hits(1), writes.lru_hits(2)) == (0.0, 1.0)
    assert writes.che_hits(2) == pytest.approx(2 / 3 * 2)  # two asked of three to block 1, of which the first is new
    assert CacheReferences.from_blocks([1, 1], [0.0, 0.0]).che_hits(1) == 0.0


def test_where_nothing_is_asked_for_nothing_hits() -> None:
    for nothing in (CacheReferences.from_blocks([]), CacheReferences.from_blocks([1, 1, 2], early=3)):
        assert nothing.che_hits(2) == nothing.lru_hits(2) == 0.0


def test_the_order_is_all_that_parts_them() -> None:
    drawn = zipf(500, 20_000)
    near, shuffled = (
        CacheReferences.from_blocks(np.repeat(drawn, 3)),
        CacheReferences.from_blocks(np.random.default_rng(2).permutation(drawn)),
    )
    assert near.lru_hits(20) > 1.2 * near.che_hits(20)
    assert shuffled.che_hits(20) == CacheReferences.from_blocks(drawn).che_hits(20)


@pytest.mark.parametrize(
    ("build", "why"),
    [(lambda: CacheReferences.from_blocks([1, 2], [1.0]), "need as many worths"),
     (lambda: CacheReferences.from_blocks([1], [1.0, 1.0]), "need as many worths"),
     (lambda: CacheReferences.from_blocks([1], early=2), "be early"),
     (lambda: CacheReferences.from_blocks([1], early=-1), "be early"),
     (lambda: CacheReferences.from_blocks([1]).che_hits(-1.0), "must have none or more")],
)  # fmt: skip
def test_references_that_cannot_be(build: object, why: str) -> None:
    assert callable(build)
    with pytest.raises(UserError, match=why):
        build()


@pytest.mark.parametrize("early", [0, 1, 700])
@pytest.mark.parametrize("counted", [1, 64, 1 << 18])
def test_blocks_are_alike_however_they_are_counted(early: int, counted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last digit: the curve of a trace counts them with less memory than a run's log, which has worths."""
    drawn = np.random.default_rng(3).zipf(1.3, 2000) % 97 * 10**12
    monkeypatch.setattr(references, "REFERENCES_AT_ONCE", counted)
    alike, logged = AlikeBlocks.among(drawn, early), CacheReferences.from_blocks(drawn, early=early)
    assert [alike.hits(size) for size in (0, 1, 7, 50, 97)] == [logged.che_hits(size) for size in (0, 1, 7, 50, 97)]


def test_what_is_noted_when_the_warm_up_ends_counts(env: simpy.Environment) -> None:
    log = ReferenceLog()
    log.begin(env, 5.0)
    for until, early in ((4.9, 2), (5.0, 2)):
        env.run(until)
        log.note(range(2), True)
        assert log.early == early


def test_a_run_is_split_into_chance_order_and_rules(env: simpy.Environment) -> None:
    """Of a request for two blocks each is worth a half; LRU of 2 hits 1, 1 and half of the last, Che's as computed."""
    log = ReferenceLog()
    log.begin(env, 0.0)
    assert log.early == 0
    for blocks, answerable in ((range(1, 2), True), (range(1, 2), True), (range(1, 2), False), (range(1, 3), True)):
        log.note(blocks, answerable)
    assert (log.blocks, log.worths) == ([1, 1, 1, 1, 2], [1.0, 1.0, 0.0, 0.5, 0.5])
    split = log.compare(0.6, 2, requests=3)
    che = CacheReferences.from_blocks(log.blocks, log.worths).che_hits(2) / 3
    assert split == pytest.approx({"che": che, "beyond_che": 0.6 - che, "beyond_order": 0.5 - che, "beyond_rules": 0.1})
    assert all(value != value for value in log.compare(0.5, 2, requests=0).values())


def test_hits_before_the_warm_up_ends_are_no_part_of_a_split(env: simpy.Environment) -> None:
    """1 1 is early; of 1 and 2 one hits."""
    log = ReferenceLog()
    log.begin(env, 5.0)
    for until, block in ((1.0, 1), (2.0, 1), (5.0, 1), (6.0, 2)):
        env.run(until)
        log.note(range(block, block + 1), True)
    assert log.compare(0.75, 2, requests=2)["beyond_rules"] == 0.25
