"""Tests where read-ahead ends, by hand: two cylinders of two tracks of ten blocks; one track lacks two blocks."""

import pytest

from spindle.sim.disc.buffer_sheet import (
    BlocksAhead,
    BufferReadAhead,
    CylinderEnd,
    Nothing,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.layout import Layout, Stretch, Zone, uniform

TEN = uniform(2, 2, 10, 100)
SPARED = Layout(2, 2, 100, (Zone(0, 10, stretches=(Stretch(0, 18), Stretch(20, 20))),))
"""The second track has eight blocks, 10 to 17."""


@pytest.mark.parametrize(("rule", "kept", "limit"), [
    (Nothing(), range(3, 5), 5),
    (BlocksAhead(7), range(3, 5), 12),
    (BlocksAhead(7), range(33, 38), 45),  # the drive knows where the disc ends; the rule need not
    (TrackEnd(), range(3, 5), 10),
    (TrackEnd(), range(3, 10), 10),  # at the end already
    (TrackEnd(), range(3, 11), 20),
    (TrackEnd(4), range(3, 5), 9),
    (CylinderEnd(4), range(3, 19), 20),
    (CylinderEnd(4), range(3, 11), 15),
    (CylinderEnd(), range(3, 5), 20),
    (CylinderEnd(), range(3, 20), 20),
    (CylinderEnd(), range(3, 21), 40),
])
def test_where_reading_ahead_stops(rule: BufferReadAhead, kept: range, limit: int) -> None:
    assert rule.limit(TEN, kept) == limit


@pytest.mark.parametrize(("kept", "limit"), [
    (range(3, 5), 10),  # its own track
    (range(3, 12), 30),  # began on the track before: to the end of the next
    (range(10, 12), 20),
    (range(9, 12), 30),
    (range(12, 31), 40),  # there is no track after the last
    (range(12, 40), 40),
])
def test_track_by_track(kept: range, limit: int) -> None:
    assert TrackByTrack().limit(TEN, kept) == limit


def test_a_request_that_ends_with_its_track_is_followed_by_the_next_two() -> None:
    """What is kept began on a track before the one that comes now."""
    assert TrackByTrack().limit(TEN, range(3, 10)) == 30


def test_tracks_end_where_their_blocks_do() -> None:
    assert TrackEnd().limit(SPARED, range(12, 14)) == 18
    assert CylinderEnd().limit(SPARED, range(3, 4)) == 18
    assert TrackByTrack().limit(SPARED, range(3, 12)) == 28
