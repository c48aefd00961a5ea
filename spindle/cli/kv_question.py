"""The options of ``spindle kv``: a trace of prompts, a language model on accelerators, and tiers of its KV cache."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.questions.field import ask
from spindle.questions.words import MAX_COUNT
from spindle.sim.eviction.registry import POLICIES
from spindle.traces.kv.hardware import ACCELERATORS, LANGUAGE_MODELS

if TYPE_CHECKING:
    from spindle.workloads.prompts import PromptTrace

TIERS = ("hbm", "dram", "nvme", "object")
"""Tiers of the cache, fastest first: the accelerators' memory, the host's, flash drives, a store on the network."""
SECONDS_BY_UNIT = {"ms": 1e-3, "s": 1.0, "us": 1e-6}
"""Seconds of each unit that timestamps of a trace may have."""
AXES = (*TIERS, "policy", *(f"{name}_policy" for name in TIERS), "drives", "instances", "nodes", "routing", "loading",
        "inclusion")
"""Options that may have several values, with commas: each combination is a run."""

POLICY_HELP = "policy of {}; default --policy"
"""The help of an option for the policy of one tier."""
SIZE_HELP = "bytes of {}, as 512G, 8T, or 8G:1T; 0 or default {}"
"""The help of an option for the size of one tier."""
NEEDS_LOWER: Mapping[str, Any] = {"needs": TIERS[1:], "because": "tiers below hbm; {}, {} or {} gives one"}
"""How an option is asked for that has no meaning without a tier below the accelerators' memory."""


def of_tier(tier: str) -> Mapping[str, Any]:
    """Return how an option is asked for that is not allowed without *tier*."""
    return {"needs": (tier,), "because": f"the tier {tier}; {{}} gives its size"}


@dataclass(frozen=True)
class KvCommand:
    """Options of ``spindle kv``; an option in AXES may have several values, with commas."""

    trace: str = ask("", "JSON lines, perhaps compressed with gzip, zstd, xz or bzip2", first="1", metavar="TRACE")
    limit: int = ask(0, "the first N prompts only; 0 is all", least=0, most=MAX_COUNT)
    columns: str = ask("", "fields that the file calls otherwise, within others by points, as "
                           "timestamp_s=arrived_at,hash_ids=kv.blocks", whole=True, metavar="FIELD=NAME,...")
    block_tokens: int = ask(0, "tokens of a block; 0 is as the trace says, or 512", least=0, most=1 << 20)
    time_unit: str = ask("", "of timestamps: ms | s | us; default by the field, ms", words=("", *SECONDS_BY_UNIT),
                         noun="time unit", metavar="UNIT")
    speed: float = ask(1.0, "factor on the prompts a second", least=1e-9, most=1e9, metavar="X")
    model: str = ask("llama-3.1-70b", f"{' | '.join(LANGUAGE_MODELS)} | FILE.toml")
    gpu: str = ask("h100", f"accelerators: {' | '.join(ACCELERATORS)} | FILE.toml")
    gpus: int = ask(8, "accelerators of an instance", least=1, most=4096)
    instances: str = ask("1", "instances that prefill, each one prompt at a time", whole=True, metavar="N,...")
    nodes: str = ask("1", "nodes, each with these instances and these tiers of its own", whole=True, metavar="N,...")
    routing: str = ask("round-robin", "of prompts to nodes: round-robin | prefix, to the node that was sent its "
                                      "beginning, if that is half of it, or else fewest tokens", whole=True,
                       metavar="RULE,...", needs=("nodes",), because="nodes; {} says how many")  # fmt: skip
    prefill: float = ask(0.0, "tokens a second of an instance; 0 is by the model's operations at half of the "
                              "accelerators' printed speed", least=0.0, most=1e12)
    hbm: str = ask("", SIZE_HELP.format("the accelerators' memory for the cache", "all beside the weights"), whole=True,
                   metavar="SIZE,...")
    dram: str = ask("", SIZE_HELP.format("the host's memory", "none"), whole=True, metavar="SIZE,...")
    nvme: str = ask("", SIZE_HELP.format("the flash drives", "none"), whole=True, metavar="SIZE,...")
    object: str = ask("", SIZE_HELP.format("the store on the network", "none"), whole=True, metavar="SIZE,...")
    policy: str = ask("lru", f"policy of all tiers: {' | '.join(POLICIES)}", whole=True, metavar="NAME,...")
    hbm_policy: str = ask("", POLICY_HELP.format("hbm"), whole=True, metavar="NAME,...")
    dram_policy: str = ask("", POLICY_HELP.format("dram"), whole=True, metavar="NAME,...", **of_tier("dram"))
    nvme_policy: str = ask("", POLICY_HELP.format("nvme"), whole=True, metavar="NAME,...", **of_tier("nvme"))
    object_policy: str = ask("", POLICY_HELP.format("object"), whole=True, metavar="NAME,...", **of_tier("object"))
    dram_rate: str = ask("", "bytes/s to an instance, as 50GB; default 63 GB/s an accelerator (PCI Express 5.0 x16)",
                         metavar="RATE", **of_tier("dram"))
    drive: str = ask("samsung960pro", "the file of a flash drive, or its name", **of_tier("nvme"))
    drives: str = ask("1", "drives that share the blocks", whole=True, metavar="N,...", **of_tier("nvme"))
    object_rate: str = ask("", "bytes/s to an instance; default 12.5 GB/s (100 Gbit/s)", metavar="RATE",
                           **of_tier("object"))
    object_shared: str = ask("", "bytes/s of the store to all instances together, as 12.5GB; default no limit",
                             metavar="RATE", **of_tier("object"))
    object_latency: str = ask("100ms", "of the first byte, as Amazon says of S3 (100 to 200 ms)", metavar="TIME",
                              **of_tier("object"))
    inclusion: str = ask("exclusive", "exclusive | inclusive", whole=True, metavar="RULE,...", **NEEDS_LOWER)
    loading: str = ask("always", "always | cheaper: load no more of a prefix than is quicker than to compute it",
                       whole=True, metavar="RULE,...", **NEEDS_LOWER)
    layered: bool = ask(False, "compute a layer while the next is loaded", **NEEDS_LOWER)
    prices: str = ask("", "price of 10^9 bytes of each tier, hbm first", whole=True, metavar="N,...")
    want: str = ask("", "show the cheapest run with this, such as p95=500ms, or 'p95 <= 500ms'", metavar="MEASURE=TIME")
    out: str = ask("", "a row for each run", metavar="FILE.csv")
    json: bool = ask(False, "all numbers, as JSON")

    def prompts(self) -> "PromptTrace":
        from spindle.traces.opening import split_columns
        from spindle.workloads.traces.prompts import read_prompts

        unit = SECONDS_BY_UNIT[self.time_unit] if self.time_unit else None
        read = read_prompts(Path(self.trace), self.block_tokens or None, unit, self.limit or None,
                            split_columns(self.columns))  # fmt: skip
        return read.faster(self.speed)
