"""Tests by hand the counters of requests that are served at the same time."""

from spindle.sim.clock import Account
from spindle.sim.disc.flash.drive import ParallelCounts
from spindle.sim.request import READ, SERVICE_PHASES, WRITE, Access, AccessTiming, Op, access

FIRST = AccessTiming(queue=1.0, overhead=1.0, seek=0.0, rotation=0.0, transfer=2.0, channel=1.0)
SECOND = AccessTiming(queue=2.0, overhead=0.5, seek=0.25, rotation=0.25, transfer=4.0, channel=0.0)
THIRD = AccessTiming(queue=4.0, overhead=0.0, seek=0.0, rotation=0.0, transfer=1.0, channel=0.0)
FOURTH = AccessTiming(queue=1.0, overhead=0.0, seek=0.0, rotation=0.0, transfer=3.0, channel=0.0)


def of(op: Op) -> Access:
    return access(op, 0, 512, Account(""))


def seen(counts: ParallelCounts, now: float) -> list[float]:
    reading = counts.reading(now)
    return [reading[name] for name in ("busy", "serving_seconds", "number_seconds", "queue", *SERVICE_PHASES)]


def test_each_request_under_way_counts_its_own_phases() -> None:
    counts = ParallelCounts(10.0, 512)
    for now in (10.0, 11.0, 12.0):
        counts.enter(now)
    counts.begin(11.0, FIRST)
    counts.begin(13.0, SECOND)
    # Served from 11 and from 13 on: 3 + 1 s until 14. Present since 10, 11 and 12; they waited 1, 2 and 2 s by then.
    assert seen(counts, 14.0) == [3, 4, 9, 5, 1.5, 0.25, 0.25, 2, 0]
    counts.leave(15.0, of(READ), FIRST)
    counts.begin(16.0, THIRD)
    counts.leave(17.0, of(READ), THIRD)
    counts.leave(18.0, of(WRITE), SECOND)
    # Busy from 11 to 18, 4 + 5 + 1 s in all; present for 5, 7 and 5 s.
    assert seen(counts, 20.0) == [7, 10, 17, 7, 1.5, 0.25, 0.25, 7, 1]
    counts.enter(20.0)
    counts.begin(21.0, FOURTH)
    assert seen(counts, 22.0) == [8, 11, 19, 8, 1.5, 0.25, 0.25, 8, 1]
    assert [counts.reading(22.0)[name] for name in ("issued", "completed", "reads", "writes")] == [4, 3, 2, 1]
