"""BlockTable lists the blocks of a cache and tells which are resident, being fetched, pinned or dirty."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from spindle.sim.clock import Account, Wait
from spindle.sim.eviction.policy import Traffic
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Arrival, Request, Span


class Entry:
    """A block in a cache: it is being fetched while it has an *arrival*, and resident after that.

    *doomed*: discarded while it was being fetched.
    *gone*: no longer in the cache, though it may still be in use.
    """

    __slots__ = ("arrival", "block", "doomed", "gone", "key")

    def __init__(self, block: int, key: Hashable, arrival: Arrival) -> None:
        self.block = block
        self.key = key
        self.arrival: Arrival | None = arrival
        self.doomed = False
        self.gone = False


WriteOut = Callable[[list[int]], Wait]


class BlockTable:
    """A table of blocks of *size* bytes in *memory*; *write_out* writes dirty ones before they are evicted."""

    def __init__(self, name: str, size: int, memory: SharedMemory, write_out: WriteOut) -> None:
        if not 0 < size <= memory.capacity:
            raise ValueError(f"{name}: blocks of {size!r} bytes in a memory of {memory.capacity} bytes")
        memory.stack.admit(name)
        self.name = name
        self.memory = memory
        self._write_out = write_out
        self._entries: dict[int, Entry] = {}
        self.size = size
        self.dirty: dict[int, float] = {}

    def get(self, block: int) -> Entry | None:
        return self._entries.get(block)

    def numbers_in(self, span: Span) -> range:
        """The numbers of all blocks that *span* touches."""
        return range(span.first // self.size, (span.end - 1) // self.size + 1)

    def entries_in(self, span: Span) -> Iterator[Entry]:
        """The blocks that lie wholly in *span*."""
        for block in range(-(-span.first // self.size), span.end // self.size):
            entry = self._entries.get(block)
            if entry is not None:
                yield entry

    def absent(self, blocks: range) -> Iterator[int]:
        """Yield *blocks* up to the first that is resident or being fetched, and no more than fit into memory."""
        for block in blocks[: self.memory.capacity // self.size]:
            if block in self._entries:
                return
            yield block

    def enter(self, blocks: Iterable[int]) -> list[Entry]:
        """Enter absent *blocks* as arriving together."""
        arrival = Arrival()
        run = [Entry(block, (self.name, block), arrival) for block in blocks]
        for entry in run:
            self._entries[entry.block] = entry
        return run

    def claim(self, run: list[Entry], account: Account) -> Wait:
        """Make room for the blocks of *run*, all in one go; the wait is charged to *account*."""
        return self.memory.claim_all(self, [entry.key for entry in run], self.size, account)

    def arrive(self, run: list[Entry]) -> None:
        """Make the blocks of *run* resident; drop those that were discarded while they were fetched."""
        for entry in run:
            entry.arrival = None
            self.memory.unpin(entry.key)
            if entry.doomed:
                self._drop(entry)

    def weigh(self, blocks: Sequence[int], request: Request, traffic: Traffic) -> None:
        """Tell the memory's policy that *request*, now done, was for all of *blocks*."""
        if self.memory.weighs:
            self.memory.weigh([(self.name, block) for block in blocks], request.cost(), traffic)

    def touch(self, entry: Entry) -> None:
        """Note a reference to *entry* with the eviction policy, unless it is still being fetched."""
        if entry.arrival is None:
            self.memory.touch(entry.key)

    def pin(self, entry: Entry) -> None:
        """Keep *entry* from being evicted until it is unpinned as often as it was pinned."""
        if not entry.gone:
            self.memory.pin(entry.key)

    def unpin(self, entry: Entry) -> None:
        if not entry.gone:
            self.memory.unpin(entry.key)

    def discard(self, span: Span) -> None:
        """Forget the blocks wholly in *span*: at once, or when they have arrived."""
        for entry in self.entries_in(span):
            entry.doomed = True
            if entry.arrival is None:
                self._drop(entry)

    def _drop(self, entry: Entry) -> None:
        self.memory.release(entry.key)
        self.forget(entry.key)

    def write_back_victim(self, key: Hashable) -> Wait | None:
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
    """Yield the runs of neighbours among sorted *blocks*, each as its first block and its length."""
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
