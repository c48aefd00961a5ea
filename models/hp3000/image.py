"""Models an IMAGE data base, HP's own: carries out its calls, and reads and writes the blocks that each touches."""

from dataclasses import dataclass
from random import Random

from spindle.models.hp3000.control_block import ControlBlock
from spindle.models.hp3000.data_sets import FAMILIES, MAX_PATHS, DataSet, DataSets, Place, Positions, ReferenceLocality
from spindle.models.hp3000.files import Buffers, default_buffers
from spindle.models.hp3000.image_log import ImageLog
from spindle.sim.clock import CPU, Account, Wait
from spindle.sim.machine import Machine
from spindle.sim.streams import pick
from spindle.workloads.programs import Intrinsic

FIND, CONTROL = Intrinsic.FIND, Intrinsic.CONTROL
PUT, UPDATE, DELETE = Intrinsic.PUT, Intrinsic.UPDATE, Intrinsic.DELETE
"""Members of Intrinsic as globals, which are found faster, as ``CPU`` is for ``Phase.CPU``."""

FOLLOWING_CALLS = (Intrinsic.GET_CHAINED, Intrinsic.GET_SERIAL)
"""Calls that move on from the user's position; a serial one also from the position of an earlier answer."""

CHANGING_CALLS = (PUT, UPDATE, DELETE)
LINKING_CALLS = (PUT, DELETE)
"""Calls that change several blocks, and leave broken chains if only some of these reach the medium."""

RELINKED_NEIGHBOURS = {PUT: 1, DELETE: 2}
"""Other entries of a chain whose links a call changes: a new entry follows the last, a deleted one was between two."""

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
    """The buffers of a data base: *count*, of *block_bytes* each; 0 is IMAGE's default by the number of users."""

    count: int
    block_bytes: int


class DataBase:
    """An open data base: the data *sets*, *buffers* for their blocks, and a *control* block that each call locks.

    With a *log*, each change is written to it, or to its buffer, before blocks are changed. With *recovery*, the file
    of Intrinsic Level Recovery (ILR), this is also done there for each change that links entries.
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
        """Return the files to which a call of *intrinsic* adds a record."""
        files = ((self.log, CHANGING_CALLS), (self.recovery, LINKING_CALLS))
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
                for _ in range(RELINKED_NEIGHBOURS[intrinsic]):
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
        if intrinsic in FOLLOWING_CALLS and random.random() < self._locality.step:
            chosen, block = last
            ahead = 1 + pick(random, 4) if intrinsic is Intrinsic.GET_CHAINED else 1
            return chosen, (block + ahead) % chosen.blocks
        return last

    def _begin(self, family: str, positions: Positions, random: Random) -> Place:
        """Draw the place where an answer begins in *family*: after the user's last place, or anywhere."""
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
