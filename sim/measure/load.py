"""Window is the measured time of a run; Terminals and Programs are loads of a machine: users with scripts, programs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from heapq import merge
from itertools import count
from math import ceil, inf, nan
from typing import Protocol

import simpy

from spindle.sim.clock import Wait
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.laws import check_terminals
from spindle.sim.script import Script, calls
from spindle.sim.terminal import Perform, ResponseLog, Session, Transaction, Users, log_on
from spindle.sim.units import MINUTE

# The window of a run: warm-up, measured time, and the interval at which readings are kept.

MAX_MINUTES = 1e6
MAX_READINGS = 1_000_000


class Mark(Enum):
    """A reason to stop the clock; several at one instant are in this order."""

    START = 0
    INTERVAL = 1
    END = 2
    OVER = 3


@dataclass(frozen=True)
class Window:
    """The measured time: from *start* to *end* seconds, or until the load has ended if *end* is infinite.

    The run continues for a *tail* after that. Counters are read every *interval* seconds, or once if that is
    None: in the window, or *throughout*, from the start of the machine to the end of the tail.

    >>> Window(start=MINUTE, end=HOUR).end
    3600.0
    """

    start: float = 0.0
    end: float = inf
    interval: float | None = None
    tail: float = 0.0
    throughout: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.start < inf:
            raise UserError(f"a window begins at 0 s or later, not at {self.start!r} s")
        if not self.end > self.start:
            raise UserError(f"nothing can be observed from {self.start!r} to {self.end!r} s: measure for longer")
        if self.interval is not None and not (self.interval > 0.0 and self._readings() <= MAX_READINGS):
            raise UserError(f"interval must be positive and give at most a million readings, not {self.interval!r} s")

    @classmethod
    def minutes(cls, minutes: float, warm_up: float, interval: float | None = None) -> "Window":
        """*minutes* measured after *warm_up* minutes; UserError where that cannot be."""
        if not 0.0 < minutes <= MAX_MINUTES:
            raise UserError(f"minutes must be positive and at most {MAX_MINUTES:g}, not {minutes!r}")
        if not 0.0 <= warm_up <= MAX_MINUTES:
            raise UserError(f"warm_up must be at least 0 and at most {MAX_MINUTES:g} minutes, not {warm_up!r}")
        return cls(warm_up * MINUTE, (warm_up + minutes) * MINUTE, interval)

    @property
    def has_end(self) -> bool:
        """True if its end is known before the run."""
        return self.end < inf

    @property
    def over(self) -> float:
        """The end of the whole run."""
        return self.end + self.tail

    def marks(self) -> Iterator[tuple[float, Mark]]:
        """The instants at which the clock stops, in order; those of intervals go on for ever if the window does."""
        return merge(
            [(self.start, Mark.START)], ((instant, Mark.INTERVAL) for instant in self._intervals()),
            [(self.end, Mark.END), (self.over, Mark.OVER)], key=lambda each: (each[0], each[1].value),
        )  # fmt: skip

    def _reading_span(self) -> tuple[float, float]:
        """Return the begin and end of the time in which readings are kept."""
        return (0.0, self.over) if self.throughout else (self.start, self.end)

    def _readings(self) -> float:
        first, last = self._reading_span()
        return (last - first) / self.interval if self.interval and self.has_end else 0.0

    def _intervals(self) -> Iterator[float]:
        first, last = self._reading_span()
        if self.interval is None:
            return iter([last])
        if not self.has_end:
            return (first + number * self.interval for number in count(1))
        # No sliver at the end where the interval divides the window.
        whole = ceil((last - first) / self.interval - 1e-6)
        return iter([*(first + number * self.interval for number in range(1, whole)), last])


Recorded = tuple[Transaction, int]
"""A response, and the number of charges of which its phases are the sums."""


class Load(Protocol):
    """A load of one machine: logs its responses, and has an event for its end. A replayed trace is one too."""

    def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
        """Start on *machine*, to begin when the clock next moves. Each response goes to *log*."""

    def end_event(self) -> simpy.Event:
        """Return the event of the load's end, for a started load whose window has no end."""

    def share(self) -> float:
        """Return the share of the load that is done, from 0 to 1, as far as known."""

    def under_way(self) -> Iterable[Recorded]:
        """Responses that have begun and are not logged yet; one that was not answered yet is answered at NaN."""

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        """LawBroken where *counters* of the window contradict its responses, whose seconds in it sum to *clipped*."""


def _prepare_nothing(program: object, session: Session) -> None:
    """Prepare nothing, for software whose sessions need no preparation."""


class Terminals:
    """A load of users at terminals who work through *scripts*; *perform* is the software that runs their programs.

    Each character typed costs the CPU *interrupt* seconds. *prepare* is called with each program that a session may
    run, before anything runs.

    >>> script = Script("clerks", (Think(Constant(5.0)), Type(10)), terminals=3)
    >>> load = Terminals([script], perform=lambda program, session: ())
    """

    def __init__(
        self, scripts: Sequence[Script], perform: Perform, interrupt: float = 0.0,
        prepare: Callable[[object, Session], None] = _prepare_nothing,
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

    def end_event(self) -> simpy.Event:
        """Return the event at which all users have logged off."""
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
"""A program as a process; it logs its responses, if it has any."""


class Programs:
    """A load of programs without a terminal, by name; they run side by side. *share* is how much of them is done.

    >>> load = Programs({"idle": lambda log: iter(())})
    >>> load.share()
    0.0
    """

    def __init__(self, programs: Mapping[str, Work], share: Callable[[], float] = lambda: 0.0) -> None:
        self._programs = programs
        self._ended: Callable[[], simpy.Event]
        self.share = share

    def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
        processes = [machine.spawn(name, work(log)) for name, work in self._programs.items()]
        self._ended = lambda: simpy.AllOf(machine.env, processes)

    def end_event(self) -> simpy.Event:
        """Return the event at which all programs have ended."""
        return self._ended()

    def under_way(self) -> tuple[Recorded, ...]:
        return ()

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        """Check nothing: a program's waits are the phases of its responses."""
