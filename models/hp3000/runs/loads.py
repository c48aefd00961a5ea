"""The paper's loads as rows: transactions and development sessions mixed, and each by itself, beside other work."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import simpy

from models.hp3000.caching.alignment import ALIGNMENTS
from models.hp3000.caching.control import FLUSHES, WRITES
from models.hp3000.image.control_block import HOLDS
from models.hp3000.instruments.references import ChunkReferences
from models.hp3000.machine import SESSION_LEVEL, MpeOptions
from models.hp3000.parameters import MpeParameters
from models.hp3000.run import run
from sim.account import Account, Phase
from sim.clock import Wait, pause
from sim.cpu import Cpu
from sim.error import unknown
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.result import Result
from sim.measure.window import Window
from sim.parameter import changed
from sim.streams import stream
from sim.units import MS

DEVELOPMENT = 38 / 101
"""The share of development sessions in the hybrid load of 63 + 38 terminals (McBride & Boles 1983)."""

SECTOR = 256
NO_THINKING = 1e-9
"""Multiplies think times, for which 0 is no factor."""
BURST = 20 * MS
"""Mean CPU time of a burst of the other work; about what an answer of ORDERS computes at a time."""

Row = dict[str, float]


def hybrid(terminals: int, **others: Any) -> Row:
    """*terminals*, as many of them in development as in the paper's hybrid load."""
    return row(mixed(*parts_of(terminals), **others))


def orders(terminals: int, **others: Any) -> Row:
    """Transaction *terminals* by themselves."""
    return row(mixed(terminals, 0, **others))


def development(terminals: int, **others: Any) -> Row:
    """Development *terminals* by themselves."""
    return row(mixed(0, terminals, **others))


def referred(terminals: int, fetch_random: int = MpeParameters.fetch_random, **others: Any) -> Row:
    """The hybrid load with caching, and what Che's approximation makes of its references."""
    references = ChunkReferences(fetch_random)
    return row(references.beside(mixed(*parts_of(terminals), fetch_random=fetch_random, watch=references, **others)))


def parts_of(terminals: int) -> tuple[int, int]:
    """How many of the *terminals* of a hybrid load are clerks, and how many programmers."""
    programmers = round(terminals * DEVELOPMENT)
    return terminals - programmers, programmers


def mixed(
    clerks: int, programmers: int, *, seed: object, caching: bool = True, other_work: float = 0.0,
    write: str = "behind", flush: str = "read-through", hold: str = "whole-call", alignment: str = "from-request",
    **others: Any,
) -> Result:  # fmt: skip
    """A run of both; *other_work* is the share of the CPU that other programs take, *write* how writes end."""
    parts: Mapping[str, tuple[str, Mapping[str, Any]]] = {
        "write": (write, WRITES), "flush": (flush, FLUSHES), "hold": (hold, HOLDS),
        "alignment": (alignment, ALIGNMENTS),
    }  # fmt: skip
    for part, (name, choices) in parts.items():
        if name not in choices:
            raise unknown(part, name, choices)
    if other_work:
        others["watch"] = OtherWork(other_work, seed)
    made = MpeOptions(
        write=WRITES[write], flush=FLUSHES[flush], hold=HOLDS[hold], alignment=ALIGNMENTS[alignment]
    )
    return run(clerks, programmers, caching, seed, choices=made, **others)


def parameters_of(others: Mapping[str, Any]) -> MpeParameters:
    """What those of *others* that are parameters make of the usual ones."""
    names = [each.name for each in fields(MpeParameters)]
    return changed(MpeParameters(), **{name: value for name, value in others.items() if name in names})


def row(result: Result) -> Row:
    """The summary of *result*, and what a call has to do with the control block that it holds."""
    summary, counted = result.summary(), result.counters
    return {
        **summary,
        "calls": counted["data_base.calls"] / result.seconds,
        "hold_ms": counted["data_base.lock_held"] / max(1.0, counted["data_base.lock_acquired"]) / MS,
        "lock_ms": summary["part_lock"] / MS,
        "read_write": counted["data_base.block_reads"] / max(1.0, counted["data_base.block_writes"]),
    }  # fmt: skip


class OtherWork(Observer):
    """Observer that keeps the CPU busy for a *share* of the time with bursts at random moments, urgent as sessions."""

    def __init__(self, share: float, seed: object) -> None:
        self._share = share
        self._random = stream(seed, "other work")

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        machine.spawn("other work", self._come(machine.env, machine.cpu))

    def _come(self, env: simpy.Environment, cpu: Cpu) -> Wait:
        account, every = Account("other work"), BURST / self._share
        while True:
            yield pause(env, self._random.expovariate(1 / every))
            cpu.burst(self._random.expovariate(1 / BURST), SESSION_LEVEL, Phase.CPU, account)
