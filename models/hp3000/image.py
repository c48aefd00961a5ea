"""IMAGE data bases: their calls, the blocks that each touches, the control block that one call at a time locks, and the
log files of changes.

McBride & Boles 1983, "The Autopsy": about 40 process stops a second from impedes on the data base control block. A
process is impeded if another holds a lock that it needs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from spindle.models.hp3000.discs import SECTOR
from spindle.models.hp3000.files import Buffers, default_buffers
from spindle.models.hp3000.memory import MpeSegment, SegmentManager
from spindle.sim.clock import CPU, Account, Population, Wait
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.streams import pick
from spindle.sim.units import MIB
from spindle.workloads.programs import Intrinsic

# The data sets of the data base: their kinds, the chains between them, and the places of references.

@dataclass(frozen=True)
class Family:
    """*count* data sets of one kind. Each entry is in one chain per path; *paths* names the families of masters."""

    count: int
    paths: tuple[str, ...] = ()


FAMILIES: Mapping[str, Family] = {
    "CUSTOMER": Family(8),
    "PART": Family(8),
    "ORDER": Family(14, ("CUSTOMER",)),
    "STOCK": Family(10, ("PART",)),
    "INVOICE": Family(14, ("CUSTOMER",)),
    "CONTROL": Family(2),
}
"""56 data sets (McBride: "a 56 data-set IMAGE database"); how they divide, and their paths, are assumed."""

MAX_PATHS = max(len(family.paths) for family in FAMILIES.values())


@dataclass(frozen=True)
class ReferenceLocality:
    """Locality of references to a data base.

    An answer begins with probability *near* at the block behind the one that its user had last in a family: IMAGE
    places a master whose key is a whole number by that number, so that the next key is the next entry, and fills a
    detail set in the order of time, so that entries which were put together lie together. Otherwise it begins
    anywhere, *hot_share* of the time within the first *hot_size* of a data set, which are used again and again.
    The answer stays where it began; a chain or a serial reader leaves its block with probability *step*. With
    *put_entries* a new entry goes behind the last of its set, so many to a block, and its chain's last entry lies where
    the answer is; with 0 it goes where the answer is.
    """

    near: float
    hot_share: float
    hot_size: float
    step: float
    put_entries: int = 0


class DataSet:
    """Data set *number*: a file of blocks."""

    def __init__(self, number: int, file: File, block_bytes: int) -> None:
        self.number = number
        self.file = OpenFile(file)
        self.blocks = file.size // block_bytes
        self._puts = 0

    def put_behind(self, entries: int) -> int:
        """Return the block of a new entry behind the last, *entries* to a block, and count it."""
        block = self._puts // entries % self.blocks
        self._puts += 1
        return block

    def place(self, random: Random, locality: ReferenceLocality) -> int:
        """Draw a block, wherever the user was: of the hot ones, which come first, or of all."""
        hot = max(1, int(self.blocks * locality.hot_size))
        return pick(random, hot) if random.random() < locality.hot_share else pick(random, self.blocks)

    def chain_neighbour(self, block: int, random: Random, locality: ReferenceLocality) -> int:
        """Draw the block of an entry that is next to one in *block* in a chain: put just before it, or long ago."""
        return (block - 1) % self.blocks if random.random() < locality.near else self.place(random, locality)


DataSets = Mapping[str, Sequence[DataSet]]
"""Data sets by family."""

Place = tuple[DataSet, int]
"""A block of a data set."""


class Positions:
    """A user's position in each family that this answer has touched, *now*, and those of earlier answers, *before*."""

    def __init__(self) -> None:
        self.now: dict[str, Place] = {}
        self.before: dict[str, Place] = {}

    def begin(self) -> None:
        """Begin an answer, which starts in each family behind the user's last position or somewhere else."""
        self.before |= self.now
        self.now.clear()


# The data base control block: an extra data segment with tables and buffers, locked for a call or for part of one.

class Hold(Protocol):
    """The rule by which a call lets go of the control block."""

    def after_computing(self, lock: Lock) -> None:
        """Note that the call has finished computing; its disc accesses follow."""

    def after_accesses(self, lock: Lock) -> None:
        """Note that the call has finished its disc accesses."""


class WholeCall:
    """Hold to the call's end: "single-threaded to assure data integrity and correct linkage" (McBride & Boles 1983)."""

    def after_computing(self, lock: Lock) -> None:
        pass

    def after_accesses(self, lock: Lock) -> None:
        lock.release()


class CpuPart:
    """Hold until the call goes to the disc, which the paper does not exclude.

    A call for a block that another call is reading then finds it in its buffer, and does not wait for the disc.
    """

    def after_computing(self, lock: Lock) -> None:
        lock.release()

    def after_accesses(self, lock: Lock) -> None:
        pass


HOLDS: Mapping[str, Callable[[], Hold]] = {"whole-call": WholeCall, "cpu-part": CpuPart}


class ControlBlock:
    """The control block: its *lock*, and its *segment*, which the lock's holder brings into memory if it is absent."""

    def __init__(self, lock: Lock, segments: SegmentManager, segment: MpeSegment, hold: Hold) -> None:
        self.lock = lock
        self.hold = hold
        self._segments = segments
        self._segment = (segment,)

    def need(self, account: Account) -> Wait | None:
        """Return the wait of the lock's holder for the segment; None where it is present."""
        return self._segments.need(self._segment, account)


# IMAGE's log file: the changes of a data base, written in order to a file of their own before its blocks change.
#
# McBride & Boles 1983, "Looking for the Holes": IMAGE logging is one of the things that a data base's manager may
# enable.

LOG_FILE_BYTES = 2 * MIB
"""A full log goes on in another file (MPE's CHANGELOG), which here lies in the place of the full one."""


class ImageLog:
    """The log in *file*: each change adds a record of *record* bytes, in whole sectors, to a buffer in memory.

    The caller whose record leaves no room in the *buffer* for another writes all that is in it and waits for that,
    with the control block or without it as for any disc access of a call; others go on. A buffer smaller than a
    record is written with each of them. In MPE a process for each log writes: that callers wait only for full buffers
    is from the User Logging Programmer's Guide, that a caller writes is assumed. A *durable* log is on the medium,
    whatever is cached, before its caller goes on.
    """

    def __init__(self, machine: Machine, file: File, record: int, buffer: int, durable: bool = False) -> None:
        self._machine = machine
        self._file = OpenFile(file)
        self._record = -(-record // SECTOR) * SECTOR
        self._most = max(1, buffer // self._record)
        self._durable = durable
        self._gathered = 0
        self._next = 0
        self.records = 0
        self.writing = Population(machine.env)

    def add(self, account: Account) -> Wait | None:
        """Add the record of a change; return the wait for the disc if the buffer is full with it."""
        self.records += 1
        self._gathered += 1
        return self._write(account) if self._gathered == self._most else None

    def _write(self, account: Account) -> Wait:
        length, self._gathered = self._gathered * self._record, 0
        first = self._next if self._next + length <= self._file.file.size else 0
        self._next = first + length
        self.writing.enter()
        yield from self._machine.write(self._file, first, length, account, self._durable)
        self.writing.leave()

    def reading(self) -> dict[str, float]:
        """*wait_seconds* are those in which callers waited for the file, the CPU time of the write among them."""
        return {
            "records": float(self.records), "writes": float(self.writing.entered),
            "wait_seconds": self.writing.seconds(),
        }  # fmt: skip


FIND, CONTROL = Intrinsic.FIND, Intrinsic.CONTROL
PUT, UPDATE, DELETE = Intrinsic.PUT, Intrinsic.UPDATE, Intrinsic.DELETE
"""Members of Intrinsic as globals, which are found faster, as ``CPU`` is for ``Phase.CPU``."""

FOLLOWING = (Intrinsic.GET_CHAINED, Intrinsic.GET_SERIAL)
"""The calls that go on from the user's position; a serial one also from that of an earlier answer."""

CHANGES = (PUT, UPDATE, DELETE)
LINKING = (PUT, DELETE)
"""The calls that change several blocks, and would leave broken chains if only some of them got to the medium."""

NEIGHBOURS = {PUT: 1, DELETE: 2}
"""Entries of a chain whose links change: a new entry goes behind the last, a deleted one had two beside it."""

Touch = tuple[DataSet, int, bool]
"""One block that a call reads, and whether it writes it too."""


@dataclass(frozen=True)
class CallCosts:
    """CPU seconds of a *call*, and of the *dispatch* of a process that was stopped for the control block."""

    call: float
    dispatch: float
    level: int


@dataclass(frozen=True)
class BufferPlan:
    """*count* buffers of *block_bytes* each; 0 stands for IMAGE's default by the number of users."""

    count: int
    block_bytes: int


class DataBase:
    """The data *sets*, whose blocks share the planned *buffers*; all calls go by way of the *control* block.

    With a *log*, each change is in it, or in its buffer, before the blocks are changed; with *recovery*, the file of
    Intrinsic Level Recovery (ILR), so is each change that links entries.
    """

    def __init__(
        self, machine: Machine, sets: DataSets, control: ControlBlock, buffers: BufferPlan,
        locality: ReferenceLocality, costs: CallCosts, log: ImageLog | None = None, recovery: ImageLog | None = None,
    ) -> None:
        self._machine = machine
        self._sets = sets
        self._control = control
        self.buffers = Buffers(buffers.count or default_buffers(1, MAX_PATHS))
        self._given = buffers.count > 0
        self._users: set[str] = set()
        self._block_bytes = buffers.block_bytes
        self._locality = locality
        self._costs = costs
        self.log = log
        self.recovery = recovery
        self.calls = 0
        self.block_reads = 0
        self.block_writes = 0

    def open(self, user: str) -> None:
        """Add *user* to those that have the data base open, and size the buffers."""
        self._users.add(user)
        if not self._given:
            self.buffers.limit = default_buffers(len(self._users), MAX_PATHS)

    def call(
        self, intrinsic: Intrinsic, family: str, times: int, positions: Positions, random: Random, account: Account
    ) -> Wait:
        """Perform *times* calls of one intrinsic on *family* by a user at *positions*; each takes the control block."""
        machine, control, costs = self._machine, self._control, self._costs
        lock, hold = control.lock, control.hold
        logs = self._logs(intrinsic)
        for _ in range(times):
            touches = self._touches(intrinsic, family, positions, random)
            self.calls += 1
            seconds = costs.call if lock.holder is None else costs.call + costs.dispatch
            impeded = lock.take(account)
            if impeded is not None:
                yield from impeded
            absent = control.need(account)
            if absent is not None:
                yield from absent
            yield machine.cpu.burst(seconds, costs.level, CPU, account)
            hold.after_computing(lock)
            for log in logs:
                logging = log.add(account)
                if logging is not None:
                    yield from logging
            for touch in touches:
                accessing = self._access(touch, account)
                if accessing is not None:
                    yield from accessing
            hold.after_accesses(lock)

    def _logs(self, intrinsic: Intrinsic) -> list[ImageLog]:
        """The files that a call of *intrinsic* adds a record to."""
        files = ((self.log, CHANGES), (self.recovery, LINKING))
        return [log for log, calls in files if log is not None and intrinsic in calls]

    def _touches(self, intrinsic: Intrinsic, family: str, positions: Positions, random: Random) -> list[Touch]:
        """Return the blocks that the next call of *intrinsic* touches, in order, and move the user.

        DBFIND reads the master that heads a chain, and leaves the user at the chain's first entry.
        """
        if intrinsic is CONTROL:
            return []
        chosen, block = positions.now[family] = self._next(intrinsic, family, positions, random)
        paths = FAMILIES[family].paths
        if intrinsic is FIND and paths:
            return [(*self._master(paths[0], positions, random), False)]
        if intrinsic is UPDATE:
            return [(chosen, block, True)]
        if intrinsic is PUT or intrinsic is DELETE:
            entries = self._locality.put_entries
            touches = [(chosen, chosen.put_behind(entries) if entries and intrinsic is PUT else block, True)]
            for path in paths:
                touches.append((*self._master(path, positions, random), True))
                for _ in range(NEIGHBOURS[intrinsic]):
                    touches.append((chosen, chosen.chain_neighbour(block, random, self._locality), True))
            return touches
        return [(chosen, block, False)]

    def _master(self, path: str, positions: Positions, random: Random) -> Place:
        """Return the place of the master entry that heads the chain of *path*, and move the user there."""
        positions.now[path] = self._next(Intrinsic.GET_KEYED, path, positions, random)
        return positions.now[path]

    def _next(self, intrinsic: Intrinsic, family: str, positions: Positions, random: Random) -> Place:
        """Choose the data set and block of the next call of *intrinsic*."""
        last = positions.now.get(family)
        if last is None and intrinsic is Intrinsic.GET_SERIAL:
            last = positions.before.get(family)
        if last is None:
            return self._begin(family, positions, random)
        if intrinsic in FOLLOWING and random.random() < self._locality.step:
            chosen, block = last
            ahead = 1 + pick(random, 4) if intrinsic is Intrinsic.GET_CHAINED else 1
            return chosen, (block + ahead) % chosen.blocks
        return last

    def _begin(self, family: str, positions: Positions, random: Random) -> Place:
        """Draw the place where an answer begins in *family*: behind the user's last place, or somewhere else."""
        locality, last = self._locality, positions.before.get(family)
        if last is not None and random.random() < locality.near:
            chosen, block = last
            return chosen, (block + 1) % chosen.blocks
        sets = self._sets[family]
        chosen = sets[pick(random, len(sets))]
        return chosen, chosen.place(random, locality)

    def _access(self, touch: Touch, account: Account) -> Wait | None:
        """Return the wait for the disc accesses of *touch*; None where the block is in a buffer and only read."""
        chosen, block, written = touch
        there = self.buffers.have((chosen.number, block))
        if written:
            return self._rewrite(chosen, block, there, account)
        return None if there else self._read(chosen, block, account)

    def _read(self, chosen: DataSet, block: int, account: Account) -> Wait:
        size = self._block_bytes
        self.block_reads += 1
        return self._machine.read(chosen.file, block * size, size, account)

    def _rewrite(self, chosen: DataSet, block: int, there: bool, account: Account) -> Wait:
        size = self._block_bytes
        if not there:
            yield from self._read(chosen, block, account)
        self.block_writes += 1
        yield from self._machine.write(chosen.file, block * size, size, account)

    def reading(self) -> dict[str, float]:
        lock = {f"lock_{name}": value for name, value in self._control.lock.reading().items()}
        return {
            "calls": float(self.calls), "block_reads": float(self.block_reads),
            "block_writes": float(self.block_writes), "buffer_hits": float(self.buffers.hits), **lock,
        }
