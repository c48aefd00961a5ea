"""Runs a drawn machine in four ways and holds it to everything that is a law whatever the machine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from types import CodeType
from typing import Any

import simpy

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.clock import Daemon
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.error import UserError
from spindle.sim.measure import engine
from spindle.sim.measure.engine import advance
from spindle.sim.measure.laws import check_parts
from spindle.sim.measure.result import Recorder
from spindle.sim.parts import parts_on
from spindle.sim.terminal import Transaction
from tests.fuzz.software import NAMES

MAX_SECONDS = 5000.0
"""All that a drawn machine is asked for is done by then. The slowest so far took 1,652 s: three caches, each of which
reads ahead more than its memory holds, made 118,000 reads of 95 (seed 5002001)."""
WRITE_BACK = 5.0
"""Seconds in which three caches one above the other write everything: each waits for 1 s, and looks every 0.5 s."""


class Inspected(simpy.Environment):
    """A clock that looks, whenever it moves on, whether anybody rests who has work."""

    def step(self) -> None:
        super().step()
        if self.peek() > self.now:
            for part in parts_on(self):
                _works(part)


def _works(part: object) -> None:
    if isinstance(part, Drive):
        assert not part._idle or not len(part.scheduler), f"{part.name} rests while requests wait"
    elif isinstance(part, PreemptiveCpu):
        assert part._running is not None or not part._ready, "the CPU rests while bursts wait"
    elif isinstance(part, BlockCache):
        memory = part.blocks.memory
        sizes = sum(size for _, size in memory._regions.values())
        assert memory.used_bytes == sizes <= memory.capacity, f"{part.name}: {sizes} bytes in {memory.capacity}"


class AnyOrder(simpy.Environment):
    """A clock on which what happens at one instant happens in any order that *seed* thinks of."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._eid = _shuffled(Random(seed))  # type: ignore[assignment]


def _shuffled(random: Random) -> Iterator[int]:
    while True:
        yield random.getrandbits(64)


@dataclass(frozen=True)
class Outcome:
    """What two runs of one machine must have in common."""

    rows: list[Transaction]
    counters: Mapping[str, float]
    end: float


class Refused(Exception):
    """The parts do not go with one another, and say so when they are put together."""


@lru_cache(maxsize=1)
def _code(script: str) -> CodeType:
    """Of one machine, which is built several times."""
    return compile(script, "the machine", "exec")


def build(script: str, env: simpy.Environment) -> dict[str, Any]:
    names = {**NAMES, "Environment": lambda: env}
    try:
        exec(_code(script), names)
    except UserError as error:
        raise Refused(str(error)) from None
    return names


def run(script: str, env: simpy.Environment) -> Outcome:
    """Run what *script* builds through its window and on until nobody has anything left to do; nothing is left over."""
    built = build(script, env)
    machine = built["machine"]
    result = engine.run(machine, built["load"], built["window"])
    outcome = Outcome(result.transactions, result.counters, result.end)
    _to_rest(env)
    check_parts(machine)
    for name, process in machine.processes:
        assert not process.is_alive, f"{name} waits for ever for {process.target!r}"
    for part in parts_on(env):
        _rests(part)
    return outcome


def _to_rest(env: simpy.Environment) -> None:
    """Go on until daemons alone have anything on the clock, and they have had time to write everything."""
    while env.now < MAX_SECONDS and any(not _daemon(event) for *_, event in env._queue):
        advance(env, env.now + 1.0)
    assert env.now < MAX_SECONDS, "it comes to no rest"
    advance(env, env.now + WRITE_BACK)


def _daemon(event: simpy.Event) -> bool:
    heard = [getattr(callback, "__self__", None) for callback in event.callbacks or ()]
    return all(isinstance(each, Daemon) for each in heard)


def _rests(part: object) -> None:
    """Nothing is under way, held or pinned any more."""
    _works(part)
    if isinstance(part, Drive):
        reading = part.reading()
        assert reading["issued"] == reading["completed"], f"{part.name} has not done all"
    elif isinstance(part, BlockCache):
        memory, entries = part.blocks.memory, part.blocks._entries
        assert (memory._pins, memory._leaving) == ({}, {}), f"{part.name}: pins {memory._pins} are left"
        assert all(entry.arrival is None for entry in entries.values()), f"{part.name}: users"
        assert not part._writing_out, f"{part.name} is writing out"


def referee(script: str) -> Outcome:
    """The machine's run: by itself, watched; in any order of what happens at once; and the same beside its twin."""
    outcome = run(script, Inspected())
    run(script, AnyOrder(1))
    env = simpy.Environment()
    twin = build(script, env)
    twin["load"].start(twin["machine"], 1, Recorder())
    beside = run(script, env)
    assert beside.rows == outcome.rows, "another machine on the same clock changes a response"
    assert beside.counters == outcome.counters, "another machine on the same clock changes a counter"
    return outcome
