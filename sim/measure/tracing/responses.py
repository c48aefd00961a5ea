"""Responses on a timeline: each terminal's, with what its user does between them, each program's, each host's."""

from collections.abc import Callable, Iterable
from math import isnan

import simpy

from sim.account import Phase
from sim.measure.load import Load, Terminals
from sim.measure.tracing.trace import TimelineTrace, nanoseconds
from sim.measure.tracing.users import TracedUser
from sim.terminal import Transaction


class TracedResponses:
    """Traces the responses that *load* logs, and samples *then*.

    A response is followed by its printing; its notes are its phases, and those of a terminal's lie within it. A
    terminal with several under way has a lane for each. Between two of them its user thinks, and types.
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
        """What is under way at the end of the run, as far as it has got."""
        under_way = [row for row, _ in self._load.under_way()]
        for row in under_way:
            self._show(row, self._env.now)
        busy = {row.terminal for row in under_way}
        for name, user in self._users.items():
            if name not in busy:
                self._away(user, self._lanes[name][0], self._env.now)

    def _lane(self, name: str, began: float) -> int:
        """A track of *name* on which nothing was under way when something *began*."""
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
            (f"{part.name.lower()}, s", row.parts[part]) for part in Phase if row.parts[part]
        )
        user = self._users.get(row.terminal)
        if user is not None:
            self._away(user, track, row.began)
        self._trace.begin(track, row.name, began, spent)
        waits = () if user is None else user.waits(row.began, row.responded)
        if waiting or responded < ended:
            self._trace.begin(track, "response", began)
            self._slices(track, waits, began, responded)
            self._trace.end(track, responded)
            self._slice(track, "printing", responded, ended)
        else:
            self._slices(track, waits, began, responded)
        self._trace.end(track, ended)
        self._ended[track] = end

    def _away(self, user: TracedUser, track: int, until: float) -> None:
        """What the *user* does between two responses."""
        if track in self._ended:
            begin = nanoseconds(self._ended[track])
            for typed, end in user.typed(self._ended[track], until):
                self._slice(track, "think", begin, nanoseconds(typed))
                begin = max(begin, nanoseconds(end))
                self._slice(track, "type", nanoseconds(typed), begin)
            self._slice(track, "think", begin, nanoseconds(until))

    def _slices(self, track: int, pieces: Iterable[tuple[str, float, float]], begin: int, end: int) -> None:
        """*pieces* one after the other, each as far as it lies between *begin* and *end* and after the one before."""
        for name, since, until in pieces:
            shown, begin = max(begin, nanoseconds(since)), max(begin, min(end, nanoseconds(until)))
            self._slice(track, name, shown, begin)

    def _slice(self, track: int, name: str, begin: int, end: int) -> None:
        if end > begin:
            self._trace.begin(track, name, begin)
            self._trace.end(track, end)
