"""A small drive whose sheet is known, and what it answers to requests that are all over it or go on."""

from dataclasses import replace
from random import Random

import numpy as np

from spindle.lab.drives.timed_requests import TimedRequests, answer_times
from spindle.lab.fit.geometry import DriveGeometry
from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, Overheads
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS

SIZE, HEADS, CYLINDERS, PER_TRACK = 512, 4, 300, 40
TRACK_SKEW, CYLINDER_SKEW, RPM, NOMINAL = 5, 12, 6012.0, 6000.0
HIT, MISS, WRITTEN, LINK = 0.5 * MS, 0.8 * MS, 1.1 * MS, 0.3 * MS
GEOMETRY = {"name": "Known", "sector_bytes": SIZE, "capacity_sectors": CYLINDERS * HEADS * PER_TRACK,
            "cylinders": CYLINDERS, "heads": HEADS, "rpm": NOMINAL, "sectors_per_track": PER_TRACK}  # fmt: skip
SEEK = TableSeek(((0, 0.0), (1, 2.0 * MS), (30, 4.0 * MS), (299, 9.0 * MS)))
BUFFER = Buffer(2, 64, Overheads(read_hit=After(HIT, HIT), read_miss=After(MISS, MISS), write=After(WRITTEN, WRITTEN)),
                HostLink(LINK, LINK), BlocksAhead(64), holds=6, reads_written=True)  # fmt: skip
KNOWN = DiscType("Known", uniform(CYLINDERS, HEADS, PER_TRACK, SIZE, TRACK_SKEW, CYLINDER_SKEW), RPM, SEEK,
                 head_switch=0.6 * MS, buffer=BUFFER)  # fmt: skip
BARE = DriveGeometry(replace(KNOWN, layout=uniform(CYLINDERS, HEADS, PER_TRACK, SIZE), rpm=NOMINAL), GEOMETRY)


def asked(disc: DiscType, count: int, reads: float = 0.7) -> TimedRequests:
    """A quarter of the requests go on where the one before ended, a third are near it."""
    random, at = Random("known"), 0
    ops, spans, gaps = [], [], []
    for _ in range(count):
        kind, size = random.random(), random.choice((1, 2, 4, 4, 8))
        if kind >= 0.6:
            at = random.randrange(disc.layout.sectors - 16)
        elif kind >= 0.25:
            at = min(max(0, at + round(random.gauss(0, 1500))), disc.layout.sectors - 16)
        at = min(at, disc.layout.sectors - 16)
        ops.append(READ if random.random() < reads else WRITE)
        spans.append(Span(at * SIZE, size * SIZE))
        gaps.append((2 + 20 * random.random()) * MS)
        at += size
    requests = TimedRequests(ops, spans, np.array(gaps), np.zeros(count))
    return replace(requests, measured=answer_times(mechanism_of(disc), requests))
