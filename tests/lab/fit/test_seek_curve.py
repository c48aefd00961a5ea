"""The seek curve of a known drive from the edges of what its requests waited, and edges by hand."""

import numpy as np
import pytest

from spindle.lab.fit.geometry import observe
from spindle.lab.fit.rotation import ReadPhases
from spindle.lab.fit.seek_curve import found_seeks, window
from spindle.sim.units import MS
from tests.lab.fit.known import BARE, KNOWN, LINK, MISS, RPM, SEEK, asked


def test_the_window_holds_most() -> None:
    # From 3 to 12 there are 10 of these 11; what came at 1 was a hit. It may begin at 2, and by one request less at 4.
    assert window(np.array([1.0, *range(3, 13)]), 10.0) == pytest.approx((2.5, 1.0, 4.0))


def test_the_window_bears_what_is_true() -> None:
    begins = window(3.0 + 10.0 * np.random.default_rng(2).random(200), 10.0)
    assert begins.low <= 3.0 <= begins.high
    assert begins.high - begins.low < 0.5


def test_the_curve_of_a_known_drive_is_found() -> None:
    seen = observe(BARE.disc.layout, asked(KNOWN, 1500))
    reads = ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, LINK)
    period = 60 / RPM
    found = found_seeks(seen, reads.chosen, seen.seconds - reads.transfer(period) - MISS, period)
    assert found.curve.points[0] == (0, 0.0)
    for distance in (1, 10, 30, 100, 200):
        assert found.curve(distance) == pytest.approx(SEEK(distance), abs=0.5 * MS)
    assert len(found.intervals) == len(found.curve.points) - 1


def test_no_seek_takes_less_than_no_time() -> None:
    """Taken off too much: seeks over a cylinder would take a millisecond less than none."""
    seen = observe(BARE.disc.layout, asked(KNOWN, 400))
    reads = ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, LINK)
    period = 60 / RPM
    found = found_seeks(seen, reads.chosen, seen.seconds - reads.transfer(period) - MISS - 3 * MS, period)
    assert min(seconds for _, seconds in found.curve.points) == 0.0
