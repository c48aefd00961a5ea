"""Loads of a machine: users at terminals, or programs without a terminal."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Protocol

import simpy

from sim.clock import Wait
from sim.machine import Machine
from sim.measure.laws import check_terminals
from sim.script import Script, calls
from sim.terminal import Perform, ResponseLog, Session, Transaction, Users, log_on

Recorded = tuple[Transaction, int]
"""A response, and how many charges its phases are the sum of."""


class Load(Protocol):
    """A load of one machine: logs its responses, and has an event for its end; a trace replayed is one, too."""

    def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
        """Set to work on *machine*, from when the clock next moves. Each response goes to *log*."""

    def ended(self) -> simpy.Event:
        """The event of its end; for a load that was started, where its window has no end."""

    def share(self) -> float:
        """The share of it that is done, from 0 to 1, as far as known."""

    def under_way(self) -> Iterable[Recorded]:
        """Responses that have begun and are not logged yet; one that was not answered yet is answered at NaN."""

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        """LawBroken where *counters* of the window contradict the responses, which are *clipped* seconds within it."""


def _prepared(program: object, session: Session) -> None:
    """Nothing, for software that needs to prepare nothing for its sessions."""


class Terminals:
    """Users at terminals who work through *scripts*; *perform* is the software that runs their programs.

    Each character typed costs the CPU *interrupt* seconds. *prepare* is called with each program that a session may
    run, before anything runs.
    """

    def __init__(
        self, scripts: Sequence[Script], perform: Perform, interrupt: float = 0.0,
        prepare: Callable[[object, Session], None] = _prepared,
    ) -> None:  # fmt: skip
        self._scripts = scripts
        self._perform = perform
        self._interrupt = interrupt
        self._prepare = prepare
        self._ended: Callable[[], simpy.Event]
        self.users: Users

    def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
        self.users = Users(machine.env, log)
        machine.parts["desk"] = self.users
        before = len(machine.processes)
        for script in self._scripts:
            for terminal in log_on(machine, script, self._perform, self.users, seed, self._interrupt):
                for call in calls(script.steps):
                    self._prepare(call.program, terminal.session)
        processes = [process for _, process in machine.processes[before:]]
        self._ended = lambda: simpy.AllOf(machine.env, processes)

    def ended(self) -> simpy.Event:
        """All users have logged off."""
        return self._ended()

    def share(self) -> float:
        return 0.0

    def under_way(self) -> Iterator[Recorded]:
        for terminal in self.users.terminals:
            if terminal.call is not None:
                yield terminal.row(terminal.call, nan), terminal.session.account.charges

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        check_terminals(counters, clipped, now)


Work = Callable[[ResponseLog], Wait]
"""What a program does as a process; it logs what responses it has by itself."""


class Programs:
    """Programs without a terminal, by name; they run side by side. *share* is how much of them is done."""

    def __init__(self, programs: Mapping[str, Work], share: Callable[[], float] = lambda: 0.0) -> None:
        self._programs = programs
        self._ended: Callable[[], simpy.Event]
        self.share = share

    def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
        processes = [machine.spawn(name, work(log)) for name, work in self._programs.items()]
        self._ended = lambda: simpy.AllOf(machine.env, processes)

    def ended(self) -> simpy.Event:
        """All programs have ended."""
        return self._ended()

    def under_way(self) -> tuple[Recorded, ...]:
        return ()

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        """Nothing: a program's waits are the phases of its responses."""
