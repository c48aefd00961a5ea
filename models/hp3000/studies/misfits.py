"""Studies of four loads for which McBride & Boles (1983) say that disc caching does not pay, and of blocks read once.

Such a load is called a misfit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spindle.models.hp3000.studies.load_kinds import BATCH_BLOCK, lists
from spindle.models.hp3000.studies.trials import (
    MARGINAL_SHARE,
    MIXED,
    ORDERS_TIMES,
    PAIR,
    QUICK_WINDOW,
    Row,
    hybrid,
    orders,
)
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.statistics import shorter
from spindle.studies.study import Runs, SeedRows, Study, StudyWindow

# The four conditions under which disc caching does not pay, each as a load and changes of parameters:
#
# "Marginal or negative effect: CPU busy > 65 % of the time; memory pressure > 10 %; low hit ratio; block size about
# equal to caching fetch size." The numbers are taken to be measured without caching, as on a customer's system, except
# memory pressure and hit ratio: before the cache has its part of memory there is hardly any pressure.

COMPUTE_FACTOR = 4.0
"""Factor of the CPU time of order programs: the first whole one that keeps the CPU over 65 % busy uncached."""

SCARCE_MEMORY = {"memory": 7 * MIB // 2, "fault_cpu": 9.0 * MS}
"""Parameters of a machine with scarce memory, on which a fault takes the highest CPU time in the ensemble.

The one disc of virtual memory cannot serve so many faults that 3 ms each would take a tenth of a Series 64's CPU."""


@dataclass(frozen=True)
class Misfit:
    """A load for which *claim* says that caching does not pay: *run* with *terminals*, and *changes* of parameters.

    The paper's condition is met where *measure*, taken with caching if *cached*, is above *threshold*; below it if not
    *more*.
    """

    claim: str
    run: Callable[..., Row]
    terminals: int
    changes: Mapping[str, Any]
    measure: str
    threshold: float
    cached: bool = False
    more: bool = True

    def condition(self, plain: Mapping[str, float], cached: Mapping[str, float]) -> float:
        """Return the value of the measure that defines the condition."""
        return (cached if self.cached else plain)[self.measure]

    def is_met(self, value: float) -> bool:
        return value > self.threshold if self.more else value < self.threshold


MISFITS: Mapping[str, Misfit] = {
    "busy": Misfit("B36", hybrid, 101, {"compute_scale": COMPUTE_FACTOR}, "cpu_busy", 0.65),
    "pressed": Misfit("B37", hybrid, 101, SCARCE_MEMORY, "memory_pressure", 0.10, cached=True),
    "scattered": Misfit(
        "B38", orders, 63, {"near": 0.0, "hot_share": 0.0, "set_bytes": 8 * MIB}, "hit_ratio", 0.35, cached=True,
        more=False,
    ),
    "block": Misfit("B39", orders, 63, {"block": 4 * KIB, "fetch_random": 4 * KIB}, "response_mean", 0.0),
}  # fmt: skip


def measure_misfit(name: str, plain: Mapping[str, float], cached: Mapping[str, float]) -> dict[str, float]:
    """Compute the gain of caching in the misfit *name*, the measure of its condition, and others that explain it.

    ``marginal_`` is 1 if the condition is met and the gain is marginal or negative, and 0 if one of both is not so.
    """
    condition, gain = MISFITS[name].condition(plain, cached), 1.0 - cached["response_mean"] / plain["response_mean"]
    met = MISFITS[name].is_met(condition)
    return {
        f"marginal_{name}": float(met and gain <= MARGINAL_SHARE), f"{name}_met": float(met), f"gain_{name}": gain,
        f"{name}_condition": condition,
        f"{name}_cpu": plain["cpu_busy"], f"{name}_pressure": plain["memory_pressure"],
        f"{name}_swapping": plain["memory_disc_rate"] / plain["disc_rate"], f"{name}_hits": cached["hit_ratio"],
    }  # fmt: skip


MISFIT_WINDOWS = {"busy": MIXED, "pressed": MIXED, "scattered": ORDERS_TIMES, "block": ORDERS_TIMES}
READ_ONCE_WINDOW = StudyWindow({"minutes": 20.0, "warm_up": 3.0}, QUICK_WINDOW)


def pairs() -> list[Runs]:
    return [
        Runs(each.run, MISFIT_WINDOWS[name], {"misfit": name}, terminals=each.terminals, caching=PAIR, **each.changes)
        for name, each in MISFITS.items()
    ]


def misfits(rows: SeedRows) -> Mapping[str, float]:
    """Measure the gain under each of the four conditions, and whether the condition is met."""
    measures: dict[str, float] = {}
    for name in MISFITS:
        measures |= measure_misfit(name, *(rows.one(misfit=name, caching=caching) for caching in PAIR))
    return measures


def read_once(rows: SeedRows) -> Mapping[str, float]:
    """Measure gain and hits with 21 clerks who list blocks as large as a fetch, and read none again."""
    plain, cached = (rows.one(caching=caching) for caching in PAIR)
    return {"gain": shorter(plain, cached), "hit_ratio": cached["hit_ratio"]}


STUDIES = (
    Study("misfits", pairs(), measures=misfits),
    Study("read_once", [Runs(lists, READ_ONCE_WINDOW, block=BATCH_BLOCK, caching=PAIR)], measures=read_once),
)  # fmt: skip
