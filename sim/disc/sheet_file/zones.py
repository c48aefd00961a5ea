"""The ``layout`` section of a drive sheet: its zones, with their bad and spare sectors, become the layout of a disc."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from sim.disc.heads import HEAD_ORDERS
from sim.disc.layout import Layout
from sim.disc.sheet_file.section import SheetSection
from sim.disc.sparing import SPARINGS, Sparing, Surface
from sim.disc.zone import Zone

# Bounds beyond which a number is a slip of the pen.
MOST_CYLINDERS, MOST_HEADS, MOST_SECTORS, MOST_BLOCKS, MOST_SECTOR_BYTES = 1_000_000, 1000, 100_000, 1 << 40, 1 << 20

Kind = TypeVar("Kind")


class _ZoneSheet:
    """One zone of a sheet."""

    def __init__(self, section: SheetSection, heads: int) -> None:
        section.check_keys(
            "first_cyl", "last_cyl", "sectors_per_track", "first_lba", "last_lba", "track_skew_sectors",
            "cyl_skew_sectors", "offset_of_first_block_sectors", "empty_sectors_at_front", "spares", "slips", "defects")
        self.section = section
        self.first = section.whole("first_cyl", 0, MOST_CYLINDERS)
        self.last = section.whole("last_cyl", self.first, MOST_CYLINDERS)
        self.first_block = section.whole("first_lba", 0, MOST_BLOCKS)
        self.last_block = section.whole("last_lba", self.first_block, MOST_BLOCKS)
        self.blocks = self.last_block - self.first_block + 1
        self.per_track = section.whole("sectors_per_track", 1, MOST_SECTORS)
        self.empty = section.whole("empty_sectors_at_front", 0, MOST_BLOCKS)
        defects = section.wholes("defects", 0, MOST_BLOCKS)
        if len(defects) % 2:
            raise section.wrong("defects", "must be pairs of a bad place and the one used instead")
        pairs = zip(defects[::2], defects[1::2], strict=True)
        self.surface = Surface(
            self.last - self.first + 1, heads, self.per_track, section.whole("spares", 0, MOST_BLOCKS),
            section.wholes("slips", 0, MOST_BLOCKS), tuple((bad, instead) for bad, instead in pairs if bad != instead))

    def zone(self, sparing: Sparing, range_cylinders: int) -> Zone:
        track_skew, cylinder_skew, offset = (
            self.section.number(key, 0.0, self.per_track)
            for key in ("track_skew_sectors", "cyl_skew_sectors", "offset_of_first_block_sectors"))
        with self.section.errors():
            surface = replace(self.surface, range_cylinders=range_cylinders)
            return Zone(self.first, self.per_track, track_skew, cylinder_skew, offset,
                        sparing.stretches(surface, self.empty, self.blocks))


def read_layout(sheet: SheetSection) -> Layout:
    """The layout of a *sheet* that describes its zones."""
    cylinders, heads = sheet.whole("cylinders", 1, MOST_CYLINDERS), sheet.whole("heads", 1, MOST_HEADS)
    section = sheet.section("layout")
    section.check_keys("disksim_mapping", "disksim_sparing", "zones")
    order = _coded(section, "disksim_mapping", HEAD_ORDERS, lambda order: order.__name__)
    sparing = _coded(section, "disksim_sparing", SPARINGS, lambda sparing: sparing.name)
    zones = [_ZoneSheet(zone, heads) for zone in section.sections("zones")]
    _check(section, zones, cylinders)
    size = _range_cylinders(section, zones) if sparing is SPARINGS[8] else 1
    made = tuple(zone.zone(sparing, size) for zone in zones)
    sector_bytes = sheet.whole("sector_bytes", 1, MOST_SECTOR_BYTES)
    with section.errors():
        return Layout(max(cylinders, zones[-1].last + 1), heads, sector_bytes, made, order)


def _coded(section: SheetSection, key: str, kinds: Mapping[int, Kind], name: Callable[[Kind], str]) -> Kind:
    """What the number at *key* stands for."""
    code = section.whole(key, 0, 1 << 31)
    if code not in kinds:
        listed = "; ".join(f"{number} is {name(kind)}" for number, kind in kinds.items())
        raise section.wrong(key, f"must be one of these numbers ({listed})")
    return kinds[code]


def _check(section: SheetSection, zones: list[_ZoneSheet], cylinders: int) -> None:
    """Zones follow each other; cylinders may lie unused between them, blocks may not be missing."""
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
    """How many cylinders share spares, derived from the number of blocks of the sheet's zones.

    A zone of c cylinders has c // size whole ranges, and each leaves out as many sectors as it has spares.
    """
    low, high = 1, MOST_CYLINDERS
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
    return high if high < MOST_CYLINDERS else low
