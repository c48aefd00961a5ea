"""Tests by hand what is made of a replay's tally: its seconds, its spread, and what it must add up to."""

from types import SimpleNamespace
from typing import Any

import pytest

from spindle.sim.measure.result import Quantiles
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ
from spindle.traces.replay.measures import spread_of
from spindle.traces.replay.replay import Times, TraceReplayed, TraceTally, check_replayed
from spindle.workloads.traces.record import Record

BARE: Any = SimpleNamespace(drives={}, has_layers=True)


def test_seconds_are_from_the_first_request_on_and_behind_from_the_time_of_the_last() -> None:
    tally = TraceTally()
    assert (TraceReplayed(tally, BARE, 5.0).seconds, TraceReplayed(tally, BARE, 5.0).behind) == (0.0, 0.0)
    tally.begin, tally.last_due = 2.0, 0.0
    assert (TraceReplayed(tally, BARE, 5.0).seconds, TraceReplayed(tally, BARE, 5.0).behind) == (3.0, 5.0)


def test_the_time_of_the_last_is_the_latest_of_all() -> None:
    tally = TraceTally()
    request: Any = SimpleNamespace(submitted=0.0, env=SimpleNamespace(_now=5.0), ledger=None)
    for number, time in enumerate((1.0, 4.0, 3.0, None), start=1):
        tally.add(Record(time, "", READ, 0, 512, number=number), request)
    assert (tally.last_due, tally.all_times.count) == (4.0, 4)


def test_times_that_were_counted_elsewhere_are_kept_as_if_they_were_added() -> None:
    added, counted, taken = Times(), Quantiles(), Times()
    for seconds in (1.0, 2.0, 9.0):
        added.add(seconds)
        counted.add(seconds)
    taken.add_all([1.0, 2.0, 9.0], counted)
    taken.longest = 9.0
    assert (taken.count, taken.quantile(0.5)) == (added.count, added.quantile(0.5)) == (3, 2.0)


def test_all_requests_are_done_and_their_phases_add_up() -> None:
    tally = TraceTally()
    tally.reads.add(1.0)
    replayed = TraceReplayed(tally, BARE, 5.0)
    with pytest.raises(LawBroken, match=r"^1 requests were done of 2 that were read$"):
        check_replayed(replayed, 2)
    with pytest.raises(LawBroken, match="breakdown: responses against their phases"):
        check_replayed(replayed, 1)
    tally.charged[0] = 1.0
    check_replayed(replayed, 1)


def test_a_spread_has_each_percentile_of_its_share() -> None:
    times: Any = SimpleNamespace(count=4, sum=6.0, longest=3.0, quantile=lambda share: share)
    assert spread_of("reads", "read", times) == {
        "reads": 4.0, "read_mean": 1.5, "read_median": 0.5, "read_p95": 0.95, "read_p99": 0.99, "read_p999": 0.999,
        "read_p9999": 0.9999, "read_max": 3.0}  # fmt: skip
