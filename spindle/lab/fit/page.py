"""Fits a drive to a part of timed requests and judges it on the rest; writes the answer as text and as a drive file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

import yaml

from spindle.lab.drives.timed_requests import TimedRequests, answer_times
from spindle.lab.fit.buffer_choices import ahead_of, code_of
from spindle.lab.fit.determined import keep_determined
from spindle.lab.fit.first_sheet import starting_sheets
from spindle.lab.fit.fit import STARTS, FitLoss, fit_stages
from spindle.lab.fit.geometry import DriveGeometry, observe
from spindle.lab.fit.other_sheet import contradicts, numbers_of
from spindle.lab.fit.rotation_numbers import rotation_numbers, rpm_of_halves
from spindle.lab.fit.sheet_number import SheetNumber
from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import Layout
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.error import UserError
from spindle.sim.units import MS
from spindle.studies.demerit import Distance

# The whole fit: to a part of the requests, judged on the part that was held out.

MOST_ANSWERS = 900
"""About how often a fit simulates all requests."""
MIN_REQUESTS = 150
"""The least number of requests for a fit."""
HELD_FACTOR, HELD_EXCESS = 2.0, 0.1
"""A fit fails if the demerit of the held-out requests exceeds HELD_FACTOR times that of the fitted ones by more than
HELD_EXCESS. Both are a few percent for nine measured drives.
"""
FIT_GROUPS = ("all", "reads", "writes")
AS_FITTED = "as fitted"
FIT_LEGEND = """\
* excluded by the data. They determine the sum of a command and the seek after it better than either:
a sheet may have more of one and less of the other."""
Judgement = Mapping[str, Distance]
"""Distances of a sheet from the held-out requests: all, reads and writes, if there are any."""


@dataclass(frozen=True)
class FittedDrive:
    """The result of a fit: the *disc*, the source of each of its *numbers*, and how near it is to held-out requests.

    *judged* has the distances of the sheet after each step, and of other sheets of the same drive (*against*).
    *fitted_to* and *held* are numbers of requests.
    """

    disc: DiscType
    numbers: tuple[SheetNumber, ...]
    judged: Mapping[str, Judgement]
    fitted_to: int
    held: int
    against: Mapping[str, DiscType] = field(default_factory=dict)
    on_fitted: Judgement = field(default_factory=dict)
    """Distances of the disc from the requests it was fitted to."""

    @property
    def failure(self) -> str:
        """Return a sentence if held-out requests are much farther off than the fitted ones; otherwise ''."""
        out = self.judged.get(AS_FITTED, {})
        for group in FIT_GROUPS[::-1]:
            if group in out and group in self.on_fitted:
                far, near = out[group].share, self.on_fitted[group].share
                if far > HELD_EXCESS + HELD_FACTOR * near:
                    return f"the sheet does not hold: {group} held out {far:.1%} off, those fitted to {near:.1%}"
        return ""


def fit_drive(
    geometry: DriveGeometry, asked: TimedRequests, held_out: float, against: Mapping[str, DiscType],
    watch: Callable[[], object] = lambda: None
) -> FittedDrive:
    """Fit to the first requests, and judge the fit, and sheets *against*, on the last: the share *held_out* of them.

    *watch* is called before each of about ANSWERS simulations. The fit itself never uses held-out requests.
    """
    count = len(asked) - round(held_out * len(asked))
    fitted, rest = asked.part(slice(count)), asked.part(slice(count, None))
    if count < MIN_REQUESTS:
        raise UserError(f"{count:,} requests are left to fit to; it takes at least {MIN_REQUESTS}")
    if not fitted.reads.any():
        raise UserError("the requests to fit to have no reads; writes alone do not show the place of the medium")
    loss = FitLoss(fitted, geometry.disc.revolution / 2.0, watch)
    start = starting_sheets(geometry, observe(geometry.disc.layout, fitted))
    stages = list(fit_stages(start, loss))
    known = keep_determined(stages[-1], start, loss)
    last = replace(stages[-1], disc=known.disc)
    first = min((stage for stage in stages if stage.name in STARTS), key=lambda stage: loss(stage.disc))
    if loss(known.disc) > loss(first.disc):
        known, last = keep_determined(first, start, loss), first
    assert known.disc.buffer is not None
    halves = rpm_of_halves(geometry, fitted, known.disc.buffer.link.reading) if last.locked else []
    numbers = (*rotation_numbers(geometry, last, start.rotation, halves), *known.numbers)
    sheets = {**{stage.name: stage.disc for stage in stages if stage.name in STARTS}, AS_FITTED: known.disc, **against}
    judged = {name: rest.distances(answer_times(mechanism_of(disc), rest))
              for name, disc in sheets.items() if len(rest)}  # fmt: skip
    own = fitted.distances(loss.times(known.disc))
    return FittedDrive(known.disc, numbers, judged, count, len(rest), against, own)


def page(drive: FittedDrive) -> Iterator[str]:
    """Yield the text of the answer, in lines of at most 80 columns."""
    yield f"{drive.disc.name}: fitted to the first {drive.fitted_to:,} requests, {drive.held:,} held out"
    if drive.judged:
        yield from ("", f"{'demerit of what was held out, %':<34}{'all':>8}{'reads':>8}{'writes':>8}{'apart, ms':>12}")
    for name, each in drive.judged.items():
        cells = "".join(f"{100.0 * each[group].share:>8.2f}" if group in each else f"{'-':>8}" for group in FIT_GROUPS)
        yield f"{name[-33:]:<34}{cells}{1e3 * each['all'].apart:>12.3f}"
    if drive.failure:
        yield from ("", drive.failure)
    others = [numbers_of(disc, drive.disc) for disc in drive.against.values()]
    heads = "".join(f"{name[-12:]:>14}" for name in drive.against)
    yield from ("", f"{'number':<36}{'value':>12}{heads}  {'source':<9}the data also allow")
    for number in drive.numbers:
        cells = "".join(f"{_other_value(number, says.get(number.name)):>14}" for says in others)
        yield f"{number.name[:35]:<36}{number.value[:12]:>12}{cells}  {number.source:<9}{number.bears}".rstrip()[:110]
    if others:
        yield from ("", FIT_LEGEND)


def _other_value(number: SheetNumber, says: str | None) -> str:
    """Return the value *says* of another sheet for *number*, with a star if the data contradict it."""
    return "-" if not says else says[:12] + ("*" if contradicts(number, says) else "")


SHEET_DIGITS = 6
"""Decimals of a millisecond or a sector in a sheet: nanoseconds."""


def sheet_text(disc: DiscType, geometry: DriveGeometry, numbers: Sequence[SheetNumber], head: Sequence[str]) -> str:
    """Return the sheet of *disc* as YAML, below the lines of *head* as comments."""
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
    """Return the sections of a *sheet* of any kind as YAML, below *head* as comments."""
    return "".join([*(f"# {line}".rstrip() + "\n" for line in head), *_lines(sheet)])


def _lines(sheet: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each key, and one for each entry of lists and longer sections."""
    for key, value in sheet.items():
        if key == "layout":
            rest = {name: each for name, each in value.items() if name != "zones"}
            yield f"layout:\n{_indent(rest)}  zones:\n"
            yield from (f"  - {_flow(zone)}" for zone in value["zones"])
        elif key == "seek":
            yield "seek:\n  points_cyl_ms:\n"
            yield from (f"  - {_flow(point)}" for point in value["points_cyl_ms"])
        elif isinstance(value, dict) and key != "bus":
            yield f"{key}:\n{_indent(value)}"
        else:
            yield f"{key}: {_flow(value)}"


def _indent(section: Mapping[str, Any]) -> str:
    return "".join(f"  {_flow(name).strip()}: {_flow(value)}" for name, value in section.items())


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10**9, sort_keys=False, allow_unicode=True)
    return text.removesuffix("...\n")


def _ms(seconds: float) -> float:
    return round(seconds / MS, SHEET_DIGITS)


def _skews(layout: Layout, values: Mapping[str, Any]) -> dict[str, Any]:
    if "layout" not in values:
        zone = layout.zones[0]
        return {"track_skew_sectors": round(float(zone.track_skew), SHEET_DIGITS),
                "cyl_skew_sectors": round(float(zone.cylinder_skew), SHEET_DIGITS)}
    zones = [
        {**written, "track_skew_sectors": _sectors(zone.track_skew, zone.sectors_per_track),
         "cyl_skew_sectors": _sectors(zone.cylinder_skew, zone.sectors_per_track),
         "offset_of_first_block_sectors": _sectors(zone.offset, zone.sectors_per_track)}
        for written, zone in zip(values["layout"]["zones"], layout.zones, strict=True)]
    return {"layout": {**values["layout"], "zones": zones}}


def _sectors(skew: float, per_track: int) -> float:
    """Round *skew*; the result stays below a track."""
    return round(float(skew), SHEET_DIGITS) % per_track


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
        "read_high_water_mark": round(buffer.high_water, SHEET_DIGITS),
    }  # fmt: skip


def source_of(number: SheetNumber) -> dict[str, Any]:
    """Return the source of *number* as a mapping, with the interval or the alternatives that the data allow."""
    interval = {"low": number.low, "high": number.high} if number.low <= number.high else {}
    return {
        "source": number.source, **{end: float(f"{at:.7g}") for end, at in interval.items() if isfinite(at)},
        **({"as_good": list(number.others)} if number.others else {}),
    }  # fmt: skip
