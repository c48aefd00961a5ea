"""Lists the choices of a drive's buffer that a fit tries: read-ahead, what is kept, early reports of writes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spindle.sim.disc.buffer_sheet import (
    BlocksAhead,
    Buffer,
    BufferReadAhead,
    CylinderEnd,
    ImmediateReporting,
    Nothing,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.buffer import FIRST_BYTES, MAX_BUFFER_BLOCKS

SEGMENT_COUNTS = (1, 2, 3, 4, 6, 8, 10, 16)
SEGMENT_SECTORS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
PLAIN_SEGMENTS, PLAIN_BLOCKS = 3, 256
"""Segments, and blocks of 512 bytes in each, of the plain cache from which a fit begins."""
Kinds = Mapping[str, Buffer]


@dataclass(frozen=True)
class SheetChoice:
    """A choice that a fit makes: one *key* in the cache section of a sheet. *kinds* returns a buffer for each value."""

    key: str
    kinds: Callable[[Buffer, int], Kinds]
    keeps_nothing: bool = False
    """True if the choice applies to a buffer without segments, too."""

    def value(self, disc: DiscType) -> str:
        """Return the value of the key in the sheet of *disc*."""
        return next((value for value, buffer in self._kinds(disc).items() if buffer == disc.buffer), "")

    def others(self, disc: DiscType) -> Iterator[tuple[str, DiscType]]:
        """Yield each other value of the key, and *disc* with the buffer of that value."""
        for value, buffer in self._kinds(disc).items():
            if buffer != disc.buffer:
                yield value, replace(disc, buffer=buffer)

    def _kinds(self, disc: DiscType) -> Kinds:
        """Return the buffers to choose from; none for a buffer that keeps nothing, unless *keeps_nothing*."""
        assert disc.buffer is not None
        chooses = disc.buffer.segments or self.keeps_nothing
        return self.kinds(disc.buffer, disc.layout.sector_bytes) if chooses else {}


def _enabled_kinds(buffer: Buffer, sector_bytes: int) -> Kinds:
    """Return the buffers with and without a cache; without one it still matches the speeds of medium and link."""
    if buffer.reports is not None:
        return {"true": buffer}
    return {"true": buffer if buffer.segments else caching(buffer, sector_bytes), "false": without_cache(buffer)}


def caching(buffer: Buffer, sector_bytes: int, reports: bool = False) -> Buffer:
    """Return the plain cache from which a fit begins, with the overheads and the link of *buffer*."""
    blocks = max(1, PLAIN_BLOCKS * 512 // sector_bytes)
    return Buffer(PLAIN_SEGMENTS, blocks, buffer.overheads, buffer.link, BlocksAhead(blocks),
                  ImmediateReporting() if reports else None, holds=max(1, FIRST_BYTES // sector_bytes),
                  reads_written=True)


def without_cache(buffer: Buffer) -> Buffer:
    """Return a buffer that only matches the speeds of medium and link."""
    return Buffer(0, MAX_BUFFER_BLOCKS, buffer.overheads, buffer.link)


def read_ahead(code: int, blocks: int, ahead: int) -> BufferReadAhead:
    """Return the read-ahead that DiskSim calls *code*, up to a full segment of *blocks*, or up to *ahead* blocks."""
    return (Nothing(), TrackEnd(blocks), CylinderEnd(blocks), BlocksAhead(min(ahead, blocks)),
            TrackByTrack())[code]


def code_of(kind: BufferReadAhead) -> int:
    return next(code for code in range(5) if type(kind) is type(read_ahead(code, 1, 1)))


def ahead_of(buffer: Buffer) -> int:
    return buffer.read_ahead.blocks if isinstance(buffer.read_ahead, BlocksAhead) else buffer.blocks


def _resize(buffer: Buffer, blocks: int) -> Buffer:
    """Return the buffer with segments of *blocks* blocks, which reading ahead may fill."""
    holds = blocks if buffer.holds == buffer.blocks else buffer.holds
    return replace(buffer, blocks=blocks, holds=holds,
                   read_ahead=read_ahead(code_of(buffer.read_ahead), blocks, blocks))


def _prefetches(buffer: Buffer, sector_bytes: int) -> Kinds:
    return {str(code): replace(buffer, read_ahead=read_ahead(code, buffer.blocks, ahead_of(buffer)))
            for code in range(5)}


def _aheads(buffer: Buffer, sector_bytes: int) -> Kinds:
    if not isinstance(buffer.read_ahead, BlocksAhead):
        return {}
    return {str(size): replace(buffer, read_ahead=BlocksAhead(size))
            for size in SEGMENT_SECTORS if size <= buffer.blocks}


def _segments(buffer: Buffer, sector_bytes: int) -> Kinds:
    least = max(buffer.write_segments, 1 + buffer.own_write_segment)
    return {str(count): replace(buffer, segments=count) for count in SEGMENT_COUNTS if count >= least}


def _flag(name: str, inverse: bool = False, least: int = 1) -> Callable[[Buffer, int], Kinds]:
    def kinds(buffer: Buffer, sector_bytes: int) -> Kinds:
        changes: list[dict[str, Any]] = [{name: inverse}, {name: not inverse}]
        return {value: replace(buffer, **change) for value, change in zip(("false", "true"), changes, strict=True)
                if buffer.segments >= least}

    return kinds


def _low_water(buffer: Buffer, sector_bytes: int) -> Kinds:
    return {"0": replace(buffer, holds=max(1, FIRST_BYTES // sector_bytes)), "1": replace(buffer, holds=buffer.blocks)}


def _reports(buffer: Buffer, sector_bytes: int) -> Kinds:
    if buffer.reports is None:
        return {}
    return {"1": replace(buffer, reports=ImmediateReporting()), "2": replace(buffer, reports=ImmediateReporting(True))}


def _write_segments(buffer: Buffer, sector_bytes: int) -> Kinds:
    if buffer.reports is None:
        return {}
    return {str(most): replace(buffer, write_segments=most) for most in (1, 2, 3) if most <= buffer.segments}


CHOICES = (
    SheetChoice("enabled", _enabled_kinds, keeps_nothing=True),
    SheetChoice("prefetch_code", _prefetches),
    SheetChoice("segment_sectors", lambda buffer, _: {str(size): _resize(buffer, size) for size in SEGMENT_SECTORS}),
    SheetChoice("max_read_ahead_sectors", _aheads),
    SheetChoice("segments", _segments),
    SheetChoice("zero_latency_read", _flag("starts_anywhere")),
    SheetChoice("read_ahead_on_full_hit", _flag("goes_on")),
    SheetChoice("prefetch_may_replace_requested_data", _flag("keeps_requested", inverse=True)),
    SheetChoice("keep_sectors_passing_before_request", _flag("keeps_passing")),
    SheetChoice("read_hits_on_written_data", _flag("reads_written")),
    SheetChoice("separate_write_segment", _flag("own_write_segment", least=2)),
    SheetChoice("write_low_water_mark", _low_water),
    SheetChoice("fast_write_code", _reports),
    SheetChoice("max_write_segments", _write_segments),
)
