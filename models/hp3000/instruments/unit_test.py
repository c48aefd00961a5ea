"""The unit test of discs and channels: processes that do nothing but read 1 KB at random places, as fast as they can.

McBride & Boles 1983: "our unit tests had sustained better than 3 times that load", of 50 a second.
"""

from dataclasses import replace
from functools import partial
from math import fsum
from random import Random

import simpy

from models.hp3000.machine import Hp3000, MpeOptions
from models.hp3000.parameters import MpeParameters
from models.hp3000.series import SERIES_64, SeriesModel
from sim.account import Account
from sim.clock import Wait
from sim.file import File, OpenFile
from sim.measure import engine
from sim.measure.load import Programs, Work
from sim.measure.window import Window
from sim.parameter import changed
from sim.request import Span
from sim.streams import pick, stream
from sim.terminal import ResponseLog
from sim.units import KIB

RECORD = KIB

IDLE_SET = 64 * KIB
"""The data base is there and idle; it is made small, so that it fits on one disc."""


def disc_rate(
    series: SeriesModel = SERIES_64,
    discs: int | None = None,
    readers: int = 1,
    seconds: float = 60.0,
    seed: object = 1,
    **parameters: object,
) -> float:
    """Disc accesses a second of *readers* processes a disc, each disc read all over; uncached, without other load."""
    wanted = series if discs is None else replace(series, discs=discs)
    values = changed(MpeParameters(), **{**wanted.settings(), "set_bytes": IDLE_SET, **parameters})
    machine = Hp3000(simpy.Environment(), values, MpeOptions(series=series), caching=False)
    programs: dict[str, Work] = {}
    for number, storage in enumerate(machine.storages):
        capacity = machine.drives[number].capacity
        file = File(f"disc {number + 1}", storage, [Span(0, capacity - capacity % RECORD)])
        for reader in range(readers):
            name = f"reader {reader} of disc {number + 1}"
            programs[name] = partial(_read, machine, OpenFile(file), stream(seed, name))
    result = engine.run(machine.machine, Programs(programs), Window(0.0, seconds), seed)
    return fsum(result.counters[f"drive{number}.completed"] for number in range(1, len(machine.drives) + 1)) / seconds


def _read(machine: Hp3000, file: OpenFile, random: Random, log: ResponseLog) -> Wait:
    account = Account("reader")
    while True:
        yield from machine.machine.read(file, pick(random, file.file.size // RECORD) * RECORD, RECORD, account)
