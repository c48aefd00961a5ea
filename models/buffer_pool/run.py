"""Runs a data base's buffer pool under pgbench's clients, which select or do TPC-B, and sequential scans."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan

from spindle.models.buffer_pool.machine import Database, PoolOptions
from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.tables import Table, draw
from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import ask, flat
from spindle.questions.runs import RECORDED, Recorded, WindowOptions
from spindle.sim.clock import Wait
from spindle.sim.eviction.rings import Ring
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.script import Call, Loop, Script
from spindle.sim.streams import pick
from spindle.sim.terminal import Session
from spindle.sim.units import MIB, Bytes

MAX_SCALE, MAX_CLIENTS = 100_000, 4096
"""The largest scale of pgbench's tables, and the most clients."""
SOCKET_BITS_A_SECOND = 1e10
"""Bits a second between client and server: a reply takes no time that matters."""
POOL = Bytes(16 * MIB)
"""Bytes of the pool by default."""

# What clients do.

class Selecting:
    """The transaction of ``pgbench -S``: reads the balance of an account."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __call__(self, session: Session) -> Wait:
        database, accounts = self._database, self._database.tables.accounts
        row = draw(session.random, accounts.rows, database.parameters.skew)
        yield from self.find(accounts, row, session)

    def find(self, table: Table, row: int, session: Session) -> Wait:
        """Execute a statement that finds *row* by its index."""
        database, account = self._database, session.account
        yield from database.compute(database.parameters.statement, account)
        for page in table.descent(row):
            yield from database.read(table.index, page, account)
        yield from database.read(table.heap, table.page(row), account)


class TpcB(Selecting):
    """pgbench's default transaction, like TPC-B: changes an account, a teller and a branch; locks the last two."""

    def __call__(self, session: Session) -> Wait:
        database, tables, account = self._database, self._database.tables, session.account
        row = draw(session.random, tables.accounts.rows, database.parameters.skew)
        teller, branch = pick(session.random, tables.tellers.rows), pick(session.random, tables.branches.rows)
        yield from self.find(tables.accounts, row, session)
        yield from self._change(tables.accounts, row, session)
        yield from self.find(tables.accounts, row, session)
        locks = database.tellers[teller], database.branches[branch]
        for table, number, lock in zip((tables.tellers, tables.branches), (teller, branch), locks, strict=True):
            yield from self.find(table, number, session)
            yield from lock.acquire(account)
            yield from self._change(table, number, session)
        yield from database.compute(database.parameters.statement, account)
        page, is_new = tables.insert()
        yield from database.write(tables.history, page, account, whole=is_new)
        yield from database.log.commit(database.parameters.log_bytes, account)
        for lock in locks:
            lock.release()

    def _change(self, table: Table, row: int, session: Session) -> Wait:
        """Fetch the old *row*, which was found, once more, and write the new one (nodeModifyTable.c, since 14)."""
        page = table.page(row)
        yield from self._database.read(table.heap, page, session.account)
        yield from self._database.write(table.heap, page, session.account)


class Scanning:
    """A sequential scan: reads each page of accounts once, through a ring buffer unless the parameter *ring* is 0."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __call__(self, session: Session) -> Wait:
        database, heap = self._database, self._database.tables.scanned
        parameters = database.parameters
        ring = Ring(max(1, parameters.ring // parameters.page)) if parameters.ring else None
        for page in range(heap.first, heap.first + heap.pages):
            yield from database.compute(parameters.scanning, session.account)
            yield from database.scan(heap, page, session.account, ring)


MIXES: Mapping[str, Callable[[Database], Callable[[Session], Wait]]] = {"tpcb": TpcB, "select": Selecting}


@dataclass(frozen=True)
class PoolLoad:
    """The load: *clients* that do the transactions of *mix* without think time, and *scans* of all accounts.

    The tables are pgbench's at *scale*; *pool* is the bytes of shared buffers.
    """

    scale: int = ask(5, "pgbench's scale", least=1, most=MAX_SCALE)
    clients: int = ask(4, "clients without think time", least=1, most=MAX_CLIENTS)
    pool: Bytes = ask(POOL, "shared buffers", "bytes")
    mix: str = ask("tpcb", "transactions of a client", words=tuple(MIXES))
    scans: int = ask(0, "concurrent sequential scans of all accounts", least=0, most=MAX_CLIENTS)

    def scripts(self, database: Database) -> list[Script]:
        return [_script("client", MIXES[self.mix](database), self.clients),
                _script("scan", Scanning(database), self.scans)]  # fmt: skip


@flat
def run(
    load: PoolLoad = PoolLoad(),
    window: WindowOptions = WindowOptions(0.02, 0.01),
    seed: object = 1,
    choices: PoolOptions | None = None,
    recorded: Recorded = RECORDED,
    array: ArrayOptions = NO_ARRAY,
    **parameters: object,
) -> Result:
    """Run *load*; tables and log lie on a drive or on an *array*. Any field of PoolParameters may be given by name."""
    values = change(PoolParameters(), **parameters)
    drives = array.array(seed)
    database = Database(load.scale, load.pool, values, choices or PoolOptions(), drives)
    terminals = Terminals(load.scripts(database), _perform)
    result = engine.run(database.machine, terminals, window.window(recorded.interval), seed, recorded.watch,
                        recorded.keep_rows)  # fmt: skip
    settings = {"scale": load.scale, "clients": load.clients, "pool": int(load.pool), "mix": load.mix,
                "scans": load.scans, **parameters, **array.settings()}  # fmt: skip
    extras = _extras(result, database, array.drives or 1)
    return replace(result, system="buffer_pool", parameters=settings, extras=extras)


def _script(name: str, work: Callable[[Session], Wait], users: int) -> Script:
    return Script(name, (Loop((Call(work, name),)),), users, baud=SOCKET_BITS_A_SECOND)


def _perform(program: object, session: Session) -> Iterator[Wait]:
    assert callable(program)
    yield program(session)
    yield session.reply(1)


def _extras(result: Result, database: Database, drives: int) -> dict[str, float]:
    counters, seconds = result.counters, result.seconds

    def hit_ratio(*names: str) -> float:
        hits, read = (sum(counters[f"tables.{name}_{kind}"] for name in names) for kind in ("hits", "read"))
        return hits / (hits + read) if hits + read else nan

    reads = sum(counters[f"pool.{kind}"] for kind in ("hits", "late_hits", "misses"))
    return {
        "hit_ratio": counters["pool.hits"] / reads if reads else nan,
        "buffer_hit_ratio": hit_ratio(*(each.name for each in database.tables.relations())),
        "heap_hit_ratio": hit_ratio("accounts"),
        "index_hit_ratio": hit_ratio("accounts_index"),
        "cpu_busy": counters["cpu.busy"] / seconds,
        "disc_busy": counters["drive.busy"] / seconds / drives,
        "read_rate": counters["pool.fetches"] / seconds,
        "write_rate": counters["pool.written_back"] / seconds,
        "flush_rate": counters["log.flushes"] / seconds,
    }
