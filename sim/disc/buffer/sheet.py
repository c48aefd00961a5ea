"""The part of a data sheet on a drive's buffer and electronics; seconds and blocks."""

from dataclasses import dataclass, fields
from math import inf
from typing import NamedTuple, Protocol

from spindle.sim.disc.layout import Layout
from spindle.sim.error import UserError

# How far a drive prefetches after a request, while it has no other.

FAR = 1 << 40
"""Blocks; more than a drive has."""


class BufferReadAhead(Protocol):
    """Names the block before which reading ahead stops."""

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        """*kept* are the blocks in the segment, the request's last; *sequential* if it went on where another ended."""


@dataclass(frozen=True)
class Nothing:
    """No prefetch."""

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        return kept.stop


@dataclass(frozen=True)
class BlocksAhead:
    """So many *blocks* after the request."""

    blocks: int

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        return kept.stop + self.blocks


@dataclass(frozen=True)
class TrackEnd:
    """To the end of the track on which the request ends, at most so many *blocks*."""

    blocks: int = FAR

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        return min(layout.track(kept.stop - 1).stop, kept.stop + self.blocks)


@dataclass(frozen=True)
class CylinderEnd:
    """To the end of the cylinder on which the request ends, at most so many *blocks*."""

    blocks: int = FAR

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        return min(layout.cylinder(kept.stop - 1).stop, kept.stop + self.blocks)


@dataclass(frozen=True)
class TrackByTrack:
    """To the end of the track; and of the next, once what is kept began on the track before.

    A segment of *blocks* that cannot hold a track is not filled in vain: then only a request that goes on where
    another ended is followed by read-ahead. Of the nine measured drives one has such a segment, and does so.
    """

    blocks: int

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        end = kept.stop
        if end >= layout.sectors:
            return end
        track = layout.track(end)
        if not sequential and self.blocks < len(track):
            return end
        if kept.start < track.start and track.stop < layout.sectors:
            return min(layout.track(track.stop).stop, end + self.blocks)
        return min(track.stop, end + self.blocks)


class After(NamedTuple):
    """Seconds that a command costs after one that read, and after one that wrote: ``after[wrote]`` is either."""

    read: float = 0.0
    write: float = 0.0


_ALIKE = After()


@dataclass(frozen=True)
class SecondDisconnect:
    """How a drive begins a write elsewhere than where the write before it ended: it leaves the bus at once.

    The drive understands the command after *command*, has left the bus after *disconnect* more, and comes back for
    the data after *interval*; the arm is started *seek_delay* after the command was understood.
    """

    command: float
    disconnect: float
    interval: float
    seek_delay: float


@dataclass(frozen=True)
class Overheads:
    """Seconds that the electronics add to a command.

    A *read_hit*, a *read_miss*, a *write* to the medium and a *report* of one that is only in the buffer differ,
    and differ with the command before. *preparation* goes before data, *reselect* before coming back to the bus,
    *reading_off* is leaving it after the command to read was understood; *read_done* and *write_done* report the end to
    the host. Between the last of a write's data and the medium lies at least *to_medium*.
    """

    read_hit: After = _ALIKE
    read_miss: After = _ALIKE
    write: After = _ALIKE
    report: After = _ALIKE
    reading_off: After = _ALIKE
    preparation: float = 0.0
    reselect: float = 0.0
    reselect_again: float = 0.0
    read_done: float = 0.0
    write_done: float = 0.0
    to_medium: float = 0.0
    second_disconnect: SecondDisconnect | None = None

    def __post_init__(self) -> None:
        twice = self.second_disconnect
        for each in (self,) if twice is None else (self, twice):
            for field in fields(each):
                value = getattr(each, field.name)
                for seconds in value if isinstance(value, After) else (value,):
                    if isinstance(seconds, int | float) and not 0.0 <= seconds < inf:
                        raise UserError(f"overheads: {field.name} {seconds} s must be finite and not negative")


@dataclass(frozen=True)
class HostLink:
    """Seconds a block on the way to the host, and from it."""

    reading: float = 0.0
    writing: float = 0.0

    def __post_init__(self) -> None:
        for name in ("reading", "writing"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"host link: {name} {getattr(self, name)} s must be finite and not negative")


@dataclass(frozen=True)
class ImmediateReporting:
    """Writes are reported to the host as soon as the buffer has them.

    While one waits for the medium, another is taken only if it goes on where that ended, or if they may be
    *intermixed* and a segment is free.
    """

    intermixed: bool = False


_NO_OVERHEADS = Overheads()
_IMMEDIATE = HostLink()
_NO_READ_AHEAD = Nothing()


@dataclass(frozen=True)
class Buffer:
    """Segments of so many *blocks*, each holding blocks in a row; the one that was used longest ago goes first.
    Without segments the buffer keeps nothing and only lets the medium and the link differ in speed.

    At most *write_segments* hold what was written; *own_write_segment* sets one aside that reads do not use. Writes
    wait for the medium unless the drive *reports* them earlier; *reads_written* lets their blocks be read from the
    buffer. Prefetch may push out the requested blocks unless *keeps_requested*, and begins after a hit too if
    *goes_on*; another request has the arm when *least_ahead* blocks of it have come in. *keeps_passing* keeps what
    goes by under the head before the first block. *starts_anywhere* begins a read with the first of its blocks under
    the head (zero latency). The transfer to the host begins once *high_water*, a share of the request, is there; to
    the medium once *holds* blocks of a write are, or all.
    """

    segments: int
    blocks: int
    overheads: Overheads = _NO_OVERHEADS
    link: HostLink = _IMMEDIATE
    read_ahead: BufferReadAhead = _NO_READ_AHEAD
    reports: ImmediateReporting | None = None
    write_segments: int = 1
    own_write_segment: bool = False
    keeps_requested: bool = False
    keeps_passing: bool = False
    goes_on: bool = False
    least_ahead: int = 0
    starts_anywhere: bool = False
    reads_written: bool = False
    high_water: float = 0.0
    holds: int = 1

    def __post_init__(self) -> None:
        for name, least in (("segments", 0), ("blocks", 1), ("write_segments", 1), ("holds", 1), ("least_ahead", 0)):
            if getattr(self, name) < least:
                raise UserError(f"buffer: {name} {getattr(self, name)} must be at least {least}")
        if self.own_write_segment and self.segments < 2:
            raise UserError(f"buffer: {self.segments} segments: one for writes alone leaves none to read into")
        if not self.segments and self.read_ahead != _NO_READ_AHEAD:
            raise UserError(f"buffer: without segments there is nothing that {self.read_ahead} could be read into")
        if not 0.0 <= self.high_water <= 1.0:
            raise UserError(f"buffer: high_water {self.high_water} must lie between 0 and 1")
