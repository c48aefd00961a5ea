"""Tests that drives in arrays answer and count as Drive does, request by request and in batches of any size."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.kernel import drives as kernel
from spindle.sim.disc.kernel.arm import place_of
from spindle.sim.disc.kernel.arrays import tables_of
from spindle.sim.disc.kernel.drives import OPEN, Incoming, LoopedDrives, looped_drives, no_requests
from spindle.sim.disc.kernel.queue import C_LOOK, LOOK, MAX_QUEUED, SSTF, UNLIMITED_DEPTH, QueueRule
from spindle.sim.disc.layout import HeadOrder, Layout, Zone
from spindle.sim.disc.mechanism import DiscType, Mechanism, MovingArm
from spindle.sim.disc.scheduling import CLook, Look, Sptf, Sstf, TaggedQueue
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.virtual import FixedService
from spindle.sim.jit import AVAILABLE
from spindle.sim.units import MS
from tests.sim.disc.kernel.asking import asked_of, responses

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms.
TEN = DiscType("ten", Layout(10, 2, 100, (Zone(0, 10),)), 6000, LinearSeek(1 * MS, 10 * MS, 10), overhead=0.5 * MS)
ARM = MovingArm(TEN)
HAND = Incoming(np.array([0, 0, 1]), np.array([False, True, False]), np.array([700, 3 * 2000 + 500, 0]),
                np.array([100, 50, 200]), np.array([0.001, 0.002, 0.003]))  # fmt: skip


FCFS, SPTF = QueueRule(1), QueueRule(UNLIMITED_DEPTH)


def test_an_open_loop_by_hand() -> None:
    """The first is served from 1 to 8; the write waits for it, and needs a second revolution for half a sector."""
    drives = LoopedDrives(tables_of(ARM), FCFS, OPEN, 2)
    assert responses(drives, HAND) / MS == pytest.approx([7, 9, 24])
    assert drives.end / MS == pytest.approx(26)
    counted = drives.counts(0).reading(1.0)
    assert (counted["reads"], counted["writes"], counted["partial_writes"]) == (1, 1, 1)
    assert (counted["bytes_read"], counted["bytes_written"]) == (100, 50)
    phases = {"busy": 25, "queue": 6, "number_seconds": 31, "overhead": 1, "seek": 4, "rotation": 18, "transfer": 2}
    assert {name: counted[name] / MS for name in phases} == pytest.approx(phases)
    assert drives.counts(1).busy(1.0) / MS == pytest.approx(9)


def test_loops_pause_after_so_many_services_and_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a user can stop them: here after each, in either of the two batches."""
    pauses, serve_part = list[int](), kernel.serve_part

    def noted(*given: Any) -> bool:
        pauses.append(given[-1])
        return serve_part(*given)

    monkeypatch.setattr(kernel, "AT_ONCE", 1)
    monkeypatch.setattr(kernel, "serve_part", noted)
    assert responses(LoopedDrives(tables_of(ARM), FCFS, OPEN, 2), HAND) / MS == pytest.approx([7, 9, 24])
    assert pauses == [1, 2, 1, 2]


@pytest.mark.parametrize(("first", "length", "partly"), [
    (0, 100, 0), (1, 99, 1), (0, 99, 1), (0, 101, 1), (99, 1, 1), (300, 400, 0),
])  # fmt: skip
def test_a_write_of_part_of_a_sector_is_counted(first: int, length: int, partly: int) -> None:
    drives = LoopedDrives(tables_of(ARM), FCFS, OPEN, 1)
    for writes in (True, False):
        asked = Incoming(np.zeros(1, dtype=np.int64), np.array([writes]), np.array([first]), np.array([length]),
                         np.zeros(1))  # fmt: skip
        assert drives.serve(asked) is not None
    assert drives.serve(no_requests(), last=True) is not None
    assert drives.counts(0).reading(1.0)["partial_writes"] == partly


def test_what_is_served_says_what_wrote_in_the_order_of_beginning() -> None:
    """The read of the second drive begins before the write of the first; the last batch has no requests."""
    drives = looped_drives(ARM, FCFS, OPEN, 2)
    assert drives is not None
    some = drives.serve(HAND)
    left = len(drives._waiting)
    rest = drives.serve(no_requests(), last=True)
    assert some is not None
    assert rest is not None
    assert (len(some.writes), left, len(drives._waiting)) == (3 - left, left, 0)
    assert [*some.writes.tolist(), *rest.writes.tolist()] == [False, False, True]
    assert [*some.responses / MS, *rest.responses / MS] == pytest.approx([7, 9, 24])
    away = looped_drives(ARM, FCFS, OPEN, 1)
    assert away is not None
    away.place_heads(9)
    read = Incoming(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_), np.array([18_000]), np.array([100]),
                    np.zeros(1))  # fmt: skip
    assert responses(away, read) / MS == pytest.approx([11]), "no seek to cylinder 9: 0.5 ms, a turn, and a sector"


def test_a_closed_loop_by_hand() -> None:
    """Each comes so long after the end of the one before, of whichever drive: at 1, 10 and 29."""
    drives = LoopedDrives(tables_of(ARM), FCFS, 1, 2)
    assert responses(drives, HAND) / MS == pytest.approx([7, 16, 3])
    assert drives.end / MS == pytest.approx(32)


def test_the_nearest_is_served_first_by_hand() -> None:
    """While sector 0 goes by there come 9, 3 and 6; they are read as they come by, from 3 on."""
    count = 4
    asked = Incoming(np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_), np.array([0, 900, 300, 600]),
                     np.full(count, 100), np.array([0.0, 1, 2, 3]) * MS)  # fmt: skip
    assert responses(LoopedDrives(tables_of(ARM), SPTF, OPEN, 1), asked) / MS == pytest.approx([11, 12, 14, 19])
    assert responses(LoopedDrives(tables_of(ARM), FCFS, OPEN, 1), asked) / MS == pytest.approx([11, 19, 22, 24])


def test_what_overlaps_a_write_keeps_its_place_by_hand() -> None:
    """At 4 the head just misses sector 4, to be written with 5; the read of 5, which it would reach, must follow."""
    asked = Incoming(np.zeros(3, dtype=np.int64), np.array([False, True, False]), np.array([200, 400, 500]),
                     np.array([200, 200, 100]), np.zeros(3))  # fmt: skip
    assert responses(LoopedDrives(tables_of(ARM), SPTF, 3, 1), asked) / MS == pytest.approx([4, 16, 26])


def test_an_elevator_that_finds_another_on_its_cylinder_has_not_turned() -> None:
    """From cylinder 5 down to 3, twice; then to 1, which came after 4. Sector 0 is there every 10 ms."""
    asked = Incoming(np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.bool_), np.array([5, 3, 3, 4, 1]) * 2000,
                     np.full(5, 100), np.array([0.0, 1, 12, 22, 23]) * MS)  # fmt: skip
    drives = LoopedDrives(tables_of(ARM), QueueRule(UNLIMITED_DEPTH, LOOK), OPEN, 1)
    assert responses(drives, asked) / MS == pytest.approx([11, 20, 19, 18, 29])
    _, times = asked_of(TEN, Look(), asked)
    assert np.array(times) / MS == pytest.approx([11, 20, 19, 18, 29])


def at_once(drives: list[int], writes: list[bool], cylinders: list[int]) -> Incoming:
    """Sector 0 of each of these cylinders, all at 0."""
    count = len(drives)
    return Incoming(np.array(drives), np.array(writes), np.array(cylinders) * 2000, np.full(count, 100),
                    np.zeros(count))  # fmt: skip


@pytest.mark.parametrize(("gathers", "first"), [(False, 5), (True, 1)])
def test_drives_that_gather_see_all_of_an_instant_before_they_begin(gathers: bool, first: int) -> None:
    """Each is asked for cylinders 5, 1 and 3; who is asked first begins first."""
    drives = LoopedDrives(tables_of(ARM), QueueRule(UNLIMITED_DEPTH, SSTF, gathers=gathers), OPEN, 2)
    asked = at_once([1, 0, 0, 1, 0, 1], [True, False, False, False, False, False], [5, 5, 1, 1, 3, 3])
    some, rest = drives.serve(asked), drives.serve(no_requests(), last=True)
    assert some is not None
    assert rest is not None
    writes, responses = [*some.writes.tolist(), *rest.writes.tolist()], [*some.responses / MS, *rest.responses / MS]
    # Sector 0 is there at 10 ms, and each other cylinder a turn later. From 5 on 3 is nearer than 1, and from 1 on too.
    assert sorted(responses) == pytest.approx([11, 11, 21, 21, 31, 31])
    assert responses[:2] == pytest.approx([11, 11])
    assert writes.index(True) == (0 if first == 5 else 4)
    assert [drives.counts(drive).reading(1.0)["completed"] for drive in (0, 1)] == [3, 3]


def test_of_two_drives_that_end_at_one_instant_that_which_began_first_goes_on_first() -> None:
    drives = LoopedDrives(tables_of(ARM), FCFS, OPEN, 2)
    asked = at_once([1, 0, 1, 0], [False, False, True, False], [0, 0, 0, 0])
    some, rest = drives.serve(asked), drives.serve(no_requests(), last=True)
    assert some is not None
    assert rest is not None
    assert [*some.writes.tolist(), *rest.writes.tolist()] == [False, False, True, False]


BINARY = DiscType("binary", Layout(4, 2, 64, (Zone(0, 16),)), 3840, LinearSeek(1 / 1024, 4 / 1024, 4))
"""A turn takes 1/64 s, a sector 1/1024, so that ends and arrivals fall on the same instants, to the bit."""


@pytest.mark.parametrize(("scheduler", "rule"), [
    (Sptf, SPTF), (lambda: TaggedQueue(Fcfs(), Sptf(0.25), 3), QueueRule(3, ageing=0.25)),
    (Sstf, QueueRule(UNLIMITED_DEPTH, SSTF)), (Look, QueueRule(UNLIMITED_DEPTH, LOOK)),
    (CLook, QueueRule(UNLIMITED_DEPTH, C_LOOK)),
], ids=["sptf", "tagged", "sstf", "look", "c-look"])  # fmt: skip
def test_what_happens_at_one_instant_happens_in_the_drives_order(
    scheduler: Callable[[], Scheduler], rule: QueueRule
) -> None:
    """Requests of a sector or two, some of which overlap, in batches of a few."""
    random, count = np.random.default_rng(3), 60
    asked = Incoming(np.zeros(count, dtype=np.int64), random.random(count) < 0.3, random.integers(0, 120, count) * 64,
                     random.integers(1, 3, count) * 64, np.cumsum(random.integers(0, 14, count)) / 1024)  # fmt: skip
    drives = LoopedDrives(tables_of(MovingArm(BINARY)), rule, OPEN, 1)
    parts = [Incoming(*(column[begin:end] for column in asked)) for begin, end in pairwise((0, 7, 30, 31, count))]
    drive, times = asked_of(BINARY, scheduler(), asked)
    assert responses(drives, *parts).tolist() == times
    assert drives.counts(0).reading(drive.env.now)["overhead"] == drive.reading()["overhead"]


def test_a_service_shorter_than_the_rounding_of_the_clock_is_left_to_the_drive() -> None:
    """100,000 sectors go by in 60 us; after 10^7 s, five sectors before the last is no more than rounding."""
    disc = DiscType("tiny", Layout(1, 1, 512, (Zone(0, 100_000),)), 1e6, LinearSeek(0.0, 0.0, 1))
    asked = Incoming(np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.bool_), np.array([51_200, 48_640]),
                     np.full(2, 512), np.full(2, 1e7))  # fmt: skip
    arm = tables_of(MovingArm(disc))
    assert LoopedDrives(arm, FCFS, OPEN, 1).serve(asked, last=True) is None
    with pytest.raises(ValueError, match="not negative"):
        asked_of(disc, Fcfs(), asked)
    assert LoopedDrives(arm, FCFS, OPEN, 1).serve(asked._replace(when=np.zeros(2)), last=True) is not None


class Unlike(Layout):
    pass


class OwnArm(MovingArm):
    pass


class OwnBufferedArm(BufferedArm):
    pass


@pytest.mark.parametrize("mechanism", [FixedService(1.0), OwnArm(TEN), OwnBufferedArm(TEN, Buffer(1, 10))])
def test_a_mechanism_that_loops_do_not_know_is_left_to_the_drive(mechanism: Mechanism) -> None:
    assert looped_drives(mechanism, FCFS, OPEN, 1) is None


@pytest.mark.parametrize("layout", [
    Unlike(10, 2, 100, (Zone(0, 10),)), Layout(10, 2, 1 << 60, (Zone(0, 10),)), Layout(10, 1 << 40, 1, (Zone(0, 10),)),
    Layout(10, 2, 1, (Zone(0, 1 << 38),)),
], ids=["its own", "bytes", "heads", "sectors"])  # fmt: skip
def test_a_layout_that_loops_do_not_know_is_left_to_the_drive(layout: Layout) -> None:
    assert looped_drives(MovingArm(replace(TEN, layout=layout)), FCFS, OPEN, 1) is None
    assert looped_drives(ARM, FCFS, OPEN, 1) is not None


@pytest.mark.parametrize("order", HeadOrder)
def test_heads_have_their_order_in_arrays(order: HeadOrder) -> None:
    arm = MovingArm(replace(TEN, layout=Layout(10, 2, 100, (Zone(0, 10),), order)))
    made = tables_of(arm).blocks
    assert (made.order, made.heads, list(made.firsts)) == (int(order), 2, [0, 200])
    assert [place_of(made, block) for block in (5, 15, 25, 35)] == [
        place_of(arm.times.blocks, block) for block in (5, 15, 25, 35)]  # fmt: skip


def test_a_clock_or_a_queue_that_grows_too_large_is_left_to_the_drive() -> None:
    late = HAND._replace(when=np.array([0.0, 3e9, 3e9]))
    assert LoopedDrives(tables_of(ARM), FCFS, OPEN, 2).serve(late, last=True) is None
    many = Incoming(*(np.repeat(column[:1], MAX_QUEUED + 2) for column in HAND))
    assert LoopedDrives(tables_of(ARM), SPTF, OPEN, 1).serve(many, last=True) is None
    assert LoopedDrives(tables_of(ARM), FCFS, OPEN, 1).serve(many, last=True) is not None


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")
@pytest.mark.parametrize("cuts", [(), (1, 2, 500), (250,)])
@pytest.mark.parametrize("settle", [0.0, 2 * MS])
@pytest.mark.parametrize(("scheduler", "rule"), [
    (Fcfs, FCFS), (Sptf, SPTF), (lambda: Sptf(0.2), QueueRule(UNLIMITED_DEPTH, ageing=0.2)),
    (lambda: TaggedQueue(Fcfs(), Sptf(0.006), 4), QueueRule(4, ageing=0.006)), (Sstf, QueueRule(UNLIMITED_DEPTH, SSTF)),
    (Look, QueueRule(UNLIMITED_DEPTH, LOOK)), (CLook, QueueRule(UNLIMITED_DEPTH, C_LOOK)),
], ids=["fcfs", "sptf", "aged", "tagged", "sstf", "look", "c-look"])  # fmt: skip
def test_a_drive_counts_the_same(
    cuts: tuple[int, ...], settle: float, scheduler: Callable[[], Scheduler], rule: QueueRule,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    disc, random, count = replace(TEN, write_settle=settle), np.random.default_rng(5), 600
    firsts = random.integers(0, 15_000, count)
    lengths = np.where(random.random(count) < 0.7, 100 - firsts % 100, random.integers(1, 5000, count))
    asked = Incoming(np.zeros(count, dtype=np.int64), random.random(count) < 0.4, firsts, lengths,
                     np.cumsum(random.exponential(0.02, count)))  # fmt: skip
    drives = LoopedDrives(tables_of(MovingArm(disc)), rule, OPEN, 3)
    drive, times = asked_of(disc, scheduler(), asked)
    monkeypatch.setattr("spindle.sim.disc.kernel.drives.AT_ONCE", 7)
    parts = [Incoming(*(column[begin:end] for column in asked)) for begin, end in pairwise((0, *cuts, count))]
    assert responses(drives, *parts).tolist() == times
    assert drives.end == drive.env.now
    counted, ours = drive.reading(), drives.counts(0).reading(drive.env.now)
    assert list(ours) == list(counted)
    summed_up_at_once = {name: pytest.approx(counted[name], rel=1e-12) for name in ("number_seconds", "queue")}
    assert ours == counted | summed_up_at_once
    assert drives.counts(0).number_seconds(drive.env.now) == pytest.approx(drive.counts.number_seconds(drive.env.now))
    assert drives.counts(0).busy(drive.env.now) == drive.busy()
    assert set(drives.counts(2).reading(0.0).values()) == {0.0}
