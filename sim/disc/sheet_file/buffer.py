"""The buffer and the electronics in the file of a drive sheet, as a Buffer."""

from collections.abc import Callable
from dataclasses import replace

from sim.disc.buffer.read_ahead import BlocksAhead, BufferReadAhead, CylinderEnd, Nothing, TrackByTrack, TrackEnd
from sim.disc.buffer.sheet import After, Buffer, HostLink, ImmediateReporting, Overheads, SecondDisconnect
from sim.disc.sheet_file.section import SheetSection
from sim.units import MS

LONGEST_MS = 100_000.0
MOST_SEGMENTS = 1 << 16
MOST_BLOCKS = 1 << 31

FIRST_BYTES = 3072
"""What a drive collects of a write before it writes: fitted, one value for all, to where sequential writes of three
measured drives that report none early begin to lose a revolution: the C2247A with 6 or 7 sectors of 512 bytes. A low
water mark of 1, as the fourth has it, means all of it."""

_READ_AHEAD: dict[int, Callable[[int, int], BufferReadAhead]] = {
    0: lambda blocks, most: Nothing(),
    1: lambda blocks, most: TrackEnd(most),
    2: lambda blocks, most: CylinderEnd(most),
    3: lambda blocks, most: BlocksAhead(most),
    4: lambda blocks, most: TrackByTrack(blocks),
}
"""By DiskSim's code, from the blocks of a segment and the most to be read ahead."""

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
        plain = Buffer(segments=0, blocks=MOST_BLOCKS, overheads=_overheads(sheet), link=_link(sheet.section("bus")))
        return _caching(sheet, sheet.section("cache"), plain) if caches else plain


def _caching(sheet: SheetSection, cache: SheetSection, plain: Buffer) -> Buffer:
    """*plain*, which only matches the speed of medium and link, with the sheet's cache."""
    cache.check_keys(*_CACHE)
    segments = cache.whole("segments", 1, MOST_SEGMENTS)
    blocks = cache.whole("segment_sectors", 1, MOST_BLOCKS)
    least = cache.whole("min_read_ahead_sectors", 0, MOST_BLOCKS) if "min_read_ahead_sectors" in cache else 0
    ahead = max(cache.whole("max_read_ahead_sectors", 0, MOST_BLOCKS), least)
    everything = cache.number("write_low_water_mark", 0.0, 1.0) == 1.0
    return replace(
        plain,
        segments=segments,
        blocks=blocks,
        read_ahead=_READ_AHEAD[cache.whole("prefetch_code", 0, 4)](blocks, ahead or blocks),
        reports=_REPORTS[cache.whole("fast_write_code", 0, 2)],
        write_segments=cache.whole("max_write_segments", 1, MOST_SEGMENTS),
        own_write_segment=cache.flag("separate_write_segment") and segments > 1,
        keeps_requested=not cache.flag("prefetch_may_replace_requested_data"),
        keeps_passing=cache.flag("keep_sectors_passing_before_request"),
        goes_on=cache.flag("read_ahead_on_full_hit"),
        least_ahead=least,
        starts_anywhere=cache.flag("zero_latency_read"),
        reads_written=cache.flag("read_hits_on_written_data"),
        holds=blocks if everything else max(1, FIRST_BYTES // sheet.whole("sector_bytes", 1, MOST_BLOCKS)),
        high_water=cache.number("read_high_water_mark", 0.0, 1.0),
    )


def _link(bus: SheetSection) -> HostLink:
    """The slower of the bus and the drive's side of it decides."""
    bus.check_keys(*_BUS)
    drive = bus.number("drive_ms_per_sector", 0.0, LONGEST_MS, missing=0.0)
    reading, writing = (bus.number(f"{way}_ms_per_sector", 0.0, LONGEST_MS) for way in ("read", "write"))
    return HostLink(max(reading, drive) * MS, max(writing, drive) * MS)


_OVERHEADS = (
    "per_request", "data_preparation", "first_reselect", "other_reselect", "read_completion", "write_completion",
    "minimum_seek_delay", "write_disconnect", *(
        f"{what}_after_{before}" for before in ("read", "write")
        for what in ("read_hit", "read_miss", "write_hit", "write_miss", "read_disconnect"))
)  # fmt: skip


def _overheads(sheet: SheetSection) -> Overheads:
    """What a sheet does not name costs nothing, nor does a write that leaves the bus: ``write_disconnect``."""
    times = sheet.section("overheads_ms")
    times.check_keys(*_OVERHEADS)

    def one(key: str) -> float:
        return times.number(key, 0.0, LONGEST_MS, missing=0.0) * MS

    def after(key: str) -> After:
        return After(one(f"{key}_after_read"), one(f"{key}_after_write"))

    return Overheads(
        read_hit=after("read_hit"), read_miss=after("read_miss"), write=after("write_miss"), report=after("write_hit"),
        reading_off=after("read_disconnect"), preparation=one("data_preparation"), reselect=one("first_reselect"),
        reselect_again=one("other_reselect"), read_done=one("read_completion"), write_done=one("write_completion"),
        to_medium=one("minimum_seek_delay"), second_disconnect=_second_disconnect(sheet),
    )


def _second_disconnect(sheet: SheetSection) -> SecondDisconnect | None:
    """Only the original words of DiskSim's sheets have it."""
    words = "raw_disksim_spec"
    if words not in sheet or "Extra write disconnect" not in sheet.section(words):
        return None
    raw = sheet.section(words)
    if not raw.whole("Extra write disconnect", 0, 1):
        return None
    command, disconnect, interval, delay = (
        raw.number(f"Extradisc {what}", 0.0, LONGEST_MS) * MS
        for what in ("command overhead", "disconnect overhead", "inter-disconnect delay", "seek delta"))
    return SecondDisconnect(command, disconnect, interval, delay)
