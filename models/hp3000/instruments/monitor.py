"""The TEPE monitor: watches a run as the driver machines do, from inquiry to first response at each terminal."""

from collections.abc import Sequence
from math import inf, isnan, nan

from models.hp3000.instruments.responses import Period, Report
from sim.error import UserError
from sim.machine import Machine
from sim.measure.simulate import Onlooker, Watch
from sim.terminal import Desk, Observer, Terminal, Transaction


class Monitor:
    """The ``watch`` of one run, which it sees from the beginning, warm-up or not; it tells *watch* the time in turn."""

    def __init__(self, watch: Watch = lambda now, end: None) -> None:
        self._watch = watch
        self._observer: Observer | None = None
        self._terminals: Sequence[Terminal] = ()
        self._answered: list[Transaction] = []
        self.whole = self.steady = Period("whole test", 0.0, inf)

    def attend(self, machine: Machine, desk: Desk | None, warm_up: float, end: float) -> None:
        if desk is None or self._observer is not None:
            raise UserError("a TEPE monitor is for one run with terminals")
        self._observer, desk.observer = desk.observer, self
        self._terminals = desk.terminals
        self.whole, self.steady = Period("whole test", 0.0, end), Period("steady state", warm_up, end)
        if isinstance(self._watch, Onlooker):
            self._watch.attend(machine, desk, warm_up, end)

    def __call__(self, now: float, end: float) -> None:
        self._watch(now, end)

    def record(self, row: Transaction, charges: int) -> None:
        assert self._observer is not None
        self._observer.record(row, charges)
        self._answered.append(row)

    def rows(self) -> list[Transaction]:
        """All responses so far, those of which are still printing last."""
        printing = [
            terminal.row(terminal.call, nan) for terminal in self._terminals
            if terminal.call is not None and not isnan(terminal.session.responded)
        ]  # fmt: skip
        return self._answered + printing

    def report(self, steady: Period | None = None) -> Report:
        """Of the whole test and of a *steady* state, which is what follows the warm-up unless another is given."""
        names = [terminal.name for terminal in self._terminals]
        return Report(names, self.rows(), (self.whole, steady or self.steady))
