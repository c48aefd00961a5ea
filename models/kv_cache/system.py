"""The serving engine as a system of Spindle: its options and parts, the page to play with, and a result as text."""

from collections.abc import Mapping
from typing import Any

from spindle.models.kv_cache.parameters import KvParameters
from spindle.models.kv_cache.run import KvOptions, run
from spindle.playable import Offered, Playable, shipped_system, words_of
from spindle.sim.disc.registry import FLASH
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.traces.curve.tiers import INCLUSIONS
from spindle.traces.kv.plan import ACCELERATORS, LOADING, MODELS

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": FLASH, **dict.fromkeys(("policy", "hbm_policy", "dram_policy", "nvme_policy", "object_policy"), POLICIES),
}  # fmt: skip


def _sizes(*sizes: int) -> list[str]:
    return ["0", *(f"{each}GiB" for each in sizes)]


PLAYABLE = Playable(
    run=run,
    parameters=KvParameters(),
    parts=PARTS,
    choose=KvOptions,
    offered={
        "model": Offered("language model that is served", words=words_of(MODELS)),
        "gpu": Offered("the kind of accelerator", words=words_of(ACCELERATORS)),
        "gpus": Offered("accelerators of an instance", [str(each) for each in (1, 2, 4, 8, 16)]),
        "instances": Offered("instances, each prefilling one prompt at a time",
                             [str(each) for each in (1, 2, 3, 4, 6, 8)]),
        "arrivals": Offered("prompts a second; Mooncake's trace has 3.4",
                            ("0.1", "0.2", "0.4", "0.6", "0.85", "1", "1.2", "1.7", "3.4")),
        "hbm": Offered("accelerators' memory for the cache; 0 is all beside the weights", _sizes(4, 8, 16, 32, 48)),
        "dram": Offered("the host's memory for the cache; 0 is none", _sizes(16, 32, 64, 128, 256, 512, 1024)),
        "nvme": Offered("flash drives' part for the cache; 0 is none", _sizes(100, 200, 400)),
        "object_store": Offered("a store on the network; 0 is none", _sizes(1024, 4096, 16384)),
        "drives": Offered("flash drives that share the blocks", [str(each) for each in (1, 2, 4, 8)]),
        "inclusion": Offered("exclusive or inclusive: are blocks of a tier also in those below?",
                             words=words_of(INCLUSIONS)),
        "loading": Offered("always, or cheaper: no more of a prefix than is quicker than to compute it",
                           words=words_of(LOADING)),
        "layered": Offered("compute a layer while the next is loaded"),
        "minutes": Offered("measured minutes", ("1min", "2min", "5min", "10min", "20min")),
        "warm_up": Offered("minutes before the measured ones", ("0min", "1min", "2min", "5min", "10min")),
    },
    begin={"minutes": "2min", "warm_up": "1min", "hbm": "4GiB"},
    vary=("dram", ("0", "4GiB", "16GiB", "64GiB")),
    curves=("response_mean", "hit_share"),
    window="60s:30s",
    tour={
        "How much memory buys which time?": ("dram", "0,16GiB,64GiB,256GiB", {"nvme": "0"}),
        "Load from the drive, or compute again?": ("prefill_rate", "5000,20000,80000",
                                                   {"dram": "0", "arrivals": "0.1"}),
        "What does each rule keep in memory?": ("policy", "lru,fifo,s3-fifo", {"dram": "32GiB", "nvme": "0"}),
        "What does loading layer by layer gain?": ("layered", "true,false", {"dram": "64GiB"}),
        "How many accelerators keep up with the prompts?": ("gpus", "2,4,8", {"dram": "64GiB"}),
    },
)


HITS_OF_TIER = "hit_share_"


def page(result: Result) -> str:
    """Return *result* as text for a screen of 80 columns."""
    settings, extras, times = result.parameters, result.extras, result.response()
    mean, p95, p99 = (quantity(times[f"response_{name}"], "s", 3) for name in ("mean", "p95", "p99"))
    parts = (f"{word} {quantity(result.breakdown()[name], 's', 3)}"
             for word, name in (("queue", "cpu_wait"), ("load", "transfer"), ("compute", "cpu")))
    tiers = (f"{name.removeprefix(HITS_OF_TIER)} {share:.2%}" for name, share in extras.items()
             if name.startswith(HITS_OF_TIER))  # fmt: skip
    lines = [f"{settings['model']} on {settings['instances']} x {settings['gpus']} {settings['gpu']}, "
             f"{settings['arrivals']:g} prompts/s, seed {result.seed}",
             f"{result.recorder.count} first tokens: mean {mean}, p95 {p95}, p99 {p99}",
             f"of the mean: {', '.join(parts)}",
             f"hits {extras['hit_share']:.2%} of all blocks: {', '.join(tiers)}",
             f"{extras['recomputed_tokens']:,.0f} tokens computed again, {extras['recomputed_share']:.2%} of all; "
             f"instances busy {extras['instances_busy']:.1%}"]  # fmt: skip
    if "busiest_disc" in extras:
        lines.append(f"drive busy {extras['busiest_disc']:.1%}, read {quantity(extras['bytes_rate'], 'bytes/s', 3)}, "
                     f"its capacity written {extras['drive_writes_a_day']:.3g} times a day")
    return "\n".join(lines)


MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "kv_cache", MODEL, PLAYABLE,
    page=page,
    answers=("response_mean", "response_p95", "response_p99", "hit_share", "recomputed_share", "instances_busy"),
)
