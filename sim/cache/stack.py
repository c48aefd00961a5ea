"""The interface of a cache to its write policy, and the room that it may have to wait for below."""

from typing import Protocol, runtime_checkable

import simpy

from sim.account import Account
from sim.cache.blocks import BlockTable
from sim.clock import Wait
from sim.memory import SharedMemory
from sim.request import BlockDevice


@runtime_checkable
class Cached(Protocol):
    """A cache above a block device, which may be a cache itself."""

    env: simpy.Environment
    below: BlockDevice
    blocks: BlockTable

    def clean(self, blocks: list[int], account: Account) -> Wait: ...


def room_below(cache: Cached) -> SharedMemory | None:
    """The memory in which *cache* may have to wait for room when it reads or writes below; None above a drive."""
    return cache.below.blocks.memory if isinstance(cache.below, Cached) else None
