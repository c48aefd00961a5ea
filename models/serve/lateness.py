"""How late a server's replies are, and whether it keeps up with the drives that it stands for."""

from sim.units import MS
from workloads.traces.replay.tally import Times

TOLERATED = 0.02
"""Of the time that the drives take: replies that are later on average are not the drives' any more."""
SHORTEST = 1 * MS
"""A mean lateness below it is no news while a server runs."""


class Lateness:
    """Takes the lateness of each reply by the wall clock, early ones as late by as much.

    Now and then it is told what the replies were to take.
    """

    def __init__(self) -> None:
        self.times = Times()
        self._seen = self._seen_late = self._seen_due = 0.0

    def add(self, late: float) -> None:
        self.times.add(abs(late))

    def mean(self) -> float:
        """Seconds; 0 before there is a reply."""
        return self.times.sum / self.times.count if self.times.count else 0.0

    def complaint(self, due: float) -> str:
        """What is to be said of the time since the last call, where replies were to take *due* seconds up to now."""
        count, late = self.times.count - self._seen, self.times.sum - self._seen_late
        due, self._seen_due = due - self._seen_due, due
        self._seen, self._seen_late = self.times.count, self.times.sum
        if not count or late / count < SHORTEST or late <= TOLERATED * due:
            return ""
        return (f"cannot keep up: replies come {late / count / MS:.3g} ms late on average, where the drives took "
                f"{due / count / MS:.3g} ms; a lower --speed, or fewer requests at a time, would help")

    def numbers(self, due: float) -> dict[str, float]:
        """Milliseconds; the share is of the *due* seconds that all replies were to take."""
        if not self.times.count:
            return {"replies": 0}
        return {"replies": self.times.count, "mean_ms": self.mean() / MS,
                "p99_ms": self.times.quantiles.quantile(0.99) / MS, "max_ms": self.times.longest / MS,
                "share": self.times.sum / due if due else 0.0}

    def page(self, due: float) -> list[str]:
        figures = self.numbers(due)
        if not figures["replies"]:
            return []
        lines = ["replies were late or early by {mean_ms:.3f} ms on average, p99 {p99_ms:.3f} ms, at most {max_ms:.3f} "
                 "ms: {share:.2%} of their time".format(**figures)]
        if figures["share"] > TOLERATED:
            lines.append(f"that is more than {TOLERATED:.0%}: this server could not keep up with its drives")
        return lines
