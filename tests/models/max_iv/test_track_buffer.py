"""Tests the track buffer of the drive 4138: Jacobson's two processes read four sectors each, in sequence or in turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
import simpy

from spindle.sim.clock import Account, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.request import READ, WRITE, AccessTiming, Op, access
from spindle.sim.streams import pick, stream
from spindle.sim.units import MS, US

TRACK = 42
CYLINDER = 9 * TRACK
NEAR, FAR = 100 * CYLINDER, 700 * CYLINDER
"""The first sectors of two files; a file begins with a track."""

COMPUTING = 1 * MS
"""Between the end of one access and the next: the next sector has passed under the head by then."""


@dataclass(frozen=True)
class ConstantSeek:
    """A SeekCurve of one value."""

    seconds: float

    def __call__(self, distance: int) -> float:
        return self.seconds if distance else 0.0


def on_average(disc: DiscType) -> DiscType:
    """*disc* with every access at Jacobson's average: 28 ms of seek and 8 ms of rotation, the first sector included.

    A disc that turns infinitely fast never waits, so the seek has both; the link gives the sector to the host.
    """
    assert disc.buffer is not None
    return replace(disc, seek=ConstantSeek(28 * MS + 8 * MS - disc.buffer.link.reading), rpm=60e12)


def sequence(*files: int) -> list[int]:
    """Four sectors of each of *files*, one file after the other."""
    return [first + sector for first in files for sector in range(4)]


def interleaved(*files: int) -> list[int]:
    """The same, one sector of each file in turn."""
    return [first + sector for sector in range(4) for first in files]


def served(disc: DiscType, asked: Sequence[tuple[Op, int]], computing: float) -> list[float]:
    """Seconds of each access to a sector in *asked*; the next comes after *computing* seconds."""
    env = simpy.Environment()
    drive, account = Drive(env, disc), Account("process")
    seconds: list[float] = []

    def in_turn() -> Wait:
        for op, sector in asked:
            yield pause(env, computing)
            request = drive.start(access(op, sector * 256, 256, account))
            yield request
            assert isinstance(request.value, AccessTiming)
            seconds.append(request.value.total)

    env.run(env.process(in_turn()))
    return seconds


def reads(disc: DiscType, sectors: Sequence[int], computing: float = 0.0) -> list[float]:
    return served(disc, [(READ, sector) for sector in sectors], computing)


def test_the_first_sector_takes_an_access_and_each_further_one_comes_from_the_buffer() -> None:
    disc = on_average(MODCOMP_4138)
    assert reads(disc, sequence(NEAR)) == pytest.approx([36 * MS] + [100 * US] * 3)


def test_two_processes_in_sequence_take_72_6_ms_and_interleaved_288() -> None:
    disc = on_average(MODCOMP_4138)
    assert sum(reads(disc, sequence(NEAR, FAR))) == pytest.approx(72.6 * MS)
    assert sum(reads(disc, interleaved(NEAR, FAR))) == pytest.approx(288 * MS)


def test_on_the_real_drive_the_buffer_saves_the_rest_of_a_revolution_for_each_further_sector() -> None:
    first, *further = reads(MODCOMP_4138, sequence(NEAR), COMPUTING)
    assert further == pytest.approx([100 * US] * 3)
    bare, *more = reads(replace(MODCOMP_4138, buffer=None), sequence(NEAR), COMPUTING)
    assert more == pytest.approx([MODCOMP_4138.revolution * (1 + 1 / TRACK) - COMPUTING] * 3)
    assert first == pytest.approx(bare + 100 * US)


@pytest.mark.parametrize(("order", "published"), [(sequence, 72.6), (interleaved, 288.0)])
def test_in_expectation_the_real_drive_takes_as_long(order: Callable[..., list[int]], published: float) -> None:
    """With files anywhere: the mean access of the sheet is 28 + 8.33 + 0.4 + 0.1 ms where the paper has 36."""
    random, spent, trials = stream(1, "files"), 0.0, 400
    for _ in range(trials):
        here, *files = (pick(random, 823) * CYLINDER for _ in range(3))
        idle = pick(random, 1000) / 1000 * MODCOMP_4138.revolution
        spent += sum(reads(MODCOMP_4138, [here, *order(*files)], COMPUTING + idle)[1:])
    print(f"{published} ms: {spent / trials / MS:.1f}")
    assert spent / trials / MS == pytest.approx(published, rel=0.05)


def test_a_write_goes_to_the_medium_and_takes_the_track_out_of_the_buffer() -> None:
    asked = [(READ, NEAR), (READ, NEAR + 1), (WRITE, NEAR + 2), (READ, NEAR + 3)]
    _, before, write, after = served(MODCOMP_4138, asked, COMPUTING)
    assert before == pytest.approx(100 * US)
    assert min(write, after) > MODCOMP_4138.revolution / 2


def test_a_write_to_another_track_leaves_the_buffer_alone() -> None:
    asked = [(READ, NEAR), (WRITE, FAR), (READ, NEAR)]
    assert served(MODCOMP_4138, asked, COMPUTING)[-1] == pytest.approx(100 * US)
