"""Latency logs of fio: gaps and units by hand, and mistakes."""

from pathlib import Path

import numpy as np
import pytest

from spindle.lab.drives.timed_requests import TimedRequests, fio_log
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS

CAPACITY = 1 << 20


def logged(place: Path, text: str) -> TimedRequests:
    (place / "fio_lat.1.log").write_text(text, "utf-8", "surrogateescape")
    return fio_log(place / "fio_lat.1.log", 512, CAPACITY)


def test_gaps_keep_to_the_clock_of_the_log(tmp_path: Path) -> None:
    # The second ends at 30 and took 12.5 ms, the first ended at 12: a gap of 5.5. The third seems to begin at 29.6.
    requests = logged(tmp_path, "12, 2000000, 0, 512, 1024, 0\n30, 12500000, 1, 4096, 0\n31, 1400000, 0, 512, 0, 0x0\n")
    assert requests.gaps / MS == pytest.approx([0.0, 5.5, 0.0])
    assert requests.measured / MS == pytest.approx([2.0, 12.5, 1.4])
    assert (requests.ops, requests.spans) == ([READ, WRITE, READ], [Span(1024, 512), Span(0, 4096), Span(0, 512)])


def test_trims_are_passed_over_with_a_count_and_their_time_is_a_gap(tmp_path: Path) -> None:
    requests = logged(tmp_path, "12, 2000000, 0, 512, 1024, 0\n15, 3000000, 2, 4096, 0, 0\n17, 2000000, 1, 512, 0, 0\n")
    assert (requests.ops, requests.notes) == ([READ, WRITE], ("1 trim passed over",))
    assert requests.gaps / MS == pytest.approx([0.0, 3.0])


def test_latencies_of_fio_2_are_microseconds(tmp_path: Path) -> None:
    # 15 ms each, 16 ms apart: as nanoseconds a thousandth of the time.
    text = "".join(f"{16 * number}, 15000, 0, 512, {512 * number}\n" for number in range(1, 40))
    requests = logged(tmp_path, text)
    assert requests.measured / MS == pytest.approx(np.full(39, 15.0))
    assert requests.notes[0].startswith("latencies are taken for microseconds, as of fio 2")
    assert requests.notes[0].endswith("idle")


@pytest.mark.parametrize(("took", "seconds"), [(8000, 8e-3), (3500, 3.5e-3), (2500, 2.5e-6), (11000, 11e-6)])
def test_latencies_are_microseconds_where_they_fill_the_time_between_the_first_and_the_last(
    took: int, seconds: float, tmp_path: Path
) -> None:
    """Of 20 ms from the first to the last of three, 16, 7, 5 and 22."""
    text = "".join(f"{done}, {took}, 0, 512, 0\n" for done in (10, 20, 30))
    assert logged(tmp_path, text).measured == pytest.approx([seconds] * 3)


def test_a_few_that_seem_to_overlap_are_forgiven_to_the_clock(tmp_path: Path) -> None:
    """One of 22.5 ms begins 2.5 ms before the one before it, of which each ends 20 ms after another."""
    def text(early: int) -> str:
        took = {20 * number + 19: 22_500_000 for number in range(early)}
        return "".join(f"{20 * at}, {took.get(at, 10_000_000)}, 0, 512, 0\n" for at in range(1, 101))

    assert len(logged(tmp_path, text(2))) == 100
    with pytest.raises(UserError, match="3 of 100 requests begin before the one before is done"):
        logged(tmp_path, text(3))


def test_the_last_sector_of_a_disc_is_on_it(tmp_path: Path) -> None:
    assert logged(tmp_path, f"1, 5, 0, 512, {CAPACITY - 512}\n").spans == [Span(CAPACITY - 512, 512)]


def test_a_drive_that_waits_for_most_of_the_time_is_believed(tmp_path: Path) -> None:
    # 15 us of flash once a second: not even microseconds would fill that.
    text = "".join(f"{1000 * number}, 15000, 0, 512, {512 * number}\n" for number in range(1, 40))
    assert logged(tmp_path, text).notes == ()


@pytest.mark.parametrize(("text", "says"), [
    ("", "there is no read or write"),
    ("1, 5, 0, 512, 0 \n\udcff\n", ":2: must be a line"), ("gap,op\n", ":1: must be a line of fio's latency log"),
    ("1, 5, 0, 512\n", "log_offset=1"),
    ("1, 5, 0, 0, 0\n", "no log_avg_msec"),
    ("1, 5, 3, 512, 0\n", "neither 0, a read"),
    ("1, 5, 2, 512, 0\n", "no read or write"),
    ("1, 5, 0, 512, 100\n", "not whole sectors"),
    (f"1, 5, 0, 512, {CAPACITY}\n", "not whole sectors"),
    ("20, 9000000, 0, 512, 0\n21, 9000000, 0, 512, 0\n", "iodepth=1"),
])  # fmt: skip
def test_mistakes(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        logged(tmp_path, text)
