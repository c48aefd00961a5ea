"""Estimates the sheet with which a drive fit begins: its overheads, rotation, seek curve and a plain buffer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from spindle.lab.drives.timed_requests import Times
from spindle.lab.fit.arm_and_commands import READS, WRITES, Intervals, arm_and_commands
from spindle.lab.fit.buffer_choices import caching, without_cache
from spindle.lab.fit.easy_requests import EasyRequests, LinkLine, easy_requests
from spindle.lab.fit.geometry import DriveGeometry, ObservedRequests, TrackTurn, with_skews
from spindle.lab.fit.rotation import ReadPhases, Rotation, rotation_of
from spindle.lab.fit.seek_curve import point_name
from spindle.sim.disc.buffer_sheet import (
    After,
    Buffer,
    HostLink,
    Overheads,
)
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.buffer import FIRST_BYTES
from spindle.sim.error import UserError
from spindle.sim.units import MS

LONGEST_SWITCH = 1 * MS
FIRST_SECTORS = FIRST_BYTES // 512
SKEW_SLACK = 1.2
"""Factor by which skews that nothing determines are longer than the head switch or seek that they allow for."""
MIN_READS = 60
"""The least number of reads of the medium, each on one track, for a fit."""
MAX_LATE = 1 * MS
"""The longest delay of writes after reads that is taken to be one of the drive."""


@dataclass(frozen=True)
class StartingSheets:
    """The two sheets with which a fit begins: *loose* without angles, *locked* with *rotation* and skews as found."""

    loose: DiscType
    locked: DiscType
    rotation: Rotation
    intervals: Mapping[bool, Intervals]
    """Intervals in seconds of the seek curve and of commands, by the number's name: under True those of *locked*."""


def starting_sheets(geometry: DriveGeometry, seen: ObservedRequests) -> StartingSheets:
    nominal, zones = geometry.disc.revolution, len(geometry.disc.layout.zones)
    chosen = seen.reads & seen.unbuffered & seen.on_one_track
    if int(chosen.sum()) < MIN_READS:
        raise UserError(f"{int(chosen.sum())} reads on one track each that no buffer can have had; a fit needs "
                        f"{MIN_READS}")
    easy = easy_requests(seen, nominal)
    reads = ReadPhases(seen, chosen, 0.0 if easy.hits is None else easy.hits.sector)
    rotation = rotation_of(reads, nominal, zones)
    loose, intervals = _disc(geometry, seen, easy, reads, nominal)
    locked, better = _disc(geometry, seen, easy, replace(reads, high_water=rotation.high_water), rotation.period)
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
    """Build the disc with the seek curve that fits a *period* of rotation; its skews just leave time for a switch."""
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
    turn = TrackTurn(SKEW_SLACK * disc.head_switch / period, SKEW_SLACK * seek(1) / period)
    return replace(disc, layout=with_skews(disc.layout, [turn] * len(disc.layout.zones))), intervals


def _data(seen: ObservedRequests, link: float, period: float) -> Times:
    """Return seconds until each write may begin: first bytes are there, and the medium will not outrun the *link*."""
    first = np.minimum(seen.sectors, FIRST_SECTORS) * link
    rest = seen.sectors * np.maximum(0.0, link - period / seen.per_track)
    return np.where(seen.reads, 0.0, np.maximum(first, rest))


def _move_after(overheads: Overheads, read: float, write: float) -> Overheads:
    """Move *read* and *write* seconds of overhead from before the transfer at the medium to after it."""
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
