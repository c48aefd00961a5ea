"""Traces responses on a timeline: times of typing and phases, a track for each terminal, program and host."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from math import isnan

import simpy

from spindle.sim.clock import Ledger, Phase, Wait
from spindle.sim.measure.load import Load, Terminals
from spindle.sim.measure.tracing.trace import TimelineTrace, nanoseconds
from spindle.sim.script import Call, Step, Think, Type
from spindle.sim.terminal import Session, Terminal, Transaction

Spent = tuple[str, float, float]
"""A phase with the begin and end of the time spent on it."""


class TracedUser:
    """A wrapper of a *terminal* that has not begun yet, which keeps the phases of its responses as intervals."""

    def __init__(self, terminal: Terminal, env: simpy.Environment) -> None:
        self._terminal = terminal
        self._env = env
        self._typed: list[tuple[float, float]] = []
        self._walk, self._perform = terminal._walk, terminal._perform
        terminal._walk, terminal._perform = self.walk, self.perform  # type: ignore[method-assign]

    def walk(self, steps: tuple[Step, ...]) -> Iterator[Think | Type | Call]:
        """Walk as the terminal does; a step within a loop comes through here once for each loop around it."""
        for step in self._walk(steps):
            if isinstance(step, Type):
                typed = self._env.now, self._env.now + step.characters / self._terminal._script.typing
                if typed[1] > typed[0] and typed not in self._typed[-1:]:
                    self._typed.append(typed)
            yield step

    def perform(self, program: object, session: Session) -> Iterable[Wait]:
        """Perform as the machine does, with an account that keeps phases as intervals."""
        session.account = Ledger(session.account.name)
        return self._perform(program, session)

    def take_typing(self, begin: float, end: float) -> Iterator[tuple[float, float]]:
        """Yield begin and end of each typing between *begin* and *end*; drop those before."""
        self._typed = [each for each in self._typed if each[1] > begin]
        yield from ((max(begin, since), min(end, until)) for since, until in self._typed if since < end)

    def waits(self) -> Iterator[Spent]:
        """The phases of the response under way or just over; neighbours of one kind are one."""
        account = self._terminal.session.account
        pieces = sorted(account.pieces, key=lambda piece: piece[1]) if isinstance(account, Ledger) else []
        for phase, group in groupby(pieces, key=lambda piece: piece[0]):
            together = [*group]
            yield phase.name.lower(), together[0][1], max(end for _, _, end in together)


class TracedResponses:
    """A tracer of the responses that *load* logs, which calls *then* after each.

    A response is a slice, with its phases as notes; a terminal's has them as slices within it, and its printing behind.
    A terminal with several responses under way has a lane for each. Between two of them its user thinks and types.
    """

    def __init__(self, load: Load, trace: TimelineTrace, env: simpy.Environment, then: Callable[[], None]) -> None:
        self._load = load
        self._trace = trace
        self._env = env
        self._then = then
        self._group: int | None = None
        self._lanes: dict[str, list[int]] = {}
        self._ended: dict[int, float] = {}
        self._users: dict[str, TracedUser] = {}
        if isinstance(load, Terminals):
            for terminal in load.users.terminals:
                self._users[terminal.name] = TracedUser(terminal, env)
                self._lane(terminal.name, 0.0)

    def record(self, row: Transaction) -> None:
        self._show(row, row.ended)
        self._then()

    def finish(self) -> None:
        """Draw the unfinished responses at the end of the run, and thinking and typing until then."""
        for row, _ in self._load.under_way():
            self._show(row, self._env.now)
        for name, user in self._users.items():
            self._draw_pause(user, self._lanes[name][0], self._env.now)

    def _lane(self, name: str, began: float) -> int:
        """Find a track of *name* on which nothing was under way at *began*, or make one."""
        if self._group is None:
            self._group = self._trace.track("responses")
        lanes = self._lanes.setdefault(name, [])
        for lane in lanes:
            if self._ended.get(lane, 0.0) <= began:
                return lane
        lanes.append(self._trace.track(f"{name}/{len(lanes) + 1}" if lanes else name, self._group))
        return lanes[-1]

    def _show(self, row: Transaction, end: float) -> None:
        track = self._lane(row.terminal, row.began)
        began, ended = nanoseconds(row.began), nanoseconds(end)
        waiting = isnan(row.responded)
        responded = ended if waiting else nanoseconds(row.responded)
        spent = () if waiting else tuple(
            (f"{phase.name.lower()}, s", row.phases[phase]) for phase in Phase if row.phases[phase]
        )
        user = self._users.get(row.terminal)
        if user is not None:
            self._draw_pause(user, track, row.began)
        self._trace.begin(track, row.name, began, spent)
        waits = () if user is None else user.waits()
        if waiting or responded < ended:
            self._trace.begin(track, "response", began)
            self._slices(track, waits, began, responded)
            self._trace.end(track, responded)
            self._slice(track, "printing", responded, ended)
        else:
            self._slices(track, waits, began, responded)
        self._trace.end(track, ended)
        self._ended[track] = end

    def _draw_pause(self, user: TracedUser, track: int, until: float) -> None:
        """Draw thinking and typing of the *user* between two responses."""
        if track in self._ended:
            begin = nanoseconds(self._ended[track])
            for typed, end in user.take_typing(self._ended[track], until):
                self._slice(track, "think", begin, nanoseconds(typed))
                begin = max(begin, nanoseconds(end))
                self._slice(track, "type", nanoseconds(typed), begin)
            self._slice(track, "think", begin, nanoseconds(until))

    def _slices(self, track: int, pieces: Iterable[tuple[str, float, float]], begin: int, end: int) -> None:
        """Draw *pieces* in turn, each as far as it lies between *begin* and *end* and after the one before."""
        for name, since, until in pieces:
            shown, begin = max(begin, nanoseconds(since)), max(begin, min(end, nanoseconds(until)))
            self._slice(track, name, shown, begin)

    def _slice(self, track: int, name: str, begin: int, end: int) -> None:
        if end > begin:
            self._trace.begin(track, name, begin)
            self._trace.end(track, end)
