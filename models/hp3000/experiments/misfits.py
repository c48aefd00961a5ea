"""Where disc caching was found not to pay: the four conditions of McBride & Boles (1983), each as a load and changes.

"Marginal or negative effect: CPU busy > 65 % of the time; memory pressure > 10 %; low hit ratio; block size about equal
to caching fetch size." What they measured is taken to be so without caching, as a customer's system would show it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from models.hp3000.experiments.processor import OtherWork
from sim.measure.observer import Observer
from sim.units import KIB, MIB

MARGINAL = 0.1
"""The most that still is "marginal": responses a tenth shorter."""

OTHERS = 0.35
"""Of the CPU for other work: beside a load that keeps it less than half busy, well beyond 65 %."""

Summary = Mapping[str, float]


def _nobody(seed: object) -> None:
    return None


def _others(seed: object) -> Observer:
    return OtherWork(OTHERS, seed)


@dataclass(frozen=True)
class Misfit:
    """*clerks* and *programmers* with *changes* to the machine, and *watch* made anew for each run with its seed.

    Its condition: *measure*, of the run without caching or of that with it, is beyond *threshold* on the side *more*.
    """

    claim: str
    says: str
    clerks: int
    programmers: int
    changes: Mapping[str, Any]
    measure: str
    threshold: float
    cached: bool = False
    more: bool = True
    watch: Callable[[object], Observer | None] = field(default=_nobody)

    def condition(self, plain: Summary, cached: Summary) -> float:
        """How far the run is in what the condition is about."""
        return (cached if self.cached else plain)[self.measure]

    def met(self, value: float) -> bool:
        return value > self.threshold if self.more else value < self.threshold


MISFITS: Mapping[str, Misfit] = {
    "busy": Misfit(
        "B36", "no gain to speak of where the CPU is busy more than 65 % of the time", 63, 38, {}, "cpu_busy", 0.65,
        watch=_others,
    ),
    "pressed": Misfit(
        "B37", "no gain to speak of under memory pressure of more than 10 %", 63, 38, {"memory": 11 * MIB // 4},
        "memory_pressure", 0.10,
    ),
    "scattered": Misfit(
        "B38", "no gain to speak of where few reads hit in a fetch of 4 KB", 63, 0,
        {"hot_share": 0.0, "stay": 0.0, "set_bytes": 8 * MIB}, "hit_ratio", 0.35, cached=True,
        more=False,
    ),
    "block": Misfit(
        "B39", "no gain to speak of where a block is as large as a fetch", 63, 0,
        {"block": 4 * KIB, "fetch_random": 4 * KIB}, "response_mean", 0.0,
    ),
}  # fmt: skip


def misfit(name: str, run: Callable[..., Summary], seed: object) -> dict[str, float]:
    """What caching gains in the misfit *name*, how far its condition goes, and what else tells of it.

    ``run(clerks, programmers, caching=..., seed=..., **changes)`` gives a summary.
    """
    case = MISFITS[name]
    plain, cached = (
        run(case.clerks, case.programmers, caching=on, seed=seed, watch=case.watch(seed), **case.changes)
        for on in (False, True)
    )
    return {
        f"gain_{name}": 1.0 - cached["response_mean"] / plain["response_mean"],
        f"{name}_condition": case.condition(plain, cached),
        f"{name}_cpu": plain["cpu_busy"], f"{name}_pressure": plain["memory_pressure"],
        f"{name}_swapping": plain["memory_disc_rate"] / plain["disc_rate"], f"{name}_hits": cached["hit_ratio"],
    }  # fmt: skip
