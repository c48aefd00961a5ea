"""The first sheet: what hits and early reports take, the rotation, the seek curve, and a plain buffer behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from models.drives.fit.choices import caching, without_cache
from models.drives.fit.commands import READS, WRITES, Intervals, arm_and_commands
from models.drives.fit.geometry import DriveGeometry, TrackTurn, turned
from models.drives.fit.observed import ObservedRequests, Wholes
from models.drives.fit.rotation import ReadPhases, Rotation, rotation_of
from models.drives.timed import Mask, Times
from sim.disc.buffer.sheet import After, Buffer, HostLink, Overheads
from sim.disc.mechanism import DiscType
from sim.disc.sheet_file.buffer import FIRST_BYTES
from sim.error import UserError
from sim.units import MS

FEW = 25
"""Requests that a line needs."""
LOW = 0.2
"""The share of requests below the line; hits are the fastest, and more of what may be hits are."""
BAND, CLEARLY = 0.02, 3.0
"""A line is one if so many times more requests lie this part of a revolution around it than chance puts there."""


class LinkLine(NamedTuple):
    """Seconds for a command, and for each *sector*."""

    command: float
    sector: float


class EasyRequests(NamedTuple):
    """What requests take that do not wait for the medium: reads that hit, and writes that are reported early if any."""

    hits: LinkLine | None
    reports: LinkLine | None


def low_line(sectors: Wholes, took: Times) -> LinkLine:
    """The line with LOW of the points below it, by quantile regression (Koenker & Bassett 1978) as a linear program."""
    count = len(sectors)
    above, below = np.full(count, LOW), np.full(count, 1.0 - LOW)
    equal = np.hstack([np.ones((count, 1)), sectors[:, None], np.eye(count), -np.eye(count)])
    answer = linprog(np.concatenate([[0.0, 0.0], above, below]), A_eq=equal, b_eq=took / took.mean(), method="highs")
    return LinkLine(float(answer.x[0] * took.mean()), float(answer.x[1] * took.mean()))


def easy_requests(seen: ObservedRequests, period: float) -> EasyRequests:
    """The lines of hits and of reports, those that there are."""
    return EasyRequests(_line(seen, seen.reads & ~seen.fresh & seen.after_read, period),
                        _line(seen, ~seen.reads & seen.fresh, period))


def _line(seen: ObservedRequests, of: Mask, period: float) -> LinkLine | None:
    """None where requests wait for the medium: then they would be spread over a revolution, whatever their size."""
    places = np.flatnonzero(of)[:600]
    if len(places) < FEW or len(np.unique(seen.sectors[places])) < 2:
        return None
    line = low_line(seen.sectors[places], seen.took[places])
    beyond = seen.took[places] - line.command - line.sector * seen.sectors[places]
    near = float(np.mean(np.abs(beyond) < BAND * period))
    return line if near > CLEARLY * 2 * BAND and line.sector > 0.0 else None


LONGEST_SWITCH = 1 * MS
SECTOR = 512
SLACK = 1.2
"""What skews leave for a switch or a seek where nothing tells them: they are assumed to fit it, and a fifth more."""
LEAST_READS = 60
"""Of the medium, on one track each."""
MOST_LATE = 1 * MS


@dataclass(frozen=True)
class StartingSheets:
    """A sheet whose rotation is unknown, *loose*, the same with what the angles tell, *locked*, and what they do."""

    loose: DiscType
    locked: DiscType
    rotation: Rotation
    intervals: Mapping[bool, Intervals]
    """Whether locked: by the name of a number, what the requests bear of seek curve and commands; seconds."""


def starting_sheets(geometry: DriveGeometry, seen: ObservedRequests) -> StartingSheets:
    nominal, zones = geometry.disc.revolution, len(geometry.disc.layout.zones)
    chosen = seen.reads & seen.fresh & seen.one
    if int(chosen.sum()) < LEAST_READS:
        raise UserError(f"{int(chosen.sum())} reads on one track each that no buffer can have had; a fit needs "
                        f"{LEAST_READS}")
    easy = easy_requests(seen, nominal)
    hits = easy.hits or LinkLine(0.0, 0.0)
    rotation = rotation_of(ReadPhases(seen, chosen, hits.sector), nominal, zones)
    loose, intervals = _disc(geometry, seen, easy, ReadPhases(seen, chosen, hits.sector), nominal)
    phases = ReadPhases(seen, chosen, hits.sector, rotation.high_water)
    locked, better = _disc(geometry, seen, easy, phases, rotation.period)
    assert locked.buffer is not None
    buffer = replace(locked.buffer, high_water=rotation.high_water) if locked.buffer.segments else locked.buffer
    if easy.reports is None and abs(rotation.late) < MOST_LATE:
        buffer = replace(buffer, overheads=_done(buffer.overheads, max(0.0, -rotation.late), max(0.0, rotation.late)))
    locked = replace(locked, rpm=60.0 / rotation.period, buffer=buffer,
                     layout=turned(geometry.disc.layout, rotation.turns))
    return StartingSheets(loose, locked, rotation, {False: intervals, True: better})


def _disc(
    geometry: DriveGeometry, seen: ObservedRequests, easy: EasyRequests, reads: ReadPhases, period: float
) -> tuple[DiscType, Intervals]:
    """With the seek curve that fits a *period*, and skews that just leave time for it."""
    hits, reports = easy.hits or LinkLine(0.0, 0.0), easy.reports
    waited = seen.took - np.where(seen.reads, reads.transfer(period), period / seen.per_track * seen.sectors)
    arm = arm_and_commands(seen, reports is not None, waited, _data(seen, hits.sector, period), period, hits.command)
    seek = arm.seeks.curve
    names = [point_name(distance) for distance, _ in seek.points[1:]]
    intervals = {**arm.intervals, **dict(zip(names, arm.seeks.intervals, strict=True))}
    same = After(hits.command, hits.command)
    overheads = Overheads(read_hit=same, read_miss=arm.after(READS), write=arm.after(WRITES),
                          report=same if reports is None else After(reports.command, reports.command))
    link = HostLink(hits.sector, hits.sector if reports is None else reports.sector)
    disc = replace(geometry.disc, seek=seek, head_switch=min(seek(1), LONGEST_SWITCH),
                   buffer=_plain_buffer(geometry.disc.layout.sector_bytes, overheads, link, easy))
    turn = TrackTurn(SLACK * disc.head_switch / period, SLACK * seek(1) / period)
    return replace(disc, layout=turned(disc.layout, [turn] * len(disc.layout.zones))), intervals


def _data(seen: ObservedRequests, link: float, period: float) -> Times:
    """Seconds until writes may begin: the first bytes are there, and the medium will not be ahead of the *link*."""
    first = np.minimum(seen.sectors, FIRST_BYTES // SECTOR) * link
    rest = seen.sectors * np.maximum(0.0, link - period / seen.per_track)
    return np.where(seen.reads, 0.0, np.maximum(first, rest))


def _done(overheads: Overheads, read: float, write: float) -> Overheads:
    """With *read* and *write* seconds after the medium, and as much less before it."""
    def less(command: After, seconds: float) -> After:
        return After(*(max(0.0, each - seconds) for each in command))

    return replace(overheads, read_done=read, write_done=write, read_hit=less(overheads.read_hit, read),
                   read_miss=less(overheads.read_miss, read), write=less(overheads.write, write))


def _plain_buffer(sector_bytes: int, overheads: Overheads, link: HostLink, easy: EasyRequests) -> Buffer:
    """With a cache where requests were answered without the medium; elsewhere one must prove itself."""
    bare = without_cache(Buffer(0, 1, overheads, link))
    if easy.hits is None and easy.reports is None:
        return bare
    return caching(bare, sector_bytes, easy.reports is not None)


def point_name(distance: int) -> str:
    return f"seek over {distance:,} cylinders"
