"""Records how late a server's replies are, complains when it is too slow for its drives, and shows a live line."""

import sys
from collections.abc import Callable
from typing import TextIO

from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.units import MS
from spindle.traces.replay.replay import Times
from spindle.traces.replay.storage import Storage

TOLERATED_SHARE = 0.02
"""Largest mean lateness, as a share of the time that the drives take, with which a server keeps up."""


class Lateness:
    """Records the lateness of each reply by the wall clock; an early reply counts as late by as much.

    complaint() compares it with the seconds that the replies were to take.
    """

    def __init__(self) -> None:
        self.times = Times()
        self._seen = self._seen_late = self._seen_due = 0.0

    def add(self, late: float) -> None:
        self.times.add(abs(late))

    def mean(self) -> float:
        """Return the mean in seconds; 0 before there is a reply."""
        return self.times.sum / self.times.count if self.times.count else 0.0

    def complaint(self, due: float) -> str:
        """Return a complaint about the time since the last call; *due* is the seconds that replies were to take."""
        count, late = self.times.count - self._seen, self.times.sum - self._seen_late
        due, self._seen_due = due - self._seen_due, due
        self._seen, self._seen_late = self.times.count, self.times.sum
        if not count or late <= TOLERATED_SHARE * due:
            return ""
        return (f"cannot keep up: replies come {late / count / MS:.3g} ms late on average, where the drives took "
                f"{due / count / MS:.3g} ms; a lower --speed, or fewer requests at a time, would help")

    def numbers(self, due: float) -> dict[str, float]:
        """Return times in milliseconds, and lateness as a share of *due*, the seconds that all replies were to take."""
        if not self.times.count:
            return {"replies": 0}
        return {"replies": self.times.count, "mean_ms": self.mean() / MS,
                "p99_ms": self.times.quantile(0.99) / MS, "max_ms": self.times.longest / MS,
                "share": self.times.sum / due if due else 0.0}

    def page(self, due: float) -> list[str]:
        figures = self.numbers(due)
        if not figures["replies"]:
            return []
        lines = ["replies were late or early by {mean_ms:.3f} ms on average, p99 {p99_ms:.3f} ms, at most {max_ms:.3f} "
                 "ms: {share:.2%} of their time".format(**figures)]
        if figures["share"] > TOLERATED_SHARE:
            lines.append(f"that is more than {TOLERATED_SHARE:.0%}: this server could not keep up with its drives")
        return lines


# A live line on a server: the queue and the arm of each drive, requests a second, hit ratio and lateness.

LINE_PERIOD, SHOWN_OUTSIDE_TERMINAL = 0.25, 4
"""Seconds between two live lines; outside a terminal, where lines are not overwritten, every fourth is shown."""
MAX_DRIVES = 4
"""Most drives that a live line shows one by one."""
READ_COUNTERS = ("hits", "late_hits", "misses")
"""Counters of reads by outcome, from which the hit ratio follows."""


class Tap:
    """Writes live lines on a server to *stream*; on a terminal each overwrites the one before."""

    def __init__(self, storage: Storage, lateness: Lateness, wall: Callable[[], float],
                 stream: TextIO | None = None) -> None:  # fmt: skip
        self._storage = storage
        self._lateness = lateness
        self._wall = wall
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        self._calls = 0
        self._at, self._before = wall(), 0.0

    def show(self) -> None:
        self._calls += 1
        if not self._terminal and self._calls % SHOWN_OUTSIDE_TERMINAL != 1:
            return
        start, end = ("\r", "\x1b[K") if self._terminal else ("", "\n")
        self._stream.write(f"{start}{self.line()}{end}")
        self._stream.flush()

    def close(self) -> None:
        if self._terminal and self._calls:
            self._stream.write("\n")

    def line(self) -> str:
        drives = self._storage.drives
        shown = [f"{name} queue {drive.counts.issued - drive.counts.completed:3}{_arm(drive)}"
                 for name, drive in list(drives.items())[:MAX_DRIVES]]
        late = self._lateness.mean() / MS
        return " | ".join([*shown, f"{self._rate():8.1f} accesses/s", *self._hits(), f"late {late:.3f} ms"])

    def _rate(self) -> float:
        """Return the accesses a second to all drives since the last call, by the wall clock."""
        done, now = float(sum(drive.counts.completed for drive in self._storage.drives.values())), self._wall()
        rate = (done - self._before) / (now - self._at) if now > self._at else 0.0
        self._at, self._before = now, done
        return rate

    def _hits(self) -> list[str]:
        """Return a phrase on the hit ratio of reads, in the cache or else the drives' buffers; none without reads."""
        counted = ([cached.cache.reading() for cached in self._storage.caches] or
                   [drive.mechanism.reading() for drive in self._storage.drives.values()])
        prefix = "" if self._storage.caches else "buffer_"
        hits, *others = [sum(each.get(f"{prefix}{level}", 0.0) for each in counted) for level in READ_COUNTERS]
        total = hits + sum(others)
        return [f"hits {hits / total:6.1%}"] if total else []


def _arm(drive: Drive) -> str:
    return "" if isinstance(drive, FlashDrive) else f" arm {drive.arm.cylinder:6}"
