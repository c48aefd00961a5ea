"""The first sheet of a drive fit: overheads, rotation, seek curve, a plain buffer; and choices of buffers to try."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression, linprog, minimize

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.lab.fit.geometry import DriveGeometry, IntArray, ObservedRequests, TrackTurn, with_skews
from spindle.lab.fit.rotation import ReadPhases, Rotation, rotation_of
from spindle.sim.disc.buffer_sheet import (
    After,
    BlocksAhead,
    Buffer,
    BufferReadAhead,
    CylinderEnd,
    HostLink,
    ImmediateReporting,
    Nothing,
    Overheads,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.disc.sheet_file.buffer import FIRST_BYTES, MAX_BUFFER_BLOCKS
from spindle.sim.error import UserError
from spindle.sim.units import MS

# The behaviour of a buffer, as choices: how it reads ahead, what it keeps, which writes it reports early.

SEGMENTS = (1, 2, 3, 4, 6, 8, 10, 16)
SIZES = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
PLAIN_SEGMENTS, BLOCKS = 3, 256
"""Segments, and blocks of 512 bytes, of the plain cache that the choices start from."""
Kinds = Mapping[str, Buffer]


@dataclass(frozen=True)
class SheetChoice:
    """One key of a sheet's cache; *kinds* returns the buffers to choose from, by the value of the key."""

    key: str
    kinds: Callable[[Buffer, int], Kinds]
    keeps_nothing: bool = False
    """True if it is a choice for a buffer without segments too."""

    def value(self, disc: DiscType) -> str:
        """Return the value of the key in the sheet of *disc*."""
        return next((value for value, buffer in self._kinds(disc).items() if buffer == disc.buffer), "")

    def others(self, disc: DiscType) -> Iterator[tuple[str, DiscType]]:
        """*disc* with each other kind of buffer."""
        for value, buffer in self._kinds(disc).items():
            if buffer != disc.buffer:
                yield value, replace(disc, buffer=buffer)

    def _kinds(self, disc: DiscType) -> Kinds:
        """Return the buffers to choose from; none for a buffer that keeps nothing, unless the choice is for it too."""
        assert disc.buffer is not None
        chooses = disc.buffer.segments or self.keeps_nothing
        return self.kinds(disc.buffer, disc.layout.sector_bytes) if chooses else {}


def _enabled_kinds(buffer: Buffer, sector_bytes: int) -> Kinds:
    """Return the buffers with and without a cache; without one it still matches the speeds of medium and link."""
    if buffer.reports is not None:
        return {"true": buffer}
    return {"true": buffer if buffer.segments else caching(buffer, sector_bytes), "false": without_cache(buffer)}


def caching(buffer: Buffer, sector_bytes: int, reports: bool = False) -> Buffer:
    """The plain cache that the choices start from, with the overheads and the link of *buffer*."""
    blocks = max(1, BLOCKS * 512 // sector_bytes)
    return Buffer(PLAIN_SEGMENTS, blocks, buffer.overheads, buffer.link, BlocksAhead(blocks),
                  ImmediateReporting() if reports else None, holds=max(1, FIRST_BYTES // sector_bytes),
                  reads_written=True)


def without_cache(buffer: Buffer) -> Buffer:
    """Return a buffer that only matches the speeds of medium and link."""
    return Buffer(0, MAX_BUFFER_BLOCKS, buffer.overheads, buffer.link)


def read_ahead(code: int, blocks: int, ahead: int) -> BufferReadAhead:
    """Return DiskSim's *code* of read-ahead, as far as a segment of *blocks* has room, or *ahead* blocks."""
    return (Nothing(), TrackEnd(blocks), CylinderEnd(blocks), BlocksAhead(min(ahead, blocks)),
            TrackByTrack())[code]


def code_of(kind: BufferReadAhead) -> int:
    return next(code for code in range(5) if type(kind) is type(read_ahead(code, 1, 1)))


def ahead_of(buffer: Buffer) -> int:
    return buffer.read_ahead.blocks if isinstance(buffer.read_ahead, BlocksAhead) else buffer.blocks


def _resize(buffer: Buffer, blocks: int) -> Buffer:
    """Return the buffer with segments of *blocks* blocks, which reading ahead may fill."""
    holds = blocks if buffer.holds == buffer.blocks else buffer.holds
    return replace(buffer, blocks=blocks, holds=holds,
                   read_ahead=read_ahead(code_of(buffer.read_ahead), blocks, blocks))


def _prefetches(buffer: Buffer, sector_bytes: int) -> Kinds:
    return {str(code): replace(buffer, read_ahead=read_ahead(code, buffer.blocks, ahead_of(buffer)))
            for code in range(5)}


def _aheads(buffer: Buffer, sector_bytes: int) -> Kinds:
    if not isinstance(buffer.read_ahead, BlocksAhead):
        return {}
    return {str(size): replace(buffer, read_ahead=BlocksAhead(size)) for size in SIZES if size <= buffer.blocks}


def _segments(buffer: Buffer, sector_bytes: int) -> Kinds:
    least = max(buffer.write_segments, 1 + buffer.own_write_segment)
    return {str(count): replace(buffer, segments=count) for count in SEGMENTS if count >= least}


def _flag(name: str, inverse: bool = False, least: int = 1) -> Callable[[Buffer, int], Kinds]:
    def kinds(buffer: Buffer, sector_bytes: int) -> Kinds:
        changes: list[dict[str, Any]] = [{name: inverse}, {name: not inverse}]
        return {value: replace(buffer, **change) for value, change in zip(("false", "true"), changes, strict=True)
                if buffer.segments >= least}

    return kinds


def _low_water(buffer: Buffer, sector_bytes: int) -> Kinds:
    return {"0": replace(buffer, holds=max(1, FIRST_BYTES // sector_bytes)), "1": replace(buffer, holds=buffer.blocks)}


def _reports(buffer: Buffer, sector_bytes: int) -> Kinds:
    if buffer.reports is None:
        return {}
    return {"1": replace(buffer, reports=ImmediateReporting()), "2": replace(buffer, reports=ImmediateReporting(True))}


def _write_segments(buffer: Buffer, sector_bytes: int) -> Kinds:
    if buffer.reports is None:
        return {}
    return {str(most): replace(buffer, write_segments=most) for most in (1, 2, 3) if most <= buffer.segments}


CHOICES = (
    SheetChoice("enabled", _enabled_kinds, keeps_nothing=True),
    SheetChoice("prefetch_code", _prefetches),
    SheetChoice("segment_sectors", lambda buffer, _: {str(size): _resize(buffer, size) for size in SIZES}),
    SheetChoice("max_read_ahead_sectors", _aheads),
    SheetChoice("segments", _segments),
    SheetChoice("zero_latency_read", _flag("starts_anywhere")),
    SheetChoice("read_ahead_on_full_hit", _flag("goes_on")),
    SheetChoice("prefetch_may_replace_requested_data", _flag("keeps_requested", inverse=True)),
    SheetChoice("keep_sectors_passing_before_request", _flag("keeps_passing")),
    SheetChoice("read_hits_on_written_data", _flag("reads_written")),
    SheetChoice("separate_write_segment", _flag("own_write_segment", least=2)),
    SheetChoice("write_low_water_mark", _low_water),
    SheetChoice("fast_write_code", _reports),
    SheetChoice("max_write_segments", _write_segments),
)


# The seek curve: requests of one distance take the seek to one revolution more, so it is the lower edge of their times.

MIN_PER_POINT = 40
"""Requests of about the same distance, for a point of the curve."""
MAX_POINTS = 14
EDGE = 0.01
"""The share of requests beyond an edge that may be something else: a hit, a revolution lost, a retry."""
TOLERANCE = 0.6e-3
"""Seconds outside the window that count in full; farther is something else, and counts no more."""
PULL = 0.01
"""Weight of the points' distances from the middles of their windows, to stay there where all else is equal."""


class SeekWindow(NamedTuple):
    """Begin of a window: the *middle* of those that hold nearly as much, from *low* to *high*."""

    middle: float
    low: float
    high: float

    def interval_with(self, middle: float) -> tuple[float, float]:
        """Return the interval, widened to include *middle*, where a curve passes."""
        return min(self.low, middle), max(self.high, middle)


class SeekFit(NamedTuple):
    """A seek *curve* with an interval for each of its points but the first, distance 0."""

    curve: TableSeek
    intervals: tuple[tuple[float, float], ...]


def found_seeks(
    seen: ObservedRequests, chosen: Mask, waited: Times, period: float
) -> SeekFit:
    """The curve through points of about equally many requests; *waited* is seek and rotation of each.

    The arm comes in at a random angle. So what was *waited* is spread evenly from the seek to one *period* more, and
    the window of that width that holds most of it begins at the seek.
    """
    moved = chosen & (seen.moved > 0)
    distance, waited = seen.moved[moved], waited[moved]
    groups = dict(_groups(distance))
    windows = [window(waited[group], period) for group in groups.values()]
    weights = np.array([float(len(group)) for group in groups.values()])
    start = np.maximum(isotonic_regression([each.middle for each in windows], weights=weights).x, 0.0)
    curve = _fit_curve(distance, waited, period, np.array(list(groups)), start)
    curved = [seconds for _, seconds in curve.points[1:]]
    return SeekFit(curve, tuple(each.interval_with(at) for each, at in zip(windows, curved, strict=True)))


def _groups(distance: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield places on the curve, each with about as many requests around it; the first is used for distance 1 too."""
    order = np.argsort(distance, kind="stable")
    groups = np.array_split(order, int(np.clip(len(order) // MIN_PER_POINT, 1, MAX_POINTS)))
    yield 1, groups[0]
    last = 1
    for group in groups:
        place = round(float(np.median(distance[group])))
        if place > last:
            yield place, group
            last = place


def _fit_curve(distance: IntArray, waited: Times, period: float, places: IntArray, start: Times) -> TableSeek:
    """Fit a rising curve through *places*, straight between them, that leaves the least outside its window."""

    def outside(seconds: Times) -> float:
        rising = np.maximum.accumulate(seconds)
        curve = np.interp(distance, places, rising)
        beyond = distance > places[-1]
        slope = (rising[-1] - rising[-2]) / (places[-1] - places[-2]) if len(places) > 1 else 0.0
        curve[beyond] += slope * (distance[beyond] - places[-1])
        missed = np.minimum(np.maximum(curve - waited, waited - curve - period).clip(0.0), TOLERANCE).mean()
        return float(missed + PULL * np.abs(rising - start).mean())

    bounds = [(max(0.0, each - TOLERANCE), each + TOLERANCE) for each in start]
    answer = minimize(outside, start, method="Powell", bounds=bounds, options={"maxiter": 4})
    best = np.maximum.accumulate(answer.x if answer.fun <= outside(start) else start)
    return TableSeek(((0, 0.0), *((int(place), float(each)) for place, each in zip(places, best, strict=True))))


def window(waited: Times, period: float) -> SeekWindow:
    """Find the begin of the window of one *period* that holds most of *waited*."""
    values = np.sort(waited)
    ends = np.searchsorted(values, values + period, side="right")
    counts = ends - np.arange(len(values))
    best = np.flatnonzero(counts >= counts.max() - max(1.0, EDGE * len(values)))
    begins, last = values[best], values[ends[best] - 1] - period
    middle = (float(np.median(begins)) + float(np.median(last))) / 2.0
    return SeekWindow(middle, min(middle, float(last.min())), max(middle, float(begins.max())))


# The seek curve and the time of commands before the arm moves, each found where the other is known, in turns.

TURNS = 3
FEWEST_COMMANDS = 30
"""With fewer requests of a kind, its command is assumed to take as long as that of a hit."""
READS, WRITES = "read_miss", "write_miss"
KINDS = tuple(f"{name}_after_{before}" for name in (READS, WRITES) for before in ("read", "write"))
Intervals = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class ArmAndCommands:
    """The *seeks*, the seconds of each command by name, and *intervals* of some of them."""

    seeks: SeekFit
    seconds: Mapping[str, float]
    intervals: Intervals

    def after_kinds(self, name: str) -> After:
        return After(self.seconds[f"{name}_after_read"], self.seconds[f"{name}_after_write"])


def arm_and_commands(
    seen: ObservedRequests, reported: bool, waited: Times, data: Times, period: float, hit: float
) -> ArmAndCommands:
    """Split the seconds *waited* before the first sector into command, seek and rotation.

    Writes that are *reported* early say nothing, nor does a write whose *data*, in seconds, take longer than the arm.
    All kinds share the curve. Only the sum of command and seek is known: the command of a read after a read is taken to
    be that of a *hit*.
    """
    kinds, seconds = _kinds(seen, reported), dict.fromkeys(KINDS, hit)
    commands, chosen = np.full(len(waited), hit), seen.reads & seen.unbuffered & seen.on_one_track
    intervals: dict[str, tuple[float, float]] = {}
    for _ in range(TURNS):
        seeks = found_seeks(seen, chosen, waited - commands, period)
        arm = np.array([seeks.curve(distance) for distance in seen.moved.tolist()])
        for name, mask in kinds.items():
            if int((mask & (data <= arm)).sum()) < FEWEST_COMMANDS:
                continue
            begins = window((waited - arm)[mask & (data <= arm)], period)
            seconds[name] = max(0.0, begins.middle)
            intervals[name] = begins.interval_with(seconds[name])
        over = seconds[f"{READS}_after_read"] - hit
        for name, mask in kinds.items():
            seconds[name] = max(0.0, seconds[name] - over)
            commands[mask] = seconds[name]
        chosen = np.logical_or.reduce([*kinds.values(), chosen & seen.reads]) & (data <= arm)
    return ArmAndCommands(seeks, seconds, intervals)


def _kinds(seen: ObservedRequests, reported: bool) -> dict[str, Mask]:
    """Return by name of command the requests that show its time."""
    first = seen.unbuffered & seen.on_one_track & (seen.moved > 0)
    writes = ~seen.reads & (not reported)
    masks = (first & of & after for of in (seen.reads, writes) for after in (seen.after_read, ~seen.after_read))
    return dict(zip(KINDS, masks, strict=True))


FEWEST_REQUESTS = 25
"""Requests that a line needs."""
LOW = 0.2
"""The share of requests below the line: hits are the fastest of the requests that may be hits, and the most."""
BAND, CLEARLY = 0.02, 3.0
"""A line is found if this part of a revolution around it holds CLEARLY times more requests than by chance."""


class LinkLine(NamedTuple):
    """Seconds for a command, and for each *sector*."""

    command: float
    sector: float


class EasyRequests(NamedTuple):
    """Times of requests that do not wait for the medium: reads that hit, and writes reported early, if any."""

    hits: LinkLine | None
    reports: LinkLine | None


def low_line(sectors: IntArray, took: Times) -> LinkLine:
    """The line with LOW of the points below it, by quantile regression (Koenker & Bassett 1978) as a linear program."""
    count = len(sectors)
    above, below = np.full(count, LOW), np.full(count, 1.0 - LOW)
    equal = np.hstack([np.ones((count, 1)), sectors[:, None], np.eye(count), -np.eye(count)])
    answer = linprog(np.concatenate([[0.0, 0.0], above, below]), A_eq=equal, b_eq=took / took.mean(), method="highs")
    return LinkLine(float(answer.x[0] * took.mean()), float(answer.x[1] * took.mean()))


def easy_requests(seen: ObservedRequests, period: float) -> EasyRequests:
    """Find the lines of hits and of reports; None where there are none."""
    return EasyRequests(_line(seen, seen.reads & ~seen.unbuffered & seen.after_read, period),
                        _line(seen, ~seen.reads & seen.unbuffered, period))


def _line(seen: ObservedRequests, chosen: Mask, period: float) -> LinkLine | None:
    """Find the line of *chosen* requests; None if they wait for the medium, so that they spread over a revolution."""
    places = np.flatnonzero(chosen)[:600]
    if len(places) < FEWEST_REQUESTS or len(np.unique(seen.sectors[places])) < 2:
        return None
    line = low_line(seen.sectors[places], seen.seconds[places])
    beyond = seen.seconds[places] - line.command - line.sector * seen.sectors[places]
    near = float(np.mean(np.abs(beyond) < BAND * period))
    return line if near > CLEARLY * 2 * BAND and line.sector > 0.0 else None


LONGEST_SWITCH = 1 * MS
SECTOR = 512
SLACK = 1.2
"""Factor for skews that nothing determines: they are assumed to fit the switch or seek, and a fifth more."""
MIN_READS = 60
"""Reads of the medium, on one track each, that a fit needs."""
MAX_LATE = 1 * MS


@dataclass(frozen=True)
class StartingSheets:
    """Two first sheets: *loose* with an unknown rotation, *locked* with the *rotation* and skews that angles show."""

    loose: DiscType
    locked: DiscType
    rotation: Rotation
    intervals: Mapping[bool, Intervals]
    """Intervals in seconds of the seek curve and of commands, by the name of the number; the key is True if locked."""


def starting_sheets(geometry: DriveGeometry, seen: ObservedRequests) -> StartingSheets:
    nominal, zones = geometry.disc.revolution, len(geometry.disc.layout.zones)
    chosen = seen.reads & seen.unbuffered & seen.on_one_track
    if int(chosen.sum()) < MIN_READS:
        raise UserError(f"{int(chosen.sum())} reads on one track each that no buffer can have had; a fit needs "
                        f"{MIN_READS}")
    easy = easy_requests(seen, nominal)
    hits = easy.hits or LinkLine(0.0, 0.0)
    rotation = rotation_of(ReadPhases(seen, chosen, hits.sector), nominal, zones)
    loose, intervals = _disc(geometry, seen, easy, ReadPhases(seen, chosen, hits.sector), nominal)
    phases = ReadPhases(seen, chosen, hits.sector, rotation.high_water)
    locked, better = _disc(geometry, seen, easy, phases, rotation.period)
    assert locked.buffer is not None
    buffer = replace(locked.buffer, high_water=rotation.high_water) if locked.buffer.segments else locked.buffer
    if easy.reports is None and abs(rotation.late) < MAX_LATE:
        overheads = _move_after(buffer.overheads, max(0.0, -rotation.late), max(0.0, rotation.late))
        buffer = replace(buffer, overheads=overheads)
    locked = replace(locked, rpm=60.0 / rotation.period, buffer=buffer,
                     layout=with_skews(geometry.disc.layout, rotation.turns))
    return StartingSheets(loose, locked, rotation, {False: intervals, True: better})


def _disc(
    geometry: DriveGeometry, seen: ObservedRequests, easy: EasyRequests, reads: ReadPhases, period: float
) -> tuple[DiscType, Intervals]:
    """Build the disc with the seek curve that fits a *period*, and with skews that just leave time for a switch."""
    hits, reports = easy.hits or LinkLine(0.0, 0.0), easy.reports
    waited = seen.seconds - np.where(seen.reads, reads.transfer(period), period / seen.per_track * seen.sectors)
    arm = arm_and_commands(seen, reports is not None, waited, _data(seen, hits.sector, period), period, hits.command)
    seek = arm.seeks.curve
    names = [point_name(distance) for distance, _ in seek.points[1:]]
    intervals = {**arm.intervals, **dict(zip(names, arm.seeks.intervals, strict=True))}
    same = After(hits.command, hits.command)
    overheads = Overheads(read_hit=same, read_miss=arm.after_kinds(READS), write=arm.after_kinds(WRITES),
                          report=same if reports is None else After(reports.command, reports.command))
    link = HostLink(hits.sector, hits.sector if reports is None else reports.sector)
    disc = replace(geometry.disc, seek=seek, head_switch=min(seek(1), LONGEST_SWITCH),
                   buffer=_plain_buffer(geometry.disc.layout.sector_bytes, overheads, link, easy))
    turn = TrackTurn(SLACK * disc.head_switch / period, SLACK * seek(1) / period)
    return replace(disc, layout=with_skews(disc.layout, [turn] * len(disc.layout.zones))), intervals


def _data(seen: ObservedRequests, link: float, period: float) -> Times:
    """Seconds until writes may begin: the first bytes are there, and the medium will not be ahead of the *link*."""
    first = np.minimum(seen.sectors, FIRST_BYTES // SECTOR) * link
    rest = seen.sectors * np.maximum(0.0, link - period / seen.per_track)
    return np.where(seen.reads, 0.0, np.maximum(first, rest))


def _move_after(overheads: Overheads, read: float, write: float) -> Overheads:
    """Move *read* and *write* seconds from before the medium to after it."""
    def reduce(command: After, seconds: float) -> After:
        return After(*(max(0.0, each - seconds) for each in command))

    return replace(overheads, read_done=read, write_done=write, read_hit=reduce(overheads.read_hit, read),
                   read_miss=reduce(overheads.read_miss, read), write=reduce(overheads.write, write))


def _plain_buffer(sector_bytes: int, overheads: Overheads, link: HostLink, easy: EasyRequests) -> Buffer:
    """Return a buffer with a cache if requests were answered without the medium; else one that keeps nothing."""
    bare = without_cache(Buffer(0, 1, overheads, link))
    if easy.hits is None and easy.reports is None:
        return bare
    return caching(bare, sector_bytes, easy.reports is not None)


def point_name(distance: int) -> str:
    return f"seek over {distance:,} cylinders"
