"""Tests recorded rows and sums: clipped to the window, open ones included, refused where charges do not add up."""

from math import isnan, nan

import pytest

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.measure.result import PERCENTILE_ERROR, Recorder
from spindle.sim.parts import LawBroken
from spindle.sim.terminal import Transaction


def row(began: float, responded: float, ended: float | None = None, cpu: float | None = None) -> Transaction:
    parts = [0.0] * PHASE_COUNT
    parts[Phase.CPU] = responded - began if cpu is None else cpu
    return Transaction("clerk 1", "find", began, responded, responded if ended is None else ended, tuple(parts))


def test_sums_and_rows_of_the_window() -> None:
    recorder = Recorder(start=10.0)
    for began, responded in ((1.0, 9.0), (6.0, 12.0), (13.0, 14.0), (20.0, 23.0)):
        recorder.record(row(began, responded), 1)
    assert [each.began for each in recorder.rows] == [6.0, 13.0, 20.0]
    assert (recorder.count, recorder.total, recorder.squares) == (3, 10.0, 46.0)
    assert (recorder.shortest, recorder.longest, recorder.mean) == (1.0, 6.0, 10 / 3)
    assert recorder.clipped == 2.0 + 1.0 + 3.0  # the first of them only from 10 on
    assert recorder.phases[Phase.CPU] == 10.0


def test_without_rows_the_sums_are_the_same() -> None:
    one, other = Recorder(10.0), Recorder(10.0, keep=False)
    for recorder in (one, other):
        recorder.record(row(6.0, 12.0), 1)
    assert (len(one.rows), other.rows) == (1, [])
    assert (one.count, one.total, one.clipped) == (other.count, other.total, other.clipped)


def test_percentiles_of_rows_are_exact_and_nothing_is_counted_beside_them() -> None:
    kept, summed = Recorder(10.0), Recorder(10.0, keep=False)
    for recorder in (kept, summed):
        for began, responded in ((1.0, 9.0), (6.0, 12.7), (13.0, 14.1), (20.0, 23.3)):
            recorder.record(row(began, responded), 1)
    assert kept.percentiles(0.1, 0.5, 0.9) == [14.1 - 13.0, 23.3 - 20.0, 12.7 - 6.0]
    assert (kept.quantiles.count, summed.quantiles.count) == (0, 3)
    assert summed.percentiles(0.1, 0.5, 0.9) == pytest.approx([1.1, 3.3, 6.7], rel=PERCENTILE_ERROR)


@pytest.mark.parametrize("keep", [True, False])
def test_nothing_recorded_has_no_mean_and_no_percentiles(keep: bool) -> None:
    assert isnan(Recorder(keep=keep).mean)
    assert all(map(isnan, Recorder(keep=keep).percentiles(0.5, 0.95)))


@pytest.mark.parametrize("error", [1e-6, -1e-6])
def test_charges_that_do_not_add_up_break_the_law(error: float) -> None:
    recorder = Recorder()
    with pytest.raises(LawBroken, match=r"clerk 1 find: 2\.0 s of response are not the sum of its phases: cpu "):
        recorder.record(row(1.0, 3.0, cpu=2.0 + error), 1)
    assert recorder.count == 0


def test_a_broken_law_names_the_phases_that_took_time() -> None:
    parts = [0.0] * PHASE_COUNT
    parts[Phase.CPU], parts[Phase.SEEK] = 0.5, 0.25
    with pytest.raises(LawBroken, match=r": cpu 0\.500000, seek 0\.250000$"):
        Recorder().record(Transaction("clerk 1", "find", 1.0, 3.0, 3.0, tuple(parts)), 2)


def test_rounding_of_the_clock_breaks_no_law() -> None:
    began = 1e6
    recorder = Recorder()
    recorder.record(row(began, began + 0.1, cpu=0.1), 1)
    recorder.record(row(2.0**30, 2.0**30 + 1.0, cpu=1.0 + 1e-6), 1)
    assert recorder.count == 2


def test_open_transactions_at_the_end() -> None:
    recorder = Recorder(start=10.0)
    open_ones = [(4.0, nan), (12.0, nan), (9.0, 15.0), (1.0, 2.0)]  # two wait, two are being printed, one of them long
    recorder.close([(row(began, responded), 0) for began, responded in open_ones], 20.0)
    assert recorder.clipped == (20 - 10) + (20 - 12) + (15 - 10)
    assert [(each.began, each.responded) for each in recorder.rows] == [(9.0, 15.0)]


def test_what_comes_after_the_window_is_not_counted_but_must_add_up() -> None:
    recorder = Recorder()
    recorder.record(row(1.0, 2.0), 1)
    recorder.close([], 5.0)
    recorder.record(row(3.0, 6.0), 1)
    assert recorder.count == 1
    with pytest.raises(LawBroken, match="are not the sum of its phases"):
        recorder.record(row(3.0, 6.0, cpu=1.0), 1)
