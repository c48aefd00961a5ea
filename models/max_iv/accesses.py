"""What single accesses take on Max-IV's drives alone: without a cache, a load or a CPU."""

from collections.abc import Iterable, Mapping

import simpy

from models.max_iv.parameters import Parameters
from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType
from sim.disc.sheets import IBM_2314, MODCOMP_4138
from sim.parameter import changed
from sim.request import Op, access
from sim.streams import pick, stream
from sim.units import KIB, MS


def first_sector(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """A read of one sector anywhere on a 4138, and what its sector takes to pass under the head."""
    disc = MODCOMP_4138
    env = simpy.Environment()
    drive = Drive(env, disc)
    env.run(env.process(_random_reads(drive, disc, seed, 2000)))
    reading = drive.reading()
    return {
        "first_ms": reading["busy"] / 2000 / MS,
        "sector_us": disc.revolution / disc.layout.zones[0].sectors_per_track * 1e6,
    }


def _random_reads(drive: Drive, disc: DiscType, seed: object, count: int) -> Wait:
    random = stream(seed, "random reads")
    for _ in range(count):
        sector = pick(random, disc.layout.sectors)
        yield from drive.read(access(Op.READ, sector * 256, 256, Account("reader")))


def two_readers(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Two files of four sectors anywhere on a 4138, read one after the other or sector by sector in turn."""
    random, files = stream(seed, "two readers"), []
    for _ in range(400):
        files.append([pick(random, MODCOMP_4138.layout.sectors - 4) for _ in range(2)])
    in_sequence = [sector + number for pair in files for sector in pair for number in range(4)]
    in_turn = [sector + number for pair in files for number in range(4) for sector in pair]
    return {"sequence_ms": _spent(in_sequence) / len(files) / MS, "interleaved_ms": _spent(in_turn) / len(files) / MS}


def _spent(sectors: Iterable[int]) -> float:
    """Seconds until a 4138 has read these *sectors*, each asked for as soon as the one before is there."""
    env = simpy.Environment()
    drive, account = Drive(env, MODCOMP_4138), Account("readers")

    def read() -> Wait:
        for sector in sectors:
            yield from drive.read(access(Op.READ, sector * 256, 256, account))

    env.run(env.process(read()))
    return env.now


def spawn(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The image of a shell out to a 2314 and, after a tool was read from elsewhere, back in; without other users."""
    env = simpy.Environment()
    drive = Drive(env, IBM_2314)
    seconds: list[float] = []
    env.process(_spawns(drive, seed, 2 * changed(Parameters(), **parameters).shell_words, seconds))
    env.run()
    return {"spawn_ms": sum(seconds) / len(seconds) / MS}


def _spawns(drive: Drive, seed: object, image: int, seconds: list[float]) -> Wait:
    random, account = stream(seed, "spawns"), Account("shell")
    for _ in range(100):
        place = pick(random, (drive.capacity - image) // 256) * 256
        tool = pick(random, (drive.capacity - 40 * KIB) // 256) * 256
        began = drive.env.now
        yield from drive.write(access(Op.WRITE, place, image, account))
        out = drive.env.now - began
        yield from drive.read(access(Op.READ, tool, 40 * KIB, account))
        began = drive.env.now
        yield from drive.read(access(Op.READ, place, image, account))
        seconds.append(out + drive.env.now - began)
