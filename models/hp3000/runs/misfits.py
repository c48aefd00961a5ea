"""Where disc caching does not pay: the four conditions of McBride & Boles (1983), each as a load and changes.

"Marginal or negative effect: CPU busy > 65 % of the time; memory pressure > 10 %; low hit ratio; block size about equal
to caching fetch size." What they measured is taken to be so without caching, as a customer's system would show it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from models.hp3000.runs.loads import Row, hybrid, orders
from models.hp3000.series import SERIES_44
from sim.units import KIB, MIB

MARGINAL = 0.1
"""The most that still is "marginal": responses a tenth shorter."""

COMPUTING = 6.0
"""What order programs compute, the first whole multiple of the shipped that keeps the CPU beyond 65 % uncached."""

SHORT = 27 * MIB // 16
"""The most memory, in steps of 1/16 MB, with which a Series 44 of 63 terminals has a pressure of 10 % without caching.

On a Series 64 nothing is: its virtual memory is on one disc, which allows for faults that take 6.6 % of its CPU.
"""


@dataclass(frozen=True)
class Misfit:
    """*terminals* of the load *run*, with *changes* to the machine.

    Its condition: *measure*, of the run without caching or of that with it, is beyond *threshold* on the side *more*.
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
        """How far the run is in what the condition is about."""
        return (cached if self.cached else plain)[self.measure]

    def met(self, value: float) -> bool:
        return value > self.threshold if self.more else value < self.threshold


MISFITS: Mapping[str, Misfit] = {
    "busy": Misfit("B36", hybrid, 101, {"compute_scale": COMPUTING}, "cpu_busy", 0.65),
    "pressed": Misfit("B37", hybrid, 63, {"series": SERIES_44, "memory": SHORT}, "memory_pressure", 0.10),
    "scattered": Misfit(
        "B38", orders, 63, {"near": 0.0, "set_bytes": 8 * MIB}, "hit_ratio", 0.35, cached=True,
        more=False,
    ),
    "block": Misfit("B39", orders, 63, {"block": 4 * KIB, "fetch_random": 4 * KIB}, "response_mean", 0.0),
}  # fmt: skip


def measured(name: str, plain: Mapping[str, float], cached: Mapping[str, float]) -> dict[str, float]:
    """What caching gains in the misfit *name*, the measure of its condition, and others that explain it.

    ``marginal_`` is 1 if the condition is met and the gain is marginal or negative, and 0 if one of both is not so.
    """
    condition, gain = MISFITS[name].condition(plain, cached), 1.0 - cached["response_mean"] / plain["response_mean"]
    met = MISFITS[name].met(condition)
    return {
        f"marginal_{name}": float(met and gain <= MARGINAL), f"{name}_met": float(met), f"gain_{name}": gain,
        f"{name}_condition": condition,
        f"{name}_cpu": plain["cpu_busy"], f"{name}_pressure": plain["memory_pressure"],
        f"{name}_swapping": plain["memory_disc_rate"] / plain["disc_rate"], f"{name}_hits": cached["hit_ratio"],
    }  # fmt: skip
