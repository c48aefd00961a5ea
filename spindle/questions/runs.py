"""Groups of options that runs of systems share: the window of time that is measured, and what is recorded."""

from dataclasses import dataclass

from spindle.questions.field import ask
from spindle.sim.measure.load import Window
from spindle.sim.measure.observer import Watch


@dataclass(frozen=True)
class WindowOptions:
    """Options for the window: *minutes* are measured, after *warm_up* minutes that are not."""

    minutes: float = ask(20.0, "measured minutes", "min")
    warm_up: float = ask(5.0, "minutes before the measured ones", "min")

    def window(self, interval: float | None = None) -> Window:
        """Return the window, with counters read every *interval* seconds."""
        return Window.minutes(self.minutes, self.warm_up, interval)


@dataclass(frozen=True)
class Recorded:
    """Options for the records of a run: a row for each response, counters every *interval* seconds, a *watch*."""

    keep_rows: bool = ask(True, "keep a row for each response")
    interval: float | None = ask(None, "seconds between readings of all counters", "s")
    watch: Watch | None = ask(None, "sees the run, and changes none of its numbers")


RECORDED = Recorded()
"""Runs that keep a row for each response, and nothing more."""
