"""Reads a drive's sheet from a YAML file, checks each key, and makes the data sheet of a disc or solid-state drive.

The parts of a sheet are layout, buffer, flash and seek curve.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from spindle.sim.disc.buffer_sheet import (
    MAX_SEGMENTS,
    After,
    BlocksAhead,
    Buffer,
    BufferReadAhead,
    CylinderEnd,
    HostLink,
    ImmediateReporting,
    Nothing,
    Overheads,
    SecondDisconnect,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheet import (
    MAX_BLOCKS,
    MAX_UNITS,
    Choices,
    Cleaning,
    CostBenefit,
    FlashType,
    Front,
    Greedy,
    Nand,
    nvme,
    sata,
)
from spindle.sim.disc.layout import HeadOrder, Layout, Zone
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.planning import MAX_AHEAD, MAX_TAGS, MAX_WRITES, DriveQueue
from spindle.sim.disc.seek import SeekCurve, TableSeek, TwoPartSeek
from spindle.sim.disc.sheet_file.section import SheetSection, load, not_modelled
from spindle.sim.disc.sparing import SPARINGS, Sparing, Surface
from spindle.sim.error import UserError, unknown
from spindle.sim.parameter import ParameterSource
from spindle.sim.units import MS, US

# The ``layout`` section of a drive sheet: its zones, with their bad and spare sectors, become the layout of a disc.

# Bounds beyond which a number is taken for a typing error.
MAX_CYLINDERS, MAX_HEADS, MAX_SECTORS = 1_000_000, 1000, 100_000
MAX_SHEET_BLOCKS, MAX_SECTOR_BYTES = 1 << 40, 1 << 20

Kind = TypeVar("Kind")


class _ZoneSheet:
    """One zone of a sheet."""

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
    """The layout of a *sheet* that describes its zones."""
    cylinders, heads = sheet.whole_number("cylinders", 1, MAX_CYLINDERS), sheet.whole_number("heads", 1, MAX_HEADS)
    section = sheet.section("layout")
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
    """Return the kind that the number at *key* stands for."""
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
    return high if high < MAX_CYLINDERS else low


# The buffer and the electronics in the file of a drive sheet, as a Buffer.

LONGEST_BUFFER_MS = 100_000.0
MAX_BUFFER_BLOCKS = 1 << 31

FIRST_BYTES = 3072
"""Bytes of a write that a drive collects before it writes. Fitted, one value for all, to where sequential writes of
three measured drives that report none early begin to lose a revolution: the C2247A with 6 or 7 sectors of 512 bytes. A
low water mark of 1, as the fourth has it, means all of it.
"""

_READ_AHEAD: dict[int, Callable[[int, int], BufferReadAhead]] = {
    0: lambda blocks, most: Nothing(),
    1: lambda blocks, most: TrackEnd(most),
    2: lambda blocks, most: CylinderEnd(most),
    3: lambda blocks, most: BlocksAhead(most),
    4: lambda blocks, most: TrackByTrack(),
}
"""Read-ahead by DiskSim's code, made from the blocks of a segment and the most blocks to read ahead."""

_CACHE = (
    "enabled", "segments", "segment_sectors", "max_read_ahead_sectors", "write_low_water_mark", "prefetch_code",
    "fast_write_code", "max_write_segments", "separate_write_segment", "prefetch_may_replace_requested_data",
    "keep_sectors_passing_before_request", "read_ahead_on_full_hit", "zero_latency_read", "read_hits_on_written_data",
    "read_high_water_mark", "min_read_ahead_sectors",
)  # fmt: skip
_BUS = ("kind", "read_ms_per_sector", "write_ms_per_sector", "drive_ms_per_sector")

_REPORTS = {0: None, 1: ImmediateReporting(), 2: ImmediateReporting(intermixed=True)}


def read_buffer(sheet: SheetSection) -> Buffer | None:
    """The buffer and the electronics of *sheet*; None where it has neither."""
    caches = "cache" in sheet and sheet.section("cache").flag("enabled")
    if not caches and "overheads_ms" not in sheet:
        return None
    with sheet.errors():
        overheads = _overheads(sheet)
        plain = Buffer(0, MAX_BUFFER_BLOCKS, overheads, _link(sheet.section("bus")))
        return _caching(sheet, sheet.section("cache"), plain) if caches else plain


def _caching(sheet: SheetSection, cache: SheetSection, plain: Buffer) -> Buffer:
    """Add the sheet's cache to *plain*, which only matches the speed of medium and link."""
    cache.check_keys(*_CACHE)
    segments = cache.whole_number("segments", 1, MAX_SEGMENTS)
    blocks = cache.whole_number("segment_sectors", 1, MAX_BUFFER_BLOCKS)
    key = "min_read_ahead_sectors"
    min_ahead = cache.whole_number(key, 0, MAX_BUFFER_BLOCKS) if key in cache else 0
    ahead = max(cache.whole_number("max_read_ahead_sectors", 0, MAX_BUFFER_BLOCKS), min_ahead)
    everything = cache.number("write_low_water_mark", 0.0, 1.0) == 1.0
    return replace(
        plain,
        segments=segments,
        blocks=blocks,
        read_ahead=_READ_AHEAD[cache.whole_number("prefetch_code", 0, 4)](blocks, ahead or blocks),
        reports=_REPORTS[cache.whole_number("fast_write_code", 0, 2)],
        write_segments=cache.whole_number("max_write_segments", 1, MAX_SEGMENTS),
        own_write_segment=cache.flag("separate_write_segment") and segments > 1,
        keeps_requested=not cache.flag("prefetch_may_replace_requested_data"),
        keeps_passing=cache.flag("keep_sectors_passing_before_request"),
        goes_on=cache.flag("read_ahead_on_full_hit"),
        least_ahead=min_ahead,
        starts_anywhere=cache.flag("zero_latency_read"),
        reads_written=cache.flag("read_hits_on_written_data"),
        holds=blocks if everything else max(1, FIRST_BYTES // sheet.whole_number("sector_bytes", 1, MAX_BUFFER_BLOCKS)),
        high_water=cache.number("read_high_water_mark", 0.0, 1.0),
    )


def _link(bus: SheetSection) -> HostLink:
    """Read the link to the host: the slower of the bus and the drive's side of it decides."""
    bus.check_keys(*_BUS)
    drive = bus.number("drive_ms_per_sector", 0.0, LONGEST_BUFFER_MS, missing=0.0)
    reading, writing = (bus.number(f"{way}_ms_per_sector", 0.0, LONGEST_BUFFER_MS) for way in ("read", "write"))
    return HostLink(max(reading, drive) * MS, max(writing, drive) * MS)


_OVERHEADS = (
    "per_request", "data_preparation", "first_reselect", "other_reselect", "read_completion", "write_completion",
    "minimum_seek_delay", "write_disconnect", *(
        f"{what}_after_{before}" for before in ("read", "write")
        for what in ("read_hit", "read_miss", "write_hit", "write_miss", "read_disconnect"))
)  # fmt: skip


def _overheads(sheet: SheetSection) -> Overheads:
    """Read the overheads in seconds; missing ones are 0, and so is ``write_disconnect``, a write that leaves the bus.
    """
    times = sheet.section("overheads_ms")
    times.check_keys(*_OVERHEADS)

    def one(key: str) -> float:
        return times.number(key, 0.0, LONGEST_BUFFER_MS, missing=0.0) * MS

    def read_after(key: str) -> After:
        return After(one(f"{key}_after_read"), one(f"{key}_after_write"))

    return Overheads(
        read_hit=read_after("read_hit"), read_miss=read_after("read_miss"), write=read_after("write_miss"),
        report=read_after("write_hit"),
        reading_off=read_after("read_disconnect"), preparation=one("data_preparation"), reselect=one("first_reselect"),
        reselect_again=one("other_reselect"), read_done=one("read_completion"), write_done=one("write_completion"),
        to_medium=one("minimum_seek_delay"), second_disconnect=_second_disconnect(sheet),
    )


def _second_disconnect(sheet: SheetSection) -> SecondDisconnect | None:
    """Read the second disconnect, which only the raw words of DiskSim's sheets describe."""
    words = "raw_disksim_spec"
    if words not in sheet or "Extra write disconnect" not in sheet.section(words):
        return None
    raw = sheet.section(words)
    if not raw.whole_number("Extra write disconnect", 0, 1):
        return None
    command, disconnect, interval, delay = (
        raw.number(f"Extradisc {what}", 0.0, LONGEST_BUFFER_MS) * MS
        for what in ("command overhead", "disconnect overhead", "inter-disconnect delay", "seek delta"))
    return SecondDisconnect(command, disconnect, interval, delay)


# The sheet of a solid-state drive in a file: its flash, its host interface (front), and its controller.

LONGEST_US = 1e6
FASTEST_MB = 1e6
LARGEST_BUFFER = 1 << 40
MAX_QUEUES = 1 << 16
CLEANING: Mapping[str, Cleaning] = {
    "greedy": Greedy(), "cost-benefit": CostBenefit(), **{f"best-of-{d}": Choices(d) for d in range(1, 33)},
}  # fmt: skip
FLASH_KEYS = ("name", "sector_bytes", "capacity_sectors", "flash", "front", "unit_bytes", "buffer_bytes",
              "buffer_survives", "map_pages", "cleaning", "reserve_blocks", "flush_units")  # fmt: skip
NAND_KEYS = ("channels", "ways", "planes", "blocks", "pages", "page_bytes", "read_us", "program_us", "erase_us",
             "bus_mb_s")  # fmt: skip
FRONT_KEYS = ("kind", "rate_mb_s", "command_us", "write_rate_mb_s", "write_command_us", "queues", "entries",
              "write_handling_us")
FLASH_TEMPLATE = "--template flash"
DISC_KEYS = ("cylinders", "heads", "rpm", "seek", "layout", "head_switch_ms", "sectors_per_track", "bus")
"""Keys of discs alone."""


def read_flash(sheet: SheetSection) -> FlashType:
    """The drive that *sheet* describes."""
    sheet.check_keys(*FLASH_KEYS)
    if strange := [key for key in DISC_KEYS if key in sheet]:
        raise UserError(f"{sheet.where}.{strange[0]}: flash has none; a sheet describes a disc or flash, and this has "
                        "the section flash")  # fmt: skip
    size = sheet.whole_number("sector_bytes", 1, 1 << 20)
    name = sheet.text("name")
    with sheet.errors():
        return FlashType(
            name=name,
            nand=_nand(sheet.section("flash")),
            front=_front(sheet.section("front")),
            capacity=sheet.whole_number("capacity_sectors", 1, MAX_UNITS) * size,
            unit=_optional_whole(sheet, "unit_bytes", 4096, 1 << 30),
            sector_bytes=size,
            buffer=_optional_whole(sheet, "buffer_bytes", 1 << 20, LARGEST_BUFFER),
            buffer_survives=sheet.flag("buffer_survives") if "buffer_survives" in sheet else False,
            map_pages=sheet.whole_number("map_pages", 1, MAX_UNITS) if "map_pages" in sheet else None,
            cleaning=_cleaning(sheet),
            reserve=_optional_whole(sheet, "reserve_blocks", 2, MAX_BLOCKS),
            flush=_optional_whole(sheet, "flush_units", 1, LARGEST_BUFFER),
            sources=dict.fromkeys(NAND_KEYS + FRONT_KEYS, ParameterSource("cited", f"the drive sheet {sheet.where}")),
        )


def _optional_whole(sheet: SheetSection, key: str, usual: int, most: int) -> int:
    return sheet.whole_number(key, 1, most) if key in sheet else usual


def _nand(section: SheetSection) -> Nand:
    section.check_keys(*NAND_KEYS)
    section.check_needed(*NAND_KEYS, template=FLASH_TEMPLATE)
    channels, ways, planes, blocks, pages, page_bytes = (section.whole_number(key, 1, 1 << 24) for key in NAND_KEYS[:6])
    read, program, erase = (section.number(key, 0.0, LONGEST_US) * US for key in NAND_KEYS[6:9])
    with section.errors():
        return Nand(channels, ways, planes, blocks, pages, page_bytes, read, program, erase,
                    section.number("bus_mb_s", 0.0, FASTEST_MB) * 1e6)  # fmt: skip


def _front(section: SheetSection) -> Front:
    section.check_keys(*FRONT_KEYS)
    section.check_needed(*FRONT_KEYS[:3], template=FLASH_TEMPLATE)
    kind, rate = section.text("kind"), section.number("rate_mb_s", 0.0, FASTEST_MB)
    command = section.number("command_us", 0.0, LONGEST_US)
    write = (section.number("write_rate_mb_s", 0.0, FASTEST_MB, missing=rate) * 1e6,
             section.number("write_command_us", 0.0, LONGEST_US, missing=command) * US)  # fmt: skip
    if kind == "SATA" and (strange := [key for key in ("queues", "entries") if key in section]):
        raise section.wrong(strange[0], "is of NVMe; SATA has one queue of 32 tags")
    handling = section.number("write_handling_us", 0.0, LONGEST_US) * US if "write_handling_us" in section else None
    with section.errors():
        if kind == "SATA":
            return replace(sata(rate * 1e6, command * US, write), write_handling=handling)
        if kind == "NVMe":
            queues = _optional_whole(section, "queues", 8, MAX_QUEUES)
            entries = _optional_whole(section, "entries", 128, MAX_QUEUES)
            return replace(nvme(rate * 1e6, command * US, queues, entries, write), write_handling=handling)
    raise UserError(f"{section.where}: {unknown('kind', kind, ('SATA', 'NVMe'))}")


def _cleaning(sheet: SheetSection) -> Cleaning:
    name = sheet.text("cleaning") if "cleaning" in sheet else "greedy"
    if name not in CLEANING:
        raise UserError(f"{sheet.where}: {unknown('cleaning', name, ('greedy', 'cost-benefit', 'best-of-10'))}")
    return CLEANING[name]


# Bounds beyond which a number is taken for a typing error.
LONGEST_MS = 100_000.0
SLOWEST_RPM, FASTEST_RPM = 1.0, 1_000_000.0

TEMPLATE = Path(__file__).with_name("template.yaml")
"""A sheet with its keys explained, for a drive of one zone."""
TEMPLATES = {"disc": TEMPLATE, "flash": Path(__file__).with_name("flash.yaml")}
NEEDED = ("name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "head_switch_ms", "seek")


@dataclass(frozen=True)
class DriveSheet:
    """A drive as its sheet describes it, and the *bus* that several of them share, if the sheet names one.

    With a *queue*, the drive itself plans the requests that it was given.
    """

    disc: DriveType
    bus: str | None
    queue: DriveQueue | None = None


def _check_disc(sheet: SheetSection) -> None:
    sheet.check_keys(
        "name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "head_switch_ms", "seek",
        "write_settle_extra_ms", "command_overhead_ms", "layout", "sectors_per_track", "track_skew_sectors",
        "cyl_skew_sectors", "interleave", "bus", "overheads_ms", "cache", "scheduler", "queue", "raw_disksim_spec")
    sheet.check_needed(*NEEDED, *(() if "layout" in sheet else ("sectors_per_track",)))


def read_sheet(path: Path | str) -> DriveSheet:
    """The drive whose sheet is the file at *path*.

    >>> read_sheet("examples/drive.yaml").disc.name
    'A drive of my own'
    """
    path = Path(path)
    sheet = SheetSection(str(path), load(path))
    if "flash" in sheet or "front" in sheet:
        return DriveSheet(read_flash(sheet), None)
    _check_disc(sheet)
    bus = sheet.section("bus") if "bus" in sheet else None
    kind = bus.text("kind") if bus is not None and "kind" in bus else None
    return DriveSheet(read_disc(sheet), kind, _queue(sheet.section("queue")) if "queue" in sheet else None)


def _queue(section: SheetSection) -> DriveQueue:
    """Read the drive's queue and write cache; without ``ageing_ms_per_s`` it orders by seeks alone."""
    section.check_keys("tags", "planned_ahead", "ageing_ms_per_s", "writes_cached")
    ageing = section.number("ageing_ms_per_s", 0.0, LONGEST_MS) * MS if "ageing_ms_per_s" in section else None
    with section.errors():
        tags = _optional_whole(section, "tags", 32, MAX_TAGS)
        ahead = _optional_whole(section, "planned_ahead", 1, MAX_AHEAD)
        writes = section.whole_number("writes_cached", 0, MAX_WRITES) if "writes_cached" in section else 0
        return DriveQueue(tags, ahead, ageing, writes)


def read_disc(sheet: SheetSection) -> DiscType:
    """The drive, with its buffer if the sheet has one."""
    sectors = sheet.whole_number("capacity_sectors", 1, MAX_SHEET_BLOCKS)
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
    bend = section.whole_number("break_cyl", 1, MAX_CYLINDERS)
    with section.errors():
        return TwoPartSeek(tuple(ms * MS for ms in first), bend, (root, root_each), (line, line_each))


def _single_zone(sheet: SheetSection) -> Layout:
    """A disc that is filled from its first sector to its last; the cylinder skew, if not given, is the track skew."""
    per_track = sheet.whole_number("sectors_per_track", 1, MAX_SECTORS)
    if "interleave" in sheet:
        sheet.whole_number("interleave", 1, 1)
    track_skew = sheet.number("track_skew_sectors", 0.0, per_track, missing=0.0)
    cylinder_skew = sheet.number("cyl_skew_sectors", 0.0, per_track, missing=track_skew)
    cylinders, heads = sheet.whole_number("cylinders", 1, MAX_CYLINDERS), sheet.whole_number("heads", 1, MAX_HEADS)
    sector_bytes = sheet.whole_number("sector_bytes", 1, MAX_SECTOR_BYTES)
    with sheet.errors():
        return Layout(cylinders, heads, sector_bytes, (Zone(0, per_track, track_skew, cylinder_skew),))
