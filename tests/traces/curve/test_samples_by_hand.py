"""Tests samples of a trace by hand: which blocks are kept, what is estimated from them, and how it is scaled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.studies.confidence import confidence
from spindle.traces.blocks import NO_DROPS, Blocks, Drops
from spindle.traces.curve import samples as sampling
from spindle.traces.curve.samples import SAMPLES, Samples, least_size, sampled_curves, sampled_sizes, take_samples
from spindle.traces.curves import CurveRow


def blocks(*numbers: int) -> Blocks:
    return np.array(numbers, dtype=np.int64)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Block n lies at n thousandths of the interval."""
    monkeypatch.setattr(sampling, "_place", lambda piece: piece / 1000.0)


@pytest.mark.usefixtures("places")
def test_a_block_is_in_the_sample_of_its_place() -> None:
    """Of a share of 0.08 each sample has a hundredth."""
    made = take_samples([blocks(0, 9, 10, 75, 80, 500), blocks(9, 79, 10)], 0.08)
    assert [sample.tolist() for sample in made.references] == [[0, 9, 9], [10, 10], [], [], [], [], [], [75, 79]]
    assert (made.share, made.total) == (0.01, 9)


@pytest.mark.usefixtures("places")
def test_deletes_of_a_block_are_in_its_sample_and_are_no_references() -> None:
    """Of 9 ~10 9 ~9 9 10 the last 9 is another block, deleted before the third reference of its sample."""
    made = take_samples([blocks(9, ~10, 9, ~9, 9), blocks(~500, 10)], 0.08)
    (first, second), drops = made.references[:2], made.drops
    assert first[0] == first[1] == 9 != first[2]
    assert (drops[0].places.tolist(), drops[0].blocks.tolist()) == ([2], [9])
    assert (second[0] != 10, drops[1].places.tolist(), drops[1].blocks.tolist()) == (True, [0], [10])
    assert (list(drops), made.total, made.deletes) == ([0, 1], 4, 3)


def test_deletes_alone_are_no_sample() -> None:
    with pytest.raises(UserError, match="there are deletes alone in the trace, and nothing to sample"):
        list(sampled_curves(take_samples([blocks(~1, ~2)], 0.5), ["lru"], [100]))


@pytest.mark.parametrize("policy", ["lru", "fifo", "belady"])
def test_what_is_deleted_after_each_use_never_hits(policy: str) -> None:
    """With deletes left out, half of the references to blocks that are used twice would hit."""
    pieces = [block for number in range(3200) for block in (number % 1600, ~(number % 1600))]
    (row,), (without,) = (list(sampled_curves(take_samples([blocks(*some)], 0.9), [policy], [3200]))
                          for some in (pieces, pieces[::2]))  # fmt: skip
    assert row.hit_ratio < 0.1
    assert without.hit_ratio == pytest.approx(0.5, abs=0.1)


@pytest.mark.usefixtures("places")
def test_different_blocks_are_as_many_as_in_the_samples_over_their_share() -> None:
    made = take_samples([blocks(0, 9, 9, 10, 75)], 0.08)
    assert made.unique == 50  # four in eight hundredths


def test_places_are_spread_evenly_and_depend_on_the_block_alone() -> None:
    found = sampling._place(blocks(*range(20_000)))
    assert np.array_equal(found, sampling._place(blocks(*range(20_000))))
    counts, _ = np.histogram(found, bins=10, range=(0.0, 1.0))
    assert counts.sum() == 20_000
    assert np.all(abs(counts - 2000) < 200)
    assert len(set(found.tolist())) == 20_000


def test_a_place_is_a_hash_that_others_have_too() -> None:
    """The first number of splitmix64 from seed 0, of which 53 bits count; and of its seed for one step less."""
    first, = sampling._place(blocks(0))
    assert first == (0xE220A8397B1DCDAF >> 11) * 2.0**-53
    second, = sampling._place(np.array([0x9E3779B97F4A7C15], dtype=np.uint64).astype(np.int64))
    assert second == (0x6E789E6AA1B965F4 >> 11) * 2.0**-53


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 1.5])
def test_a_share_lies_between_nothing_and_all(share: float) -> None:
    with pytest.raises(UserError, match="a sample has a share of the blocks between 0 and 1"):
        take_samples([blocks(1)], share)


@pytest.mark.usefixtures("places")
def test_a_sample_may_have_just_as_many_references_as_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MAX_SAMPLE_REFERENCES", 3)
    assert take_samples([blocks(0, 1, 500), blocks(2, 500)], 0.08).total == 5
    with pytest.raises(UserError, match="the sample has more than 3 references, which are not held"):
        take_samples([blocks(0, 1, 500), blocks(2, 3)], 0.08)


def test_the_cache_of_a_sample_holds_four_blocks_at_least() -> None:
    assert (least_size(0.01), least_size(0.03)) == (400, 134)
    made = Samples([blocks(1)] * SAMPLES, 0.01, 100)
    assert list(sampled_curves(made, ["lru"], [])) == []
    with pytest.raises(UserError, match="a cache of 399 blocks is too small for this sample: 400 is the least"):
        list(sampled_curves(made, ["lru"], [399, 800]))


def test_a_sample_of_few_blocks_is_too_small() -> None:
    with pytest.raises(UserError, match=r"a sample of 0\.08 of about 400 blocks or objects is too small: take more"):
        sampled_sizes(Samples([blocks(*range(4))] * SAMPLES, 0.01, 100), 5)
    sizes = sampled_sizes(Samples([blocks(*range(40))] * SAMPLES, 0.01, 100), 3)
    assert sizes == [400, 1265, 4000]
    assert len(sampled_sizes(Samples([blocks(*range(40))] * SAMPLES, 0.01, 100), 999)) <= sampling.LRU_SIZES


def test_sizes_begin_where_a_sample_resolves_them_and_not_far_below_the_largest() -> None:
    sizes = sampled_sizes(Samples([blocks(*range(1 << 14))] * SAMPLES, 0.01, 100), 12)
    assert (sizes[0], sizes[-1], len(sizes)) == (800, 1_638_400, 12)


def test_each_sample_has_its_own_deletions(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[int, Drops] = {}

    def hit_curves(
        part: Blocks, policies: list[str], wanted: list[int], progress: Any, drops: Drops
    ) -> list[CurveRow]:  # fmt: skip
        seen[int(part[0])] = drops
        return [CurveRow(policies[0], size, 1, 0) for size in wanted]

    monkeypatch.setattr(sampling, "hit_curves", hit_curves)
    one = Drops(blocks(0), blocks(5))
    assert list(sampled_curves(Samples([blocks(0), blocks(1)], 0.01, 200, {1: one}), ["lru"], [400]))
    assert seen[0] is NO_DROPS
    assert seen[1] is one


def curves(monkeypatch: pytest.MonkeyPatch, hits: Sequence[int], refs: Sequence[int], sizes: Sequence[int],
           total: int = 4000, share: float = 0.01) -> list[CurveRow]:  # fmt: skip
    """The curve of samples of which each has so many hits of its references, at every size."""
    made: list[tuple[int, list[int]]] = []
    samples = [blocks(*[number] * count) for number, count in enumerate(refs)]

    def hit_curves(
        part: Blocks, policies: list[str], wanted: list[int], progress: Any, drops: Drops
    ) -> list[CurveRow]:  # fmt: skip
        assert not drops
        number = int(part[0])
        made.append((number, wanted))
        return [CurveRow(policies[0], size, refs[number], hits[number]) for size in wanted]

    monkeypatch.setattr(sampling, "hit_curves", hit_curves)
    rows = list(sampled_curves(Samples(samples, share, total), ["arc"], sizes))
    assert made == [(number, sorted({round(size * share) for size in sizes})) for number in range(len(refs))]
    return rows


def test_hits_of_a_sample_are_adjusted_by_the_references_that_it_has_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 4,000 references a sample has 40 by its share. One has 50, of which 10 hits too many; the other 30."""
    one, two = curves(monkeypatch, (30, 10), (50, 30), [400, 800])
    ratios = confidence([20 / 40, 20 / 40])
    assert (one.policy, one.cache_blocks, one.refs, one.hits) == ("arc", 400, 4000, 2000)
    assert (one.low, one.high) == (ratios.low, ratios.high) == (0.5, 0.5)
    assert two == one._replace(cache_blocks=800)


def test_a_ratio_of_a_sample_is_a_share_and_so_are_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """One has fewer hits than references too many; the other more hits than the references it should have."""
    (row,) = curves(monkeypatch, (5, 39), (60, 30), [400])
    assert row.hits == 2000  # the mean of 0 and 1
    assert (row.low, row.high) == (0.0, 1.0)
