"""Builds the machine of a data base: tables on a drive or an array, a pool of pages in memory, and a processor.

It has PostgreSQL's background writer and checkpoints, the write-ahead log for which commits wait, and row locks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import simpy

from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.tables import Relation, Tables, check_skew
from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cache.write_policy import Cached, CacheWriteBack
from spindle.sim.clock import CPU, Account, Daemon, Gate, Phase, Wait, pause
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.raid.array import Raid, drive_or_array
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.registry import FLASH
from spindle.sim.error import UserError
from spindle.sim.eviction.clock import ClockSweep
from spindle.sim.eviction.policy import EvictionPolicy, TellsNext
from spindle.sim.eviction.rings import Ring, Rings
from spindle.sim.lock import Lock
from spindle.sim.machine import Machine
from spindle.sim.memory import SharedMemory
from spindle.sim.request import BOUNDLESS, READ, WRITE, Span, access

POOL = "pool"
"""Name of the pool among the machine's parts."""
SMOOTHING_ROUNDS = 16
"""Rounds over which the background writer averages the number of pages allocated (bufmgr.c, BgBufferSync)."""
ROW_BYTES = 128
"""Bytes of a page that a change of a row writes."""
LOG_PAGES = 1 << 17
"""Pages of the log, which is after the tables; a full log is overwritten from its beginning."""


@dataclass(frozen=True)
class PoolOptions:
    """The parts of the machine that may be exchanged; a run makes each anew."""

    drive: DriveType = FLASH["samsung960pro"]
    policy: Callable[..., EvictionPolicy] = ClockSweep


class BackgroundWriter(CacheWriteBack):
    """Writes dirty pages back as PostgreSQL does: a writer those that are evicted next, and checkpoints all.

    A round of the writer looks at as many pages as will probably be evicted before the next round. A page that is
    still dirty when it is evicted is written by the client that evicts it.
    """

    def __init__(self, policy: TellsNext, parameters: PoolParameters) -> None:
        super().__init__(parameters.checkpoint, 0.0, BOUNDLESS, BOUNDLESS)
        self._policy, self._parameters = policy, parameters

    def attach(self, cache: Cached) -> None:
        super().attach(cache)
        Daemon(cache.env, self._writer(cache))

    def _writer(self, cache: Cached) -> Wait:
        parameters, memory = self._parameters, cache.blocks.memory
        before, allocated = memory.claims, 0.0
        while True:
            yield pause(cache.env, parameters.writer_delay)
            recent, before = memory.claims - before, memory.claims
            allocated = max(recent, allocated + (recent - allocated) / SMOOTHING_ROUNDS)
            next_ones = self._policy.coming(ceil(allocated * parameters.writer_ahead))
            dirty = [key[1] for key in next_ones if isinstance(key, tuple) and key[1] in cache.blocks.dirty]
            yield from cache.clean(dirty[:parameters.writer_pages], self._account)


class WriteAheadLog:
    """The write-ahead log on *drive* from byte *first* on: one flush at a time; later commits share the next flush."""

    def __init__(self, env: simpy.Environment, drive: Drive | Raid, first: int, page: int) -> None:
        self._env, self._drive, self._first, self._page = env, drive, first, page
        self._end = self._flushed = 0
        self._under_way: Gate | None = None
        self.flushes = 0

    def commit(self, size: int, account: Account) -> Wait:
        """Add *size* bytes to the log, and wait until they are on the drive."""
        self._end += size
        mine, began = self._end, self._env.now
        while self._under_way is not None:
            yield self._under_way
        account.charge(Phase.WRITE_WAIT, began, self._env.now)
        if self._flushed < mine:
            yield from self._flush(account)

    def _flush(self, account: Account) -> Wait:
        gate = self._under_way = Gate(self._env, "a flush of the log")
        page, upto = self._page, self._end
        first, last = self._flushed // page, (upto - 1) // page
        span = Span(self._first + first % LOG_PAGES * page, (last - first + 1) * page)
        yield from self._drive.write(access(WRITE, span.first, span.length, account))
        self.flushes += 1
        self._flushed, self._under_way = upto, None
        gate.succeed()

    def reading(self) -> dict[str, float]:
        return {"flushes": float(self.flushes), "bytes": float(self._flushed)}


class Database:
    """A data base with pgbench's tables at *scale*, on a drive or an *array* of drives, and a pool of *pool* bytes."""

    def __init__(
        self, scale: int, pool: int, parameters: PoolParameters, choices: PoolOptions, array: RaidType | None = None
    ) -> None:
        check_skew(parameters.skew)
        self.env = env = simpy.Environment()
        self.parameters, page = parameters, parameters.page
        self.tables = Tables(scale, parameters)
        drives = drive_or_array(env, choices.drive, array)
        drive = drives["drive"]
        log, frames = self.tables.pages * page, pool // page
        if log + 2 * LOG_PAGES * page > drive.capacity:
            raise UserError(f"{choices.drive.name}: there are {drive.capacity:,} bytes, and scale {scale} takes "
                            f"{log + 2 * LOG_PAGES * page:,} with its log")  # fmt: skip
        if frames < 1:
            raise UserError(f"pool: {pool} bytes have no room for a page of {page}")
        self.rings = Rings(frames, choices.policy)
        memory = SharedMemory(env, frames * page, self.rings, page)
        self.pool = BlockCache(env, drive, page, memory, writing=BackgroundWriter(self.rings, parameters), name=POOL)
        self.log = WriteAheadLog(env, drive, log, page)
        self._cpu = FcfsCpu(env)
        self.machine = Machine(env, {**drives, POOL: self.pool, "memory": memory, "tables": self.tables,
                                     "log": self.log}, self._cpu)  # fmt: skip
        tables = self.tables
        self.tellers, self.branches = ([Lock(env, f"{name} {row}") for row in range(table.rows)]
                                       for name, table in (("teller", tables.tellers), ("branch", tables.branches)))

    def compute(self, seconds: float, account: Account) -> Wait:
        yield self._cpu.burst(seconds, 1, CPU, account)

    def read(self, relation: Relation, page: int, account: Account) -> Wait:
        """Bring *page* into the pool. As PostgreSQL counts, a page that another client is reading is a hit."""
        self._count(relation, page)
        return self.pool.read(access(READ, page * self.parameters.page, self.parameters.page, account))

    def scan(self, relation: Relation, page: int, account: Account, ring: Ring | None) -> Wait:
        """Read *page* for a sequential scan, through its *ring* if it has one."""
        if ring is None:
            yield from self.read(relation, page, account)
            return
        self.rings.ask((POOL, page), ring)
        yield from self.read(relation, page, account)
        self.rings.finish((POOL, page))

    def write(self, relation: Relation, page: int, account: Account, whole: bool = False) -> Wait:
        """Change a row on *page*, or fill a *whole* new one."""
        self._count(relation, page)
        size = self.parameters.page
        within = Span(page * size, size)
        return self.pool.write(access(WRITE, within.first, size if whole else ROW_BYTES, account, within))

    def _count(self, relation: Relation, page: int) -> None:
        if self.pool.blocks.get(page) is None:
            relation.read += 1
        else:
            relation.hits += 1
