"""Defines the options of ``spindle replay``: a trace on drives or arrays, below a cache or tiers."""

from dataclasses import dataclass

from spindle.questions import storage
from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import spell
from spindle.questions.host import NO_ENGINE, HostOptions
from spindle.sim.error import UserError
from spindle.traces.opening import TraceOptions


@dataclass(frozen=True)
class ReplayQuestion:
    """The requests of a trace on drives: when each is submitted, what lies above the drives, how long each takes."""

    source: TraceOptions = TraceOptions()
    device: storage.DriveOptions = storage.DriveOptions()
    array: ArrayOptions = NO_ARRAY
    memory: storage.CacheOptions = storage.CacheOptions()
    front: storage.FlashTierOptions = storage.NO_FLASH
    layers: storage.TierOptions = storage.TierOptions()
    loop: storage.LoopOptions = storage.LoopOptions()
    host: HostOptions = NO_ENGINE
    seed: object = 1

    def check(self) -> None:
        """UserError where fields exclude each other."""
        storage.check_one_loop(self.loop)
        if self.layers.tiers and self.memory.cache:
            raise UserError(f"{spell('cache')} and {spell('tiers')} exclude each other: tiers stand in its place")
        if self.layers.tiers and self.memory.write != "back":
            raise UserError(f"{spell('write')} is for a {spell('cache')}, which {spell('tiers')} replace")
