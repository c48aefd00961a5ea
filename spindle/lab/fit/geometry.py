"""Reads the geometry of a drive for a fit, and places timed requests on it, as arrays.

A skew is the angle by which a track begins later than the one before. Those of the file are not read: a fit finds them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spindle.lab.drives.timed_requests import Mask, TimedRequests, Times
from spindle.sim.disc.kernel.arm import head_at
from spindle.sim.disc.layout import Layout
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.section import SheetSection, Value, load
from spindle.sim.disc.sheet_file.sheet import read_disc
from spindle.sim.error import UserError

# The geometry in a sheet: the layout of the blocks, and the nominal speed. A fit reads no other key of the sheet.

GEOMETRY_KEYS = ("name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "layout", "sectors_per_track")
SKEW_KEYS = ("track_skew_sectors", "cyl_skew_sectors", "offset_of_first_block_sectors")
MAX_PER_TRACK, MAX_ZONES = 4000, 1000
"""Sectors of a track, and zones, of the largest layout in which a fit searches for skews: it takes 0.7 GB at most."""
PLACEHOLDERS: Mapping[str, Value] = {"seek": {"points_cyl_ms": [[1, 0.0]]}, "head_switch_ms": 0.0}
"""Values that a sheet must have and that are not geometry; a fit replaces them."""


@dataclass(frozen=True)
class TrackTurn:
    """The skews of a zone: revolutions by which a *track*, a *cylinder*, and its first track (*offset*) begin later."""

    track: float = 0.0
    cylinder: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class DriveGeometry:
    """The geometry of a drive: a *disc* whose other numbers are placeholders, and *values* by key, as in the file."""

    disc: DiscType
    values: Mapping[str, Value]


def read_geometry(path: Path) -> DriveGeometry:
    """Read the geometry in the sheet at *path*; skews, seeks, overheads and buffer are left out."""
    sheet = load(path)
    if "flash" in sheet:
        raise UserError(f"{path}: it describes flash, which has no geometry; spindle measure --drive fits that")
    missing = [key for key in GEOMETRY_KEYS[:6] if sheet.get(key) is None]
    if missing or not ({"layout", "sectors_per_track"} & sheet.keys()):
        raise UserError(f"{path}: there is no {', '.join(missing) or 'layout or sectors_per_track'}; a fit needs the "
                        "geometry of the drive, as `spindle drive --template` explains it")
    values = {key: sheet[key] for key in GEOMETRY_KEYS if key in sheet}
    layout = values.get("layout")
    if isinstance(layout, dict) and isinstance(zones := layout.get("zones"), list):
        values["layout"] = {**layout, "zones": [_without_skews(zone) for zone in zones]}
    disc = read_disc(SheetSection(str(path), {**values, **PLACEHOLDERS}))
    _check_size(path, disc.layout)
    return DriveGeometry(disc, values)


def _check_size(path: Path, layout: Layout) -> None:
    """Raise UserError where the search for skews would take hours, or more memory than there is."""
    per_track = max(zone.sectors_per_track for zone in layout.zones)
    for what, count, most in (("sectors in a track", per_track, MAX_PER_TRACK),
                              ("zones", len(layout.zones), MAX_ZONES)):
        if count > most:
            raise UserError(f"{path}: {count:,} {what} are more than a fit can look for skews in; "
                            f"{most:,} are the most")


def _without_skews(zone: Value) -> Value:
    return {**zone, **dict.fromkeys(SKEW_KEYS, 0)} if isinstance(zone, dict) else zone


def with_skews(layout: Layout, turns: Sequence[TrackTurn]) -> Layout:
    """Return *layout* with the skews of *turns*, one for each zone."""
    zones = tuple(
        replace(zone, track_skew=turn.track % 1.0 * zone.sectors_per_track,
                cylinder_skew=turn.cylinder % 1.0 * zone.sectors_per_track,
                offset=turn.offset % 1.0 * zone.sectors_per_track)
        for zone, turn in zip(layout.zones, turns, strict=True))
    return replace(layout, zones=zones)


# Timed requests on a disc of that geometry, as arrays: the place of each, and how far the arm moved before it.

IntArray = npt.NDArray[np.int_]
RECENT_REQUESTS = 24
"""The number of earlier requests whose blocks a drive's buffer may still hold; drives had up to 16 segments."""
TRACKS_AHEAD = 3
"""Tracks after an earlier request that may have been read ahead; none of nine measured drives reads so far."""
SECTORS_BEFORE = 64
"""Sectors before an earlier request that may have been kept as they passed under the head."""


@dataclass(frozen=True)
class ObservedRequests:
    """Timed requests as arrays, with one entry for each request; in seconds, sectors and revolutions.

    *tracks* and *cylinders* count the track and cylinder skews from the start of the *zone* to the request's track;
    *ordinal* is the track's number within its cylinder. *angle* is that of the first sector if there were no skews.
    *moved* is the arm's distance from the request before, in cylinders. *unbuffered*: no buffer can have held it.
    """

    reads: Mask
    after_read: Mask
    first: IntArray
    sectors: IntArray
    zone: IntArray
    cylinder: IntArray
    tracks: IntArray
    cylinders: IntArray
    ordinal: IntArray
    heads: int
    per_track: IntArray
    angle: Times
    moved: IntArray
    on_one_track: Mask
    unbuffered: Mask
    seconds: Times
    done: Times
    """Instant of each answer, on the clock of the measurement."""


def observe(layout: Layout, requests: TimedRequests) -> ObservedRequests:
    """Place *requests* on a disc whose *layout* has no skews."""
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
    # Each of the two alternating orders of heads is its own inverse.
    index = np.array([head_at(layout.order, heads, int(at), int(on), int(start))
                      for at, on, start in zip(head, cylinder, starts[zone], strict=True)])
    ahead = TRACKS_AHEAD * max(zone.sectors_per_track for zone in layout.zones)
    return ObservedRequests(
        reads=requests.reads, after_read=np.r_[True, requests.reads[:-1]],
        first=first, sectors=stop - first, zone=zone, cylinder=cylinder,
        tracks=within * (heads - 1) + index, cylinders=within, ordinal=index, heads=heads,
        per_track=np.array([place.sectors_per_track for place in begin]),
        angle=np.array([place.angle for place in begin]),
        moved=np.abs(cylinder - np.concatenate([[0], end_cylinder[:-1]])),
        on_one_track=(cylinder == end_cylinder) & (head == end_head), unbuffered=_mark_unbuffered(first, stop, ahead),
        seconds=requests.measured, done=np.cumsum(requests.gaps + requests.measured),
    )  # fmt: skip


def _mark_unbuffered(first: IntArray, stop: IntArray, ahead: int) -> Mask:
    """Mark the requests that are far from each of the RECENT_REQUESTS before: no buffer holds their blocks."""
    far = np.ones(len(first), bool)
    for back in range(1, min(RECENT_REQUESTS + 1, len(first))):
        near = (first[back:] >= first[:-back] - SECTORS_BEFORE) & (first[back:] < stop[:-back] + ahead)
        far[back:] &= ~near
    return far
