"""A desk seen at work: each terminal's transactions, and what its user does between them."""

from collections.abc import Callable
from math import isnan

import simpy

from sim.account import Phase
from sim.measure.seen.trace import Trace, nanoseconds
from sim.terminal import Desk, Transaction


class SeenDesk:
    """Observes what terminals tell *desk*, and looks around *then*.

    A transaction is its response and then its printing; its notes say where the response went. Between two of them
    the terminal thinks, and types.
    """

    def __init__(self, desk: Desk, trace: Trace, env: simpy.Environment, then: Callable[[], None]) -> None:
        self._desk = desk
        self._trace = trace
        self._env = env
        self._then = then
        self._observer = desk.observer
        self._group = trace.track("terminals")
        self._tracks = {each.name: trace.track(each.name, self._group) for each in desk.terminals}
        self._ended: dict[str, float] = {}
        desk.observer = self

    def record(self, row: Transaction, charges: int) -> None:
        self._observer.record(row, charges)
        self._show(row)
        self._ended[row.terminal] = row.ended
        self._then()

    def finish(self) -> None:
        """What is under way at the end of the run, as far as it has got."""
        for terminal in self._desk.terminals:
            if terminal.call is not None:
                self._show(terminal.row(terminal.call, self._env.now))

    def _show(self, row: Transaction) -> None:
        began, ended = nanoseconds(row.began), nanoseconds(row.ended)
        waiting = isnan(row.responded)
        responded = ended if waiting else nanoseconds(row.responded)
        spent = () if waiting else tuple(
            (f"{part.name.lower()}, s", row.parts[part]) for part in Phase if row.parts[part]
        )
        if row.terminal not in self._tracks:
            self._tracks[row.terminal] = self._trace.track(row.terminal, self._group)
        track = self._tracks[row.terminal]
        if row.terminal in self._ended:
            self._slice(track, "think", nanoseconds(self._ended[row.terminal]), began)
        self._trace.begin(track, row.name, began, spent)
        self._slice(track, "response", began, responded)
        self._slice(track, "printing", responded, ended)
        self._trace.end(track, ended)

    def _slice(self, track: int, name: str, begin: int, end: int) -> None:
        if end > begin:
            self._trace.begin(track, name, begin)
            self._trace.end(track, end)
