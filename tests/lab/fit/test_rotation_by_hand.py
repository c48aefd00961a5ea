"""Parts of the search for the rotation, by hand: pairs of reads, peaks, periods that are tried, and late writes."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.fit import rotation as rotations
from spindle.lab.fit.geometry import TrackTurn
from spindle.lab.fit.rotation import (
    MAX_PERIOD_ERROR,
    PAIR_SPANS,
    SKEW_GRID,
    STEPS_AROUND,
    TURN_STEP,
    ReadPhases,
    SkewAgreement,
    ZonePeak,
    agreement,
)
from spindle.sim.units import MS

PERIOD = 10 * MS


@pytest.mark.parametrize(("high_water", "link", "seconds"), [
    (0.0, 0.5, 8.5),  # the last sector passes after 8 ms, and takes 0.5 ms to the host
    (0.0, 2.0, 17.0),  # the first passes in 1 ms, and then all take 2 ms each
    (0.5, 2.0, 20.0),  # half of them pass first
    (0.7, 2.0, 21.0),  # whole sectors
])  # fmt: skip
def test_a_read_takes_as_long_as_medium_and_link_have_to(high_water: float, link: float, seconds: float) -> None:
    """Of 8 sectors, each of which passes in 1 ms."""
    seen: Any = SimpleNamespace(per_track=np.array([10]), sectors=np.array([8]))
    reads = ReadPhases(seen, np.array([True]), link * MS, high_water)
    assert reads.transfer(PERIOD).tolist() == pytest.approx([seconds * MS])


def test_pairs_are_less_than_a_span_apart() -> None:
    seen: Any = SimpleNamespace(done=np.array([0.0, 1.0, 9.0, 1.5, 3.0]))
    reads = ReadPhases(seen, np.full(5, True), 0.0)
    early, late = reads.pairs(np.array([0, 1, 3, 4]), 1.5)
    assert sorted(zip(early.tolist(), late.tolist(), strict=True)) == [(0, 1), (1, 3)], "1.5 s are too much"
    assert [len(each) for each in reads.pairs(np.array([0]), 9.0)] == [0, 0]


def test_zones_agree_on_skews_by_their_pairs() -> None:
    """Two of three pairs are for the skews of 90 and of 7 parts of a revolution."""
    def spectrum(pairs: int, track: int, cylinder: int) -> Any:
        heights = np.zeros((SKEW_GRID, SKEW_GRID))
        heights[track, cylinder] = 0.5
        return SimpleNamespace(pairs=pairs, coarse=lambda parts: heights)

    found = agreement([spectrum(3, 90, 7), spectrum(4, 5, 5), spectrum(3, 90, 7)])
    assert found == pytest.approx((3.0, 90 / SKEW_GRID, 7 / SKEW_GRID))


@pytest.mark.parametrize(("height", "near", "peak", "size"), [
    (0.9, 0.2, (2, 17, 0.9), 400),  # the highest of all
    (0.02, 0.01, (5, 10, 0.01), 169),  # that is chance; the highest within six sectors of the common skews
])  # fmt: skip
def test_the_peak_of_a_zone(height: float, near: float, peak: tuple[float, ...], size: int) -> None:
    """Of 20 sectors; the zones together say 5 and 9 sectors. All else alternates, by which chance is told."""
    heights = 0.009 * (-1.0) ** np.add.outer(np.arange(20), np.arange(20))
    heights[2, 17], heights[5, 10] = height, near
    found = rotations._peak(heights, 10**8, SkewAgreement(1.0, 0.25, 0.45))
    chance = float(heights.std()) * (2 * np.log(size)) ** 0.5
    assert found == ZonePeak(peak[0], peak[1], peak[2], pytest.approx(chance), 10**8, 0)  # type: ignore[arg-type]


def test_the_slack_of_a_peak_is_where_agreement_is_as_high() -> None:
    """Of few pairs the error is large: two sectors beside the peak are as high, and what is far off does not count."""
    heights = np.zeros((20, 20))
    heights[0, 0], heights[0, 18], heights[10, 10] = 0.8, 0.7, 0.8
    assert [rotations._slack(heights, 0, pairs) for pairs in (20, 2000)] == [2, 0]


def test_periods_are_tried_to_each_side_in_steps_of_each_span(monkeypatch: pytest.MonkeyPatch) -> None:
    """First as far as a period may be off, then three steps around the best; the last search is within a step."""
    tried: dict[float, list[float]] = {}

    def score(reads: object, period: float, span: float) -> float:
        tried.setdefault(span, []).append(period / PERIOD - 1.0)
        return -abs(period - 1.004 * PERIOD)

    monkeypatch.setattr(rotations, "_score", score)
    reads: Any = SimpleNamespace(spectra=lambda period, span: span != PAIR_SPANS[-1])
    assert rotations._period(reads, PERIOD) == pytest.approx(1.004 * PERIOD, rel=1e-5)
    first, *others, last = PAIR_SPANS
    step = TURN_STEP * PERIOD / first
    count = round(MAX_PERIOD_ERROR / step)
    assert tried[first] == pytest.approx([step * each for each in range(-count, count + 1)])
    for before, span in zip(PAIR_SPANS, others, strict=False):
        step = TURN_STEP * PERIOD / span
        count = round(STEPS_AROUND * span / before)
        assert len(tried[span]) == 2 * count + 1
        assert max(tried[span]) - min(tried[span]) == pytest.approx(2 * count * step, rel=0.01)
    assert max(abs(turn - 0.004) for turn in tried[last]) < 2 * step


@pytest.mark.parametrize(("late", "found"), [(0.0, 0.0), (0.75, 0.75), (-0.5, -0.5), (9.0, -1.0)])
def test_writes_are_late_by_what_they_are_done_after_their_angle(late: float, found: float) -> None:
    """Reads and writes of 2 sectors by turns, each as late as it ends; those of two tracks or of a buffer aside."""
    count = 12
    reads, here = np.arange(count) % 2 == 0, np.arange(count) < 8
    ends = np.arange(count) * 1.3 * PERIOD + ~reads * late * MS + ~here * 3 * MS
    seen: Any = SimpleNamespace(
        reads=reads, unbuffered=here, on_one_track=here, done=ends, sectors=np.full(count, 2),
        zone=np.zeros(count, int), per_track=np.full(count, 10),
        tracks=np.arange(count), cylinders=np.arange(count) // 3,
        angle=(np.arange(count) * (1.3 - 0.125) - np.arange(count) // 3 * 0.25 - 0.2) % 1.0)  # fmt: skip
    turns = (TrackTurn(0.125, 0.25, 0.5),)
    told = rotations._write_delay(ReadPhases(seen, reads & here, 0.0), PERIOD, turns)
    assert told == pytest.approx(found * MS, abs=1e-9)
    none = rotations._write_delay(ReadPhases(seen, np.full(count, False), 0.0), PERIOD, turns)
    assert none == 0.0, "there is no read before a write"
