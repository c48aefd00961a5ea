"""Tests which descriptions of a buffer are accepted, and which are refused."""

from math import inf, nan
from typing import Any

import pytest

from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, Overheads, SecondDisconnect
from spindle.sim.error import UserError


def test_what_a_command_costs_depends_on_the_one_before() -> None:
    each = After(1.0, 2.0)
    assert (each[False], each[True]) == (1.0, 2.0)


@pytest.mark.parametrize(("fields", "says"), [
    ({"segments": -1}, "buffer: segments -1 must be at least 0"),
    ({"blocks": 0}, "buffer: blocks 0 must be at least 1"),
    ({"write_segments": 0}, "buffer: write_segments 0 must be at least 1"),
    ({"write_segments": 1 << 20}, "buffer: 1048576 segments are more than 65536"),
    ({"holds": 0}, "buffer: holds 0 must be at least 1"),
    ({"segments": 1, "own_write_segment": True}, "buffer: 1 segments: one for writes alone leaves none to read into"),
    ({"high_water": 2.0}, "buffer: high_water 2.0 must lie between 0 and 1"),
    ({"high_water": -0.1}, "buffer: high_water -0.1 must lie between 0 and 1"),
    ({"high_water": nan}, "buffer: high_water nan must lie between 0 and 1"),
    ({"segments": 0, "read_ahead": BlocksAhead(8)},
     "buffer: without segments there is nothing that BlocksAhead(blocks=8) could be read into"),
])
def test_what_a_buffer_cannot_be(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError) as raised:
        Buffer(**{"segments": 2, "blocks": 20, **fields})
    assert str(raised.value) == says


def test_a_buffer_may_have_as_many_segments_as_there_may_be() -> None:
    assert Buffer(1 << 16, 8, write_segments=1 << 16).segments == 65536


@pytest.mark.parametrize("seconds", [-0.1, nan, inf])
def test_times_are_finite_and_not_negative(seconds: float) -> None:
    for way in ("reading", "writing"):
        with pytest.raises(UserError, match=f"host link: {way} {seconds} s must be finite and not negative"):
            HostLink(**{way: seconds})
    for name in ("preparation", "reselect", "reselect_again", "read_done", "write_done", "to_medium"):
        with pytest.raises(UserError, match=f"overheads: {name} {seconds} s must be finite and not negative"):
            Overheads(**{name: seconds})
    for name in ("read_hit", "read_miss", "write", "report", "reading_off"):
        for after in (After(seconds), After(0.0, seconds)):
            with pytest.raises(UserError, match=f"overheads: {name} {seconds} s must be finite and not negative"):
                Overheads(**{name: after})


@pytest.mark.parametrize("fields", [
    {"preparation": -1}, {"read_hit": After(-1, 0)},
    {"second_disconnect": SecondDisconnect(-0.1, 0.0, 0.0, 0.0)},
    {"second_disconnect": SecondDisconnect(0.0, 0.0, 0.0, nan)},
])
def test_whole_seconds_and_the_second_disconnect_are_looked_at_too(fields: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Overheads(**fields)
