"""Studies of the times of a hit and of a miss on an idle machine, and of the inputs that the paper prints."""

from collections.abc import Mapping
from math import fsum
from typing import Any

import simpy

from spindle.models.hp3000.data_sets import FAMILIES
from spindle.models.hp3000.load import read_shipped
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_III
from spindle.sim.clock import Account, Wait
from spindle.sim.machine import OpenFile
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.parameter import change
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MIB, MINUTE, MS
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study
from spindle.workloads.drivers import SCRIPTS_A_DRIVER, drivers_for

READ_COUNT = 200
"""Files that are read, each twice."""


def unloaded_reads(caching: bool, **parameters: object) -> tuple[float, float]:
    """Measure mean seconds of a read repeated at once, and of a first read, at random places of all discs.

    Any field of MpeParameters may be given by name.
    """
    series = Hp3000(simpy.Environment(), change(MpeParameters(), **parameters), MpeOptions(), caching)
    files = [OpenFile(series.volumes.build(f"file {number}", 256 * 1024)) for number in range(READ_COUNT)]
    first: list[float] = []
    again: list[float] = []
    load = Programs({"reader": lambda log: _read_twice(series, files, first, again)})
    engine.run(series.machine, load, Window())
    return fsum(again) / READ_COUNT, fsum(first) / READ_COUNT


def _read_twice(series: Hp3000, files: list[OpenFile], first: list[float], again: list[float]) -> Wait:
    random = stream(0, "unloaded")
    account = Account("reader")
    for file in sorted(files, key=lambda _: random.random()):
        for times in (first, again):
            began = series.machine.env.now
            yield from series.machine.read(file, 0, 1024, account)
            times.append(series.machine.env.now - began)


def reads(seed: object, **parameters: Any) -> dict[str, float]:
    """Measure a hit, a miss and an uncached access on an idle machine, in milliseconds, whatever the *seed*."""
    hit, miss = unloaded_reads(caching=True, **parameters)
    _, access = unloaded_reads(caching=False, **parameters)
    return {"hit_ms": hit / MS, "miss_ms": miss / MS, "access_ms": access / MS}


def printed_inputs(seed: object, **parameters: Any) -> dict[str, float]:
    """Collect from the parts the numbers that the paper states and the model takes as they are, whatever the *seed*."""
    used = change(MpeParameters(), **parameters)
    terminals = sum(script.terminals for script in read_shipped("hybrid_101.tepe"))
    return {
        "mips_iii": SERIES_III.mips, "mips_64": used.mips,
        "memory_iii_mb": SERIES_III.memory / MIB, "memory_64_mb": used.memory / MIB,
        "sequential_fetch_kb": used.fetch_sequential / KIB, "random_fetch_kb": used.fetch_random / KIB,
        "overhead_ms": used.hit_cpu / MS, "data_sets": float(sum(family.count for family in FAMILIES.values())),
        "terminals": float(terminals), "drivers": float(drivers_for(terminals)), "scripts": float(SCRIPTS_A_DRIVER),
        "interval": MINUTE,
    }  # fmt: skip


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if name != "seed"}


def measure_reads(rows: SeedRows) -> Mapping[str, float]:
    """Return the numbers of the idle machine, and how many ``times`` as long an uncached access takes as a hit."""
    read = numbers(rows)
    return {**read, "times": read["access_ms"] / read["hit_ms"]}


STUDIES = (
    Study("hit_time", [Runs(reads, UNTIMED)], measures=measure_reads),
    Study("given", [Runs(printed_inputs, UNTIMED)], measures=numbers),
)  # fmt: skip
