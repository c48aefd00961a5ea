"""Runs the serving engine of a language model under conversations, whose keys and values are cached (KV cache).

The tiers of the cache are the accelerators' memory, the host's memory, flash drives, and a store on the network.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import simpy

from spindle.models.kv_cache.parameters import KvParameters
from spindle.questions.field import ask, flat
from spindle.questions.runs import RECORDED, Recorded, WindowOptions
from spindle.sim.clock import PHASE_COUNT, Phase, Wait
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.sim.units import DAY, GIB, Bytes
from spindle.traces.curve.tiers import INCLUSIONS
from spindle.traces.kv.hardware import ACCELERATORS, LANGUAGE_MODELS, accelerator, language_model
from spindle.traces.kv.plan import DRAM_LATENCY, LOADING, KvDrives, KvMemory, KvPlan, KvTier, Linked, cache_room
from spindle.traces.kv.serving import Serving
from spindle.workloads.prompts import Prompt, PromptTrace

MAX_PROMPTS = 1_000_000
Policy = Callable[..., EvictionPolicy]


@dataclass(frozen=True)
class KvOptions:
    """The exchangeable parts: the drive of the tier nvme, and eviction policies, of all tiers or of a single one."""

    drive: FlashType = SAMSUNG_960_PRO
    policy: Policy = Lru
    hbm_policy: Policy | None = None
    dram_policy: Policy | None = None
    nvme_policy: Policy | None = None
    object_policy: Policy | None = None


@dataclass(frozen=True)
class ServerOptions:
    """The server: *model* on *instances* of *gpus* accelerators each, which compute the prompts (prefill)."""

    model: str = ask("llama-3.1-8b", f"language model that is served: {' | '.join(LANGUAGE_MODELS)} | FILE.toml")
    gpu: str = ask("h100", f"the kind of accelerator: {' | '.join(ACCELERATORS)} | FILE.toml")
    gpus: int = ask(1, "accelerators of an instance")
    instances: int = ask(1, "instances, each prefilling one prompt at a time")
    layered: bool = ask(False, "compute a layer while the next is loaded")


@dataclass(frozen=True)
class TierRooms:
    """Bytes of each tier. One of 0 bytes is absent, but *hbm* (the accelerators' memory) of 0 is all that is free."""

    hbm: Bytes = ask(Bytes(0), "accelerators' memory for the cache", "bytes")
    dram: Bytes = ask(Bytes(64 * GIB), "the host's memory for the cache", "bytes")
    nvme: Bytes = ask(Bytes(400 * GIB), "flash drives' part for the cache", "bytes")
    object_store: Bytes = ask(Bytes(0), "a store on the network", "bytes")
    drives: int = ask(1, "flash drives that share the blocks")
    inclusion: str = ask("exclusive", "are blocks of a tier also in those below?", words=tuple(INCLUSIONS))
    loading: str = ask("always", "how much of a prefix is loaded", words=tuple(LOADING))

    def tiers(self, server: ServerOptions, values: KvParameters, choices: KvOptions) -> list[KvTier]:
        """Return the tiers that have bytes, fastest first."""
        hbm, dram, nvme, store = (each or choices.policy for each in (
            choices.hbm_policy, choices.dram_policy, choices.nvme_policy, choices.object_policy))  # fmt: skip
        room = cache_room(language_model(server.model), accelerator(server.gpu), server.gpus, server.instances, values)
        tiers: list[KvTier] = [KvMemory("hbm", self.hbm or room, hbm)]
        if self.dram:
            tiers.append(Linked("dram", self.dram, values.dram_rate * server.gpus, DRAM_LATENCY, dram))
        if self.nvme:
            tiers.append(KvDrives("nvme", self.nvme, choices.drive, self.drives, nvme))
        if self.object_store:
            tiers.append(Linked("object", self.object_store, values.object_rate, values.object_latency, store))
        return tiers


@flat
def run(
    server: ServerOptions = ServerOptions(),
    rooms: TierRooms = TierRooms(),
    arrivals: float = 0.85,
    window: WindowOptions = WindowOptions(10.0, 5.0),
    seed: object = 1,
    choices: KvOptions | None = None,
    recorded: Recorded = RECORDED,
    **parameters: object,
) -> Result:
    """Serve *arrivals* prompts a second.

    A response is the time to the first token. *parameters* are changes of those in KvParameters, by name.
    """
    values = change(KvParameters(), **parameters)
    measured = window.window(recorded.interval)
    if not 0.0 < arrivals * measured.end <= MAX_PROMPTS:
        raise UserError(f"arrivals must be positive, and at most {MAX_PROMPTS} prompts in all, not {arrivals!r} a "
                        "second")
    tiers = rooms.tiers(server, values, choices or KvOptions())
    plan = KvPlan(language_model(server.model), accelerator(server.gpu), tiers, server.gpus, server.instances,
                  INCLUSIONS[rooms.inclusion], LOADING[rooms.loading](), server.layered, values)  # fmt: skip
    result = _measure(plan, values.conversations().trace(arrivals, measured.end, seed), measured, seed, recorded)
    settings = {**vars(server), "arrivals": arrivals, **vars(rooms), "hbm": int(tiers[0].size), **parameters}
    return replace(result, system="kv_cache", parameters=settings, extras=_extras(result, plan))


def _measure(
    plan: KvPlan, trace: PromptTrace, window: Window, seed: object, recorded: Recorded
) -> Result:
    env, logs = simpy.Environment(), list[ResponseLog]()

    def record(prompt: Prompt, queue: float, load: float, compute: float) -> None:
        phases = [0.0] * PHASE_COUNT
        phases[Phase.CPU_WAIT], phases[Phase.TRANSFER], phases[Phase.CPU] = queue, load, compute
        logs[0].record(Transaction("service", "prompt", prompt.time, env.now, env.now, tuple(phases)), 3)

    def instance(number: int) -> Callable[[ResponseLog], Wait]:
        def work(log: ResponseLog) -> Wait:
            logs.append(log)
            return serving.instance(number)

        return work

    serving = Serving(env, plan, trace, record)
    stores = {tier.name: store for tier, store in zip(plan.tiers, serving.stores, strict=True)}
    programs = {f"instance {number}": instance(number) for number in range(plan.instances)}
    return engine.run(Machine(env, {"serving": serving, **stores}), Programs(programs), window, seed, recorded.watch,
                      recorded.keep_rows)  # fmt: skip


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
