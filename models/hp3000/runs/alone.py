"""What parts of the machine do by themselves: a read, a job that reads in order, discs that do nothing else."""

from collections.abc import Mapping
from math import fsum
from typing import Any

import simpy

from models.hp3000.image.data_set import FAMILIES
from models.hp3000.instruments.unit_test import disc_rate
from models.hp3000.load import shipped
from models.hp3000.machine import Hp3000, MpeOptions
from models.hp3000.parameters import MpeParameters
from models.hp3000.runs.loads import SECTOR
from models.hp3000.series import SERIES_64, SERIES_III, SeriesModel
from sim.account import Account
from sim.clock import Wait
from sim.file import OpenFile
from sim.measure import engine
from sim.measure.load import Programs
from sim.measure.window import Window
from sim.parameter import changed
from sim.request import Hint
from sim.streams import stream
from sim.units import KIB, MIB, MINUTE, MS
from workloads.drivers import SCRIPTS_A_DRIVER, needed

READS = 200
BLOCK = KIB
EXTENTS, EXTENT = 8, 240 * KIB
"""A file of 1.9 MB; fetches of 4, 16, 48 and 96 sectors end where an extent does."""

RATED: Mapping[str, tuple[SeriesModel, int, int]] = {
    "Series III": (SERIES_III, 30, 40),
    "Series 64": (SERIES_64, 120, 160),
}
"""Accesses a second, as McBride & Boles print them."""


def unloaded_reads(caching: bool, **parameters: object) -> tuple[float, float]:
    """Mean seconds of a read that was read just before, and of one that was not, at random places of all discs.

    Any field of Parameters may be given by name.
    """
    series = Hp3000(simpy.Environment(), changed(MpeParameters(), **parameters), MpeOptions(), caching)
    files = [OpenFile(series.volumes.build(f"file {number}", 256 * 1024)) for number in range(READS)]
    first: list[float] = []
    again: list[float] = []
    load = Programs({"reader": lambda log: _read_twice(series, files, first, again)})
    engine.run(series.machine, load, Window())
    return fsum(again) / READS, fsum(first) / READS


def _read_twice(series: Hp3000, files: list[OpenFile], first: list[float], again: list[float]) -> Wait:
    random = stream(0, "unloaded")
    account = Account("reader")
    for file in sorted(files, key=lambda _: random.random()):
        for times in (first, again):
            began = series.machine.env.now
            yield from series.machine.read(file, 0, 1024, account)
            times.append(series.machine.env.now - began)


def reads(seed: object, **parameters: Any) -> dict[str, float]:
    """A hit, a miss and an uncached access on an idle machine, in milliseconds, whatever the *seed*."""
    hit, miss = unloaded_reads(caching=True, **parameters)
    _, access = unloaded_reads(caching=False, **parameters)
    return {"hit_ms": hit / MS, "miss_ms": miss / MS, "access_ms": access / MS}


def unit_rate(series: str, seconds: float, seed: object, **parameters: Any) -> dict[str, float]:
    """Accesses a second of the drives of a *series* under a load of nothing else, and how many drives these are."""
    sheet = RATED[series][0]
    drives = parameters.get("discs", sheet.discs)
    return {"drives": drives, "disc_rate": disc_rate(sheet, seconds=seconds, seed=seed, **parameters)}


def job(sectors: int, seed: object, extent: int = EXTENT, **parameters: Any) -> dict[str, float]:
    """A job that reads a file in order by fetches of so many *sectors*, uncached with 0; nothing in it is drawn."""
    env = simpy.Environment()
    size = {"fetch_sequential": sectors * SECTOR} if sectors else {}
    machine = Hp3000(env, changed(MpeParameters(), **{**parameters, **size}), MpeOptions(), caching=sectors > 0)
    file = OpenFile(machine.volumes.build("BATCH", EXTENTS * extent, EXTENTS), Hint.SEQUENTIAL)
    env.run(until=env.process(_read(machine, file)))
    hit_ratio = float("nan")
    if machine.caching is not None:
        caches = [cache.reading() for cache in machine.caching.caches]
        hit_ratio = sum(each["hits"] for each in caches) / (file.file.size // BLOCK)
    return {"elapsed": env.now, "cpu_busy": machine.cpu.reading()["busy"] / env.now, "hit_ratio": hit_ratio}


def _read(machine: Hp3000, file: OpenFile) -> Wait:
    account = Account("job")
    for first in range(0, file.file.size, BLOCK):
        yield from machine.machine.read(file, first, BLOCK, account)


def given(seed: object, **parameters: Any) -> dict[str, float]:
    """What the paper states and the model takes as it is, read off the parts that have it, whatever the *seed*."""
    used = changed(MpeParameters(), **parameters)
    terminals = sum(script.terminals for script in shipped("hybrid_101.tepe"))
    return {
        "mips_iii": SERIES_III.mips, "mips_64": used.mips,
        "memory_iii_mb": SERIES_III.memory / MIB, "memory_64_mb": used.memory / MIB,
        "sequential_fetch_kb": used.fetch_sequential / KIB, "random_fetch_kb": used.fetch_random / KIB,
        "overhead_ms": used.hit_cpu / MS, "data_sets": float(sum(family.count for family in FAMILIES.values())),
        "terminals": float(terminals), "drivers": float(needed(terminals)), "scripts": float(SCRIPTS_A_DRIVER),
        "interval": MINUTE,
    }  # fmt: skip
