"""Registers the buffer pool as a system of Spindle: its run, parameters, parts by name, and result as text."""

from collections.abc import Mapping
from typing import Any

from spindle.models.buffer_pool.machine import PoolOptions
from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.run import MIXES, run
from spindle.questions.array import array_words
from spindle.sim.disc.registry import STORES
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.system import System, words_of

PARTS: Mapping[str, Mapping[str, Any]] = {"drive": STORES, "policy": POLICIES}


def page(result: Result) -> str:
    """Return *result* as text for a screen of 80 columns."""
    settings, extras, times = result.parameters, result.extras, result.response()
    rates = [quantity(extras[name], "1/s", 3) for name in ("read_rate", "write_rate", "flush_rate")]
    mean, p95 = (quantity(times[f"response_{name}"], "s", 3) for name in ("mean", "p95"))
    lines = [f"scale {settings['scale']}, {settings['clients']} clients of {settings['mix']}, {settings['scans']} "
             f"scans, a pool of {settings['pool']:,} bytes, seed {result.seed}",
             f"{result.recorder.count / result.seconds:,.0f} transactions/s, mean {mean}, p95 {p95}",
             f"buffer hits {extras['buffer_hit_ratio']:.2%}: accounts {extras['heap_hit_ratio']:.2%}, their index "
             f"{extras['index_hit_ratio']:.2%}",
             f"pages read {rates[0]}, written {rates[1]}, flushes of the log {rates[2]}",
             f"CPU busy {extras['cpu_busy']:.1%}, drive busy {extras['disc_busy']:.1%}"
             f"{array_words(settings)}"]  # fmt: skip
    return "\n".join(lines)


MODEL = 1
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "buffer_pool", MODEL, run, PoolParameters(), parts=PARTS, choose=PoolOptions,
    page=page, words={"mix": words_of(MIXES)},
)  # fmt: skip
