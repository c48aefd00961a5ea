"""Films a run: some seconds of it are traced, and no more is run than they need."""

from collections.abc import Callable
from typing import Any

from models.moving.film import MOST, FilmTrace
from sim.error import UserError, shown
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer, Watch
from sim.measure.timeline import TracedRun
from sim.measure.tracing.trace import nanoseconds
from sim.measure.window import Window
from sim.quantity import amount
from sim.terminal import Transaction
from sim.units import SECOND

USUAL = 20 * SECOND
LONGEST = 3600 * SECOND
LATEST = 1e6
"""Seconds that may be run before a film begins."""


class Filmed(Observer):
    """Films a run from *begin* for so many *seconds*. If it *stops* the run, FilmEnds ends that when they are over."""

    def __init__(self, begin: float, seconds: float, stops: bool = False, most: int = MOST) -> None:
        check(begin, seconds)
        self.trace = FilmTrace(nanoseconds(begin), nanoseconds(begin + seconds), stops, most)
        self._run = TracedRun(self.trace)
        self._attended = False

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        env = machine.env
        self.trace.now = lambda: nanoseconds(env.now)
        self._attended = True
        self._run.attend(machine, load, window)

    def record(self, row: Transaction) -> None:
        self._run.record(row)

    def film(self, title: str) -> dict[str, Any]:
        """What was seen, as the page reads it."""
        if not self._attended:
            raise UserError("the run shows none of its parts, so that there is nothing to be seen moving")
        self.trace.over = True
        self._run.finish()
        return finished(self.trace, title)


def finished(trace: FilmTrace, title: str) -> dict[str, Any]:
    """The film of *trace*, to which nothing more is said. UserError where all was over before it began."""
    now = trace.now()
    if now <= trace.begin_at:
        raise UserError(f"the run is over after {now / 1e9:g} s, and the moving picture would begin at "
                        f"{trace.begin_at / 1e9:g} s")  # fmt: skip
    end = min(now, trace.end_at)
    note = "" if not trace.full else (
        f"So much happens here that the picture ends after {(end - trace.begin_at) / 1e9:.3g} s: it holds "
        f"{trace.most:,} slices and values")
    return trace.film(title, end, note)


def check(begin: float, seconds: float) -> None:
    """UserError where there is no such film."""
    if not 0.0 <= begin <= LATEST:
        raise UserError(f"a moving picture begins at 0 to {LATEST:g} s, not {begin!r}")
    if not 0.0 < seconds <= LONGEST:
        raise UserError(f"a moving picture lasts more than 0 and at most {LONGEST:g} s, not {seconds!r}")


def read_window(name: str, text: str) -> tuple[float, float]:
    """When a film begins, and how many seconds it lasts, from *text* as 2min:30s; *name* is what a mistake is of."""
    begin, colon, seconds = text.partition(":")
    first, long = amount(begin, "s"), amount(seconds, "s")
    if not colon or first is None or long is None:
        raise UserError(f"{name} takes BEGIN:SECONDS, as 2min:30s, not {shown(text)}")
    check(first, long)
    return first, long


def filmed(
    run: Callable[[Watch], object], title: str, begin: float = 0.0, seconds: float = USUAL, most: int = MOST
) -> dict[str, Any]:
    """The film of *run*, of *most* slices and values; the run is given its observer, and ended when all is seen."""
    watch = Filmed(begin, seconds, stops=True, most=most)
    try:
        run(watch)
    except BaseException:  # FilmEnds, or what a process makes of it on its way
        if not watch.trace.over:
            raise
    return watch.film(title)
