"""The calls of an IMAGE data base: which blocks each touches, and what it does while it has the control block.

McBride & Boles 1983, "The Autopsy": about 40 process stops a second from impedes on the data base control block.
"""

from dataclasses import dataclass
from random import Random

from models.hp3000.files.buffers import Buffers, default_buffers
from models.hp3000.image.control_block import ControlBlock
from models.hp3000.image.data_set import FAMILIES, MOST_PATHS, DataSet, DataSets, Place, ReferenceLocality, Standing
from models.hp3000.image.image_log import ImageLog
from sim.account import CPU, Account
from sim.clock import Wait
from sim.machine import Machine
from sim.streams import pick
from workloads.programs.program import Intrinsic

FIND, CONTROL = Intrinsic.FIND, Intrinsic.CONTROL
PUT, UPDATE, DELETE = Intrinsic.PUT, Intrinsic.UPDATE, Intrinsic.DELETE
"""The same as globals, as ``CPU`` is for ``Phase.CPU``."""

FOLLOWING = (Intrinsic.GET_CHAINED, Intrinsic.GET_SERIAL)
"""The calls that go on from the user's position; a serial one from that of another answer, too."""

CHANGES = (PUT, UPDATE, DELETE)

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


class DataBase:
    """The data *sets*, whose blocks share so many *buffers*; all calls go by way of the *control* block.

    Where *buffers* is 0, there are as many as IMAGE gives to the users of the open data base. With a *log* each change
    is in it, or in its buffer, before the blocks are changed.
    """

    def __init__(
        self, machine: Machine, sets: DataSets, control: ControlBlock, buffers: int, block_bytes: int,
        locality: ReferenceLocality, costs: CallCosts, log: ImageLog | None = None,
    ) -> None:
        self._machine = machine
        self._sets = sets
        self._control = control
        self.buffers = Buffers(buffers or default_buffers(1, MOST_PATHS))
        self._given = buffers > 0
        self._users: set[str] = set()
        self._block_bytes = block_bytes
        self._locality = locality
        self._costs = costs
        self.log = log
        self.calls = 0
        self.block_reads = 0
        self.block_writes = 0

    def open(self, user: str) -> None:
        """Add *user* to those that have it open."""
        self._users.add(user)
        if not self._given:
            self.buffers.limit = default_buffers(len(self._users), MOST_PATHS)

    def call(
        self, intrinsic: Intrinsic, family: str, times: int, standing: Standing, random: Random, account: Account
    ) -> Wait:
        """*times* calls of one intrinsic on *family*, by a user *standing* there; each takes the control block."""
        machine, control, costs = self._machine, self._control, self._costs
        lock, hold = control.lock, control.hold
        log = self.log if intrinsic in CHANGES else None
        for _ in range(times):
            touches = self._touches(intrinsic, family, standing, random)
            self.calls += 1
            seconds = costs.call if lock.holder is None else costs.call + costs.dispatch
            impeded = lock.take(account)
            if impeded is not None:
                yield from impeded
            absent = control.need(account)
            if absent is not None:
                yield from absent
            yield machine.cpu.burst(seconds, costs.level, CPU, account)
            hold.computed(lock)
            logging = None if log is None else log.add(account)
            if logging is not None:
                yield from logging
            for touch in touches:
                accessing = self._access(touch, account)
                if accessing is not None:
                    yield from accessing
            hold.done(lock)

    def _touches(self, intrinsic: Intrinsic, family: str, standing: Standing, random: Random) -> list[Touch]:
        """The blocks of the next call of *intrinsic* in the order in which it wants them; moves the user.

        DBFIND reads the master that heads a chain, and leaves the user at the chain's first entry.
        """
        if intrinsic is CONTROL:
            return []
        chosen, block = standing.now[family] = self._next(intrinsic, family, standing, random)
        paths = FAMILIES[family].paths
        if intrinsic is FIND and paths:
            return [(*self._master(paths[0], standing, random), False)]
        if intrinsic is UPDATE:
            return [(chosen, block, True)]
        if intrinsic is PUT or intrinsic is DELETE:
            touches = [(chosen, block, True)]
            for path in paths:
                touches.append((*self._master(path, standing, random), True))
                for _ in range(NEIGHBOURS[intrinsic]):
                    touches.append((chosen, chosen.linked(block, random, self._locality), True))
            return touches
        return [(chosen, block, False)]

    def _master(self, path: str, standing: Standing, random: Random) -> Place:
        """Where the user finds the master entry that heads the chain of *path*."""
        standing.now[path] = self._next(Intrinsic.GET_KEYED, path, standing, random)
        return standing.now[path]

    def _next(self, intrinsic: Intrinsic, family: str, standing: Standing, random: Random) -> Place:
        """The data set and block that the next call of *intrinsic* is about."""
        last = standing.now.get(family)
        if last is None and intrinsic is Intrinsic.GET_SERIAL:
            last = standing.before.get(family)
        if last is None:
            return self._begin(family, standing, random)
        if intrinsic in FOLLOWING and random.random() < self._locality.step:
            chosen, block = last
            ahead = 1 + pick(random, 4) if intrinsic is Intrinsic.GET_CHAINED else 1
            return chosen, (block + ahead) % chosen.blocks
        return last

    def _begin(self, family: str, standing: Standing, random: Random) -> Place:
        """Where an answer begins in *family*: behind the place where its user was last, or somewhere else."""
        locality, last = self._locality, standing.before.get(family)
        if last is not None and random.random() < locality.near:
            chosen, block = last
            return chosen, (block + 1) % chosen.blocks
        sets = self._sets[family]
        chosen = sets[pick(random, len(sets))]
        return chosen, chosen.place(random, locality)

    def _access(self, touch: Touch, account: Account) -> Wait | None:
        """The wait for what of *touch* goes to the disc; None where the block is in a buffer and only read."""
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
