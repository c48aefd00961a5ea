"""Observer follows a run, as progress bars, timelines and logs do; results are the same with it and without."""

from collections.abc import Callable

from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.terminal import ResponseLog, Transaction

Progress = Callable[[float, float], None]
"""A progress callback, called with the time now and the time at which the run will be over."""


class Observer:
    """An observer of one run, which it does not change: a subclass overrides the callbacks that it needs.

    >>> class Last(Observer):
    ...     def record(self, row):
    ...         self.row = row
    >>> last = Last()
    >>> _ = simulate("unix_stdio", program="w03", seconds=1, watch=last)
    """

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        """The *load* has been started on the *machine*, and the clock is about to move."""

    def record(self, row: Transaction) -> None:
        """A response was recorded, in the warm-up or later."""

    def progress(self, now: float, end: float) -> None:
        """Called at the end of each interval, some fifty times on the way, and at the end of the run."""


Watch = Observer | Progress
"""Types that the ``watch`` of a run may have."""


class Observers(Observer):
    """An observer that calls all *watches* that are not None in turn."""

    def __init__(self, *watches: Watch | None) -> None:
        self._all = [each if isinstance(each, Observer) else _ProgressObserver(each)
                     for each in watches if each is not None]  # fmt: skip
        self.any = bool(self._all)

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        for each in self._all:
            each.attend(machine, load, window)

    def record(self, row: Transaction) -> None:
        for each in self._all:
            each.record(row)

    def progress(self, now: float, end: float) -> None:
        for each in self._all:
            each.progress(now, end)

    def tee(self, log: ResponseLog) -> ResponseLog:
        """Return a log that passes each response to *log*, and then to all observers."""
        return _TeeLog(log, self) if self.any else log


class _ProgressObserver(Observer):
    """An observer that passes progress on to a callback."""

    def __init__(self, callback: Progress) -> None:
        self._callback = callback

    def progress(self, now: float, end: float) -> None:
        self._callback(now, end)


class _TeeLog:
    """A log that passes responses to *log*, and then to *observer*, which thus gets none that breaks a law."""

    def __init__(self, log: ResponseLog, observer: Observer) -> None:
        self._log = log
        self._observer = observer

    def record(self, row: Transaction, charges: int) -> None:
        self._log.record(row, charges)
        self._observer.record(row)
