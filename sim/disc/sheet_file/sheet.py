"""Drive sheets in files, read and checked, as data sheets."""

from dataclasses import dataclass
from pathlib import Path

from sim.disc.flash.drive import DriveType
from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType
from sim.disc.seek import SeekCurve, TableSeek, TwoPartSeek
from sim.disc.sheet_file.buffer import read_buffer
from sim.disc.sheet_file.flash import read_flash
from sim.disc.sheet_file.left_aside import not_modelled
from sim.disc.sheet_file.plain_yaml import load
from sim.disc.sheet_file.section import SheetSection
from sim.disc.sheet_file.zones import (
    MOST_BLOCKS,
    MOST_CYLINDERS,
    MOST_HEADS,
    MOST_SECTOR_BYTES,
    MOST_SECTORS,
    read_layout,
)
from sim.disc.zone import Zone
from sim.error import UserError
from sim.parameter import ParameterSource
from sim.units import MS

# Bounds beyond which a number is a slip of the pen.
LONGEST_MS = 100_000.0
SLOWEST_RPM, FASTEST_RPM = 1.0, 1_000_000.0

TEMPLATE = Path(__file__).with_name("template.yaml")
"""A sheet with its keys explained, for a drive of one zone."""
TEMPLATES = {"disc": TEMPLATE, "flash": Path(__file__).with_name("flash.yaml")}
NEEDED = ("name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "head_switch_ms", "seek")


@dataclass(frozen=True)
class DriveSheet:
    """A drive as its sheet describes it, and what several of them on one *bus* share; none if the sheet names none."""

    disc: DriveType
    bus: str | None


def open_sheet(path: Path) -> SheetSection:
    """The sheet of a disc at *path*, none of whose keys is misspelt."""
    sheet = SheetSection(str(path), load(path))
    _check_disc(sheet)
    return sheet


def _check_disc(sheet: SheetSection) -> None:
    sheet.check_keys(
        "name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "head_switch_ms", "seek",
        "write_settle_extra_ms", "command_overhead_ms", "layout", "sectors_per_track", "track_skew_sectors",
        "cyl_skew_sectors", "interleave", "bus", "overheads_ms", "cache", "scheduler", "raw_disksim_spec")
    sheet.check_needed(*NEEDED, *(() if "layout" in sheet else ("sectors_per_track",)))


def read_sheet(path: Path) -> DriveSheet:
    """The drive whose sheet is the file at *path*."""
    sheet = SheetSection(str(path), load(path))
    if "flash" in sheet or "front" in sheet:
        return DriveSheet(read_flash(sheet), None)
    _check_disc(sheet)
    bus = sheet.section("bus") if "bus" in sheet else None
    return DriveSheet(read_disc(sheet), bus.text("kind") if bus is not None and "kind" in bus else None)


def read_disc(sheet: SheetSection) -> DiscType:
    """The drive, with its buffer if the sheet has one."""
    sectors = sheet.whole("capacity_sectors", 1, MOST_BLOCKS)
    layout = read_layout(sheet) if "layout" in sheet else _single_zone(sheet)
    if layout.sectors != sectors:
        raise sheet.wrong("capacity_sectors", f"must be the {layout.sectors} blocks that the zones hold")
    source = ParameterSource("cited", f"the drive sheet {sheet.where}")
    keys = ("sector_bytes", "cylinders", "heads", "sectors_per_track", "track_skew", "cylinder_skew", "rpm", "seek",
             "head_switch", "write_settle", "overhead", "buffer")
    return DiscType(
        name=sheet.text("name"),
        layout=layout,
        rpm=sheet.number("rpm", SLOWEST_RPM, FASTEST_RPM),
        seek=_seek(sheet.section("seek"), layout.cylinders),
        head_switch=sheet.number("head_switch_ms", 0.0, LONGEST_MS) * MS,
        write_settle=sheet.number("write_settle_extra_ms", -LONGEST_MS, LONGEST_MS, missing=0.0) * MS,
        overhead=_overhead(sheet) * MS,
        buffer=read_buffer(sheet),
        sources=dict.fromkeys(keys, source),
        notes=not_modelled(sheet),
    )


def _overhead(sheet: SheetSection) -> float:
    """Milliseconds that every command takes; a sheet has them in one place or the other, or not at all."""
    at_top = sheet.number("command_overhead_ms", 0.0, LONGEST_MS, missing=0.0)
    if "overheads_ms" not in sheet:
        return at_top
    return at_top + sheet.section("overheads_ms").number("per_request", 0.0, LONGEST_MS, missing=0.0)


def _seek(section: SheetSection, cylinders: int) -> SeekCurve:
    """A curve by formula where the sheet has one, which then is exact; else the measured points."""
    curve = _formula(section) if "break_cyl" in section else _points(section)
    bends = (len(curve.first) + 1, curve.bend) if isinstance(curve, TwoPartSeek) else ()
    for distance in (*bends, cylinders - 1):
        if curve(1) > 0.0 and 0 < distance < cylinders and curve(distance) == 0.0:
            raise UserError(f"{section.where}: over {distance} cylinders the arm takes less than nothing, and over one "
                            f"{curve(1) / MS:g} ms")
    return curve


def _points(section: SheetSection) -> TableSeek:
    points = tuple((distance, ms * MS) for distance, ms in section.points("points_cyl_ms", 0.0, LONGEST_MS))
    if points in ((), ((0, 0.0),)):
        raise section.wrong("points_cyl_ms", "must have a pair of cylinders and milliseconds")
    with section.errors():
        return TableSeek(points if points[:1] == ((0, 0.0),) else ((0, 0.0), *points))


def _formula(section: SheetSection) -> TwoPartSeek:
    section.check_keys(
        "first_ten_ms", "one_cyl_ms", "break_cyl", "sqrt_const_ms", "sqrt_coeff", "lin_const_ms", "lin_coeff",
        "points_cyl_ms")
    if "first_ten_ms" in section:
        first = section.numbers("first_ten_ms", 0.0, LONGEST_MS)
    else:
        first = (section.number("one_cyl_ms", 0.0, LONGEST_MS),)
    root, root_each, line, line_each = (
        section.number(key, -LONGEST_MS, LONGEST_MS) * MS
        for key in ("sqrt_const_ms", "sqrt_coeff", "lin_const_ms", "lin_coeff"))
    bend = section.whole("break_cyl", 1, MOST_CYLINDERS)
    with section.errors():
        return TwoPartSeek(tuple(ms * MS for ms in first), bend, (root, root_each), (line, line_each))


def _single_zone(sheet: SheetSection) -> Layout:
    """A disc that is filled from its first sector to its last; without a skew of cylinders, that of tracks is it."""
    per_track = sheet.whole("sectors_per_track", 1, MOST_SECTORS)
    if "interleave" in sheet:
        sheet.whole("interleave", 1, 1)
    track_skew = sheet.number("track_skew_sectors", 0.0, per_track, missing=0.0)
    cylinder_skew = sheet.number("cyl_skew_sectors", 0.0, per_track, missing=track_skew)
    cylinders, heads = sheet.whole("cylinders", 1, MOST_CYLINDERS), sheet.whole("heads", 1, MOST_HEADS)
    sector_bytes = sheet.whole("sector_bytes", 1, MOST_SECTOR_BYTES)
    with sheet.errors():
        return Layout(cylinders, heads, sector_bytes, (Zone(0, per_track, track_skew, cylinder_skew),))
