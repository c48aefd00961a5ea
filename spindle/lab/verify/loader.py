"""Predicts layers of the kind ``loader``: hosts of the benchmark MLPerf Storage that read training data.

Predicted are samples a second and the use of accelerators, at a number of accelerators.

A folder has workloads.csv (batch, computing, floor of the use) and points.csv (a row for each system, model and count).
A case is a system. The use of accelerators falls with their number: a step ends when the last of them has its batch,
and the longest of n waits grows as 1 + 1/2 + ... + 1/n where waits are exponential.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindle.lab.verify.data import DataRow, read_table
from spindle.lab.verify.point import EvidencePoint
from spindle.sim.error import UserError, unknown
from spindle.sim.parameter import Rule, assumed, change, check, fitted

PERCENT = 100.0
ABOVE_FLOOR = 5.0
"""Percent of use above the floor from which a number of accelerators is not the largest that meets the floor."""
ABOVE = " above the floor"
QUANTITIES_OF_LOADERS = ("samples a second", "use", f"samples a second{ABOVE}", f"use{ABOVE}")
_SHARE = Rule(0.0, 10.0)


@dataclass(frozen=True)
class StepWaits:
    """Waits of a training step as shares of its computing: *base*, and *growth* for each unit of the harmonic number.

    Use of a published number of accelerators is above the floor, by *margin* percent at least. *counted* is the factor
    of samples a second on the use: the beginning and the end of an epoch do not count as use, but take time.
    """

    base: float = fitted(0.0, "loaders: use by number of accelerators, for each model", "1", _SHARE)
    growth: float = fitted(0.02, "loaders: the same", "1", _SHARE)
    counted: float = fitted(1.0, "loaders: samples a second against the use", "1", _SHARE)
    margin: float = assumed(0.5, "the half point by which submitters stay above the floor", "1", Rule(0.0, 100.0))

    def __post_init__(self) -> None:
        check(self)

    def use(self, accelerators: int, floor: float) -> float:
        """Return the percent of time in which so many *accelerators* compute, if that met the *floor*."""
        longest = sum(1.0 / number for number in range(1, accelerators + 1))
        return max(floor + self.margin, PERCENT / (1.0 + self.base + self.growth * longest))


def predict_loaders(data: Path, case: str, settings: Mapping[str, Any]) -> Iterator[EvidencePoint]:
    """Predict all points of the system *case*; *settings* has the waits of each model."""
    loads = {(row.text("model"), row.text("accelerator")): row for row in read_table(data / "workloads.csv")}
    points = read_table(data / "points.csv")
    chosen = [row for row in points if row.text("system") == case]
    if not chosen:
        raise unknown("system", case, {row.text("system") for row in points})
    for row in chosen:
        yield from _point(row, loads, settings)


def _point(
    row: DataRow, loads: Mapping[tuple[str, str], DataRow], settings: Mapping[str, Any]
) -> Iterator[EvidencePoint]:
    model, kind = row.text("model"), row.text("accelerator")
    if (model, kind) not in loads:
        raise UserError(f"{row.place}: workloads.csv does not say {model} on {kind}")
    if not isinstance(settings.get(model), Mapping):
        raise UserError(f"settings do not have a table of waits for {model}")
    load, count = loads[model, kind], row.whole("accelerators")
    waits, floor = change(StepWaits(), **settings[model]), load.number("au_floor_percent")
    use = waits.use(count, floor)
    most = count * load.positive("batch") / load.positive("compute_s_per_batch")
    known_use, known_rate = (_number(row, name) for name in ("au_percent", "samples_per_s"))
    is_above = known_use is not None and known_use > floor + ABOVE_FLOOR
    name = f"{row.text('system')}, {model}, {count} {kind}"
    for where in ("", ABOVE) if is_above else ("",):
        yield EvidencePoint(name, f"samples a second{where}", most * use / PERCENT * waits.counted, known_rate)
        yield EvidencePoint(name, f"use{where}", use, known_use, PERCENT)


def _number(row: DataRow, column: str) -> float | None:
    return row.number(column) if row.text(column) else None
