"""The buffer pool as a system of Spindle: its options and parts, the page to play with, and a result as text."""

from collections.abc import Mapping
from typing import Any

from spindle.models.buffer_pool.machine import PoolOptions
from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.run import MIXES, run
from spindle.playable import Offered, Playable, shipped_system, words_of
from spindle.questions.array import array_words
from spindle.sim.disc.registry import STORES
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity

PARTS: Mapping[str, Mapping[str, Any]] = {"drive": STORES, "policy": POLICIES}


SIZES = ("1MiB", "2MiB", "4MiB", "8MiB", "16MiB", "32MiB", "64MiB", "128MiB")

PLAYABLE = Playable(
    run=run,
    parameters=PoolParameters(),
    parts=PARTS,
    choose=PoolOptions,
    offered={
        "scale": Offered("pgbench's scale: 100,000 accounts each", [str(each) for each in (1, 2, 5, 10, 20, 50)]),
        "clients": Offered("clients without think time", [str(each) for each in (1, 2, 4, 8, 16, 32)]),
        "pool": Offered("shared buffers", SIZES),
        "mix": Offered("transactions of a client: tpcb, or select, which only reads", words=words_of(MIXES)),
        "scans": Offered("concurrent sequential scans of all accounts", [str(each) for each in range(5)]),
        "minutes": Offered("measured minutes", ("0.3s", "0.6s", "1.2s", "3s", "6s")),
        "warm_up": Offered("minutes before the measured ones", ("0s", "0.3s", "0.6s", "1.2s", "3s", "6s")),
    },
    begin={"minutes": "0.3s", "warm_up": "0.3s"},
    vary=("pool", ("4MiB", "8MiB", "16MiB", "32MiB")),
    curves=("response_mean", "heap_hit_ratio"),
    window="0s:0.02s",
    tour={
        "How large a pool is worth having?": ("pool", "2MiB,8MiB,32MiB,128MiB", {}),
        "What does a scan cost the clients?": ("scans", "0,1,2", {"pool": "16MiB"}),
        "Which policy withstands a scan?": ("policy", "lru,clock-sweep,midpoint", {"pool": "16MiB", "scans": "1"}),
        "How many clients does a drive bear?": ("clients", "1,4,16", {"pool": "16MiB"}),
        "What is another drive worth?": ("drive", "hitachi7k1000.c,intels3700,samsung960pro", {"pool": "16MiB"}),
    },
)


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

SYSTEM = shipped_system(
    "buffer_pool", MODEL, PLAYABLE,
    page=page,
    answers=("throughput", "response_mean", "buffer_hit_ratio", "heap_hit_ratio", "index_hit_ratio", "disc_busy"),
)
