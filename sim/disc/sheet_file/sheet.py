"""Reads a drive file (YAML), checks each key, and makes the type of a disc or solid-state drive."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.planning import MAX_AHEAD, MAX_TAGS, MAX_WRITES, DriveQueue
from spindle.sim.disc.seek import LinearSeek, PowerSeek, SeekCurve, TableSeek, TwoPartSeek
from spindle.sim.disc.sheet_file.buffer import read_buffer
from spindle.sim.disc.sheet_file.extracted import RULES_OF_EXTRACTED, DiscChange
from spindle.sim.disc.sheet_file.flash import read_flash, read_year
from spindle.sim.disc.sheet_file.layout import MAX_CYLINDERS, MAX_SHEET_BLOCKS, read_layout
from spindle.sim.disc.sheet_file.section import FOR_PEOPLE, RAW, SOURCES, SheetSection, load, not_modelled
from spindle.sim.error import UserError
from spindle.sim.units import MS

# Bounds beyond which a number is taken for a typing error.
LONGEST_MS = 100_000.0
SLOWEST_RPM, FASTEST_RPM = 1.0, 1_000_000.0

MEAN_SEEKS = 3
"""Mean seeks in one over all cylinders: two random places on a line are a third of it apart on average. A table that
ends before the mean seek, the average of data sheets, is warned of.
"""
TEMPLATE = Path(__file__).with_name("template.yaml")
"""A drive file with its keys explained, for a drive of one zone."""
TEMPLATES = {"disc": TEMPLATE, "flash": Path(__file__).with_name("flash.yaml")}


def sheets_to_copy() -> dict[str, Path]:
    """Return the templates, and the files of the drives that have names."""
    folders = (Path(__file__).parents[1] / name for name in ("sheets", "flash/sheets"))
    return TEMPLATES | {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}


PRINTED_SEEKS = ("minimum_ms", "average_ms", "maximum_ms")
"""The seeks that makers print: to the next cylinder, on average, over all."""
NEEDED_KEYS = ("name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "head_switch_ms", "seek")


@dataclass(frozen=True)
class DriveSheet:
    """A drive as its file describes it, and the *bus* that several of them share, if the file names one.

    With a *queue*, the drive itself schedules the requests that it has accepted.
    """

    disc: DriveType
    bus: str | None
    queue: DriveQueue | None = None


def _check_disc(sheet: SheetSection) -> None:
    sheet.check_keys(
        "name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "head_switch_ms", "seek",
        "write_settle_extra_ms", "command_overhead_ms", "layout", "sectors_per_track", "track_skew_sectors",
        "cyl_skew_sectors", "interleave", "bus", "overheads_ms", "cache", "scheduler", "queue", RAW,
        SOURCES, *FOR_PEOPLE, "notes", "year")
    sheet.check_needed(*NEEDED_KEYS, *(() if "layout" in sheet else ("sectors_per_track",)))


def read_sheet(path: Path | str, rules: Sequence[DiscChange] = RULES_OF_EXTRACTED) -> DriveSheet:
    """Read the drive whose sheet is the file at *path*; *rules* are for sheets that DiskSim's were turned into.

    >>> read_sheet("examples/drive.yaml").disc.name
    'A drive of my own'
    """
    path = Path(path)
    sheet = SheetSection(str(path), load(path))
    read = DriveSheet(read_flash(sheet), None) if "flash" in sheet or "front" in sheet else _read_disc(sheet, rules)
    sheet.warn_of_unread()
    return read


def _read_disc(sheet: SheetSection, rules: Sequence[DiscChange]) -> DriveSheet:
    _check_disc(sheet)
    bus = sheet.section("bus") if "bus" in sheet else None
    kind = bus.text("kind") if bus is not None and "kind" in bus else None
    disc = read_disc(sheet)
    for rule in rules if RAW in sheet else ():
        disc = rule(disc)
    return DriveSheet(disc, kind, _queue(sheet.section("queue")) if "queue" in sheet else None)


def _queue(section: SheetSection) -> DriveQueue:
    """Read the drive's queue and write cache; without ``ageing_ms_per_s`` it orders by seeks alone."""
    section.check_keys("tags", "planned_ahead", "ageing_ms_per_s", "writes_cached")
    ageing = section.seconds("ageing_ms_per_s", 0.0, LONGEST_MS) if "ageing_ms_per_s" in section else None
    with section.errors():
        tags = section.whole_number("tags", 1, MAX_TAGS, missing=32)
        ahead = section.whole_number("planned_ahead", 1, MAX_AHEAD, missing=1)
        writes = section.whole_number("writes_cached", 0, MAX_WRITES, missing=0)
        return DriveQueue(tags, ahead, ageing, writes)


def read_disc(sheet: SheetSection) -> DiscType:
    """Read the disc, with its buffer if the file has one."""
    sectors = sheet.whole_number("capacity_sectors", 1, MAX_SHEET_BLOCKS)
    layout = read_layout(sheet)
    if layout.sectors != sectors:
        raise sheet.wrong("capacity_sectors", f"must be the {layout.sectors} blocks that the zones hold")
    keys = ("sector_bytes", "cylinders", "heads", "sectors_per_track", "track_skew", "cylinder_skew", "rpm", "seek",
             "head_switch", "write_settle", "overhead", "buffer")
    return DiscType(
        name=sheet.text("name"),
        layout=layout,
        rpm=sheet.number("rpm", SLOWEST_RPM, FASTEST_RPM),
        seek=_seek(sheet.section("seek"), layout.cylinders),
        head_switch=sheet.seconds("head_switch_ms", 0.0, LONGEST_MS),
        write_settle=sheet.seconds("write_settle_extra_ms", -LONGEST_MS, LONGEST_MS, missing=0.0),
        overhead=_overhead(sheet),
        buffer=read_buffer(sheet),
        sources=sheet.sources(keys),
        notes=" ".join(note for note in (sheet.text("notes", missing=""), not_modelled(sheet)) if note),
        year=read_year(sheet),
    )


def _overhead(sheet: SheetSection) -> float:
    """Read the seconds that every command takes; a file has them in one of two places, or not at all."""
    at_top = sheet.seconds("command_overhead_ms", 0.0, LONGEST_MS, missing=0.0)
    if "overheads_ms" not in sheet:
        return at_top
    return at_top + sheet.section("overheads_ms").number("per_request", 0.0, LONGEST_MS, missing=0.0) * MS


def _seek(section: SheetSection, cylinders: int) -> SeekCurve:
    """Read the seek curve: by a formula, through the times that makers print, or else by measured points."""
    curve = (_formula(section) if "break_cyl" in section else
             _printed_times(section, cylinders) if any(key in section for key in PRINTED_SEEKS) else
             _points(section))  # fmt: skip
    bends = (len(curve.first) + 1, curve.bend) if isinstance(curve, TwoPartSeek) else ()
    for distance in (*bends, cylinders - 1):
        if curve(1) > 0.0 and 0 < distance < cylinders and curve(distance) == 0.0:
            raise UserError(f"{section.where}: over {distance} cylinders the arm takes less than nothing, and over one "
                            f"{curve(1) / MS:g} ms")
    last = curve.points[-1][0] if isinstance(curve, TableSeek) else cylinders - 1
    if MEAN_SEEKS * last < cylinders - 1 and curve(cylinders - 1) > curve(last):
        warnings.warn(f"{section.where}: the points end at {last} of {cylinders - 1} cylinders, and the line goes on "
                      f"to {curve(cylinders - 1) / MS:g} ms", stacklevel=2)
    return curve


def _printed_times(section: SheetSection, cylinders: int) -> SeekCurve:
    """Fit a power law to the seeks to the next cylinder, on average and over all; without the average, a line."""
    section.check_keys(*PRINTED_SEEKS)
    least, most = (section.seconds(f"{which}_ms", 0.0, LONGEST_MS) for which in ("minimum", "maximum"))
    with section.errors():
        if "average_ms" not in section:
            return LinearSeek(least, most, cylinders)
        return PowerSeek.fit(least, section.seconds("average_ms", 0.0, LONGEST_MS), most, cylinders)


def _points(section: SheetSection) -> TableSeek:
    section.check_keys("points_cyl_ms")
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
        first = tuple(ms * MS for ms in section.numbers("first_ten_ms", 0.0, LONGEST_MS))
    else:
        first = (section.seconds("one_cyl_ms", 0.0, LONGEST_MS),)
    root, line = (section.seconds(f"{kind}_const_ms", -LONGEST_MS, LONGEST_MS) for kind in ("sqrt", "lin"))
    root_each, line_each = (section.number(f"{kind}_coeff", -LONGEST_MS, LONGEST_MS) * MS for kind in ("sqrt", "lin"))
    bend = section.whole_number("break_cyl", 1, MAX_CYLINDERS)
    with section.errors():
        return TwoPartSeek(first, bend, (root, root_each), (line, line_each))
