"""Runs of Max-IV's drives alone: what single accesses take, without a cache, a load or a CPU."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import fsum

import simpy

from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType
from sim.disc.sheets import MODCOMP_4134, MODCOMP_4138
from sim.request import Op, Service, access
from sim.streams import pick, stream
from sim.units import KIB, MS

READS = 2000
FILES = 400
SECTORS_EACH = 4
COMPUTING = 1 * MS
"""Between two reads, by which the next sector has gone by under the head."""
BARE = replace(MODCOMP_4138, name="Modcomp 4138 without its buffer", buffer=None)
BUFFERS = {"buffer": MODCOMP_4138, "none": BARE}


def seconds_of(disc: DiscType, reads: Sequence[tuple[int, int]], computing: float = 0.0) -> list[float]:
    """What each of *reads*, an address and a length in bytes, takes; *computing* goes by before the next."""
    env = simpy.Environment()
    drive, account, seconds = Drive(env, disc), Account("reader"), []

    def read() -> Wait:
        for place, length in reads:
            request = drive.start(access(Op.READ, place, length, account))
            yield request
            assert isinstance(request.value, Service)
            seconds.append(request.value.total)
            if computing:
                yield env.timeout(computing)

    env.run(env.process(read()))
    return seconds


def sheets(seed: object, **parameters: object) -> dict[str, float]:
    """The paper's table of discs, its short and long seeks, and single accesses to a 4138, as the sheets have them."""
    row: dict[str, float] = {}
    for name, disc in (("4138", MODCOMP_4138), ("4134", MODCOMP_4134)):
        layout, random = disc.layout, stream(seed, f"seeks of {name}")
        places = [pick(random, layout.cylinders) for _ in range(READS)]
        seeks = [disc.seek(abs(one - two)) for one, two in pairwise(places) if one != two]
        track = layout.zones[0].sectors_per_track * 256
        row |= {
            f"mb_{name}": layout.sectors * 256 / 1e6,
            f"seek_ms_{name}": fsum(seeks) / len(seeks) / MS,
            f"most_ms_{name}": disc.seek(layout.cylinders) / MS,
            f"rotation_ms_{name}": disc.revolution / 2 / MS,
            f"kbs_{name}": track / disc.revolution / 1e3,
        }
    disc = MODCOMP_4138
    return {
        **row, "short_seek_ms": disc.seek(1) / MS, "long_seek_ms": disc.seek(800) / MS,
        "first_ms": _mean(disc, seed, 256) / MS, "toc_ms": _mean(disc, seed, 40 * KIB) / MS,
        "sector_us": disc.revolution / disc.layout.zones[0].sectors_per_track * 1e6,
        "buffered_us": seconds_of(disc, [(0, 256), (256, 256)], 2 * disc.revolution)[1] * 1e6,
    }  # fmt: skip


def _mean(disc: DiscType, seed: object, length: int) -> float:
    """Seconds of a read of *length* bytes from anywhere."""
    random = stream(seed, "random reads")
    reads = [(pick(random, disc.layout.sectors - length // 256) * 256, length) for _ in range(READS)]
    return fsum(seconds_of(disc, reads)) / READS


def readers(processes: int, drive: str, in_turn: bool, seed: object, **parameters: object) -> dict[str, float]:
    """``ms`` of accesses until *processes* have read a file of four sectors each, one after the other or in turn.

    They compute for a moment after each sector, which does not count.
    """
    disc, random = BUFFERS[drive], stream(seed, f"{processes} readers")
    track = disc.layout.zones[0].sectors_per_track
    order: list[int] = []
    for _ in range(FILES):
        firsts = [track * pick(random, disc.layout.sectors // track) for _ in range(processes)]
        turns = [[first + number for first in firsts] for number in range(SECTORS_EACH)]
        sequence = [[first + number for number in range(SECTORS_EACH)] for first in firsts]
        order += [sector for group in (turns if in_turn else sequence) for sector in group]
    spent = seconds_of(disc, [(sector * 256, 256) for sector in order], COMPUTING)
    return {"ms": fsum(spent) / FILES / MS}
