"""Groups of fields that runs of systems share: the window that is measured, and what is recorded of it."""

from dataclasses import dataclass

from spindle.questions.field import ask
from spindle.sim.measure.load import Window
from spindle.sim.measure.observer import Watch


@dataclass(frozen=True)
class WindowOptions:
    """Measured *minutes* after those that warm up."""

    minutes: float = ask(20.0, "measured minutes", "min")
    warm_up: float = ask(5.0, "minutes before the measured ones", "min")

    def window(self, interval: float | None = None) -> Window:
        return Window.minutes(self.minutes, self.warm_up, interval)


@dataclass(frozen=True)
class Recorded:
    """The record of a run: rows of responses, counts by *interval* in seconds, a *watch*."""

    keep_rows: bool = ask(True, "keep a row for each response")
    interval: float | None = ask(None, "seconds between readings of all counters", "s")
    watch: Watch | None = ask(None, "sees the run, and changes none of its numbers")


RECORDED = Recorded()
