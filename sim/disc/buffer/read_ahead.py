"""How far a drive prefetches after a request, while it has no other."""

from dataclasses import dataclass
from typing import Protocol

from sim.disc.layout import Layout

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
