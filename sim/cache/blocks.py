"""The blocks of a cache: which are in memory or on their way, which are held, which are dirty."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Protocol

import simpy

from spindle.sim.account import Account, Phase
from spindle.sim.clock import Gate, Wait
from spindle.sim.eviction.policy import Traffic
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Request, Span, wait_for

# A block of a cache, and its arrival: from the request until it is resident.

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


WriteOut = Callable[[list[int]], Wait]


class BlockTable:
    """Blocks of *size* bytes in *memory*, whose owner it is; *write_out* makes dirty ones safe to lose."""

    def __init__(self, name: str, size: int, memory: SharedMemory, write_out: WriteOut) -> None:
        if not 0 < size <= memory.capacity:
            raise ValueError(f"{name}: blocks of {size!r} bytes in a memory of {memory.capacity} bytes")
        memory.stack.admit(name)
        self._name = name
        self.memory = memory
        self._write_out = write_out
        self._entries: dict[int, Entry] = {}
        self.size = size
        self.dirty: dict[int, float] = {}

    def get(self, block: int) -> Entry | None:
        return self._entries.get(block)

    def of(self, span: Span) -> range:
        """The numbers of all blocks that *span* touches."""
        return range(span.first // self.size, (span.end - 1) // self.size + 1)

    def within(self, span: Span) -> Iterator[Entry]:
        """The blocks that lie wholly in *span*."""
        for block in range(-(-span.first // self.size), span.end // self.size):
            entry = self._entries.get(block)
            if entry is not None:
                yield entry

    def absent(self, blocks: range) -> Iterator[int]:
        """Those of *blocks* that come before the first that is here or on its way, no more than memory can hold."""
        for block in blocks[: self.memory.capacity // self.size]:
            if block in self._entries:
                return
            yield block

    def enter(self, blocks: Iterable[int]) -> list[Entry]:
        """Enter absent *blocks* as arriving together."""
        arrival = Arrival()
        run = [Entry(block, (self._name, block), arrival) for block in blocks]
        for entry in run:
            self._entries[entry.block] = entry
        return run

    def claim(self, run: list[Entry], account: Account) -> Wait:
        """Make room for the blocks of *run*, all in one go; the wait is charged to *account*."""
        return self.memory.claim_all(self, [entry.key for entry in run], self.size, account)

    def arrived(self, run: list[Entry]) -> None:
        """Make the blocks of *run* resident; those discarded on their way are dropped."""
        for entry in run:
            arrived(self.memory, entry.key, entry)
            if entry.doomed:
                self._drop(entry)

    def accessed(self, blocks: Sequence[int], request: Request, traffic: Traffic) -> None:
        """*request*, which is done, was for all of *blocks*."""
        if self.memory.weighs:
            self.memory.accessed([(self._name, block) for block in blocks], request.cost(), traffic)

    def touch(self, entry: Entry) -> None:
        """Note a reference to *entry* with the policy, unless it is on its way and not yet resident."""
        if entry.arrival is None:
            self.memory.touch(entry.key)

    def hold(self, entry: Entry) -> None:
        hold(self.memory, entry.key, entry)

    def let_go(self, entry: Entry) -> None:
        let_go(self.memory, entry.key, entry)

    def discard(self, span: Span) -> None:
        """Forget the blocks wholly in *span*: at once, or when they have arrived."""
        for entry in self.within(span):
            entry.doomed = True
            if entry.arrival is None:
                self._drop(entry)

    def _drop(self, entry: Entry) -> None:
        self.memory.release(entry.key)
        self.forget(entry.key)

    def surrender(self, key: Hashable) -> Wait | None:
        block = _number(key)
        return self._write_out([block]) if block in self.dirty else None

    def forget(self, key: Hashable) -> None:
        entry = self._entries.pop(_number(key))
        entry.gone = True
        self.dirty.pop(entry.block, None)


def _number(key: Hashable) -> int:
    assert isinstance(key, tuple)
    block: int = key[1]
    return block


def runs(blocks: list[int]) -> Iterator[tuple[int, int]]:
    """Sorted *blocks* as (first, how many) of neighbours."""
    first = length = 0
    for block in blocks:
        if length and block == first + length:
            length += 1
            continue
        if length:
            yield first, length
        first, length = block, 1
    if length:
        yield first, length
