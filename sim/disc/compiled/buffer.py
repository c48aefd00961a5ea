"""The buffers of drives in arrays: what their sheet says, and how far each has got."""

from typing import NamedTuple

import numpy as np

from spindle.sim.disc.buffer.arm import BufferedArm, Electronics
from spindle.sim.disc.buffer.sheet import BlocksAhead, BufferReadAhead, CylinderEnd, Nothing, TrackByTrack, TrackEnd
from spindle.sim.disc.compiled.arm import Floats, Integers, Records, fits, records

AHEAD: tuple[type[BufferReadAhead], ...] = (Nothing, BlocksAhead, TrackEnd, CylinderEnd, TrackByTrack)
NOTHING, BLOCKS, TRACK, CYLINDER, BY_TRACK = range(5)
"""Places in AHEAD."""
MOST_SEGMENTS = 1 << 8
"""Each request is compared with all of them."""
MOST_AHEAD = 1 << 20
"""Blocks, each of which may be a track of its own; while they are followed nobody can stop the loops."""
NOWHERE = -1
"""No segment, no place in their order, no block."""
Phases = tuple[float, float, float, float, float]
"""Overhead, seek, rotation, transfer and channel of a request, in seconds."""

_OF_BUFFER = [
    ("blocks", "i8"), ("write_segments", "i8"), ("keeps_requested", "?"), ("keeps_passing", "?"), ("goes_on", "?"),
    ("least_ahead", "i8"), ("starts_anywhere", "?"), ("reads_written", "?"), ("high_water", "f8"), ("holds", "i8"),
]  # fmt: skip
_OF_ELECTRONICS = [("at_rest", "f8"), ("miss", "f8"), ("commanded", "f8", 2), ("cheaper", "?")]
_OF_OVERHEADS = [
    ("read_hit", "f8", 2), ("reading_off", "f8", 2), ("preparation", "f8"), ("reselect", "f8"),
    ("reselect_again", "f8"), ("read_done", "f8"), ("write_done", "f8"), ("to_medium", "f8"),
]  # fmt: skip
_OF_SECOND_DISCONNECT = [("command", "f8"), ("disconnect", "f8"), ("interval", "f8"), ("seek_delay", "f8")]
SHEET = np.dtype([
    ("segments", "i8"), ("own", "?"), ("reports", "i8"), ("ahead", "i8"), ("most_ahead", "i8"),
    ("link_reading", "f8"), ("link_writing", "f8"), ("twice", "?"),
    *_OF_BUFFER, *_OF_ELECTRONICS, *_OF_OVERHEADS, *_OF_SECOND_DISCONNECT,
])  # fmt: skip
"""Reads fill so many *segments*, and writes one of their *own*; so many writes that the drive *reports* may wait for
the medium; *ahead* is the place in AHEAD of what it reads ahead, *most_ahead* blocks; it disconnects *twice*. Of two
numbers the first is that after a read, and the second that after a write."""
SEGMENT = np.dtype([("first", "i8"), ("stop", "i8"), ("written", "?")])
STATE = np.dtype([
    # Head
    ("cylinder", "i8"), ("head", "i8"), ("free", "f8"),
    # Electronics: the request before
    ("wrote", "?"), ("stop", "i8"),
    # Segments: how many are in use, and whether one of its own is, for what was written
    ("segments", "i8"), ("own", "?"),
    # WriteBack: how many writes are not on the medium, and the blocks of the last
    ("reports", "i8"), ("report_first", "i8"), ("report_stop", "i8"),
    # Prefetch: into which segment, if any
    ("ahead", "i8"), ("limit", "i8"), ("least", "i8"), ("ahead_free", "f8"),
    # Its Pass, if there is one
    ("passing", "?"), ("pass_cylinder", "i8"), ("pass_head", "i8"), ("pass_per_track", "i8"), ("pass_first", "i8"),
    ("pass_stop", "i8"), ("pass_transfer", "f8"), ("pass_end", "f8"),
    # From when on the next request can have the arm, for a scheduler
    ("reads_from", "f8"), ("writes_from", "f8"), ("near_writes_from", "f8"),
    # Counts, and whether MovingArm would have refused so late an instant
    ("hits", "i8"), ("late_hits", "i8"), ("misses", "i8"), ("coarse", "?"),
])  # fmt: skip
"""Of one drive."""


class DriveBuffers(NamedTuple):
    """Of each drive its *states*, its *segments*, in which *order* those were used, and when writes are on the medium.

    *sheet* is one for all. The first of *order* are in use, the one used longest ago first; the rest are empty.
    """

    sheet: Records
    states: Records
    segments: Records
    order: Integers
    ends: Floats


def buffers_of(arm: BufferedArm, drives: int) -> DriveBuffers | None:
    """Those of so many drives like that of *arm*; None where loops do not know how it works."""
    buffer, kind = arm.buffer, type(arm.buffer.read_ahead)
    numbers = [buffer.segments, buffer.blocks, buffer.write_segments, buffer.least_ahead, buffer.holds,
               getattr(buffer.read_ahead, "blocks", 0)]  # fmt: skip
    if type(arm._electronics) is not Electronics or kind not in AHEAD or not fits(numbers):
        return None
    sheets = _sheet_of(arm)
    sheet = sheets[0]
    slots = max(1, sheet.segments) + sheet.own
    if max(slots, sheet.reports) > MOST_SEGMENTS or (sheet.ahead == BLOCKS and sheet.most_ahead > MOST_AHEAD):
        return None
    states = records(drives, STATE)
    states.ahead, states.report_first, states.report_stop = NOWHERE, NOWHERE, NOWHERE
    segments = np.zeros((drives, slots), dtype=SEGMENT).view(np.recarray)
    # A write is taken once fewer than the most are waiting, so that there is at most one more than they.
    order, ends = np.tile(np.arange(slots), (drives, 1)), np.zeros((drives, sheet.reports + 2))
    return DriveBuffers(sheets, states, segments, order, ends)


def _sheet_of(arm: BufferedArm) -> Records:
    buffer, reports, sheets = arm.buffer, arm.buffer.reports, records(1, SHEET)
    sheet, twice = sheets[0], buffer.overheads.second_disconnect
    for part, numbers in ((buffer, _OF_BUFFER), (arm._electronics, _OF_ELECTRONICS),
                          (buffer.overheads, _OF_OVERHEADS), (twice, _OF_SECOND_DISCONNECT)):  # fmt: skip
        for name in np.dtype(numbers).names or () if part is not None else ():
            sheet[name] = getattr(part, name)
    sheet.own, sheet.segments = buffer.own_write_segment, buffer.segments - buffer.own_write_segment
    sheet.reports = 0 if reports is None else buffer.write_segments if reports.intermixed else 1
    sheet.ahead = AHEAD.index(type(buffer.read_ahead))
    sheet.most_ahead = getattr(buffer.read_ahead, "blocks", 0)
    sheet.link_reading, sheet.link_writing, sheet.twice = buffer.link.reading, buffer.link.writing, twice is not None
    return sheets
