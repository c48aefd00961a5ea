"""OPT and MPEDCP: the log of a run, an interval a minute, of what its processor, discs, memory and tables did.

McBride & Boles 1983 ran "with OPT and MPEDCP enabled with logging at 60-second intervals", described in the sections
TEPE and Disc Caching Into Battle, and had statistics "with variable granularity: global total, global by interval,
logical device level". How its pages looked is not known.
"""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from math import floor, inf
from pathlib import Path
from typing import TYPE_CHECKING

from models.hp3000.instruments.opt_global import global_page, total
from models.hp3000.instruments.opt_interval import OptInterval, moment
from models.hp3000.instruments.opt_page import page
from models.hp3000.parameters import MpeParameters
from sim.error import UserError
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.result import difference
from sim.measure.window import Window
from sim.memory import SharedMemory
from sim.output.files import write_whole
from sim.units import MINUTE

if TYPE_CHECKING:
    import pandas as pd

Rows = Sequence[Mapping[str, object]]


def check_file(path: Path) -> Path:
    """*path*; UserError where no log can be written there."""
    if path.suffix not in (".txt", ".csv"):
        raise UserError(f"{path} must end in .csv or .txt")
    if not path.parent.is_dir():
        raise UserError(f"{path}: there is no folder {path.parent}")
    return path


class OptLog(Observer):
    """Observes one run of a machine of *parameters*, from the warm-up's end.

    Give the run the same *interval*, and it stops at the instants of these readings; else an interval ends at the
    next progress callback. No event is added to the run.
    """

    def __init__(self, parameters: MpeParameters, interval: float = MINUTE) -> None:
        if not 0.0 < interval < inf:
            raise UserError(f"a log's interval must be positive and finite, not {interval!r} s")
        self.interval = interval
        self.intervals: list[OptInterval] = []
        self._costs = parameters.on_its_cpu()
        self._machine: Machine | None = None
        self._begin = self._since = 0.0
        self._looks = 0
        self._before: Mapping[str, float] = {}

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._machine is not None:
            raise UserError("a log is of one run")
        memory = machine.parts["memory"]
        assert isinstance(memory, SharedMemory)
        here = memory.capacity, sum(name.startswith("drive") for name in machine.parts)
        meant = self._costs.available, self._costs.discs
        if here != meant:
            raise UserError(
                f"a log of {meant[0]} bytes beside MPE and {meant[1]} discs, not of {here[0]} and {here[1]}"
            )
        self._machine, self._begin = machine, window.start
        if window.start <= machine.env.now:
            self._look(machine)

    def progress(self, now: float, end: float) -> None:
        assert self._machine is not None
        if now > self._since and now >= min(self._begin + self._looks * self.interval, end):
            self._look(self._machine)

    def _look(self, machine: Machine) -> None:
        now, reading = machine.env.now, machine.reading()
        if self._looks:
            counters = difference(reading, self._before)
            self.intervals.append(OptInterval(self._since, now, counters, moment(machine), self._costs))
            self.intervals[-1].check()
        self._since, self._before = now, reading
        self._looks = floor((now - self._begin) / self.interval + 1e-6) + 1

    def text(self) -> str:
        """The global page, and a page an interval, of 80 columns; nothing where there is no interval."""
        pages = [page(number, each) for number, each in enumerate(self.intervals, 1)]
        return "\n\n".join([global_page(self.intervals), *pages] if pages else [])

    def rows(self) -> Rows:
        """One an interval: seconds and bytes, rates a second, shares of 1."""
        return [each.row() for each in self.intervals]

    def global_rows(self) -> Rows:
        """The only one is that of all intervals together."""
        return [total(self.intervals).row()] if self.intervals else []

    def ldev_rows(self) -> Rows:
        """One an interval and LDEV."""
        return [
            {"since": each.since, "until": each.until, "ldev": number, **ldev}
            for each in self.intervals for number, ldev in enumerate(each.ldevs(), 1)
        ]  # fmt: skip

    def working_set_rows(self) -> Rows:
        """One an interval and process: bytes of its own segments in memory at the end."""
        return [
            {"until": each.until, "process": process, "bytes": size}
            for each in self.intervals for process, size in each.moment.working_sets.items()
        ]  # fmt: skip

    def frame(self) -> "pd.DataFrame":
        return _frame(self.rows())

    def ldev_frame(self) -> "pd.DataFrame":
        return _frame(self.ldev_rows())

    def working_set_frame(self) -> "pd.DataFrame":
        return _frame(self.working_set_rows())

    def write(self, path: Path) -> None:
        """The pages where *path* ends with .txt; with .csv the rows, and beside it the total, LDEVs, working sets."""
        check_file(path)
        if path.suffix == ".txt":
            write_whole(path, (self.text() + "\n").encode())
            return
        tables = {
            "": self.rows(), "_global": self.global_rows(), "_ldevs": self.ldev_rows(),
            "_working_sets": self.working_set_rows(),
        }  # fmt: skip
        for name, rows in tables.items():
            write_whole(path.with_stem(path.stem + name), _csv(rows))


def _frame(rows: Rows) -> "pd.DataFrame":
    import pandas as pd  # only here, so that pages and files need not wait for it

    return pd.DataFrame(rows)


def _csv(rows: Rows) -> bytes:
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue().encode()
