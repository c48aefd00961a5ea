"""A live line on a server: for each drive its queue and, if it has one, its arm; requests a second, hits, lateness."""

import sys
from collections.abc import Callable
from typing import TextIO

from models.serve.lateness import Lateness
from sim.disc.drive import Drive
from sim.disc.flash.mechanism import Flash
from sim.units import MS
from workloads.traces.replay.storage import Storage

EVERY = 0.25
"""Seconds between two lines in a terminal; elsewhere, where they stay, every fourth is shown."""
SELDOM = 4
MOST_DRIVES = 4
"""Shown one by one."""
LEVELS = ("hits", "late_hits", "misses")


class Tap:
    """Writes to *stream*; the line before is written over where that is a terminal."""

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
        if not self._terminal and self._calls % SELDOM != 1:
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
                 for name, drive in list(drives.items())[:MOST_DRIVES]]
        late = self._lateness.mean() / MS
        return " | ".join([*shown, f"{self._rate():8.1f} accesses/s", *self._hits(), f"late {late:.3f} ms"])

    def _rate(self) -> float:
        """Accesses of all drives, a second of the wall clock, since the last call."""
        done, now = float(sum(drive.counts.completed for drive in self._storage.each())), self._wall()
        rate = (done - self._before) / (now - self._at) if now > self._at else 0.0
        self._at, self._before = now, done
        return rate

    def _hits(self) -> list[str]:
        """Of reads: in the cache if there is one, else in the drives' own."""
        counted = ([cached.cache.reading() for cached in self._storage.caches] or
                   [drive.mechanism.reading() for drive in self._storage.each()])
        prefix = "" if self._storage.caches else "buffer_"
        hits, *others = [sum(each.get(f"{prefix}{level}", 0.0) for each in counted) for level in LEVELS]
        total = hits + sum(others)
        return [f"hits {hits / total:6.1%}"] if total else []


def _arm(drive: Drive) -> str:
    return "" if isinstance(drive.mechanism, Flash) else f" arm {drive.arm.cylinder:6}"
