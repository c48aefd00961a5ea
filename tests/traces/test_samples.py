"""Tests curves from samples: disjoint, of the size that was asked for, and within the errors that they state."""

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.traces.blocks import Blocks
from spindle.traces.curve import samples as sampling
from spindle.traces.curve.samples import SAMPLES, Samples, least_size, sampled_curves, sampled_sizes, take_samples
from spindle.traces.curves import hit_curves

SIZES = [2000, 5000, 10_000]


@pytest.fixture(scope="module")
def zipf() -> Blocks:
    """Sixty thousand references to some of 30,000 blocks, the k-th as likely as 1 / k."""
    random = np.random.default_rng(7)
    weights = 1.0 / np.arange(1, 30_001)
    found: Blocks = random.choice(30_000, 60_000, p=weights / weights.sum())
    return found


def test_samples_share_no_block_and_have_their_share(zipf: Blocks) -> None:
    samples = take_samples([zipf[:20_000], zipf[20_000:]], 0.4)
    kept = [set(sample.tolist()) for sample in samples.references]
    assert len(kept) == SAMPLES
    assert sum(map(len, kept)) == len(set.union(*kept))
    unique = len(np.unique(zipf))
    assert sum(map(len, kept)) == pytest.approx(0.4 * unique, rel=0.05)
    assert (samples.total, samples.share) == (60_000, 0.05)
    assert samples.unique == pytest.approx(unique, rel=0.05)
    assert samples.references[3].tolist() == [block for block in zipf.tolist() if block in kept[3]], "in their order"


@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_what_samples_say_of_the_whole_lies_within_their_bounds(zipf: Blocks, policy: str) -> None:
    whole = list(hit_curves(zipf, [policy], SIZES))
    found = list(sampled_curves(take_samples([zipf], 0.8), [policy], SIZES))
    for true, row in zip(whole, found, strict=True):
        assert (row.policy, row.cache_blocks, row.refs) == (policy, true.cache_blocks, 60_000)
        assert row.low is not None
        assert row.high is not None
        assert row.low - 0.01 < true.hit_ratio < row.high + 0.01
        assert row.hit_ratio == pytest.approx(true.hit_ratio, abs=0.02)
        assert row.high - row.low < 0.1


def test_a_sample_too_small_for_a_size_says_so(zipf: Blocks) -> None:
    samples = take_samples([zipf], 0.08)
    assert least_size(samples.share) == 400
    assert sampled_sizes(samples, 5)[0] == 400
    with pytest.raises(UserError, match="a cache of 399 blocks is too small for this sample: 400 is the least"):
        list(sampled_curves(samples, ["lru"], [399]))


def test_a_sample_that_does_not_fit_in_memory_is_refused_while_it_is_read(
    zipf: Blocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = sum(map(len, take_samples([zipf], 0.4).references))
    monkeypatch.setattr(sampling, "MAX_SAMPLE_REFERENCES", kept)
    assert sum(map(len, take_samples([zipf], 0.4).references)) == kept
    monkeypatch.setattr(sampling, "MAX_SAMPLE_REFERENCES", kept - 1)
    with pytest.raises(UserError, match=f"more than {kept - 1:,} references, which are not held; take a smaller share"):
        take_samples(iter([zipf, None]), 0.4)  # type: ignore[list-item]


def test_bounds_of_samples_are_shares_however_far_they_are_apart() -> None:
    """Seven samples that hit 99 of 100 times and one that never does, and the other way round."""
    hot, cold = np.full(100, 7), np.arange(100)
    for samples, low, high in (([hot] * 7 + [cold], 0.57, 1.0), ([cold] * 7 + [hot], 0.0, 0.42)):
        (row,) = sampled_curves(Samples(samples, 0.01, 10_000), ["lru"], [400])
        assert (row.low, row.high) == pytest.approx((low, high), abs=0.01)
