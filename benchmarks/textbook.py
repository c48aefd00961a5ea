"""The same small machine as a SimPy textbook would have it and of Spindle's parts: equal answers, other costs."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import simpy

from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import Cpu, FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.measure.engine import advance
from spindle.sim.request import Op, access
from spindle.sim.streams import Exponential, stream
from spindle.sim.units import KIB, MS

TERMINALS, SECONDS = 20, 4200.0
THINK = Exponential(1.0)
CALL, CPU_A_READ, DISC = 1.0 * MS, 4.0 * MS, (10.0 * MS, 12.0 * MS, 3.0 * MS)
"""A system call, the rest of the CPU work, and seek, rotation and transfer of a disc access."""


class Measured(NamedTuple):
    """One style of the machine: what it answered, and what that cost."""

    style: str
    reads: int
    events: float
    microseconds: float


def textbook() -> Measured:
    """A Resource for the CPU and one for the disc, a process for each I/O, a timeout for each of its phases."""
    env = simpy.Environment()
    cpu, disc = simpy.Resource(env), simpy.Resource(env)
    done = [0]
    for number in range(TERMINALS):
        env.process(_textbook_terminal(env, number, cpu, disc, done))
    return _measured("textbook", env, lambda: done[0])


def _textbook_terminal(
    env: simpy.Environment, number: int, cpu: simpy.Resource, disc: simpy.Resource, done: list[int]
) -> Wait:
    random = stream(1, f"terminal {number}/think")
    while True:
        yield env.timeout(THINK.draw(random))
        for seconds in (CALL, CPU_A_READ):
            with cpu.request() as mine:
                yield mine
                yield env.timeout(seconds)
        yield env.process(_textbook_access(env, disc))
        done[0] += 1


def _textbook_access(env: simpy.Environment, disc: simpy.Resource) -> Wait:
    with disc.request() as mine:
        yield mine
        for seconds in DISC:
            yield env.timeout(seconds)


def parts(style: str, cpu_of: type[FcfsCpu] | type[PreemptiveCpu]) -> Measured:
    """Spindle's CPU and drive, the breakdown of every read's time included."""
    env = simpy.Environment()
    cpu = cpu_of(env)
    drive = Drive(env, FixedService(sum(DISC)))
    for number in range(TERMINALS):
        env.process(_terminal(env, number, cpu, drive))
    return _measured(style, env, lambda: drive.counts.completed)


def _terminal(env: simpy.Environment, number: int, cpu: Cpu, drive: Drive) -> Wait:
    random = stream(1, f"terminal {number}/think")
    account = Account(f"terminal {number}")
    while True:
        yield env.timeout(THINK.draw(random))
        for seconds in (CALL, CPU_A_READ):
            yield cpu.burst(seconds, 1, Phase.CPU, account)
        yield from drive.read(access(Op.READ, 0, KIB, account))


def _measured(style: str, env: simpy.Environment, reads: Callable[[], int]) -> Measured:
    began = perf_counter()
    events = advance(env, SECONDS)
    seconds = perf_counter() - began
    return Measured(style, reads(), events / reads(), seconds / reads() * 1e6)
