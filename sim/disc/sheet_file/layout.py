"""Reads the layout of a disc from a drive file: zones with bad and spare sectors, zones by rule, or one zone."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from spindle.sim.disc.layout import HeadOrder, Layout, Zone, zoned
from spindle.sim.disc.sheet_file.section import SheetSection
from spindle.sim.disc.sparing import SPARINGS, Sparing, Surface

# Bounds beyond which a number is taken for a typing error.
MAX_CYLINDERS, MAX_HEADS, MAX_SECTORS = 1_000_000, 1000, 100_000
MAX_SHEET_BLOCKS, MAX_SECTOR_BYTES = 1 << 40, 1 << 20
MAX_ZONES = 1000

Kind = TypeVar("Kind")


class _ZoneSheet:
    """One zone as a drive file describes it."""

    def __init__(self, section: SheetSection, heads: int) -> None:
        section.check_keys(
            "first_cyl", "last_cyl", "sectors_per_track", "first_lba", "last_lba", "track_skew_sectors",
            "cyl_skew_sectors", "offset_of_first_block_sectors", "empty_sectors_at_front", "spares", "slips", "defects")
        self.section = section
        self.first = section.whole_number("first_cyl", 0, MAX_CYLINDERS)
        self.last = section.whole_number("last_cyl", self.first, MAX_CYLINDERS)
        self.first_block = section.whole_number("first_lba", 0, MAX_SHEET_BLOCKS)
        self.last_block = section.whole_number("last_lba", self.first_block, MAX_SHEET_BLOCKS)
        self.blocks = self.last_block - self.first_block + 1
        self.per_track = section.whole_number("sectors_per_track", 1, MAX_SECTORS)
        self.empty = section.whole_number("empty_sectors_at_front", 0, MAX_SHEET_BLOCKS)
        defects = section.wholes("defects", 0, MAX_SHEET_BLOCKS)
        if len(defects) % 2:
            raise section.wrong("defects", "must be pairs of a bad place and the one used instead")
        pairs = zip(defects[::2], defects[1::2], strict=True)
        self.surface = Surface(
            self.last - self.first + 1, heads, self.per_track, section.whole_number("spares", 0, MAX_SHEET_BLOCKS),
            section.wholes("slips", 0, MAX_SHEET_BLOCKS),
            tuple((bad, instead) for bad, instead in pairs if bad != instead),
        )

    def zone(self, sparing: Sparing, range_cylinders: int) -> Zone:
        track_skew, cylinder_skew, offset = (
            self.section.number(key, 0.0, self.per_track)
            for key in ("track_skew_sectors", "cyl_skew_sectors", "offset_of_first_block_sectors"))
        with self.section.errors():
            surface = replace(self.surface, range_cylinders=range_cylinders)
            return Zone(self.first, self.per_track, track_skew, cylinder_skew, offset,
                        sparing.stretches(surface, self.empty, self.blocks))


def read_layout(sheet: SheetSection) -> Layout:
    return _zones(sheet) if "layout" in sheet else _single_zone(sheet)


def _zones(sheet: SheetSection) -> Layout:
    cylinders, heads = sheet.whole_number("cylinders", 1, MAX_CYLINDERS), sheet.whole_number("heads", 1, MAX_HEADS)
    section = sheet.section("layout")
    if isinstance(section.values.get("zones"), int):
        return _zones_by_rule(sheet, section, heads)
    section.check_keys("disksim_mapping", "disksim_sparing", "zones")
    orders = {int(each): each for each in HeadOrder}
    order = _read_code(section, "disksim_mapping", orders, lambda order: order.name.lower())
    sparing = _read_code(section, "disksim_sparing", SPARINGS, lambda sparing: sparing.name)
    zones = [_ZoneSheet(zone, heads) for zone in section.sections("zones")]
    _check(section, zones, cylinders)
    size = _range_cylinders(section, zones) if sparing is SPARINGS[8] else 1
    made = tuple(zone.zone(sparing, size) for zone in zones)
    sector_bytes = sheet.whole_number("sector_bytes", 1, MAX_SECTOR_BYTES)
    with section.errors():
        return Layout(max(cylinders, zones[-1].last + 1), heads, sector_bytes, made, order)


def _read_code(section: SheetSection, key: str, kinds: Mapping[int, Kind], name: Callable[[Kind], str]) -> Kind:
    code = section.whole_number(key, 0, 1 << 31)
    if code not in kinds:
        listed = "; ".join(f"{number} is {name(kind)}" for number, kind in kinds.items())
        raise section.wrong(key, f"must be one of these numbers ({listed})")
    return kinds[code]


def _check(section: SheetSection, zones: list[_ZoneSheet], cylinders: int) -> None:
    """Check that zones follow each other; cylinders may lie unused between them, blocks may not be missing."""
    if not zones:
        raise section.wrong("zones", "must have at least one")
    for key, first in (("first_cyl", zones[0].first), ("first_lba", zones[0].first_block)):
        if first != 0:
            raise zones[0].section.wrong(key, "must be 0 in the first zone")
    for before, after in pairwise(zones):
        if after.first <= before.last:
            raise after.section.wrong("first_cyl", f"must be beyond cylinder {before.last} of the zone before")
        if after.first_block != before.last_block + 1:
            raise after.section.wrong("first_lba", f"must be {before.last_block + 1}, next to the zone before")
    # One more is let pass: there are sheets whose number of cylinders is that of the last one.
    if zones[-1].last > cylinders:
        raise zones[-1].section.wrong("last_cyl", f"must be one of the {cylinders} cylinders")


def _range_cylinders(section: SheetSection, zones: list[_ZoneSheet]) -> int:
    """Derive the number of cylinders that share spares from the numbers of blocks of the sheet's zones.

    A zone of c cylinders has c // size whole ranges, and each leaves out as many sectors as it has spares.
    """
    low, high = 1, MAX_CYLINDERS
    for zone in zones:
        surface = zone.surface
        if surface.spares:
            ranges, rest = divmod(surface.sectors - zone.empty - zone.blocks, surface.spares)
            if rest or ranges < 0:
                raise zone.section.wrong("spares", f"must divide the {surface.sectors - zone.empty - zone.blocks} "
                                         "sectors without a block evenly among ranges of cylinders")
            low = max(low, surface.cylinders // (ranges + 1) + 1)
            high = min(high, surface.cylinders // ranges if ranges else high)
    if low > high:
        raise section.wrong("zones", "must all have spares for ranges of equally many cylinders")
    return high


def _zones_by_rule(sheet: SheetSection, section: SheetSection, heads: int) -> Layout:
    """The layout of a drive of which only the sectors of its first and last track are known."""
    section.check_keys("zones", "outer_sectors_per_track", "inner_sectors_per_track", "skew_revolutions")
    zones = section.whole_number("zones", 2, MAX_ZONES)
    outer, inner = (section.whole_number(f"{side}_sectors_per_track", 1, MAX_SECTORS) for side in ("outer", "inner"))
    skew = section.number("skew_revolutions", 0.0, 1.0, missing=0.0)
    sectors = sheet.whole_number("capacity_sectors", 1, MAX_SHEET_BLOCKS)
    sector_bytes = sheet.whole_number("sector_bytes", 1, MAX_SECTOR_BYTES)
    with section.errors():
        layout = zoned(sectors, heads, sector_bytes, outer, inner, zones, skew)
    if sheet.values["cylinders"] != layout.cylinders:
        raise sheet.wrong("cylinders", f"must be the {layout.cylinders} that such zones have")
    return layout


def _single_zone(sheet: SheetSection) -> Layout:
    """A disc that is filled from its first sector to its last; the cylinder skew, if not given, is the track skew."""
    per_track = sheet.whole_number("sectors_per_track", 1, MAX_SECTORS)
    if "interleave" in sheet:
        sheet.whole_number("interleave", 1, 1)
    track_skew = sheet.number("track_skew_sectors", 0, per_track, missing=0)
    cylinder_skew = sheet.number("cyl_skew_sectors", 0.0, per_track, missing=track_skew)
    cylinders, heads = sheet.whole_number("cylinders", 1, MAX_CYLINDERS), sheet.whole_number("heads", 1, MAX_HEADS)
    sector_bytes = sheet.whole_number("sector_bytes", 1, MAX_SECTOR_BYTES)
    with sheet.errors():
        return Layout(cylinders, heads, sector_bytes, (Zone(0, per_track, track_skew, cylinder_skew),))
