"""The sheets with which a fit begins, by hand: what of each answer is waiting, overheads, skews, and a plain buffer."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.fit import first_sheet
from spindle.lab.fit.arm_and_commands import COMMAND_NAMES, ArmAndCommands
from spindle.lab.fit.easy_requests import EasyRequests, LinkLine
from spindle.lab.fit.first_sheet import MAX_LATE, MIN_READS, StartingSheets, starting_sheets
from spindle.lab.fit.geometry import TrackTurn
from spindle.lab.fit.rotation import ReadPhases, Rotation
from spindle.lab.fit.seek_curve import SeekFit
from spindle.sim.disc.buffer_sheet import After, HostLink
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.error import UserError
from spindle.sim.units import MS
from tests.lab.fit.known import BARE, HEADS, NOMINAL, PER_TRACK

PERIOD = 10 * MS
HITS, REPORTS = LinkLine(0.5 * MS, 0.25 * MS), LinkLine(0.75 * MS, 0.125 * MS)
SECONDS = dict(zip(COMMAND_NAMES, (1 * MS, 2 * MS, 3 * MS, 4 * MS), strict=True))


def requests_of(count: int = 2) -> Any:
    """Reads and writes by turns, of 4 sectors where 10 pass in a turn of 10 ms; each takes 20 ms."""
    reads = np.arange(count) % 2 == 0
    every = np.full(count, True)
    return SimpleNamespace(reads=reads, unbuffered=every, on_one_track=every, seconds=np.full(count, 20 * MS),
                           sectors=np.full(count, 4), per_track=np.full(count, 10))  # fmt: skip


class Arm:
    """Stands for arm_and_commands: seeks take *seek* seconds to the next cylinder; *asked* is what it was told."""

    def __init__(self, seek: float = 2 * MS) -> None:
        curve = TableSeek(((0, 0.0), (1, seek), (299, 9 * MS)))
        self._answer = ArmAndCommands(SeekFit(curve, ((1.0, 2.0), (3.0, 4.0))), SECONDS, {"a command": (5.0, 6.0)})
        self.asked: list[tuple[Any, ...]] = []

    def __call__(self, *asked: Any) -> ArmAndCommands:
        self.asked.append(asked)
        return self._answer


def disc_of(monkeypatch: pytest.MonkeyPatch, easy: EasyRequests, arm: Arm) -> tuple[DiscType, Any]:
    monkeypatch.setattr(first_sheet, "arm_and_commands", arm)
    seen = requests_of()
    reads = ReadPhases(seen, seen.reads, HITS.sector if easy.hits else 0.0)
    return first_sheet._disc(BARE, seen, easy, reads, PERIOD)


def test_what_is_not_transfer_was_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read passes in 4 ms, and 0.25 ms later its last sector is at the host; for a write 4 sectors take 1 ms."""
    arm = Arm()
    _, intervals = disc_of(monkeypatch, EasyRequests(HITS, None), arm)
    ((_, reported, waited, data, period, hit),) = arm.asked
    assert waited.tolist() == pytest.approx([15.75 * MS, 16 * MS])
    assert data.tolist() == pytest.approx([0.0, 1 * MS])
    assert (reported, period, hit) == (False, PERIOD, 0.5 * MS)
    assert intervals == {"a command": (5.0, 6.0), "seek over 1 cylinders": (1.0, 2.0),
                         "seek over 299 cylinders": (3.0, 4.0)}  # fmt: skip


@pytest.mark.parametrize(("sectors", "link", "seconds"), [
    (4, 0.5, 2.0),  # the medium waits for the first bytes alone
    (10, 0.5, 3.0),  # which are six sectors
    (4, 3.0, 12.0),
    (10, 3.0, 20.0),  # each sector passes in 1 ms, and comes 2 ms too late
])  # fmt: skip
def test_a_write_begins_when_the_medium_does_not_outrun_the_link(sectors: int, link: float, seconds: float) -> None:
    seen: Any = SimpleNamespace(reads=np.array([True, False]), sectors=np.full(2, sectors), per_track=np.full(2, 10))
    assert first_sheet._data(seen, link * MS, PERIOD).tolist() == pytest.approx([0.0, seconds * MS])


def test_overheads_and_link_are_those_of_hits_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    hit, report = After(0.5 * MS, 0.5 * MS), After(0.75 * MS, 0.75 * MS)
    for easy, read, reported, link, segments in (
        (EasyRequests(HITS, None), hit, hit, HostLink(0.25 * MS, 0.25 * MS), 3),
        (EasyRequests(HITS, REPORTS), hit, report, HostLink(0.25 * MS, 0.125 * MS), 3),
        (EasyRequests(None, REPORTS), After(), report, HostLink(0.0, 0.125 * MS), 3),
        (EasyRequests(None, None), After(), After(), HostLink(0.0, 0.0), 0),
    ):  # fmt: skip
        arm = Arm()
        buffer = disc_of(monkeypatch, easy, arm)[0].buffer
        assert buffer is not None
        assert (buffer.overheads.read_hit, buffer.overheads.report) == (read, reported)
        assert (buffer.overheads.read_miss, buffer.overheads.write) == (After(1 * MS, 2 * MS), After(3 * MS, 4 * MS))
        assert (buffer.link, buffer.segments) == (link, segments)
        assert (buffer.reports is not None) is (easy.reports is not None) is arm.asked[0][1]


@pytest.mark.parametrize(("seek", "switch", "track", "cylinder"), [(2.0, 1.0, 4.8, 9.6), (0.5, 0.5, 2.4, 2.4)])
def test_skews_leave_time_for_a_switch(
    monkeypatch: pytest.MonkeyPatch, seek: float, switch: float, track: float, cylinder: float
) -> None:
    """A fifth more than the switch, of a turn of 10 ms and 40 sectors; a switch takes 1 ms, or as long as a seek."""
    disc, _ = disc_of(monkeypatch, EasyRequests(None, None), Arm(seek * MS))
    (zone,) = disc.layout.zones
    assert (disc.head_switch, disc.seek(1)) == pytest.approx((switch * MS, seek * MS))
    assert (zone.track_skew, zone.cylinder_skew) == pytest.approx((track, cylinder))
    assert (disc.layout.heads, zone.sectors_per_track) == (HEADS, PER_TRACK)


# Both sheets.

def start_of(monkeypatch: pytest.MonkeyPatch, easy: EasyRequests, late: float = 0.0, reads: int = MIN_READS) -> Any:
    turned = Rotation(8 * MS, 0.5, late, (TrackTurn(0.125, 0.25),), {})
    arm = Arm()
    monkeypatch.setattr(first_sheet, "arm_and_commands", arm)
    monkeypatch.setattr(first_sheet, "easy_requests", lambda *asked: arm.asked.append(asked) or easy)
    monkeypatch.setattr(first_sheet, "rotation_of", lambda *asked: arm.asked.append(asked) or turned)
    seen = requests_of(2 * reads)
    start = starting_sheets(BARE, seen)
    assert (arm.asked[0], start.rotation) == ((seen, 60 / NOMINAL), turned)
    assert all(asked[0] is seen for asked in arm.asked[2:])
    return start, arm.asked[1:]


def test_the_locked_sheet_has_the_rotation_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With half of 4 sectors passed first, in 0.8 ms each, and 2.25 ms a sector to the host: 1.6 and 9 ms."""
    start, (turned, loose, locked) = start_of(monkeypatch, EasyRequests(LinkLine(0.5 * MS, 2.25 * MS), None))
    assert isinstance(start, StartingSheets)
    assert (turned[0].link, turned[0].high_water, turned[1:]) == (2.25 * MS, 0.0, (60 / NOMINAL, 1))
    assert turned[0].chosen.sum() == MIN_READS
    assert (loose[4], locked[4]) == (60 / NOMINAL, 8 * MS)
    assert (loose[2][0], locked[2][0]) == pytest.approx((10 * MS, 9.4 * MS)), "less 1 and 9 ms, less 1.6 and 9 ms"
    assert (start.loose.rpm, start.locked.rpm) == pytest.approx((NOMINAL, 7500.0))
    (zone,) = start.locked.layout.zones
    assert (zone.track_skew, zone.cylinder_skew) == (5.0, 10.0)
    assert (start.loose.buffer.high_water, start.locked.buffer.high_water) == (0.0, 0.5)
    assert set(start.intervals) == {False, True}


@pytest.mark.parametrize(("late", "read", "write"), [(0.25, 0.0, 0.25), (-0.25, 0.25, 0.0), (1.0, 0.0, 0.0)])
def test_overhead_of_the_later_kind_is_after_the_transfer(
    monkeypatch: pytest.MonkeyPatch, late: float, read: float, write: float
) -> None:
    """Unless it is too late to be the drive's. What is moved is taken off the commands, as far as there is any."""
    assert MAX_LATE == 1 * MS
    start, _ = start_of(monkeypatch, EasyRequests(LinkLine(0.125 * MS, 0.25 * MS), None), late * MS)
    times = start.locked.buffer.overheads
    assert (times.read_done, times.write_done) == pytest.approx((read * MS, write * MS))
    assert times.read_hit == pytest.approx((max(0.0, 0.125 - read) * MS,) * 2)
    assert times.read_miss == pytest.approx(((1 - read) * MS, (2 - read) * MS))
    assert times.write == pytest.approx(((3 - write) * MS, (4 - write) * MS))
    reported, _ = start_of(monkeypatch, EasyRequests(HITS, REPORTS), late * MS)
    assert (reported.locked.buffer.overheads.read_done, reported.locked.buffer.overheads.write_done) == (0.0, 0.0)


def test_a_buffer_that_keeps_nothing_has_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    start, (turned, *_) = start_of(monkeypatch, EasyRequests(None, None))
    assert turned[0].link == 0.0
    assert (start.locked.buffer.segments, start.locked.buffer.high_water) == (0, 0.0)


def test_a_fit_needs_so_many_reads_of_the_medium(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=f"{MIN_READS - 1} reads on one track each"):
        start_of(monkeypatch, EasyRequests(None, None), reads=MIN_READS - 1)
    for name in ("unbuffered", "on_one_track"):
        none = requests_of(2 * MIN_READS)
        with pytest.raises(UserError, match="0 reads"):
            starting_sheets(BARE, SimpleNamespace(**{**vars(none), name: ~none.reads}))  # type: ignore[arg-type]
