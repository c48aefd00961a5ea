"""Trials of Max-IV's drives alone: what single accesses take, without a cache, a load or a CPU."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import simpy

from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType
from sim.disc.sheets import MODCOMP_4134, MODCOMP_4138
from sim.request import Op, access
from sim.streams import pick, stream
from sim.units import KIB, MS

READS, PAIRS = 2000, 1500
TOC = 40 * KIB


def first_sector(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """A read of one sector anywhere on a 4138, what its sector takes to pass, and a 40 KB file read whole."""
    disc = MODCOMP_4138
    return {
        "first_ms": _mean(disc, seed, 256) / MS,
        "sector_us": disc.revolution / disc.layout.zones[0].sectors_per_track * 1e6,
        "buffered_us": _buffered() * 1e6,
        "toc_ms": _mean(disc, seed, TOC) / MS,
    }


def _mean(disc: DiscType, seed: object, length: int) -> float:
    """Seconds of a read of *length* bytes from anywhere."""
    env = simpy.Environment()
    drive = Drive(env, disc)
    random = stream(seed, "random reads")

    def read() -> Wait:
        for _ in range(READS):
            sector = pick(random, disc.layout.sectors - length // 256)
            yield from drive.read(access(Op.READ, sector * 256, length, Account("reader")))

    env.run(env.process(read()))
    return drive.reading()["busy"] / READS


def _buffered() -> float:
    """Seconds of a sector of which the track is in the buffer of a 4138."""
    env = simpy.Environment()
    drive, account = Drive(env, MODCOMP_4138), Account("reader")

    def read() -> Wait:
        yield from drive.read(access(Op.READ, 0, 256, account))
        yield env.timeout(2 * MODCOMP_4138.revolution)
        begun = env.now
        yield from drive.read(access(Op.READ, 256, 256, account))
        return env.now - begun

    return float(env.run(env.process(read())) or 0.0)


def disc_table(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The paper's table of discs, and its short and long seeks, as the sheets have them."""
    said: dict[str, float] = {}
    for name, disc in (("4138", MODCOMP_4138), ("4134", MODCOMP_4134)):
        layout, random = disc.layout, stream(seed, f"seeks of {name}")
        places = [pick(random, layout.cylinders) for _ in range(READS)]
        seeks = [disc.seek(abs(one - two)) for one, two in pairwise(places) if one != two]
        track = layout.zones[0].sectors_per_track * 256
        said |= {
            f"mb_{name}": layout.sectors * 256 / 1e6,
            f"seek_ms_{name}": sum(seeks) / len(seeks) / MS,
            f"most_ms_{name}": disc.seek(layout.cylinders) / MS,
            f"rotation_ms_{name}": disc.revolution / 2 / MS,
            f"kbs_{name}": track / disc.revolution / 1e3,
        }
    return said | {"short_seek_ms": MODCOMP_4138.seek(1) / MS, "long_seek_ms": MODCOMP_4138.seek(800) / MS}


def two_readers(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Two files of four sectors on a 4138, each on a track of its own, read one after the other or in turn."""
    random, layout = stream(seed, "two readers"), MODCOMP_4138.layout
    track, files = layout.zones[0].sectors_per_track, []
    for _ in range(PAIRS):
        files.append([track * pick(random, layout.sectors // track) for _ in range(2)])
    in_sequence = [sector + number for pair in files for sector in pair for number in range(4)]
    in_turn = [sector + number for pair in files for number in range(4) for sector in pair]
    sequence, interleaved = (_spent(order) / len(files) / MS for order in (in_sequence, in_turn))
    return {"sequence_ms": sequence, "interleaved_ms": interleaved, "factor": interleaved / sequence}


def _spent(sectors: Iterable[int]) -> float:
    """Seconds until a 4138 has read these *sectors*, each asked for as soon as the one before is there."""
    env = simpy.Environment()
    drive, account = Drive(env, MODCOMP_4138), Account("readers")

    def read() -> Wait:
        for sector in sectors:
            yield from drive.read(access(Op.READ, sector * 256, 256, account))

    env.run(env.process(read()))
    return env.now
