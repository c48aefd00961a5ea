"""One run of a language model's serving engine: conversations whose keys and values (KV cache) lie in tiers of memory,
drives and a store on the network.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import simpy

from spindle.models.kv_cache.parameters import KvParameters
from spindle.sim.clock import PARTS, Phase, Wait
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.error import UserError, unknown
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.observer import Watch
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.sim.units import GIB, MINUTE, Bytes
from spindle.traces.curve.tiers import INCLUSIONS
from spindle.traces.kv.plan import (
    ACCELERATORS,
    DRAM_LATENCY,
    LOADING,
    MODELS,
    KvDrives,
    KvMemory,
    KvPlan,
    KvTier,
    Linked,
    cache_room,
)
from spindle.traces.kv.serving import Serving
from spindle.workloads.prompts import Prompt, PromptTrace

MAX_PROMPTS = 1_000_000
DAY = 24 * 60 * MINUTE
Policy = Callable[..., EvictionPolicy]


@dataclass(frozen=True)
class KvOptions:
    """The drive of the tier nvme, and eviction policies: of all tiers, and a tier's own where it differs."""

    drive: FlashType = SAMSUNG_960_PRO
    policy: Policy = Lru
    hbm_policy: Policy | None = None
    dram_policy: Policy | None = None
    nvme_policy: Policy | None = None
    object_policy: Policy | None = None


@dataclass(frozen=True)
class TierSizes:
    """Bytes of each tier; a tier of 0 bytes is absent."""

    hbm: int
    dram: int
    nvme: int
    object_store: int


def run(
    model: str = "llama-3.1-8b",
    gpu: str = "h100",
    gpus: int = 1,
    instances: int = 1,
    arrivals: float = 0.85,
    hbm: Bytes = Bytes(0),  # noqa: B008 - a number
    dram: Bytes = Bytes(64 * GIB),  # noqa: B008
    nvme: Bytes = Bytes(400 * GIB),  # noqa: B008
    object_store: Bytes = Bytes(0),  # noqa: B008
    drives: int = 1,
    inclusion: str = "exclusive",
    loading: str = "always",
    layered: bool = False,
    minutes: float = 10.0,
    warm_up: float = 5.0,
    seed: object = 1,
    choices: KvOptions | None = None,
    keep_rows: bool = True,
    interval: float | None = None,
    watch: Watch | None = None,
    **parameters: object,
) -> Result:
    """Serve *model* to *arrivals* prompts a second on *instances* of *gpus* accelerators each, for *minutes*.

    A response is the time to the first token. *parameters* are changes of those in KvParameters, by name.
    """
    values = change(KvParameters(), **parameters)
    for name, word, words in (("model", model, MODELS), ("gpu", gpu, ACCELERATORS), ("loading", loading, LOADING),
                              ("inclusion", inclusion, INCLUSIONS)):  # fmt: skip
        if word not in words:
            raise unknown(name, word, words)
    window = Window.minutes(minutes, warm_up, interval)
    if not 0.0 < arrivals * window.end <= MAX_PROMPTS:
        raise UserError(f"arrivals must be positive, and at most {MAX_PROMPTS} prompts in all, not {arrivals!r} a "
                        "second")
    room = cache_room(MODELS[model], ACCELERATORS[gpu], gpus, instances, values)
    tiers = _tiers(TierSizes(hbm or room, dram, nvme, object_store), drives, gpus, values, choices or KvOptions())
    plan = KvPlan(MODELS[model], ACCELERATORS[gpu], tiers, gpus, instances, INCLUSIONS[inclusion], LOADING[loading](),
                  layered, values)  # fmt: skip
    result = _measure(plan, values.conversations().trace(arrivals, window.end, seed), window, seed, watch, keep_rows)
    settings = {"model": model, "gpu": gpu, "gpus": gpus, "instances": instances, "arrivals": arrivals,
                "hbm": int(tiers[0].size), "dram": int(dram), "nvme": int(nvme), "object_store": int(object_store),
                "drives": drives, "inclusion": inclusion, "loading": loading, "layered": layered,
                **parameters}  # fmt: skip
    return replace(result, system="kv_cache", parameters=settings, extras=_extras(result, plan))


def _tiers(sizes: TierSizes, drives: int, gpus: int, values: KvParameters, choices: KvOptions) -> list[KvTier]:
    """Return the tiers that have bytes, fastest first."""
    hbm, dram, nvme, store = (each or choices.policy for each in (
        choices.hbm_policy, choices.dram_policy, choices.nvme_policy, choices.object_policy))  # fmt: skip
    tiers: list[KvTier] = [KvMemory("hbm", sizes.hbm, hbm)]
    if sizes.dram:
        tiers.append(Linked("dram", sizes.dram, values.dram_rate * gpus, DRAM_LATENCY, dram))
    if sizes.nvme:
        tiers.append(KvDrives("nvme", sizes.nvme, choices.drive, drives, nvme))
    if sizes.object_store:
        tiers.append(Linked("object", sizes.object_store, values.object_rate, values.object_latency, store))
    return tiers


def _measure(
    plan: KvPlan, trace: PromptTrace, window: Window, seed: object, watch: Watch | None, keep_rows: bool
) -> Result:
    env, logs = simpy.Environment(), list[ResponseLog]()

    def record(prompt: Prompt, queue: float, load: float, compute: float) -> None:
        parts = [0.0] * PARTS
        parts[Phase.CPU_WAIT], parts[Phase.TRANSFER], parts[Phase.CPU] = queue, load, compute
        logs[0].record(Transaction("service", "prompt", prompt.time, env.now, env.now, tuple(parts)), 3)

    def instance(number: int) -> Callable[[ResponseLog], Wait]:
        def work(log: ResponseLog) -> Wait:
            logs.append(log)
            return serving.instance(number)

        return work

    serving = Serving(env, plan, trace, record)
    stores = {tier.name: store for tier, store in zip(plan.tiers, serving.stores, strict=True)}
    programs = {f"instance {number}": instance(number) for number in range(plan.instances)}
    return engine.run(Machine(env, {"serving": serving, **stores}), Programs(programs), window, seed, watch, keep_rows)


def _extras(result: Result, plan: KvPlan) -> dict[str, float]:
    counters, seconds = result.counters, result.seconds
    blocks, tokens = max(1.0, counters["serving.blocks"]), max(1.0, counters["serving.tokens"])
    hits = {tier.name: counters[f"serving.hits_{tier.name}"] / blocks for tier in plan.tiers}
    extras = {
        "hit_share": sum(hits.values()),
        **{f"hit_share_{name}": share for name, share in hits.items()},
        "recomputed_share": counters["serving.recomputed"] / tokens,
        "recomputed_tokens": counters["serving.recomputed"],
        "instances_busy": counters["serving.busy"] / (seconds * plan.instances),
    }
    for tier in plan.tiers:
        if isinstance(tier, KvDrives):
            written = counters["nvme.bytes_written"]
            extras |= {"busiest_disc": counters["nvme.busy"] / seconds,
                       "bytes_rate": counters["nvme.bytes_read"] / seconds, "bytes_written": written,
                       "drive_writes_a_day": written / (tier.count * tier.capacity) * DAY / seconds}  # fmt: skip
    return extras
