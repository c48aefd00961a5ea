"""Tests that drives with buffers in arrays answer and count as those of BufferedArm, to the bit, for all sheets."""

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.disc.buffer_sheet import (
    MAX_BLOCKS,
    BlocksAhead,
    Buffer,
    BufferReadAhead,
    CylinderEnd,
    HostLink,
    ImmediateReporting,
    Nothing,
    Overheads,
    TrackEnd,
)
from spindle.sim.disc.buffered_arm import BufferedArm, mechanism_of
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.kernel.arm import LATEST_INSTANT
from spindle.sim.disc.kernel.arrays import MAX_AHEAD, MAX_SEGMENTS, tables_of
from spindle.sim.disc.kernel.drives import OPEN, Incoming, LoopedDrives, looped_drives
from spindle.sim.disc.kernel.queue import C_LOOK, LOOK, SSTF, UNLIMITED_DEPTH, QueueRule
from spindle.sim.disc.mechanism import DiscType, MovingArm
from spindle.sim.disc.registry import STORES
from spindle.sim.disc.scheduling import CLook, Look, Sptf, Sstf, TaggedQueue
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.jit import AVAILABLE
from spindle.sim.request import WRITE
from spindle.sim.units import MS
from tests.samples import sample
from tests.sim.disc.buffer import any_buffer
from tests.sim.disc.buffer.any_buffer import EVEN, SIZE, buffers, discs, many
from tests.sim.disc.conftest import TEN
from tests.sim.disc.kernel.asking import asked_of, responses

RULES: list[tuple[Callable[[], Scheduler], QueueRule]] = [
    (Fcfs, QueueRule(1)), (Sptf, QueueRule(UNLIMITED_DEPTH)),
    (lambda: Sptf(0.2), QueueRule(UNLIMITED_DEPTH, ageing=0.2)),
    (lambda: TaggedQueue(Fcfs(), Sptf(0.006), 4), QueueRule(4, ageing=0.006)), (Sstf, QueueRule(UNLIMITED_DEPTH, SSTF)),
    (Look, QueueRule(UNLIMITED_DEPTH, LOOK)), (CLook, QueueRule(UNLIMITED_DEPTH, C_LOOK)),
]  # fmt: skip
NAMES = ["fcfs", "sptf", "aged", "tagged", "sstf", "look", "c-look"]


def looped(disc: DiscType, rule: QueueRule, under_way: int = OPEN) -> LoopedDrives:
    drives = looped_drives(mechanism_of(disc), rule, under_way, 1)
    assert drives is not None
    return drives


def compare(disc: DiscType, scheduler: Scheduler, rule: QueueRule, asked: Incoming) -> LoopedDrives:
    drives = looped(disc, rule)
    drive, times = asked_of(disc, scheduler, asked)
    assert responses(drives, asked).tolist() == times
    assert drives.end == drive.env.now
    counted, ours = drive.counts.reading(drive.env.now), drives.counts(0).reading(drive.env.now)
    summed_up_at_once = {name: pytest.approx(counted[name], rel=1e-12) for name in ("number_seconds", "queue")}
    assert ours == counted | summed_up_at_once
    assert list(drives.answers(0)) == list(drive.mechanism.reading().values())
    return drives


keeping_nothing = buffers.map(
    lambda each: replace(each, segments=0, own_write_segment=False, read_ahead=Nothing(), least_ahead=0))


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")
@settings(max_examples=sample(50, 200))
@given(disc=discs, buffer=st.one_of(buffers, keeping_nothing), asked=many, chosen=st.sampled_from(RULES),
       ends=st.integers(0, 99))  # fmt: skip
def test_any_buffer(
    disc: DiscType, buffer: Buffer, asked: list[any_buffer.Asked], chosen: tuple[Callable[[], Scheduler], QueueRule],
    ends: int,
) -> None:  # fmt: skip
    """Some requests begin or end within a sector."""
    gaps, ops, blocks, lengths = zip(*asked, strict=True)
    firsts = [block % disc.layout.sectors * SIZE + ends * (block % 3 == 0) for block in blocks]
    sizes = [min(length * SIZE - ends * (length % 4 == 0), disc.layout.capacity - first)
             for length, first in zip(lengths, firsts, strict=True)]  # fmt: skip
    column = Incoming(np.zeros(len(asked), dtype=np.int64), np.array([op is WRITE for op in ops]), np.array(firsts),
                      np.array(sizes), np.array(list(accumulate(gaps))))  # fmt: skip
    scheduler, rule = chosen
    compare(replace(disc, buffer=buffer), scheduler(), rule, column)


def at_random(disc: DiscType, count: int, gap: float) -> Incoming:
    """Some go on where the one before ended, or begin shortly before that; a third write."""
    random, size, sectors = np.random.default_rng(7), disc.layout.sector_bytes, disc.layout.sectors
    lengths = random.choice([1, 3, 8, 64, 500], count)
    firsts = [0]
    for length, kind in zip(lengths[:-1], random.random(count - 1), strict=True):
        after = firsts[-1] + int(length) - (int(random.integers(300)) if kind < 0.2 else 0)
        firsts.append(max(0, after) if kind < 0.5 and after < sectors - 500 else int(random.integers(sectors - 500)))
    return Incoming(np.zeros(count, dtype=np.int64), random.random(count) < 0.35, np.array(firsts) * size,
                    lengths * size, np.cumsum(random.choice([0.0, gap, 20 * gap], count)))  # fmt: skip


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")
@pytest.mark.parametrize(("scheduler", "rule"), RULES, ids=NAMES)
@pytest.mark.parametrize("name", [name for name, disc in STORES.items() if isinstance(disc, DiscType) and disc.buffer])
def test_the_drives_there_are(name: str, scheduler: Callable[[], Scheduler], rule: QueueRule) -> None:
    disc = STORES[name]
    assert isinstance(disc, DiscType)
    compare(disc, scheduler(), rule, at_random(disc, 300, 1 * MS))


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")
@pytest.mark.parametrize(("scheduler", "rule"), RULES[:2], ids=NAMES[:2])
def test_measured_drives(shared: Path, scheduler: Callable[[], Scheduler], rule: QueueRule) -> None:
    for sheet in sorted((shared / "data" / "drives").glob("*/drive.yaml")):
        disc = read_sheet(sheet).disc
        assert isinstance(disc, DiscType)
        if disc.buffer is None:
            continue
        drives = compare(disc, scheduler(), rule, at_random(disc, sample(500, 1000), 3 * MS))
        assert min(drives.answers(0)) > 0, sheet


def test_a_read_goes_on_from_the_buffer_by_hand() -> None:
    """2 ms a block to the host, and three blocks ahead: see there, of blocks 0 to 2, then 2 to 4, of which it has 3."""
    disc = replace(TEN, buffer=Buffer(1, 10, link=HostLink(2 * MS, 0.0), read_ahead=BlocksAhead(3)))
    asked = Incoming(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.bool_), np.array([0, 200]), np.array([200, 200]),
                     np.array([0.0, 20 * MS]))  # fmt: skip
    drives = looped(disc, QueueRule(1))
    assert responses(drives, asked) / MS == pytest.approx([5, 4])
    assert drives.answers(0) == (1, 0, 1)
    counted = drives.counts(0).reading(1.0)
    assert (counted["transfer"] / MS, counted["channel"] / MS) == pytest.approx((2, 7))


def test_each_drive_has_a_buffer_of_its_own() -> None:
    """Both read block 0, the first of them again: only it has it. Nothing is known of a third."""
    drives = looped_drives(BufferedArm(TEN, Buffer(1, 10)), QueueRule(1), OPEN, 3)
    assert drives is not None
    asked = Incoming(np.array([0, 1, 0]), np.zeros(3, dtype=np.bool_), np.zeros(3, dtype=np.int64), np.full(3, 100),
                     np.array([0.0, 5 * MS, 20 * MS]))  # fmt: skip
    assert responses(drives, asked) / MS == pytest.approx([1, 6, 0])
    assert [drives.answers(drive) for drive in range(3)] == [(1, 0, 1), (0, 0, 1), (0, 0, 0)]
    bare = LoopedDrives(tables_of(MovingArm(TEN)), QueueRule(1), OPEN, 1)
    assert bare.answers(0) == (0, 0, 0)


def test_a_write_is_reported_by_hand() -> None:
    """At 1 ms, when the host has sent it; it is on the medium at 2 ms, and then the arm is free to read block 3."""
    disc = replace(TEN, buffer=Buffer(1, 10, reports=ImmediateReporting(), link=HostLink(0.0, 1 * MS)))
    asked = Incoming(np.zeros(2, dtype=np.int64), np.array([True, False]), np.array([100, 300]), np.array([100, 100]),
                     np.zeros(2))  # fmt: skip
    assert responses(looped(disc, QueueRule(1)), asked) / MS == pytest.approx([1, 4])


def test_what_loops_do_not_know_is_left_to_the_drive() -> None:
    def known(buffer: Buffer) -> bool:
        return looped_drives(BufferedArm(EVEN, buffer), QueueRule(1), OPEN, 1) is not None

    most = Buffer(MAX_SEGMENTS, 8, read_ahead=BlocksAhead(4))
    assert known(most)
    assert not known(replace(most, segments=MAX_SEGMENTS + 1))
    assert known(replace(most, read_ahead=BlocksAhead(MAX_AHEAD)))
    assert not known(replace(most, read_ahead=BlocksAhead(MAX_AHEAD + 1)))
    many = replace(most, reports=ImmediateReporting(intermixed=True))
    assert known(many)
    assert not known(replace(many, write_segments=MAX_SEGMENTS + 1))
    assert known(replace(most, blocks=MAX_BLOCKS))
    assert not known(replace(most, blocks=8.5)), "no part of a block"  # type: ignore[arg-type]
    assert not known(replace(most, read_ahead=BlocksAhead(-1)))


@pytest.mark.parametrize("most", [MAX_BLOCKS + 1, 1 << 63, 10**30])
@pytest.mark.parametrize("name", ["blocks", "least_ahead", "holds"])
def test_numbers_that_would_wrap_round_are_left_to_the_drive(name: str, most: int) -> None:
    large: dict[str, int] = {name: most}
    buffer = replace(Buffer(2, 8), **large)  # type: ignore[arg-type]
    assert looped_drives(BufferedArm(EVEN, buffer), QueueRule(1), OPEN, 1) is None


@pytest.mark.parametrize("most", [MAX_BLOCKS + 1, 1 << 63, 10**30])
@pytest.mark.parametrize("kind", [BlocksAhead, TrackEnd, CylinderEnd])
def test_so_is_such_a_read_ahead(kind: Callable[[int], BufferReadAhead], most: int) -> None:
    assert looped_drives(BufferedArm(EVEN, Buffer(2, 8, read_ahead=kind(most))), QueueRule(1), OPEN, 1) is None
    assert looped_drives(BufferedArm(EVEN, Buffer(2, 8, read_ahead=kind(10))), QueueRule(1), OPEN, 1) is not None


def test_a_clock_too_coarse_for_what_is_read_ahead() -> None:
    late = Incoming(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.bool_), np.array([0, 0]), np.array([100, 100]),
                    np.array([LATEST_INSTANT - 1.0, LATEST_INSTANT - 0.5]))  # fmt: skip
    slow = Buffer(1, 1 << 20, Overheads(read_done=10.0), read_ahead=BlocksAhead(200))
    disc = replace(EVEN, buffer=slow, rpm=1.0)
    assert looped(replace(disc, rpm=6000.0), QueueRule(1)).serve(late, last=True) is not None
    assert looped(disc, QueueRule(1)).serve(late, last=True) is None
