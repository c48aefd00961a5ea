"""The description of a replay's cache: its size, its blocks, its eviction and its write policy."""

from collections.abc import Callable
from dataclasses import dataclass

import simpy

from sim.cache.write_policy import CacheWriteBack, WritePolicy, WriteThrough
from sim.error import UserError
from sim.eviction.policy import EvictionPolicy, make
from sim.memory import SharedMemory
from workloads.traces.record import LEAST_BLOCK

PERIOD, EXPIRY = 5.0, 30.0
"""Seconds between two looks for dirty blocks, and how old they may become: Linux's writeback intervals."""


def write_back(size: int) -> WritePolicy:
    """Half of a cache of *size* bytes may stay dirty until it is old, all of it until the next look; assumed."""
    return CacheWriteBack(PERIOD, EXPIRY, size // 2, size)


def write_through(size: int) -> WritePolicy:
    return WriteThrough()


WRITING = {"back": write_back, "through": write_through}
"""The write policy of a cache of so many bytes, by the value of --write."""


@dataclass(frozen=True)
class CachePlan:
    """A cache of *size* bytes in blocks of *block*, with a policy of class *kind*; *writing* as in WRITING."""

    size: int
    block: int
    kind: Callable[..., EvictionPolicy]
    writing: Callable[[int], WritePolicy]

    def __post_init__(self) -> None:
        if self.block < LEAST_BLOCK:
            raise UserError(f"a block of {self.block} bytes is too small for a cache of a drive: {LEAST_BLOCK} is the "
                          "least")
        if self.size < self.block:
            raise UserError(f"a cache of {self.size} bytes has no room for a block of {self.block}")

    def memory(self, env: simpy.Environment) -> SharedMemory:
        """Whole blocks only, because some policies need their number."""
        blocks = self.size // self.block
        return SharedMemory(env, blocks * self.block, make(self.kind, blocks), uniform=self.block)
