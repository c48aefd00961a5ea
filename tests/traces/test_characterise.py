"""Tests the character of a trace: by hand, against known numbers of real traces, and of synthetic requests."""

import csv
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.traces import characterise as histogram
from spindle.traces.blocks import references
from spindle.traces.characterise import (
    Characterisation,
    Histogram,
    NumberCounts,
    SampledReferences,
    characterise,
)
from spindle.traces.synthetic import synthetic
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

PAGE = 4096


def record(time: float | None, op: Op, page: float, pages: float = 1, device: str = "a") -> Record:
    return Record(time, device, op, int(page * PAGE), int(pages * PAGE))


def test_a_trace_by_hand() -> None:
    found = characterise([
        record(0.0, READ, 0, 2), record(0.5, READ, 2), record(0.75, WRITE, 3), record(0.7, READ, 3),
        record(1.75, READ, 0, 0.5), record(1.75, READ, 0, device="b"), record(1.75, READ, 0.5, 0.5),
    ])  # fmt: skip
    assert (found.requests, found.devices) == (7, {"a": 6, "b": 1})
    assert found.read_share == 6 / 7
    assert found.kinds[READ].sizes == Histogram((2048, 4096, 8192), (2, 3, 1), 24576 / 6)
    assert found.kinds[WRITE].sizes == Histogram((4096,), (1,), 4096.0)
    # Reads of 0 to 3, of 3 alone, of 0 in two halves, and the one on b; the write ends a run, and is one.
    assert found.kinds[READ].runs == Histogram((1, 2), (2, 2), 1.5)
    assert found.kinds[WRITE].runs == Histogram((1,), (1,), 1.0)
    assert found.sequential_share == pytest.approx(2 / 7)
    assert found.gaps == Histogram((0, 250_000_000, 500_000_000, 1_000_000_000), (3, 1, 1, 1), 1.75e9 / 6)
    assert found.end == 4 * PAGE
    # Blocks 0, 1, 2, 3, 3, 0, b's 0, 0: again 3 at once, 0 after three others, and 0 after b's.
    assert (found.locality.references, found.locality.blocks, found.footprint) == (8, 5, 5 * PAGE)
    assert found.locality.distances == Histogram((0, 1, 3), (1, 1, 1), 4 / 3)
    assert found.locality.first_uses == 5 / 8
    assert found.locality.hot[-3:] == (3 / 8, 5 / 8, 1.0)


def one_by_one(blocks: int, hot: range = range(0)) -> Characterisation:
    """A trace that asks for each of so many blocks once, *hot* ones fifty times, and never for two in a row."""
    pages = [*range(blocks), *(page for page in hot for _ in range(49))]
    Random("pages").shuffle(pages)
    return characterise([record(None, READ, page) for page in pages])


@pytest.mark.parametrize("pieces", [8, 10])
def test_every_block_is_asked_for_up_to_the_last(pieces: int) -> None:
    """A piece has sixteen blocks. Ten pieces and the first step that is tried, five, have a divisor in common."""
    made = [each.first // PAGE for each in synthetic(one_by_one(16 * pieces), 1, 4000 * pieces // 8)]
    assert {*made} == {*range(16 * pieces)}


def test_the_hottest_pieces_do_not_lie_beside_each_other() -> None:
    made = [each.first // PAGE // 16 for each in synthetic(one_by_one(128, range(40, 72)), 1, 2000)]
    one, other = sorted(range(8), key=made.count)[-2:]
    assert made.count(one) + made.count(other) > 1400
    assert abs(one - other) > 1


def test_what_has_no_times_has_no_gaps() -> None:
    found = characterise([record(None, READ, 0), record(None, READ, 1)])
    for each in (found, characterise([record(0.0, READ, 0)])):
        # Field by field, because the mean of nothing is NaN, which equals nothing.
        assert (each.gaps.values, each.gaps.counts, each.gaps.total) == ((), (), 0)
        assert each.gaps.mean != each.gaps.mean
    assert [made.time for made in synthetic(found, 1)] == [None, None]


def test_there_must_be_something_to_characterise() -> None:
    with pytest.raises(UserError, match="the trace has no requests"):
        characterise([])
    with pytest.raises(UserError, match="512 is the least"):
        characterise([record(0.0, READ, 0)], 100)


def test_a_histogram_by_hand() -> None:
    counts = NumberCounts()
    for value in (3, 1, 3, 7):
        counts.add(value)
    found = counts.histogram()
    assert found == Histogram((1, 3, 7), (1, 2, 1), 3.5)
    assert [found.quantile(share) for share in (0.0, 0.25, 0.26, 0.75, 0.76, 1.0)] == [1, 1, 3, 3, 7, 7]
    drawn = [found.draw(random) for random in [Random(1)] for _ in range(4000)]
    assert [drawn.count(value) / 4000 for value in (1, 3, 7)] == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_numbers_are_rounded_once_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 512 on to the middle of two, from 1024 on of four; what is added several times counts so often."""
    monkeypatch.setattr(histogram, "MAX_COUNTED", 3)
    counts = NumberCounts()
    for value, times in ((512, 2), (513, 1), (1024, 4)):
        counts.add(value, times)
    assert counts.histogram() == Histogram((512, 513, 1024), (2, 1, 4), (2 * 512 + 513 + 4 * 1024) / 7)
    counts.add(511)
    counts.add(1027, 5)
    found = counts.histogram()
    assert (found.values, found.counts) == ((511, 513, 1026), (1, 3, 9))
    assert found.mean == pytest.approx((2 * 512 + 513 + 4 * 1024 + 511 + 5 * 1027) / 13)


def test_a_histogram_has_room_for_any_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histogram, "MAX_COUNTED", 100)
    counts = NumberCounts()
    numbers = sorted(int(2.0 ** (n / 25)) for n in range(1000))
    for number in numbers:
        counts.add(number)
    found = counts.histogram()
    assert found.total == 1000
    assert found.mean == pytest.approx(sum(numbers) / 1000, rel=1e-12)
    for share in (0.1, 0.5, 0.9, 1.0):
        assert found.quantile(share) == pytest.approx(numbers[round(share * 1000) - 1], rel=1 / 512)


def test_blocks_are_halved_sixteen_times_at_most() -> None:
    few = SampledReferences(0)
    few.add(np.arange(1 << 18))
    found = few.locality()
    assert (found.references, found.sample) == (1 << 18, 0.5**16)
    assert 0 < found.blocks == len(few._kept) << 16
    assert [len(SampledReferences(most)._select_sample(np.arange(9))) for most in (0, 9)] == [9, 9]
    several = SampledReferences(9)
    several.add(np.arange(9))
    assert several.locality().sample == 1.0, "as many as are kept"


def test_four_thousand_numbers_are_counted_one_by_one() -> None:
    counts = NumberCounts()
    for number in range(4096):
        counts.add(100_000 + number)
    assert counts.histogram().values == tuple(range(100_000, 104_096))
    counts.add(0)
    assert len(counts.histogram().values) < 30


def test_a_sample_of_the_blocks_stands_for_all() -> None:
    random = np.random.default_rng(5)
    blocks = (20_000 * random.random(200_000) ** 2).astype(np.int64)
    every, some = SampledReferences(), SampledReferences(most=60_000)
    for part in np.split(blocks, 10):
        every.add(part)
        some.add(part)
    whole, sample = every.locality(), some.locality()
    assert (whole.sample, sample.sample) == (1.0, 0.25)
    assert (whole.references, sample.references) == (200_000, 200_000)
    assert sample.blocks == pytest.approx(whole.blocks, rel=0.03)
    assert sample.first_uses == pytest.approx(whole.first_uses, rel=0.05)
    assert sample.hot[-4:] == pytest.approx(whole.hot[-4:], abs=0.03)
    for share in (0.25, 0.5, 0.75):
        assert sample.distances.quantile(share) == pytest.approx(whole.distances.quantile(share), rel=0.1)


# Real traces --------------------------------------------------------------------------------------


def rows(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "data" / "traces" / f"truth_{name}.csv").open() as lines:
        return [row for row in csv.DictReader(lines) if row["block_bytes"] == str(PAGE)]


@pytest.fixture(scope="module")
def wsrch(shared: Path) -> Characterisation:
    return characterise(Trace(shared / "data" / "traces" / "wsrch.csv.gz"))


@pytest.mark.parametrize(("name", "requests"), [("cloudphysics", 113_872), ("tpcc", 6_999)])
def test_real_traces_have_the_references_and_hits_that_they_are_known_to_have(
    shared: Path, name: str, requests: int
) -> None:
    found = characterise(Trace(shared / "data" / "traces" / f"{name}.csv.gz"))
    assert found.requests == requests
    truth = rows(shared, name)
    assert truth
    for row in truth:
        assert (found.locality.references, found.locality.blocks) == (int(row["refs"]), int(row["unique"]))
        again = 1.0 - found.locality.first_uses
        distances, blocks = found.locality.distances, int(row["cache_blocks"])
        near = sum(times for value, times in zip(distances.values, distances.counts, strict=True) if value < blocks)
        hits = again * near / distances.total
        assert hits == pytest.approx(float(row["LRU_hit_ratio"]), abs=0.002)


def test_all_of_a_trace_is_read(shared: Path) -> None:
    trace = Trace(shared / "data" / "traces" / "arc_p3.csv.gz")
    assert sum(len(blocks) for blocks in references(trace, 512)) == 3_912_296


def test_what_is_made_to_be_like_a_trace_is_like_it(wsrch: Characterisation) -> None:
    found, made = wsrch, characterise(synthetic(wsrch, "likeness"))
    assert made.requests == found.requests == 24_783
    assert made.read_share == pytest.approx(found.read_share, abs=0.01)
    assert made.sequential_share == pytest.approx(found.sequential_share, abs=0.01)
    assert 0.95 * found.end < made.end <= found.end
    sizes, gaps = made.kinds[READ].sizes, made.gaps
    assert sizes.mean == pytest.approx(found.kinds[READ].sizes.mean, rel=0.03)
    assert sizes.quantile(0.9) == found.kinds[READ].sizes.quantile(0.9)
    for share in (0.25, 0.5, 0.9):
        assert gaps.quantile(share) == pytest.approx(found.gaps.quantile(share), rel=0.05)
    assert gaps.mean == pytest.approx(found.gaps.mean, rel=0.05)
    assert 0.6 < made.footprint / found.footprint < 1.1


def test_hot_places_stay_hot() -> None:
    random = Random(3)
    found = characterise(record(number / 8, WRITE if random.random() < 0.3 else READ, int(1000 * random.random() ** 4))
                         for number in range(20_000))
    made = characterise(synthetic(found, 1))
    assert made.read_share == pytest.approx(found.read_share, abs=0.02)
    assert made.footprint == pytest.approx(found.footprint, rel=0.1)
    assert made.locality.hot == pytest.approx(found.locality.hot, abs=0.05)
    for share in (0.5, 0.75, 0.9):
        expected = found.locality.distances.quantile(share)
        assert made.locality.distances.quantile(share) == pytest.approx(expected, rel=0.1)


def test_as_many_are_made_as_are_asked_for_and_none_beyond_the_end() -> None:
    """Runs of twelve on twelve pages, which begin anywhere; what would go on behind the end does at the beginning."""
    found = characterise([record(number / 8, READ, number) for number in range(12)])
    made = list(islice(synthetic(found, 1, 30), 31))
    assert len(made) == 30
    assert max(each.first + each.length for each in made) == found.end


def test_the_same_seed_makes_the_same() -> None:
    found = characterise([record(number / 8, READ, number % 5) for number in range(100)])
    once, again, other = (list(synthetic(found, seed, 50)) for seed in (1, 1, 2))
    assert once == again != other
    assert len(once) == 50
