"""Makes a machine with terminals whose runs are observed: small enough to follow by hand, or busy."""

from collections.abc import Callable
from typing import Any

import simpy

from spindle.sim.clock import Wait
from spindle.sim.cpu import Cpu, FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals, Window
from spindle.sim.measure.result import Result
from spindle.sim.request import Span
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Exponential
from spindle.sim.terminal import Session


class Site:
    """A machine with one drive; every transaction of *terminals* reads a record, and each second one writes it."""

    def __init__(
        self, terminals: int = 1, cpu: Callable[[simpy.Environment], Cpu] = FcfsCpu, disc: Any = None,
        think: Constant | Exponential | None = None, call: float = 0.5, interrupt: float = 0.0,
    ) -> None:
        self.env = env = simpy.Environment()
        self.drive = Drive(env, disc or FixedService(1.0))
        self.machine = Machine(env, {"drive": self.drive, "pond": Pond(self.drive)}, cpu(env), SystemCalls(call, call))
        self.file = OpenFile(File("records", self.drive, [Span(0, 100_000_000)]))
        thinking = Think(think or Constant(3.0))
        baud = 100.0 if interrupt else 10.0
        script = Script("clerk", (Loop((thinking, Call(None, "read"))),), terminals, baud, start=Constant(0.0))
        self.load = Terminals([script], lambda _, session: [self.perform(session)], interrupt)

    def perform(self, session: Session) -> Wait:
        first = session.random.randrange(1000) * 65_536
        yield from self.machine.read(self.file, first, 512, session.account)
        if session.random.random() < 0.5:
            yield from self.machine.write(self.file, first, 512, session.account)
        yield from session.reply(3)

    def run(self, end: float, warm_up: float = 0.0, watch: Any = None) -> Result:
        return engine.run(self.machine, self.load, Window(warm_up, end), watch=watch)


class Pond:
    """A part whose level is what *drive* has completed, modulo three."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive

    def reading(self) -> dict[str, float]:
        return {}

    def levels(self) -> dict[str, float]:
        return {"water_bytes": float(self._drive.counts.completed % 3)}


def slicing(env: simpy.Environment) -> Cpu:
    """Users take turns, and the lines interrupt them."""
    return PreemptiveCpu(env, {1: 0.01})


def busy_site(cpu: Callable[[simpy.Environment], Cpu]) -> Site:
    return Site(20, cpu, HP7933, Exponential(1.0), 0.025, 0.01)


def reading_only(cpu: Callable[[simpy.Environment], Cpu]) -> Site:
    """A site whose only terminal reads the same ten bytes again and again."""
    site = Site(cpu=cpu)

    def perform(session: Session) -> Wait:
        yield from site.machine.read(site.file, 0, 10, session.account)
        yield from session.reply(3)

    site.perform = perform  # type: ignore[method-assign]
    return site
