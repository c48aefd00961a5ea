"""An IMAGE data base: data sets in blocks, a few buffers, and one control block that is locked for a call.

McBride & Boles 1983, "The Autopsy": about 40 process stops a second from impedes on the data base control
block, "single-threaded to assure data integrity and correct linkage". The control block is held for the whole
call, disc access included.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from sim.account import Account, Part
from sim.clock import Wait
from sim.file import File, OpenFile
from sim.lock import Lock
from sim.machine import Machine
from sim.streams import pick
from workloads.programs.program import Intrinsic

FAMILIES = {"CUSTOMER": 8, "PART": 8, "ORDER": 14, "STOCK": 10, "INVOICE": 14, "CONTROL": 2}
"""56 data sets (McBride: "a 56 data-set IMAGE database"); how they divide is assumed."""


@dataclass(frozen=True)
class Locality:
    """Where references go.

    A call by key stays with probability *stay* at the block that its user had last in that family;
    otherwise *hot_share* of them go to *hot_size* of a data set. A chain or a serial reader leaves its block
    with probability *step*.
    """

    stay: float
    hot_share: float
    hot_size: float
    step: float


class Touch(NamedTuple):
    """One block that a call reads, and whether it writes it too."""

    block: int
    written: bool = False


class DataSet:
    """A file of blocks."""

    def __init__(self, number: int, file: File, block_bytes: int) -> None:
        self.number = number
        self.file = OpenFile(file)
        self.blocks = file.size // block_bytes

    def place(self, random: Random, locality: Locality) -> int:
        """A block chosen by key: most likely one of the hot ones, which lie together."""
        hot = max(1, int(self.blocks * locality.hot_size))
        return pick(random, hot) if random.random() < locality.hot_share else pick(random, self.blocks)


Standing = dict[str, tuple[DataSet, int]]
"""Where a user stands in each family: in which data set, at which block."""


class DataBase:
    """The data sets by family, the *buffers* blocks shared by all users, and the control block's *lock*."""

    def __init__(
        self, machine: Machine, families: Mapping[str, Sequence[DataSet]], lock: Lock, buffers: int,
        block_bytes: int, locality: Locality, call_cpu: float, level: int,
    ) -> None:
        self._machine = machine
        self._families = families
        self._lock = lock
        self._limit = buffers
        self._buffers: OrderedDict[tuple[int, int], None] = OrderedDict()
        self._block_bytes = block_bytes
        self._locality = locality
        self._call_cpu = call_cpu
        self._level = level
        self.calls = 0
        self.block_reads = 0
        self.block_writes = 0
        self.buffer_hits = 0

    def call(
        self, intrinsic: Intrinsic, family: str, times: int, standing: Standing, random: Random, account: Account
    ) -> Wait:
        """*times* calls of one intrinsic on *family*, by a user *standing* there; each locks the control block."""
        for _ in range(times):
            chosen, block = self._next(intrinsic, family, standing, random)
            standing[family] = chosen, block
            yield from self._one_call(chosen, self._touches(intrinsic, chosen, block, random), account)

    def _next(
        self, intrinsic: Intrinsic, family: str, standing: Standing, random: Random
    ) -> tuple[DataSet, int]:
        """The data set and block that the next call of *intrinsic* is about."""
        locality = self._locality
        if intrinsic in (Intrinsic.GET_CHAINED, Intrinsic.GET_SERIAL) and family in standing:
            chosen, block = standing[family]
            steps = random.random() < locality.step
            ahead = 1 + pick(random, 4) if intrinsic is Intrinsic.GET_CHAINED else 1
            return chosen, (block + steps * ahead) % chosen.blocks
        if family in standing and random.random() < locality.stay:
            return standing[family]
        sets = self._families[family]
        chosen = sets[pick(random, len(sets))]
        return chosen, chosen.place(random, locality)

    def _touches(self, intrinsic: Intrinsic, chosen: DataSet, block: int, random: Random) -> list[Touch]:
        """The blocks that a call touches. DBPUT and DBDELETE also rewrite the head of a chain and read a neighbour."""
        if intrinsic is Intrinsic.CONTROL:
            return []
        if intrinsic is Intrinsic.UPDATE:
            return [Touch(block, written=True)]
        if intrinsic in (Intrinsic.PUT, Intrinsic.DELETE):
            head = chosen.place(random, self._locality)
            neighbour = (head + 1) % chosen.blocks
            return [Touch(block, written=True), Touch(head, written=True), Touch(neighbour)]
        return [Touch(block)]

    def _one_call(self, chosen: DataSet, touches: list[Touch], account: Account) -> Wait:
        machine = self._machine
        self.calls += 1
        yield from self._lock.acquire(account)
        yield machine.cpu.burst(self._call_cpu, self._level, Part.CPU, account)
        for touch in touches:
            yield from self._read_block(chosen, touch.block, account)
            if touch.written:
                self.block_writes += 1
                yield from machine.write(
                    chosen.file, touch.block * self._block_bytes, self._block_bytes, account
                )
        self._lock.release()

    def _read_block(self, chosen: DataSet, block: int, account: Account) -> Wait:
        buffers = self._buffers
        key = (chosen.number, block)
        if key in buffers:
            self.buffer_hits += 1
            buffers.move_to_end(key)
            return
        self.block_reads += 1
        buffers[key] = None
        if len(buffers) > self._limit:
            buffers.popitem(last=False)
        yield from self._machine.read(chosen.file, block * self._block_bytes, self._block_bytes, account)

    def reading(self) -> dict[str, float]:
        lock = {f"lock_{name}": value for name, value in self._lock.reading().items()}
        return {
            "calls": float(self.calls), "block_reads": float(self.block_reads),
            "block_writes": float(self.block_writes), "buffer_hits": float(self.buffer_hits), **lock,
        }
