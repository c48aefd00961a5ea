"""FlashTier, a cache on a flash drive: it reads hits from flash, and copies missed and written blocks to flash."""

from collections import deque
from collections.abc import Hashable, Iterable, Sequence

import simpy

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cache.blocks import BlockTable, Entry, runs
from spindle.sim.cache.write_policy import WritePolicy
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.memory import SharedMemory
from spindle.sim.request import READ, WRITE, Access, BlockDevice, Op, Request, access, wait_for


class FlashPlaces:
    """A list of places for *count* blocks of *size* bytes on the drive *flash*, which several tiers may share.

    Places that were never used are taken first; after them, the place that was freed longest ago.

    >>> FlashPlaces(FlashDrive(simpy.Environment(), INTEL_S3700), 4096, 10).place("a")
    0
    """

    def __init__(self, flash: Drive, size: int, count: int) -> None:
        self.flash = flash
        self.size = size
        self._count = count
        self._places: dict[Hashable, int] = {}
        self._free: deque[int] = deque()
        self._next = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._places

    def place(self, key: Hashable) -> int:
        """Return the place of block *key*, a new one if it has none."""
        if key not in self._places:
            unused = self._next < self._count
            self._places[key] = self._next if unused else self._free.popleft()
            self._next += unused
        return self._places[key]

    def free(self, key: Hashable) -> None:
        """Free the place of block *key*, if it has one."""
        place = self._places.pop(key, None)
        if place is not None:
            self._free.append(place)

    def start(self, op: Op, keys: Iterable[Hashable], account: Account) -> list[Request]:
        """Begin to read or write the blocks *keys*, neighbours in one request."""
        places = sorted(self.place(key) for key in keys)
        return [self.flash.start(access(op, first * self.size, count * self.size, account))
                for first, count in runs(places)]  # fmt: skip


class TierTable(BlockTable):
    """A table of blocks, each of which has a place in *places* until it is forgotten."""

    places: FlashPlaces

    def forget(self, key: Hashable) -> None:
        super().forget(key)
        self.places.free(key)


class FlashTier(BlockCache):
    """A cache for the device *below* whose blocks are on flash, at *places*; *memory* decides which blocks to keep.

    A hit is read from flash. A missed block is read from below, and then written to flash in the background. A write
    goes to flash, and at the same time to the device below where it is written through. A dirty block is read from
    flash before it is written below.

    >>> env = simpy.Environment()
    >>> places = FlashPlaces(FlashDrive(env, INTEL_S3700), 4 * KIB, 256)
    >>> FlashTier(env, Drive(env, HP7933), places, SharedMemory(env, MIB, Lru())).reading()["hits"]
    0.0
    """

    def __init__(
        self, env: simpy.Environment, below: BlockDevice, places: FlashPlaces, memory: SharedMemory,
        writing: WritePolicy | None = None, name: str = "flash tier",
    ) -> None:  # fmt: skip
        self._places = places
        super().__init__(env, below, places.size, memory, writing=writing, name=name)

    def _new_table(self, name: str, size: int, memory: SharedMemory) -> BlockTable:
        table = TierTable(name, size, memory, self._write_victims)
        table.places = self._places
        return table

    def _give(self, entries: Sequence[Entry], access: Access) -> Wait:
        there = [entry.key for entry in entries if entry.key in self._places]
        new = [entry.key for entry in entries if entry.key not in self._places and not entry.gone]
        hits = self._places.start(READ, there, self._background)
        self._places.start(WRITE, new, self._background)
        for request in hits:
            yield from wait_for(request, access.account)

    def _take(self, entries: Sequence[Entry], access: Access) -> Wait:
        kept = [entry.key for entry in entries if not entry.gone]
        requests = self._places.start(WRITE, kept, self._background)
        yield from self._writing.propagate(self, access, entries)
        for request in requests:
            yield from wait_for(request, access.account)

    def _write_out(self, blocks: list[int], account: Account) -> Wait:
        """Write *blocks* as above once they are read from flash, but for those that need it no longer by then."""
        keys = [entry.key for block in blocks if (entry := self.blocks.get(block)) and entry.key in self._places]
        for request in self._places.start(READ, keys, self._background):
            yield from wait_for(request, account)
        yield from super()._write_out([block for block in blocks if block in self.blocks.dirty], account)
