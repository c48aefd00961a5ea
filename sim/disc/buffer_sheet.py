"""Describes the buffer of a drive as its data sheet does: segments, read-ahead, overheads, link, early reports.

With an early report a drive tells the host that a write is done before it is on the medium. Units: seconds, blocks.
"""

from dataclasses import dataclass, field, fields
from math import inf
from typing import ClassVar, NamedTuple

from spindle.sim.disc.kernel import buffer
from spindle.sim.disc.layout import Layout
from spindle.sim.error import UserError

# Read-ahead: how far a drive goes on reading after a request, while it has no other.

MAX_BLOCKS = 1 << 40
"""More blocks than any drive has, for read-ahead without a limit."""


@dataclass(frozen=True)
class BufferReadAhead:
    """A rule of read-ahead: ``limit`` is the block before which it stops, at most *blocks* blocks after the request."""

    KIND: ClassVar[int] = buffer.NO_AHEAD

    blocks: int

    def limit(self, layout: Layout, kept: range) -> int:
        """*kept* are the blocks in the segment, the request's last."""
        return buffer.ahead_limit(layout.blocks, self.KIND, self.blocks, kept.start, kept.stop)


@dataclass(frozen=True)
class Nothing(BufferReadAhead):
    """No prefetch."""

    blocks: int = field(default=0, init=False, repr=False)


@dataclass(frozen=True)
class BlocksAhead(BufferReadAhead):
    """Read ahead *blocks* blocks after the request."""

    KIND = buffer.BLOCKS


@dataclass(frozen=True)
class TrackEnd(BufferReadAhead):
    """Read ahead to the end of the track on which the request ends, at most *blocks* blocks."""

    KIND = buffer.TRACK
    blocks: int = MAX_BLOCKS


@dataclass(frozen=True)
class CylinderEnd(BufferReadAhead):
    """Read ahead to the end of the cylinder on which the request ends, at most *blocks* blocks."""

    KIND = buffer.CYLINDER
    blocks: int = MAX_BLOCKS


@dataclass(frozen=True)
class TrackByTrack(BufferReadAhead):
    """Read ahead to the end of the track; and of the next track, once the segment begins on the track before.

    It continues into a segment that is full, whether or not the drive keeps the requested blocks.
    """

    KIND = buffer.BY_TRACK
    blocks: int = field(default=MAX_BLOCKS, init=False, repr=False)


MAX_SEGMENTS = 1 << 16
"""Segments of a buffer at most, more than any drive has; every request searches all of them."""


class After(NamedTuple):
    """Seconds that a command costs after a read, and after a write; indexed by whether the command before wrote."""

    read: float = 0.0
    write: float = 0.0


_ALIKE = After()


@dataclass(frozen=True)
class SecondDisconnect:
    """Times of a drive that leaves the bus at once when a write does not begin where the last one ended.

    The drive has decoded the command after *command*, has left the bus *disconnect* later, and reconnects for
    the data after *interval*; the arm starts *seek_delay* after the command was decoded.
    """

    command: float
    disconnect: float
    interval: float
    seek_delay: float


@dataclass(frozen=True)
class Overheads:
    """Seconds that the electronics add to a command.

    A *read_hit*, a *read_miss*, a *write* to the medium and a *report* of one that is only in the buffer differ,
    and differ with the command before. *preparation* goes before data, *reselect* before coming back to the bus;
    *reading_off* is for leaving the bus after a read command; *read_done* and *write_done* report the end to
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
        for overheads in (self,) if twice is None else (self, twice):
            for one in fields(overheads):
                value = getattr(overheads, one.name)
                for seconds in value if isinstance(value, After) else (value,):
                    if isinstance(seconds, int | float) and not 0.0 <= seconds < inf:
                        raise UserError(f"overheads: {one.name} {seconds} s must be finite and not negative")


@dataclass(frozen=True)
class HostLink:
    """The link of a drive to the host: seconds a block, when reading and when writing."""

    reading: float = 0.0
    writing: float = 0.0

    def __post_init__(self) -> None:
        for name in ("reading", "writing"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"host link: {name} {getattr(self, name)} s must be finite and not negative")


@dataclass(frozen=True)
class ImmediateReporting:
    """Reporting of writes to the host as done as soon as they are in the buffer.

    While one waits for the medium, another is accepted only if it begins where that ended, or if they may be
    *intermixed* and a segment is free.
    """

    intermixed: bool = False


_NO_OVERHEADS = Overheads()
_IMMEDIATE = HostLink()
_NO_READ_AHEAD = Nothing()


@dataclass(frozen=True)
class Buffer:
    """A drive's buffer: segments of *blocks* blocks in a row, replaced least recently used first.

    Without segments the buffer keeps nothing, and only decouples the speeds of the medium and the link.

    At most *write_segments* have written blocks; *own_write_segment* reserves one that reads do not use. Writes
    wait for the medium unless the drive *reports* them earlier; *reads_written* lets their blocks be read from the
    buffer. Prefetch may push out the requested blocks unless *keeps_requested*, and begins after a hit too if
    *goes_on*; another request gets the arm once *least_ahead* blocks of it have come in. *keeps_passing* keeps the
    blocks that pass under the head before the first one. *starts_anywhere* begins a read with whichever of its blocks
    comes first under the head (zero latency). The transfer to the host begins once *high_water*, a share of the
    request, is in the buffer; to the medium once *holds* blocks of a write are, or all.
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
        for name, low in (("segments", 0), ("blocks", 1), ("write_segments", 1), ("holds", 1), ("least_ahead", 0)):
            if getattr(self, name) < low:
                raise UserError(f"buffer: {name} {getattr(self, name)} must be at least {low}")
        if max(self.segments, self.write_segments) > MAX_SEGMENTS:
            raise UserError(f"buffer: {max(self.segments, self.write_segments)} segments are more than {MAX_SEGMENTS}")
        if self.own_write_segment and self.segments < 2:
            raise UserError(f"buffer: {self.segments} segments: one for writes alone leaves none to read into")
        if not self.segments and self.read_ahead != _NO_READ_AHEAD:
            raise UserError(f"buffer: without segments there is nothing that {self.read_ahead} could be read into")
        if not 0.0 <= self.high_water <= 1.0:
            raise UserError(f"buffer: high_water {self.high_water} must lie between 0 and 1")
