"""The TEPE monitor: watches a run as the driver machines do, from inquiry to first response at each terminal."""

from math import inf, isnan

from models.hp3000.instruments.responses import Period, Report
from models.hp3000.instruments.steady_report import SteadyReport
from sim.error import UserError
from sim.machine import Machine
from sim.measure.load import Load, Terminals
from sim.measure.observer import Observer
from sim.measure.window import Window
from sim.terminal import Transaction


class TepeMonitor(Observer):
    """Observes one run, which it sees from the beginning, warm-up or not."""

    def __init__(self) -> None:
        self._load: Terminals | None = None
        self._answered: list[Transaction] = []
        self.whole = self.steady = Period("whole test", 0.0, inf)

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._load is not None or not isinstance(load, Terminals):
            raise UserError("a TEPE monitor is for one run with terminals")
        self._load = load
        self.whole = Period("whole test", 0.0, window.end)
        self.steady = Period("steady state", window.start, window.end)

    def record(self, row: Transaction) -> None:
        self._answered.append(row)

    def rows(self) -> list[Transaction]:
        """All responses so far, those of which are still printing last."""
        under_way = () if self._load is None else self._load.under_way()
        return self._answered + [row for row, _ in under_way if not isnan(row.responded)]

    def report(self, steady: Period | None = None) -> Report:
        """Of the whole test and of a *steady* state, which is what follows the warm-up unless another is given."""
        return Report(self._names(), self.rows(), (self.whole, steady or self.steady))

    def steady_report(self) -> SteadyReport:
        """Of what follows the warm-up, by terminal and by transaction."""
        return SteadyReport(self._names(), self.rows(), self.steady)

    def _names(self) -> list[str]:
        """The terminals, in the order in which they log on."""
        return [] if self._load is None else [terminal.name for terminal in self._load.users.terminals]
