"""Registers the serving engine as a system of Spindle: its run, parameters, parts by name, and result as text."""

from collections.abc import Mapping
from typing import Any

from spindle.models.kv_cache.parameters import KvParameters
from spindle.models.kv_cache.run import KvOptions, run
from spindle.sim.disc.registry import FLASH
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.system import System, words_of
from spindle.traces.curve.tiers import INCLUSIONS
from spindle.traces.kv.hardware import ACCELERATORS, LANGUAGE_MODELS
from spindle.traces.kv.plan import LOADING

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": FLASH, **dict.fromkeys(("policy", "hbm_policy", "dram_policy", "nvme_policy", "object_policy"), POLICIES),
}  # fmt: skip

HITS_OF_TIER = "hit_share_"


def page(result: Result) -> str:
    """Return *result* as text for a screen of 80 columns."""
    settings, extras, times = result.parameters, result.extras, result.response()
    mean, p95, p99 = (quantity(times[f"response_{name}"], "s", 3) for name in ("mean", "p95", "p99"))
    phases = (f"{word} {quantity(result.breakdown()[name], 's', 3)}"
             for word, name in (("queue", "cpu_wait"), ("load", "transfer"), ("compute", "cpu")))
    tiers = (f"{name.removeprefix(HITS_OF_TIER)} {share:.2%}" for name, share in extras.items()
             if name.startswith(HITS_OF_TIER))  # fmt: skip
    lines = [f"{settings['model']} on {settings['instances']} x {settings['gpus']} {settings['gpu']}, "
             f"{settings['arrivals']:g} prompts/s, seed {result.seed}",
             f"{result.recorder.count} first tokens: mean {mean}, p95 {p95}, p99 {p99}",
             f"of the mean: {', '.join(phases)}",
             f"hits {extras['hit_share']:.2%} of all blocks: {', '.join(tiers)}",
             f"{extras['recomputed_tokens']:,.0f} tokens computed again, {extras['recomputed_share']:.2%} of all; "
             f"instances busy {extras['instances_busy']:.1%}"]  # fmt: skip
    if "busiest_disc" in extras:
        lines.append(f"drive busy {extras['busiest_disc']:.1%}, read {quantity(extras['bytes_rate'], 'bytes/s', 3)}, "
                     f"its capacity written {extras['drive_writes_a_day']:.3g} times a day")
    return "\n".join(lines)


MODEL = 3
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "kv_cache", MODEL, run, KvParameters(), parts=PARTS, choose=KvOptions,
    page=page, words={"model": words_of(LANGUAGE_MODELS), "gpu": words_of(ACCELERATORS),
                      "inclusion": words_of(INCLUSIONS), "loading": words_of(LOADING)},
)  # fmt: skip
