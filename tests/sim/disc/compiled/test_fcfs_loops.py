"""Drives in arrays answer and count as Drive does, request by request and in whatever batches they are asked."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import simpy

from sim.account import Account
from sim.clock import Wait, pause
from sim.disc.compiled.arm import tables_of
from sim.disc.compiled.fcfs import Asked, FcfsDrives
from sim.disc.drive import Drive
from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType, MovingArm
from sim.disc.seek import LinearSeek
from sim.disc.zone import Zone
from sim.request import READ, WRITE, access
from sim.units import MS

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms.
TEN = DiscType("ten", Layout(10, 2, 100, (Zone(0, 10),)), 6000, LinearSeek(1 * MS, 10 * MS, 10), overhead=0.5 * MS)
ARM = MovingArm(TEN)
HAND = Asked(np.array([0, 0, 1]), np.array([False, True, False]), np.array([700, 3 * 2000 + 500, 0]),
             np.array([100, 50, 200]), np.array([0.001, 0.002, 0.003]))  # fmt: skip


def test_an_open_loop_by_hand() -> None:
    """The write waits until 8 for the drive, and needs a second revolution for half a sector."""
    drives = FcfsDrives(tables_of(ARM), 2)
    served = drives.serve(HAND, closed=False)
    assert served is not None
    assert served.came / MS == pytest.approx([1, 2, 3])
    assert served.began / MS == pytest.approx([1, 8, 3])
    assert served.ended / MS == pytest.approx([8, 26, 12])
    assert served.seek / MS == pytest.approx([0, 4, 0])
    assert served.rotation / MS == pytest.approx([5.5, 12.5, 6.5])
    assert drives.end / MS == pytest.approx(26)
    counted = drives.counts(0).reading(1.0)
    assert (counted["reads"], counted["writes"], counted["partial_writes"]) == (1, 1, 1)
    assert (counted["bytes_read"], counted["bytes_written"]) == (100, 50)
    assert [counted[name] / MS for name in ("busy", "queue", "number_seconds")] == pytest.approx([25, 6, 31])
    assert drives.counts(1).busy(1.0) / MS == pytest.approx(9)


def test_a_closed_loop_by_hand() -> None:
    """Each comes so long after the end of the one before, of whichever drive."""
    served = FcfsDrives(tables_of(ARM), 2).serve(HAND, closed=True)
    assert served is not None
    assert served.came / MS == pytest.approx([1, 10, 29])
    assert served.ended / MS == pytest.approx([8, 26, 32])


def test_a_clock_that_is_too_coarse_is_left_to_the_drive() -> None:
    assert FcfsDrives(tables_of(ARM), 2).serve(HAND._replace(when=np.array([0.0, 3e9, 3e9])), closed=False) is None


def drive_asked(disc: DiscType, asked: Asked) -> tuple[Drive, list[float]]:
    """A drive that was asked at the same instants, and the end of each request."""
    drive, account, ends = Drive(simpy.Environment(), disc), Account("host"), list[float]()

    def host() -> Wait:
        for _, write, first, length, when in zip(*(column.tolist() for column in asked), strict=True):
            yield pause(drive.env, max(0.0, when - drive.env.now))
            request = drive.start(access(WRITE if write else READ, first, length, account))
            request.callbacks.append(lambda _: ends.append(drive.env.now))

    drive.env.process(host())
    drive.env.run()
    return drive, ends


@pytest.mark.parametrize("cuts", [(), (1, 2, 500), (250,)])
@pytest.mark.parametrize("settle", [0.0, 2 * MS])
def test_a_drive_counts_the_same(cuts: tuple[int, ...], settle: float) -> None:
    disc, random, count = replace(TEN, write_settle=settle), np.random.default_rng(5), 600
    firsts = random.integers(0, 15_000, count)
    lengths = np.where(random.random(count) < 0.7, 100 - firsts % 100, random.integers(1, 5000, count))
    asked = Asked(np.zeros(count, dtype=np.int64), random.random(count) < 0.4, firsts, lengths,
                  np.cumsum(random.exponential(0.02, count)))  # fmt: skip
    drives, (drive, ends) = FcfsDrives(tables_of(MovingArm(disc)), 3), drive_asked(disc, asked)
    served = [drives.serve(Asked(*(column[begin:end] for column in asked)), closed=False)
              for begin, end in pairwise((0, *cuts, count))]
    assert [end for each in served if each is not None for end in each.ended] == ends
    assert drives.end == drive.env.now
    counted, ours = drive.reading(), drives.counts(0).reading(drive.env.now)
    assert list(ours) == list(counted)
    summed_up_at_once = {name: pytest.approx(counted[name], rel=1e-12) for name in ("number_seconds", "queue")}
    assert ours == counted | summed_up_at_once
    assert set(drives.counts(2).reading(0.0).values()) == {0.0}
