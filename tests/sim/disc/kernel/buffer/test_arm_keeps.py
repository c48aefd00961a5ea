"""Tests which blocks a segment keeps after a read, and which it drops: the ring, and blocks passed before a request."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spindle.sim.disc.buffer_sheet import BlocksAhead, Buffer
from spindle.sim.request import READ
from tests.sim.disc.milliseconds import QUIET, link

MakeHost = Callable[..., Any]


def test_the_ring_may_lose_what_was_asked_for(host_of: MakeHost) -> None:
    buffer = Buffer(1, 6, read_ahead=BlocksAhead(20))
    losing, keeping = host_of(buffer), host_of(replace(buffer, keeps_requested=True))
    for host in (losing, keeping):
        host.read(0, 3, 5)
    assert losing.read(8.5, 3, 5) == 0  # five blocks and a half
    assert keeping.read(8.5, 3, 5) == 0
    assert keeping.read(90, 3, 9) == 0
    assert keeping.read(90, 9, 10) == 10
    assert losing.read(90, 19, 25) == 0
    assert losing.read(90, 18, 19) > 0


def test_the_ring_keeps_what_was_asked_for_last(host_of: MakeHost) -> None:
    host = host_of(Buffer(1, 6, read_ahead=BlocksAhead(20), keeps_requested=True))
    host.read(0, 3, 5)
    host.read(50, 9, 11)  # goes on in the segment that holds 3 to 8
    assert [host.holds(100, block) for block in (8, 9, 14, 15)] == [False, True, True, False]


def test_a_ring_that_keeps_what_was_asked_for_still_takes_longer_requests(host_of: MakeHost) -> None:
    host = host_of(Buffer(1, 3, read_ahead=BlocksAhead(20), keeps_requested=True))
    assert host.read(0, 2, 8) == 8
    assert host.read(50, 5, 8) == 0
    assert host.read(60, 8, 9) == 9


@pytest.mark.parametrize(("now", "first", "kept"), [(2, 5, 2), (8, 1, 0), (4.5, 4, 0), (2.5, 5, 3), (5, 5, 5)])
def test_what_goes_by_before_the_request_is_kept(host_of: MakeHost, now: float, first: int, kept: int) -> None:
    """As far as it lies before the request, on its track, and whole."""
    host = host_of(replace(QUIET, keeps_passing=True))
    host.read(now, first, first + 1)
    assert host.read(50, kept, first + 1) == 0
    if kept:
        host.read(60, kept - 1, kept)
        assert host.counts() == [1, 0, 2]
    forgetful = host_of(QUIET)
    forgetful.read(now, first, first + 1)
    forgetful.read(50, first - 1, first)
    assert forgetful.counts() == [0, 0, 2]


def test_what_goes_by_of_the_end_of_the_track_is_not_before_the_request(host_of: MakeHost) -> None:
    host = host_of(replace(QUIET, keeps_passing=True))
    host.read(0, 15, 16)
    assert host.read(18, 11, 12) == 4  # 18, 19 and 10 go by
    assert [host.holds(50, block) for block in (9, 10, 11)] == [False, True, True]


def test_a_hit_makes_its_segment_young(host_of: MakeHost) -> None:
    host = host_of(Buffer(2, 20))
    for number, first in enumerate((3, 13, 3, 43)):
        host.read(number * 40, first, first + 2)
    assert [host.holds(200, first) for first in (3, 13, 43)] == [True, False, True]


def test_a_request_that_goes_on_lengthens_the_segment(host_of: MakeHost) -> None:
    host = host_of(Buffer(2, 4))
    for first in (3, 5, 43, 7):
        host.read(first * 10, first, first + 2)
    assert host.read(100, 5, 9) == 0
    host.read(120, 4, 5)
    assert host.counts() == [1, 0, 5]


def test_without_segments_nothing_is_kept(host_of: MakeHost) -> None:
    host = host_of(Buffer(0, 20, link=link(2)))
    assert host.phases(READ, 0, 3, 5) == [0, 0, 3, 2, 8 - 5]
    assert host.read(10, 3, 5) == 8
    assert host.counts() == [0, 0, 2]
