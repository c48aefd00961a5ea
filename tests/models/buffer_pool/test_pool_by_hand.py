"""Tests the buffer pool step by step: rounds of the background writer, bytes of the log, places of tables, a run."""

import inspect
from collections.abc import Hashable, Iterator
from dataclasses import replace
from math import isnan, nan
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.models.buffer_pool.machine import (
    LOG_PAGES,
    BackgroundWriter,
    Database,
    PoolOptions,
    WriteAheadLog,
)
from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.run import MAX_CLIENTS, MAX_SCALE, Scanning, TpcB, _extras, run
from spindle.models.buffer_pool.tables import HISTORY_PAGES, Table, Tables, check_skew, draw
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.rings import Ring
from spindle.sim.request import Access, Op, Span
from spindle.sim.streams import stream
from spindle.sim.units import MIB, MS, US, Bytes
from tests.models.engine_calls import defaults, engine_calls

RUNS: Any = inspect.getmodule(run)
HOST = Account("host")
SHORT = {"scale": 1, "minutes": 0.002, "warm_up": 0.0}


# The background writer.

class Coming:
    """A policy that says which pages go next: page *number* is dirty if it is even."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def coming(self, most: int) -> Iterator[Hashable]:
        self.asked.append(most)
        return iter([("pool", page) for page in range(most)] + ["no page", 3])


def writer(env: simpy.Environment, claims: list[int], **parameters: Any) -> tuple[list[int], list[list[int]]]:
    """Let a writer do a round for each of *claims*, the pages allocated before; return how many pages it looked at, and
    what it wrote.
    """
    policy, cleaned = Coming(), list[list[int]]()
    memory = SimpleNamespace(claims=7)
    blocks = SimpleNamespace(memory=memory, dirty=dict.fromkeys(range(0, 999, 2), 0.0), size=8192)
    cache = SimpleNamespace(env=env, blocks=blocks)

    def clean(blocks: list[int], account: Account) -> Iterator[simpy.Event]:
        assert account.name == "write-back"
        cleaned.append(blocks)
        yield env.timeout(0.0)

    cache.clean = clean
    BackgroundWriter(policy, PoolParameters(writer_delay=1.0, **parameters)).attach(cache)  # type: ignore[arg-type]
    for turn, count in enumerate(claims):
        env.run(turn + 0.5)
        memory.claims += count
    env.run(len(claims) + 0.5)
    return policy.asked, cleaned


def test_the_writer_follows_a_rise_at_once_and_a_fall_by_a_sixteenth(env: simpy.Environment) -> None:
    """bufmgr.c: smoothed_alloc is what was allocated if that is more, else it comes nearer by a sixteenth."""
    asked, _ = writer(env, [10, 40, 8, 40, 0], writer_ahead=2.0)
    fallen = 40 + (8 - 40) / 16
    assert asked == [20, 80, 76, 80, 75]
    assert fallen == 38.0


def test_the_writer_looks_at_nothing_before_anything_is_allocated(env: simpy.Environment) -> None:
    assert writer(env, [0, 0])[0] == [0, 0]


def test_the_writer_writes_what_is_dirty_of_the_next_and_no_more_than_its_limit(env: simpy.Environment) -> None:
    asked, cleaned = writer(env, [3, 3], writer_ahead=3.0, writer_pages=4)
    assert asked == [9, 9]
    assert cleaned == [[0, 2, 4, 6]] * 2
    assert writer(simpy.Environment(), [3], writer_ahead=1.0)[1] == [[0, 2]]
    assert writer(simpy.Environment(), [3], writer_ahead=1.5)[0] == [5]


def database(pool: int = 16 * MIB, **parameters: Any) -> Database:
    return Database(1, pool, PoolParameters(**parameters), PoolOptions())


def test_a_checkpoint_writes_all_that_is_dirty_however_young(env: simpy.Environment) -> None:
    of = database(checkpoint=1.0, writer_pages=0)

    def change() -> Iterator[object]:
        yield of.env.timeout(0.9)
        yield from of.write(of.tables.history, of.tables.history.first, HOST, whole=True)

    of.env.process(change())  # type: ignore[arg-type]
    of.env.run(1.5)
    assert of.pool.reading()["written_back"] == 1.0


# The log.

def flushed(sizes: list[int], first: int = 0) -> list[Span]:
    """Return the spans that one commit after another writes."""
    env = simpy.Environment()
    drive, spans = Drive(env, FixedService(4 * MS)), list[Span]()
    write = drive.write

    def noted(access: Access) -> Any:
        assert (access.op, access.account) == (Op.WRITE, HOST)
        spans.append(access.span)
        return write(access)

    drive.write = noted  # type: ignore[method-assign]
    log = WriteAheadLog(env, drive, first, 8192)

    def client() -> Iterator[Any]:
        for size in sizes:
            yield from log.commit(size, HOST)

    env.process(client())
    env.run()
    assert log.reading() == {"flushes": float(len(sizes)), "bytes": float(sum(sizes))}
    return spans


@pytest.mark.parametrize(("sizes", "pages"), [
    ([1], [(0, 1)]), ([8191, 1], [(0, 1), (0, 1)]), ([8192, 1], [(0, 1), (1, 1)]), ([8193, 1], [(0, 2), (1, 1)]),
    ([8192, 8192, 8192], [(0, 1), (1, 1), (2, 1)]), ([20_000, 4576, 1], [(0, 3), (2, 1), (3, 1)]),
])  # fmt: skip
def test_a_flush_writes_the_pages_that_have_new_bytes(sizes: list[int], pages: list[tuple[int, int]]) -> None:
    first = 123 * 8192
    assert flushed(sizes, first) == [Span(first + page * 8192, count * 8192) for page, count in pages]


def test_a_full_log_begins_anew(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(4 * MS))
    log = WriteAheadLog(env, drive, 8192, 8192)
    log._end = log._flushed = LOG_PAGES * 8192 - 100
    places = list[int]()
    write = drive.write
    drive.write = lambda access: (places.append(access.span.first), write(access))[1]  # type: ignore[method-assign]

    def client() -> Iterator[Any]:
        yield from log.commit(100, HOST)
        yield from log.commit(100, HOST)

    env.process(client())
    env.run()
    assert places == [LOG_PAGES * 8192, 8192]


# The machine.

def test_tables_and_twice_the_log_must_fit_on_the_drive() -> None:
    pages = Tables(1, PoolParameters()).pages
    needed = (pages + 2 * LOG_PAGES) * 8192
    assert needed == 3_236_945_920
    sheet = PoolOptions().drive
    Database(1, 8192, PoolParameters(), PoolOptions(replace(sheet, capacity=needed)))
    with pytest.raises(UserError, match="and scale 1 takes 3,236,945,920 with its log"):
        Database(1, 8192, PoolParameters(), PoolOptions(replace(sheet, capacity=needed - 4096)))
    with pytest.raises(UserError, match="pool: 8191 bytes have no room"):
        database(pool=8191)


def test_parts_have_names_and_the_pool_so_many_frames() -> None:
    of = database(pool=5 * 8192 + 8191)
    assert list(of.machine.parts) == ["cpu", "drive", "pool", "memory", "tables", "log"]
    assert of.pool.name == "pool"
    assert of.pool.blocks.memory.capacity == 5 * 8192
    assert of.rings.fixed_capacity() == 5
    assert [lock.name for lock in of.tellers] == [f"teller {row}" for row in range(10)]
    assert [lock.name for lock in of.branches] == ["branch 0"]


def done(of: Database, *work: Iterator[Any]) -> None:
    def one() -> Iterator[Any]:
        for each in work:
            yield from each

    of.env.run(of.env.process(one()))


def test_a_page_that_is_filled_is_not_read_and_one_that_is_changed_is() -> None:
    of = database()
    history = of.tables.history
    done(of, of.write(history, history.first, HOST, whole=True))
    assert (history.read, history.hits, of.pool.reading()["fetches"]) == (1, 0, 0.0)
    done(of, of.write(history, history.first + 1, HOST))
    assert (history.read, history.hits, of.pool.reading()["fetches"]) == (2, 0, 1.0)
    done(of, of.write(history, history.first + 1, HOST))
    assert (history.read, history.hits, of.pool.reading()["fetches"]) == (2, 1, 1.0)
    assert sorted(of.pool.blocks.dirty) == [history.first, history.first + 1]
    done(of, of.read(history, history.first + 5, HOST))
    assert sorted(of.pool.blocks.dirty) == [history.first, history.first + 1]


class Watched:
    """A database that says what is asked of it."""

    def __init__(self, rows: int = 0, **parameters: Any) -> None:
        self.parameters = PoolParameters(**parameters)
        self.tables = Tables(1, self.parameters)
        self.said: list[tuple[Any, ...]] = []
        self.rings: list[Any] = []
        self.tellers = [SimpleNamespace(acquire=self._lock("lock", row), release=lambda row=row: self.said.append(
            ("release", row))) for row in range(10)]
        self.branches = [SimpleNamespace(acquire=self._lock("lock branch", 0), release=lambda: self.said.append(
            ("release branch",)))]
        self.log = SimpleNamespace(commit=self._lock("commit", 600))

    def _lock(self, name: str, number: int) -> Any:
        def acquire(*given: Any) -> Iterator[Any]:
            assert given[-1] is HOST
            self.said.append((name, number))
            return iter(())

        return acquire

    def compute(self, seconds: float, account: Account) -> Iterator[Any]:
        assert account is HOST
        self.said.append(("compute", seconds))
        return iter(())

    def read(self, relation: Any, page: int, account: Account) -> Iterator[Any]:
        assert account is HOST
        self.said.append(("read", relation.name, page - relation.first))
        return iter(())

    def write(self, relation: Any, page: int, account: Account, whole: bool = False) -> Iterator[Any]:
        assert account is HOST
        self.said.append(("write", relation.name, page - relation.first, whole))
        return iter(())

    def scan(self, relation: Any, page: int, account: Account, ring: Any) -> Iterator[Any]:
        assert account is HOST
        self.said.append(("scan", relation.name, page))
        self.rings.append(ring)
        return iter(())


def did(work: type, of: Watched) -> list[tuple[Any, ...]]:
    session = SimpleNamespace(random=stream(1, "rows"), account=HOST)
    list(work(of)(session))
    return of.said


def test_a_transaction_step_by_step() -> None:
    """Rows as they are drawn; each statement computes, descends the index, reads the row."""
    of = Watched()
    random, tables = stream(1, "rows"), of.tables
    row = draw(random, 100_000, 0.0)
    teller, branch = draw(random, 10, 0.0), draw(random, 1, 0.0)

    def find(name: str, table: Table, number: int) -> list[tuple[Any, ...]]:
        pages = [page - table.index.first for page in table.descent(number)]
        return [("compute", 50 * US), *[("read", f"{name}_index", page) for page in pages],
                ("read", name, number // 61)]

    def change(name: str, number: int) -> list[tuple[Any, ...]]:
        return [("read", name, number // 61), ("write", name, number // 61, False)]

    assert did(TpcB, of) == [
        *find("accounts", tables.accounts, row), *change("accounts", row), *find("accounts", tables.accounts, row),
        *find("tellers", tables.tellers, teller), ("lock", teller), *change("tellers", teller),
        *find("branches", tables.branches, branch), ("lock branch", branch), *change("branches", branch),
        ("compute", 50 * US), ("write", "history", 0, True), ("commit", 600), ("release", teller), ("release branch",),
    ]  # fmt: skip
    before = len(of.said)
    assert ("write", "history", 0, False) in did(TpcB, of)[before:]


def test_accounts_are_drawn_as_the_skew_says() -> None:
    of, random = Watched(skew=1.5), stream(1, "rows")
    row = draw(random, 100_000, 1.5)
    assert ("read", "accounts", row // 61) in did(TpcB, of)


@pytest.mark.parametrize(("ring", "frames"), [(0, None), (100, 1), (8192, 1), (3 * 8192, 3)])
def test_a_scan_reads_each_page_once_through_its_ring(ring: int, frames: int | None) -> None:
    of = Watched(ring=ring)
    of.tables.scanned.first, of.tables.scanned.pages = 7, 3
    steps = [(("compute", 5 * US), ("scan", "scanned", page)) for page in (7, 8, 9)]
    assert did(Scanning, of) == [said for step in steps for said in step]
    assert len({id(each) for each in of.rings}) == 1
    assert (of.rings[0] if frames is None else len(of.rings[0]._keys)) == frames


def test_a_scan_without_a_ring_is_a_read() -> None:
    of = database()
    done(of, of.scan(of.tables.scanned, 0, HOST, None), of.scan(of.tables.scanned, 0, HOST, None))
    assert (of.tables.scanned.read, of.tables.scanned.hits) == (1, 1)


@pytest.mark.parametrize(("ring", "left"), [(None, [2, 3, 4, 5]), (Ring(2), [4, 5]), (Ring(1), [5])])
def test_a_scan_through_a_ring_takes_no_more_of_a_full_pool_than_its_ring(ring: Ring | None, left: list[int]) -> None:
    of = database(pool=4 * 8192)
    heap = of.tables.scanned
    done(of, *(of.read(heap, page, HOST) for page in range(100, 104)))
    done(of, *(of.scan(heap, page, HOST, ring) for page in range(6)))
    assert [page for page in range(6) if of.pool.blocks.get(page)] == left
    assert sum(of.pool.blocks.get(page) is not None for page in range(100, 104)) == 4 - len(left)


# Tables.

def test_tables_lie_one_behind_the_other() -> None:
    tables = Tables(1, PoolParameters())
    places = [(each.name, each.first, each.pages) for each in [*tables.relations(), tables.scanned]]
    assert places == [
        ("accounts", 0, 1640), ("accounts_index", 1640, 275), ("tellers", 1915, 1), ("tellers_index", 1916, 1),
        ("branches", 1917, 1), ("branches_index", 1918, 1), ("history", 1919, HISTORY_PAGES), ("scanned", 0, 1640)]
    assert tables.pages == 1919 + HISTORY_PAGES
    tables.branches.heap.hits, tables.scanned.read = 3, 4
    reading = tables.reading()
    assert len(reading) == 16
    assert (reading["branches_hits"], reading["scanned_read"], sum(reading.values())) == (3.0, 4.0, 7.0)


def test_an_index_of_two_leaves_has_a_root() -> None:
    """One leaf is its own root; two have one above them."""
    one, two = (Table("t", 0, rows, PoolParameters(leaf_rows=10, inner_rows=2)) for rows in (10, 11))
    assert [one.index.pages, two.index.pages] == [1, 3]
    assert list(two.descent(10)) == [two.index.first + 2, two.index.first + 1]
    assert Table("t", 0, 41, PoolParameters(leaf_rows=10, inner_rows=2)).index.pages == 5 + 3 + 2 + 1


def test_a_full_history_begins_anew() -> None:
    tables = Tables(1, PoolParameters())
    tables._inserted = HISTORY_PAGES * 157 - 1
    assert [tables.insert() for _ in range(2)] == [(tables.history.first + HISTORY_PAGES - 1, False),
                                                   (tables.history.first, True)]  # fmt: skip


def test_all_of_a_few_rows_are_drawn_and_none_beyond() -> None:
    random = stream(1, "rows")
    assert {draw(random, 2, 1.2) for _ in range(100)} == {0, 1}
    assert {draw(random, 1, 1.2) for _ in range(20)} == {0}
    assert {draw(random, 3, 0.0) for _ in range(100)} == {0, 1, 2}


def test_skews_that_are_taken() -> None:
    for skew in (0.0, 1.001, 1.5, 10.0):
        check_skew(skew)
    for skew in (1.0, 1.0009, nan):
        with pytest.raises(UserError):
            check_skew(skew)


# A run.

def test_arguments_that_are_not_given() -> None:
    assert defaults(run) == {
        "scale": 5, "clients": 4, "pool": 16 * MIB, "mix": "tpcb", "scans": 0, "minutes": 0.02, "warm_up": 0.01,
        "seed": 1, "choices": None, "keep_rows": True, "interval": None, "watch": None, "raid": "", "drives": 0,
        "chunk": 512 * 1024, "bitmap": 0, "delayed": False, "failed": 0, "rebuild": 0, "ure": 0.0}  # fmt: skip


def test_numbers_of_a_run_by_hand() -> None:
    counters = {f"tables.{each.name}_{kind}": 0.0 for each in Tables(1, PoolParameters()).relations()
                for kind in ("hits", "read")}  # fmt: skip
    counters |= {"tables.accounts_hits": 30.0, "tables.accounts_read": 10.0, "tables.accounts_index_hits": 57.0,
                 "tables.accounts_index_read": 3.0, "pool.hits": 70.0, "pool.late_hits": 10.0, "pool.misses": 20.0,
                 "cpu.busy": 3.0, "drive.busy": 2.0, "pool.fetches": 40.0, "pool.written_back": 12.0,
                 "log.flushes": 8.0}  # fmt: skip
    of = SimpleNamespace(counters=counters, seconds=4.0)
    assert _extras(of, database(), 2) == {  # type: ignore[arg-type]
        "hit_ratio": 0.7, "buffer_hit_ratio": 0.87, "heap_hit_ratio": 0.75, "index_hit_ratio": 0.95, "cpu_busy": 0.75,
        "disc_busy": 0.25, "read_rate": 10.0, "write_rate": 3.0, "flush_rate": 2.0}  # fmt: skip
    counters["tables.accounts_read"] = 30.0
    assert _extras(of, database(), 2)["heap_hit_ratio"] == 0.5  # type: ignore[arg-type]
    nothing = _extras(SimpleNamespace(counters=dict.fromkeys(counters, 0.0), seconds=4.0), database(), 1)  # type: ignore[arg-type]
    assert [name for name, value in nothing.items() if isnan(value)] == [
        "hit_ratio", "buffer_hit_ratio", "heap_hit_ratio", "index_hit_ratio"]  # fmt: skip


def test_what_the_engine_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = engine_calls(monkeypatch)

    def watch(share: float, *_: object) -> None:
        """Do nothing."""

    of = run(1, 2, Bytes(MIB), "select", 3, 0.002, 0.001, seed="mine", keep_rows=False, interval=0.01, watch=watch,
             statement=1e-4)
    (call,) = calls
    assert of.system == "buffer_pool"
    assert of.parameters == {"scale": 1, "clients": 2, "pool": MIB, "mix": "select", "scans": 3, "statement": 1e-4}
    assert (call["seed"], call["keep_rows"], call["watch"]) == ("mine", False, watch)
    window = call["window"]
    assert (window.start, window.end, window.interval) == pytest.approx((0.06, 0.18, 0.01))
    scripts = call["load"]._scripts
    asked = [(script.name, script.terminals, script.baud) for script in scripts]
    assert asked == [("client", 2, 1e10), ("scan", 3, 1e10)]
    assert of.counters["tables.scanned_read"] > 0.0


def test_an_array_is_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Database] = []

    def build(*given: Any) -> Database:
        made.append(Database(*given))
        return made[-1]

    monkeypatch.setattr(RUNS, "Database", build)
    asked = {"raid": "6", "drives": 5, "chunk": Bytes(64 * 1024), "bitmap": Bytes(64 * MIB), "delayed": True,
             "failed": 1, "rebuild": Bytes(10**6), "ure": 1e-15}  # fmt: skip
    of = run(1, 2, seed=3, minutes=0.001, warm_up=0.0, **asked)  # type: ignore[arg-type]
    kind = made[0].machine.parts["drive"].kind  # type: ignore[attr-defined]
    assert kind == RaidType("6", 5, 64 * 1024, unrecoverable=1e-15, seed=3, bitmap=64 * MIB, delayed=True, failed=1,
                            rebuild=10**6)  # fmt: skip
    assert {name: of.parameters[name] for name in asked} == asked
    assert of.extras["disc_busy"] == of.counters["drive.busy"] / of.seconds / 5
    alone = run(1, 2, minutes=0.001, warm_up=0.0)
    assert alone.extras["disc_busy"] == alone.counters["drive.busy"] / alone.seconds


@pytest.mark.parametrize(("name", "least", "most"), [
    ("scale", 1, MAX_SCALE), ("clients", 1, MAX_CLIENTS), ("scans", 0, MAX_CLIENTS),
])  # fmt: skip
def test_numbers_have_limits(monkeypatch: pytest.MonkeyPatch, name: str, least: int, most: int) -> None:
    def stop(*_: object) -> None:
        raise StopIteration

    monkeypatch.setattr(RUNS, "Database", stop)
    for wrong in (least - 1, most + 1):
        with pytest.raises(UserError, match=f"{name} must be a whole number from {least} to {most}, not {wrong}"):
            run(**{name: wrong})  # type: ignore[arg-type]
    for right in (least, most):
        with pytest.raises(StopIteration):
            run(**{name: right})  # type: ignore[arg-type]
