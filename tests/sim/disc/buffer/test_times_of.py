"""Tests by hand that the flat record of a buffer has every number of its sheet in its place."""

from dataclasses import replace

from spindle.sim.disc.buffer_sheet import (
    After,
    BlocksAhead,
    Buffer,
    HostLink,
    ImmediateReporting,
    Overheads,
    SecondDisconnect,
    TrackByTrack,
)
from spindle.sim.disc.buffered_arm import empty_buffer, times_of
from spindle.sim.disc.kernel.buffer import BLOCKS, BY_TRACK, BufferTimes

SHEET = Buffer(
    segments=5, blocks=64, overheads=Overheads(
        After(1, 2), After(3, 4), After(5, 6), After(7, 8), After(9, 10), 11, 12, 13, 14, 15, 16,
        SecondDisconnect(17, 18, 19, 20)),
    link=HostLink(21, 22), read_ahead=BlocksAhead(23), reports=ImmediateReporting(intermixed=True), write_segments=3,
    own_write_segment=True, keeps_requested=True, least_ahead=24, high_water=0.25, holds=25)  # fmt: skip
FLAT = BufferTimes(
    segments=4, own=True, reports=3, ahead=BLOCKS, most_ahead=23, blocks=64, write_segments=3, keeps_requested=True,
    keeps_passing=False, goes_on=False, least_ahead=24, starts_anywhere=False, reads_written=False, high_water=0.25,
    holds=25, read_hit=(1, 2), miss=(3, 4), commanded=(7, 8), reading_off=(9, 10), preparation=11, reselect=12,
    reselect_again=13, read_done=14, write_done=15, to_medium=16, twice=True, command=17, disconnect=18, interval=19,
    seek_delay=20, link_reading=21, link_writing=22)  # fmt: skip


def test_every_number_of_a_sheet_is_in_its_place() -> None:
    assert times_of(SHEET) == FLAT
    for flag in ("keeps_passing", "goes_on", "starts_anywhere", "reads_written"):
        assert times_of(replace(SHEET, **{flag: True})) == replace(FLAT, **{flag: True})


def test_what_reports_nothing_takes_the_command_of_a_write() -> None:
    assert times_of(replace(SHEET, reports=None)) == replace(FLAT, reports=0, commanded=(5, 6))
    assert times_of(replace(SHEET, reports=ImmediateReporting())) == replace(FLAT, reports=1)


def test_what_a_sheet_leaves_out() -> None:
    overheads = replace(SHEET.overheads, second_disconnect=None)
    assert times_of(replace(SHEET, overheads=overheads)) == replace(
        FLAT, twice=False, command=0.0, disconnect=0.0, interval=0.0, seek_delay=0.0)  # fmt: skip
    by_track = times_of(replace(SHEET, read_ahead=TrackByTrack()))
    assert (by_track.ahead, by_track.keeps_requested) == (BY_TRACK, False)


def test_a_buffer_has_a_segment_to_read_into_and_one_of_its_own_for_writes() -> None:
    assert [len(empty_buffer(times_of(each)).segments) for each in (
        SHEET, replace(SHEET, own_write_segment=False), Buffer(0, 8), Buffer(1, 8))] == [5, 5, 1, 1]  # fmt: skip
    assert [len(empty_buffer(times_of(each)).ends) for each in (SHEET, Buffer(0, 8))] == [5, 2]
