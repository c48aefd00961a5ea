"""Reads on a machine that has nothing else to do: what a hit, and a disc access, cost by themselves."""

from math import fsum

import simpy

from models.hp3000.machine import Hp3000, MpeOptions
from models.hp3000.parameters import MpeParameters
from sim.account import Account
from sim.clock import Wait
from sim.file import OpenFile
from sim.measure import engine
from sim.measure.load import Programs
from sim.measure.window import Window
from sim.parameter import changed
from sim.streams import stream

READS = 200


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
