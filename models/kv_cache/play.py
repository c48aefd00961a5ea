"""The serving engine for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from typing import Any

from spindle.models.kv_cache.parameters import KvParameters
from spindle.models.kv_cache.run import INCLUSIONS, KvOptions, run
from spindle.playable import Offered, Playable
from spindle.sim.disc.registry import FLASH
from spindle.sim.eviction.registry import POLICIES
from spindle.traces.kv.plan import ACCELERATORS, LOADING, MODELS

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": FLASH, **dict.fromkeys(("policy", "hbm_policy", "dram_policy", "nvme_policy", "object_policy"), POLICIES),
}  # fmt: skip


def _sizes(*sizes: int) -> list[str]:
    return ["0", *(f"{each}GiB" for each in sizes)]


def _words(words: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: name for name in words}


PLAYABLE = Playable(
    run=run,
    parameters=KvParameters(),
    parts=PARTS,
    choose=KvOptions,
    offered={
        "model": Offered("that is served", words=_words(MODELS)),
        "gpu": Offered("the kind of accelerator", words=_words(ACCELERATORS)),
        "gpus": Offered("accelerators of an instance", [str(each) for each in (1, 2, 4, 8, 16)]),
        "instances": Offered("that prefill, one prompt at a time each", [str(each) for each in (1, 2, 3, 4, 6, 8)]),
        "arrivals": Offered("prompts a second", ("0.1", "0.2", "0.4", "0.6", "0.85", "1", "1.2", "1.7", "3.4")),
        "hbm": Offered("accelerators' memory for the cache; 0 is all beside the weights", _sizes(4, 8, 16, 32, 48)),
        "dram": Offered("the host's memory; 0 is none", _sizes(16, 32, 64, 128, 256, 512, 1024)),
        "nvme": Offered("flash drives; 0 are none", _sizes(100, 200, 400)),
        "object_store": Offered("a store on the network; 0 is none", _sizes(1024, 4096, 16384)),
        "drives": Offered("that share the blocks", [str(each) for each in (1, 2, 4, 8)]),
        "inclusion": Offered("of a tier in those below", words=_words(INCLUSIONS)),
        "loading": Offered("of a prefix that is in a tier", words=_words(LOADING)),
        "layered": Offered("a layer is computed while the next is loaded"),
        "minutes": Offered("that are measured", ("1min", "2min", "5min", "10min", "20min")),
        "warm_up": Offered("before that", ("0min", "1min", "2min", "5min", "10min")),
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
