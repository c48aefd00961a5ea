"""Measured against predicted: each row, its prediction, and whether that is near enough."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from models.unix_stdio.measure.cell import MeasuredRow
from models.unix_stdio.measure.fit import FittedMachine, fit
from models.unix_stdio.measure.predict import predicted, simulates
from sim.error import UserError
from sim.units import KIB

NEAR = 0.15
BUSY = 1.25
LARGEST = 64 * KIB
"""Blocks up to this are judged: a larger one is split by the kernel, or allocated in pieces of its own choice."""
KERNEL = {"read_ahead": "drive read_ahead_kb", "request": "drive max_sectors_kb"}
MOST_KIB = 1 << 20
Watched = Callable[[Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True)
class MeasuredCell:
    """A *row*, the predicted seconds of its call (None: not simulated), and whether it was *fitted*."""

    row: MeasuredRow
    predicted: float | None
    fitted: bool

    @property
    def error(self) -> float | None:
        """The share by which the prediction is too large."""
        return None if self.predicted is None else self.predicted / self.row.seconds - 1.0

    @property
    def judged(self) -> bool:
        """Whether it counts for the error of the simulation."""
        return self.predicted is not None and not self.fitted and self.row.cell.program.block <= LARGEST

    @property
    def near(self) -> bool:
        """Within 15 %; for what waits for a drive, also between the quartiles."""
        if self.predicted is None or self.error is None:
            return False
        between = self.row.cell.waits and self.row.low <= self.predicted <= self.row.high
        return between or abs(self.error) <= NEAR


@dataclass(frozen=True)
class Comparison:
    """All rows, with the *fit* that the predictions are made from."""

    fit: FittedMachine
    rows: Sequence[MeasuredCell]

    @property
    def judged(self) -> list[MeasuredCell]:
        return [each for each in self.rows if each.judged]

    @property
    def near(self) -> int:
        return sum(each.near for each in self.judged)

    @property
    def mean_error(self) -> float:
        """Of those judged, without its sign; 0 where there are none."""
        errors = [abs(each.error) for each in self.judged if each.error is not None]
        return mean(errors) if errors else 0.0

    @property
    def stretched(self) -> float:
        """How many times as long as undisturbed calls took that wait for nothing; the median of the rows."""
        rows = [each.row for each in self.rows if each.row.undisturbed and not each.row.cell.waits]
        return median(row.median / row.seconds for row in rows) if rows else 1.0


def compare(rows: Sequence[MeasuredRow], head: Mapping[str, str], watched: Watched = lambda every: every) -> Comparison:
    """Fit a machine to *rows*, with the kernel settings in *head*, and predict all of them."""
    made = fit(rows, kernel(head))
    used = {row.cell for row in made.used.values()}
    held = []
    for row in watched(rows):
        predictable = (made.device or not row.cell.waits) and simulates(row.cell, row.reached)
        prediction = predicted(row.cell, row.reached, made.machine) if predictable else None
        held.append(MeasuredCell(row, prediction, row.cell in used))
    return Comparison(made, held)


def kernel(head: Mapping[str, str]) -> dict[str, int]:
    """The settings of a kernel that matter here, as far as *head* has them."""
    settings = {}
    for parameter, name in KERNEL.items():
        text = head.get(name)
        if text is not None:
            if not (text.isascii() and text.isdigit() and len(text) < 10 and 0 <= int(text) <= MOST_KIB):
                raise UserError(f"{name} must be KiB up to {MOST_KIB}, not {text[:40]!r}")
            settings[parameter] = int(text) * KIB
    return settings
