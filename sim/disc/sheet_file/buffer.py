"""Reads from a drive file the buffer of a disc, its link to the host, and the overheads of its electronics."""

from collections.abc import Callable
from dataclasses import replace

from spindle.sim.disc import buffer_sheet
from spindle.sim.disc.sheet_file.section import RAW, SheetSection
from spindle.sim.units import MS

LONGEST_BUFFER_MS = 100_000.0
MAX_BUFFER_BLOCKS = 1 << 31

FIRST_BYTES = 3072
"""Bytes of a write that a drive collects before it writes. Fitted, one value for all, to where sequential writes of
three measured drives that report none early begin to lose a revolution: the C2247A with 6 or 7 sectors of 512 bytes. A
low water mark of 1, as the fourth has it, means all of it.
"""

_READ_AHEAD: dict[int, Callable[[int], buffer_sheet.BufferReadAhead]] = {
    0: lambda most: buffer_sheet.Nothing(),
    1: buffer_sheet.TrackEnd,
    2: buffer_sheet.CylinderEnd,
    3: buffer_sheet.BlocksAhead,
    4: lambda most: buffer_sheet.TrackByTrack(),
}
"""Read-ahead by DiskSim's code, made from the most blocks to read ahead."""

_TO_AN_END = (1, 2)

_CACHE = (
    "enabled", "segments", "segment_sectors", "max_read_ahead_sectors", "write_low_water_mark", "prefetch_code",
    "fast_write_code", "max_write_segments", "separate_write_segment", "prefetch_may_replace_requested_data",
    "keep_sectors_passing_before_request", "read_ahead_on_full_hit", "zero_latency_read", "read_hits_on_written_data",
    "read_high_water_mark", "min_read_ahead_sectors", "write_starts_after_sectors",
)  # fmt: skip
_BUS = ("kind", "rate_mb_s", "read_ms_per_sector", "write_ms_per_sector", "drive_ms_per_sector")
FASTEST_BUS_MB = 1e6

_REPORTS = {0: None, 1: buffer_sheet.ImmediateReporting(), 2: buffer_sheet.ImmediateReporting(intermixed=True)}


def read_buffer(sheet: SheetSection) -> buffer_sheet.Buffer | None:
    """The buffer and the electronics of *sheet*; None where it has neither."""
    caches = "cache" in sheet and sheet.section("cache").flag("enabled")
    if not caches and "overheads_ms" not in sheet:
        return None
    with sheet.errors():
        overheads = _overheads(sheet)
        plain = buffer_sheet.Buffer(0, MAX_BUFFER_BLOCKS, overheads, _link(sheet, sheet.section("bus")))
        return _caching(sheet, sheet.section("cache"), plain) if caches else plain


def _caching(sheet: SheetSection, cache: SheetSection, plain: buffer_sheet.Buffer) -> buffer_sheet.Buffer:
    """Add the drive file's cache to *plain*, which only decouples the speeds of medium and link."""
    cache.check_keys(*_CACHE)
    segments = cache.whole_number("segments", 0, buffer_sheet.MAX_SEGMENTS)
    blocks = cache.whole_number("segment_sectors", 1, MAX_BUFFER_BLOCKS)
    key = "min_read_ahead_sectors"
    min_ahead = cache.whole_number(key, 0, MAX_BUFFER_BLOCKS, missing=0)
    code = cache.whole_number("prefetch_code", 0, 4)
    return replace(
        plain,
        segments=segments,
        blocks=blocks,
        read_ahead=_READ_AHEAD[code](_most_ahead(cache, code, min_ahead) or blocks),
        reports=_REPORTS[cache.whole_number("fast_write_code", 0, 2)],
        write_segments=cache.whole_number("max_write_segments", 1, buffer_sheet.MAX_SEGMENTS),
        own_write_segment=cache.flag("separate_write_segment") and segments > 1,
        keeps_requested=not cache.flag("prefetch_may_replace_requested_data"),
        keeps_passing=cache.flag("keep_sectors_passing_before_request"),
        goes_on=cache.flag("read_ahead_on_full_hit"),
        least_ahead=min_ahead,
        starts_anywhere=cache.flag("zero_latency_read"),
        reads_written=cache.flag("read_hits_on_written_data"),
        holds=_sectors_before_writing(sheet, cache, blocks),
        high_water=cache.number("read_high_water_mark", 0.0, 1.0),
    )


def _most_ahead(cache: SheetSection, code: int, min_ahead: int) -> int:
    """Read the limit of read-ahead; to the end of a track or cylinder there need be none."""
    key = "max_read_ahead_sectors"
    if code in _TO_AN_END and key not in cache:
        return buffer_sheet.MAX_BLOCKS
    return max(cache.whole_number(key, 0, MAX_BUFFER_BLOCKS), min_ahead) if code or key in cache else min_ahead


def _sectors_before_writing(sheet: SheetSection, cache: SheetSection, blocks: int) -> int:
    """Read how many sectors of a write are buffered before it is written; without a number, by DiskSim's mark."""
    key = "write_starts_after_sectors"
    if key in cache:
        return cache.whole_number(key, 1, MAX_BUFFER_BLOCKS)
    everything = cache.number("write_low_water_mark", 0.0, 1.0) == 1.0
    return blocks if everything else max(1, FIRST_BYTES // sheet.whole_number("sector_bytes", 1, MAX_BUFFER_BLOCKS))


def _link(sheet: SheetSection, bus: SheetSection) -> buffer_sheet.HostLink:
    """Read the link to the host: the slower of the bus and the drive's side of it decides."""
    bus.check_keys(*_BUS)
    if "rate_mb_s" in bus:
        rate = bus.number("rate_mb_s", 1 / FASTEST_BUS_MB, FASTEST_BUS_MB) * 1e6
        seconds = sheet.whole_number("sector_bytes", 1, MAX_BUFFER_BLOCKS) / rate
        return buffer_sheet.HostLink(seconds, seconds)
    drive = bus.seconds("drive_ms_per_sector", 0.0, LONGEST_BUFFER_MS, missing=0.0)
    reading, writing = (bus.seconds(f"{way}_ms_per_sector", 0.0, LONGEST_BUFFER_MS) for way in ("read", "write"))
    return buffer_sheet.HostLink(max(reading, drive), max(writing, drive))


_OVERHEADS = (
    "per_request", "data_preparation", "first_reselect", "other_reselect", "read_completion", "write_completion",
    "minimum_seek_delay", "write_disconnect", *(
        f"{what}_after_{before}" for before in ("read", "write")
        for what in ("read_hit", "read_miss", "write_hit", "write_miss", "read_disconnect"))
)  # fmt: skip


def _overheads(sheet: SheetSection) -> buffer_sheet.Overheads:
    """Read the overheads in seconds; missing ones are 0, as is ``write_disconnect``, a write that leaves the bus."""
    times = sheet.section("overheads_ms")
    times.check_keys(*_OVERHEADS)

    def one(key: str) -> float:
        return times.number(key, 0.0, LONGEST_BUFFER_MS, missing=0.0) * MS

    def read_after(key: str) -> buffer_sheet.After:
        return buffer_sheet.After(one(f"{key}_after_read"), one(f"{key}_after_write"))

    return buffer_sheet.Overheads(
        read_hit=read_after("read_hit"), read_miss=read_after("read_miss"), write=read_after("write_miss"),
        report=read_after("write_hit"),
        reading_off=read_after("read_disconnect"), preparation=one("data_preparation"), reselect=one("first_reselect"),
        reselect_again=one("other_reselect"), read_done=one("read_completion"), write_done=one("write_completion"),
        to_medium=one("minimum_seek_delay"), second_disconnect=_second_disconnect(sheet),
    )


def _second_disconnect(sheet: SheetSection) -> buffer_sheet.SecondDisconnect | None:
    """Read the second disconnect, which only the parameters in DiskSim's own words (RAW) describe."""
    if RAW not in sheet or "Extra write disconnect" not in sheet.section(RAW):
        return None
    raw = sheet.section(RAW)
    if not raw.whole_number("Extra write disconnect", 0, 1):
        return None
    command, disconnect, interval, delay = (
        raw.number(f"Extradisc {what}", 0.0, LONGEST_BUFFER_MS) * MS
        for what in ("command overhead", "disconnect overhead", "inter-disconnect delay", "seek delta"))
    return buffer_sheet.SecondDisconnect(command, disconnect, interval, delay)
