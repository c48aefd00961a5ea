"""A fitted drive as a sheet in YAML, which every command takes that takes a drive; and what each number is from."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import yaml

from models.drives.fit.choices import ahead_of, code_of
from models.drives.fit.confidence import ToldNumber
from models.drives.fit.geometry import DriveGeometry
from sim.disc.buffer.sheet import Buffer
from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType
from sim.disc.seek import TableSeek
from sim.units import MS

DIGITS = 6
"""Of a millisecond or a sector: nanoseconds."""


def sheet_text(disc: DiscType, geometry: DriveGeometry, numbers: Sequence[ToldNumber], head: Sequence[str]) -> str:
    """The sheet of *disc*; *head* are comments above it."""
    assert isinstance(disc.seek, TableSeek)
    assert disc.buffer is not None
    values = {key: value for key, value in geometry.values.items() if key not in ("layout", "rpm", "name")}
    sheet = {
        "name": disc.name, **values, "rpm": round(disc.rpm, 4), "head_switch_ms": _ms(disc.head_switch),
        "write_settle_extra_ms": _ms(disc.write_settle),
        "seek": {"points_cyl_ms": [[distance, _ms(seconds)] for distance, seconds in disc.seek.points if distance]},
        **_skews(disc.layout, geometry.values), **_electronics(disc.buffer),
        "sources": {number.name: source_of(number) for number in numbers},
    }  # fmt: skip
    return yaml_text(sheet, head)


def yaml_text(sheet: Mapping[str, Any], head: Sequence[str]) -> str:
    """The sections of a *sheet* of any kind, below *head* as comments."""
    return "".join([*(f"# {line}".rstrip() + "\n" for line in head), *_lines(sheet)])


def _lines(sheet: Mapping[str, Any]) -> Iterator[str]:
    """A key a line, and a line each for what lists and the longer sections hold."""
    for key, value in sheet.items():
        if key == "layout":
            rest = {name: each for name, each in value.items() if name != "zones"}
            yield f"layout:\n{_indented(rest)}  zones:\n"
            yield from (f"  - {_flow(zone)}" for zone in value["zones"])
        elif key == "seek":
            yield "seek:\n  points_cyl_ms:\n"
            yield from (f"  - {_flow(point)}" for point in value["points_cyl_ms"])
        elif isinstance(value, dict) and key != "bus":
            yield f"{key}:\n{_indented(value)}"
        else:
            yield f"{key}: {_flow(value)}"


def _indented(section: Mapping[str, Any]) -> str:
    return "".join(f"  {_flow(name).strip()}: {_flow(value)}" for name, value in section.items())


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10**9, sort_keys=False, allow_unicode=True)
    return text.removesuffix("...\n")


def _ms(seconds: float) -> float:
    return round(seconds / MS, DIGITS)


def _skews(layout: Layout, values: Mapping[str, Any]) -> dict[str, Any]:
    if "layout" not in values:
        zone = layout.zones[0]
        return {"track_skew_sectors": round(float(zone.track_skew), DIGITS),
                "cyl_skew_sectors": round(float(zone.cylinder_skew), DIGITS)}
    zones = [
        {**written, "track_skew_sectors": _sectors(zone.track_skew, zone.sectors_per_track),
         "cyl_skew_sectors": _sectors(zone.cylinder_skew, zone.sectors_per_track),
         "offset_of_first_block_sectors": _sectors(zone.offset, zone.sectors_per_track)}
        for written, zone in zip(values["layout"]["zones"], layout.zones, strict=True)]
    return {"layout": {**values["layout"], "zones": zones}}


def _sectors(skew: float, per_track: int) -> float:
    """Rounded, and still less than a track."""
    return round(float(skew), DIGITS) % per_track


def _electronics(buffer: Buffer) -> dict[str, Any]:
    times = buffer.overheads
    after = {"read_hit": times.read_hit, "read_miss": times.read_miss, "write_hit": times.report,
             "write_miss": times.write}
    return {
        "bus": {"read_ms_per_sector": _ms(buffer.link.reading), "write_ms_per_sector": _ms(buffer.link.writing)},
        "overheads_ms": {
            **{f"{name}_after_{before}": _ms(getattr(each, before)) for name, each in after.items()
               for before in ("read", "write")},
            "read_completion": _ms(times.read_done), "write_completion": _ms(times.write_done),
            "minimum_seek_delay": _ms(times.to_medium),
        },
        "cache": _cache(buffer) if buffer.segments else {"enabled": False},
    }  # fmt: skip


def _cache(buffer: Buffer) -> dict[str, Any]:
    return {
        "enabled": True, "segments": buffer.segments, "segment_sectors": buffer.blocks,
        "prefetch_code": code_of(buffer.read_ahead), "max_read_ahead_sectors": ahead_of(buffer),
        "fast_write_code": 0 if buffer.reports is None else 1 + buffer.reports.intermixed,
        "max_write_segments": buffer.write_segments, "separate_write_segment": buffer.own_write_segment,
        "prefetch_may_replace_requested_data": not buffer.keeps_requested,
        "keep_sectors_passing_before_request": buffer.keeps_passing,
        "read_ahead_on_full_hit": buffer.goes_on, "zero_latency_read": buffer.starts_anywhere,
        "read_hits_on_written_data": buffer.reads_written,
        "write_low_water_mark": 1.0 if buffer.holds == buffer.blocks else 0.0,
        "read_high_water_mark": round(buffer.high_water, DIGITS),
    }  # fmt: skip


def source_of(number: ToldNumber) -> dict[str, Any]:
    """For a program: the source, and the interval or what else the data bear."""
    interval = {"low": number.low, "high": number.high} if number.low <= number.high else {}
    return {
        "source": number.source, **{end: float(f"{at:.7g}") for end, at in interval.items() if isfinite(at)},
        **({"as_good": list(number.others)} if number.others else {}),
    }  # fmt: skip
