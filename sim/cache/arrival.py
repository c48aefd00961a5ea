"""A block of a cache, and its arrival: from the request until it is resident."""

from collections.abc import Hashable
from typing import Protocol

import simpy

from sim.account import Account, Phase
from sim.clock import Gate, Wait
from sim.memory import SharedMemory
from sim.request import Request, wait_for


class Arrival:
    """Blocks on their way in together. While room is made for them there is no request yet, only a gate."""

    __slots__ = ("_gate", "_request")

    def __init__(self) -> None:
        self._request: Request | None = None
        self._gate: Gate | None = None

    def started(self, request: Request | None) -> None:
        """There is room now, and *request* brings the blocks; None where nothing need be brought."""
        self._request = request
        if self._gate is not None:
            self._gate.succeed()

    def wait(self, env: simpy.Environment, account: Account) -> Wait:
        """Wait until the blocks are here; *account* is charged what it waited through."""
        return self._wait_for_room(env, account) if self._request is None else wait_for(self._request, account)

    def _wait_for_room(self, env: simpy.Environment, account: Account) -> Wait:
        if self._gate is None:
            self._gate = Gate(env, "room in memory for a fetch")
        joined = env.now
        yield self._gate
        account.charge(Phase.MEMORY, joined, env.now)
        if self._request is not None:
            yield from wait_for(self._request, account)


class Entry:
    """A block in a cache: on its way in while it has an *arrival*, resident after that.

    It cannot be evicted while it has *users*. *doomed*: discarded while it was on its way.
    *gone*: no longer in the cache, though it may still have users.
    """

    __slots__ = ("arrival", "block", "doomed", "gone", "key", "users")

    def __init__(self, block: int, key: Hashable, arrival: Arrival) -> None:
        self.block = block
        self.key = key
        self.arrival: Arrival | None = arrival
        self.users = 0
        self.doomed = False
        self.gone = False


class Pinned(Protocol):
    """Anything in memory that is pinned while it has users; on its way in it is pinned by its arrival."""

    arrival: Arrival | None
    users: int
    gone: bool


def hold(memory: SharedMemory, key: Hashable, entry: Pinned) -> None:
    """*entry*, region *key* of *memory*, must stay until it is let go as often."""
    if not entry.users and entry.arrival is None and not entry.gone:
        memory.pin(key)
    entry.users += 1


def let_go(memory: SharedMemory, key: Hashable, entry: Pinned) -> None:
    entry.users -= 1
    if not entry.users and entry.arrival is None and not entry.gone:
        memory.unpin(key)


def arrived(memory: SharedMemory, key: Hashable, entry: Pinned) -> None:
    """Make *entry* resident; the pin of its arrival ends if it has no users."""
    entry.arrival = None
    if entry.users == 0:
        memory.unpin(key)
