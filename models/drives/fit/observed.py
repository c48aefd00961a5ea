"""Timed requests as arrays: where each lies on a disc without skews, and which of them the arm must have served."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.drives.timed import Mask, TimedRequests, Times
from sim.disc.layout import Layout

Wholes = npt.NDArray[np.int_]
RECENT = 24
"""Requests back that a drive's buffer may still hold; drives had up to 16 segments."""
AHEAD = 3
"""Tracks after an earlier request that may have been read ahead; more than any of nine measured drives does."""
BEFORE = 64
"""Sectors before an earlier request, which may have gone by under the head."""


@dataclass(frozen=True)
class ObservedRequests:
    """One entry a request. *tracks* and *cylinders* count how many skews of each kind come before its track in its
    *zone*, and *ordinal* the tracks in its cylinder alone, of as many as there are *heads*; *angle* is that of its
    first sector without any. *moved*: cylinders of the arm since the request before, and *switched* whether another
    head was selected. *one* where all of it is on one track; *fresh* where no buffer can have had it. Seconds, sectors,
    revolutions."""

    reads: Mask
    after_read: Mask
    first: Wholes
    sectors: Wholes
    zone: Wholes
    cylinder: Wholes
    tracks: Wholes
    cylinders: Wholes
    ordinal: Wholes
    heads: int
    per_track: Wholes
    angle: Times
    moved: Wholes
    switched: Mask
    one: Mask
    fresh: Mask
    took: Times
    done: Times
    """When each was answered, on the clock of the measurement."""


def observed(layout: Layout, requests: TimedRequests) -> ObservedRequests:
    """*requests* on a disc whose *layout* has no skews."""
    block, heads = layout.sector_bytes, layout.heads
    first = np.array([span.first // block for span in requests.spans])
    stop = np.array([-(-span.end // block) for span in requests.spans])
    begin = [layout.locate(each) for each in first.tolist()]
    last = [layout.locate(each - 1) for each in stop.tolist()]
    starts = np.array([zone.first_cylinder for zone in layout.zones])
    cylinder, head = (np.array([place[at] for place in begin]) for at in (0, 1))
    end_cylinder, end_head = (np.array([place[at] for place in last]) for at in (0, 1))
    zone = np.searchsorted(starts, cylinder, side="right") - 1
    within = cylinder - starts[zone]
    # Both orders of heads that turn are their own inverse.
    index = np.array([layout.order(heads, int(at), int(on), int(start))
                      for at, on, start in zip(head, cylinder, starts[zone], strict=True)])
    ahead = AHEAD * max(zone.sectors_per_track for zone in layout.zones)
    return ObservedRequests(
        reads=requests.reads, after_read=np.r_[True, requests.reads[:-1]],
        first=first, sectors=stop - first, zone=zone, cylinder=cylinder,
        tracks=within * (heads - 1) + index, cylinders=within, ordinal=index, heads=heads,
        per_track=np.array([place.sectors_per_track for place in begin]),
        angle=np.array([place.angle for place in begin]),
        moved=np.abs(cylinder - np.concatenate([[0], end_cylinder[:-1]])),
        switched=head != np.concatenate([[0], end_head[:-1]]),
        one=(cylinder == end_cylinder) & (head == end_head), fresh=_fresh(first, stop, ahead),
        took=requests.measured, done=np.cumsum(requests.gaps + requests.measured),
    )  # fmt: skip


def _fresh(first: Wholes, stop: Wholes, ahead: int) -> Mask:
    """Where none of the RECENT requests before lies so near that a buffer could hold the blocks."""
    fresh = np.ones(len(first), bool)
    for back in range(1, min(RECENT, len(first) - 1) + 1):
        near = (first[back:] >= first[:-back] - BEFORE) & (first[back:] < stop[:-back] + ahead)
        fresh[back:] &= ~near
    return fresh
