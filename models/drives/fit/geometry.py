"""What a fit is told of a drive: where its blocks lie, and how fast it turns nominally. Nothing else is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType
from sim.disc.sheet_file.plain_yaml import Value, load
from sim.disc.sheet_file.section import SheetSection
from sim.disc.sheet_file.sheet import read_disc
from sim.error import UserError

KEYS = ("name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "layout", "sectors_per_track")
SKEWS = ("track_skew_sectors", "cyl_skew_sectors", "offset_of_first_block_sectors")
MOST_PER_TRACK, MOST_ZONES = 4000, 1000
"""All skews of whole sectors are looked through, of tracks and of cylinders at once: at most, in 0.7 GB."""
FILLED: Mapping[str, Value] = {"seek": {"points_cyl_ms": [[1, 0.0]]}, "head_switch_ms": 0.0}
"""What a sheet must have and geometry is not; all of it is fitted."""


@dataclass(frozen=True)
class TrackTurn:
    """The skews of a zone: by how many revolutions a track, a cylinder, and its first track begin later."""

    track: float = 0.0
    cylinder: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class DriveGeometry:
    """A *disc* of which only layout, without skews, and speed mean something; and its sheet's *values* of geometry."""

    disc: DiscType
    values: Mapping[str, Value]


def read_geometry(path: Path) -> DriveGeometry:
    """The geometry in the sheet at *path*; skews, seeks, overheads and buffer are not looked at."""
    sheet = load(path)
    if "flash" in sheet:
        raise UserError(f"{path}: it describes flash, which has no geometry; spindle measure --drive fits that")
    missing = [key for key in KEYS[:6] if sheet.get(key) is None]
    if missing or not ({"layout", "sectors_per_track"} & sheet.keys()):
        raise UserError(f"{path}: there is no {', '.join(missing) or 'layout or sectors_per_track'}; a fit needs the "
                        "geometry of the drive, as `spindle drive --template` explains it")
    values = {key: sheet[key] for key in KEYS if key in sheet}
    layout = values.get("layout")
    if isinstance(layout, dict) and isinstance(zones := layout.get("zones"), list):
        values["layout"] = {**layout, "zones": [_without_skews(zone) for zone in zones]}
    disc = read_disc(SheetSection(str(path), {**values, **FILLED}))
    _check_size(path, disc.layout)
    return DriveGeometry(disc, values)


def _check_size(path: Path, layout: Layout) -> None:
    """UserError where looking for the skews would take hours, or more memory than there is."""
    per_track = max(zone.sectors_per_track for zone in layout.zones)
    for what, count, most in (("sectors in a track", per_track, MOST_PER_TRACK),
                              ("zones", len(layout.zones), MOST_ZONES)):
        if count > most:
            raise UserError(f"{path}: {count:,} {what} are more than a fit can look for skews in; "
                            f"{most:,} are the most")


def _without_skews(zone: Value) -> Value:
    return {**zone, **dict.fromkeys(SKEWS, 0)} if isinstance(zone, dict) else zone


def turned(layout: Layout, turns: Sequence[TrackTurn]) -> Layout:
    """*layout* with these skews, zone by zone."""
    zones = tuple(
        replace(zone, track_skew=turn.track % 1.0 * zone.sectors_per_track,
                cylinder_skew=turn.cylinder % 1.0 * zone.sectors_per_track,
                offset=turn.offset % 1.0 * zone.sectors_per_track)
        for zone, turn in zip(layout.zones, turns, strict=True))
    return replace(layout, zones=zones)
