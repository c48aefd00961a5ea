"""Plans a machine that serves a language model: model, accelerators, tiers of its cache, and the loading rule.

The cache has the keys and values (KV) that attention computed for the tokens of earlier prompts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.parameter import Rule, assumed, check, cited
from spindle.sim.quantity import quantity
from spindle.sim.units import GB
from spindle.traces.curve.tiers import Inclusion
from spindle.traces.kv.hardware import Accelerator, LanguageModel

BITS_100 = 12.5e9
"""Bytes a second of a network of 100 Gbit/s."""
PCIE_5 = 63.0e9
"""Bytes a second of one direction of PCI Express 5.0 x16: 32 GT/s on 16 lanes, 128 of 130 bits."""

DRAM_LATENCY = 10e-6
"""Seconds to start a copy between the host and an accelerator: assumed; far below any transfer."""


@dataclass(frozen=True)
class Prefill:
    """Parameters of the seconds of a prefill, which computes keys and values of a prompt and the first token."""

    efficiency: float = assumed(0.5, "of the printed operations a second, as large prefills reach; 0.4 to 0.6 are "
                                "usual", "1", Rule(0.0, 1.0, positive=True))
    prefill_rate: float = assumed(0.0, "tokens of one instance; 0: by the model's operations and the efficiency",
                                  "1/s", Rule(0.0, 1e9))
    overhead: float = assumed(0.02, "of a prefill beyond arithmetic: scheduling, launches, the first token", "s",
                              Rule(0.0, 10.0))
    memory_share: float = cited(0.9, "vLLM, gpu_memory_utilization, as it is unless given; the rest is working room",
                                "1", Rule(0.0, 1.0, positive=True))

    def __post_init__(self) -> None:
        check(self)


class KvTier(Protocol):
    """A tier below the accelerators' memory: *size* bytes for *price* in all, under a *policy*."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def policy(self) -> Callable[..., EvictionPolicy]: ...

    @property
    def price(self) -> float: ...

    @property
    def rate(self) -> float:
        """Bytes a second to one instance, at best."""


def room_of(tier: KvTier, block: int) -> int:
    """Blocks of *block* bytes that fit *tier*; UserError where none does."""
    if tier.size < block:
        raise UserError(f"{tier.name}: {quantity(tier.size, 'bytes')} have no room for a block of "
                        f"{quantity(block, 'bytes')}")  # fmt: skip
    return tier.size // block


@dataclass(frozen=True)
class KvMemory:
    """The accelerators' own memory: what is there need not be moved."""

    name: str
    size: int
    policy: Callable[..., EvictionPolicy] = Lru
    price: float = 0.0

    @property
    def rate(self) -> float:
        return float("inf")


@dataclass(frozen=True)
class Linked:
    """A tier behind a link of each instance: *rate* bytes a second each way, and *latency* before the first byte.

    All instances together get no more than *shared_rate* bytes a second each way; 0 is no such limit.
    """

    name: str
    size: int
    rate: float
    latency: float
    policy: Callable[..., EvictionPolicy] = Lru
    price: float = 0.0
    shared_rate: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 < self.rate < 1e18 and 0.0 <= self.latency < 1e6):
            raise UserError(f"{self.name}: a rate of {self.rate:g} bytes/s and a latency of {self.latency:g} s: the "
                            "rate must be positive, the latency not negative")


@dataclass(frozen=True)
class KvDrives:
    """*count* drives of one *sheet*, which all instances share; block after block lies on the next of them."""

    name: str
    size: int
    sheet: FlashType
    count: int = 1
    policy: Callable[..., EvictionPolicy] = Lru
    price: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.count <= 1024:
            raise UserError(f"{self.name}: from 1 to 1024 drives, not {self.count}")
        if self.size > self.count * self.capacity:
            raise UserError(f"{self.name}: {_gb(self.size)} do not fit on {self.count} x "
                            f"{self.sheet.name} of {_gb(self.capacity)}")  # fmt: skip

    @property
    def capacity(self) -> int:
        return self.sheet.capacity

    @property
    def rate(self) -> float:
        return self.count * sequential_rate(self.sheet)


def sequential_rate(sheet: FlashType) -> float:
    """Bytes a second that a drive of *sheet* reads in sequence, at best."""
    nand = sheet.nand
    sensed = nand.dies * nand.planes * nand.page_bytes / nand.read
    return min(sheet.front.rate, nand.channels * nand.bus, sensed)


class Loading(Protocol):
    """Rule that decides how many blocks are loaded from tiers, and which are computed again."""

    def blocks(self, prefix: int, cost: Callable[[int], float]) -> int:
        """Return the blocks to load of a *prefix* blocks long; *cost*(n) estimates loading n and computing the rest."""


@dataclass(frozen=True)
class LoadAlways:
    """Loads all of the prefix that is in a tier."""

    def blocks(self, prefix: int, cost: Callable[[int], float]) -> int:
        return prefix


@dataclass(frozen=True)
class LoadCheaper:
    """Loads as many blocks of the prefix as make the estimated time the shortest."""

    def blocks(self, prefix: int, cost: Callable[[int], float]) -> int:
        return min(range(prefix + 1), key=lambda loaded: (cost(loaded), -loaded))


LOADING: Mapping[str, Callable[[], Loading]] = {"always": LoadAlways, "cheaper": LoadCheaper}


@dataclass(frozen=True)
class KvPlan:
    """*instances* of *accelerators* each, all of which prefill; *tiers*, fastest first, the accelerators' memory first.

    *layered*: the layers of a prefix are computed while the next ones are loaded.
    """

    model: LanguageModel
    accelerator: Accelerator
    tiers: Sequence[KvTier]
    accelerators: int = 8
    instances: int = 1
    inclusion: Inclusion = Inclusion.EXCLUSIVE
    loading: Loading = field(default_factory=LoadAlways)
    layered: bool = False
    prefill: Prefill = field(default_factory=Prefill)

    def __post_init__(self) -> None:
        for name, count in (("accelerators", self.accelerators), ("instances", self.instances)):
            if not 1 <= count <= 100_000:
                raise UserError(f"{name} must be from 1 to 100000, not {count}")
        if not self.tiers:
            raise UserError("a cache has one tier at least: the accelerators' memory")
        for upper, lower in pairwise(self.tiers):
            if lower.rate > upper.rate:
                raise UserError(f"tiers in the wrong order: {lower.name} ({_speed(lower)}) lies below {upper.name} "
                                f"({_speed(upper)}), which is slower")  # fmt: skip
        room = cache_room(self.model, self.accelerator, self.accelerators, self.instances, self.prefill)
        if self.tiers[0].size > room:
            raise UserError(f"{self.tiers[0].name}: {_gb(self.tiers[0].size)} of cache do not fit: "
                            f"beside the weights of {self.model.name} there are {_gb(room)}")

    def seconds(self, tokens: int, before: int) -> float:
        """Seconds that an instance takes to prefill *tokens* behind *before* others."""
        prefill = self.prefill
        if prefill.prefill_rate:
            return prefill.overhead + tokens / prefill.prefill_rate
        speed = self.accelerators * self.accelerator.flops * prefill.efficiency
        return prefill.overhead + self.model.flops(tokens, before) / speed

    @property
    def price(self) -> float:
        return sum(tier.price for tier in self.tiers)


def cache_room(
    model: LanguageModel, accelerator: Accelerator, accelerators: int, instances: int, prefill: Prefill
) -> int:
    """Bytes for keys and values beside the weights, on all instances; UserError where the model does not fit."""
    usable = accelerators * accelerator.memory * prefill.memory_share
    if model.weights >= usable:
        raise UserError(f"{model.name} does not fit: its weights take {_gb(model.weights)}, and "
                        f"{accelerators} x {accelerator.name} have {_gb(usable)} for it")  # fmt: skip
    return int(instances * (usable - model.weights))


def _speed(tier: KvTier) -> str:
    return f"{_gb(tier.rate)}/s"


def _gb(size: float) -> str:
    return f"{size / GB:,.1f} GB"

