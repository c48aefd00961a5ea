"""Tests pgbench's tables and clients, and the log and the writer of the buffer pool, against numbers by hand."""

from collections import Counter
from collections.abc import Iterator
from math import fsum

import pytest
import simpy

from spindle.cli.main import main
from spindle.models.buffer_pool.machine import Database, PoolOptions, WriteAheadLog
from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.run import run
from spindle.models.buffer_pool.studies import MEASURED_LOADS, pool_hits
from spindle.models.buffer_pool.system import page
from spindle.models.buffer_pool.tables import Tables, draw
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.streams import stream
from spindle.sim.units import MIB, MS, Bytes
from tests.models.buffer_pool.real_postgres import Postgres, postgres, programs

SHORT = {"minutes": 0.003, "warm_up": 0.001}


def test_tables_are_as_large_as_pgbench_makes_them() -> None:
    """pg_class of a PostgreSQL 15 at scale 10 has 16,394 pages of accounts and 2,745 of their index, one its head."""
    tables = Tables(10, PoolParameters())
    assert (tables.accounts.heap.pages, tables.accounts.index.pages) == (16_394, 2744)
    assert (tables.tellers.heap.pages, tables.tellers.index.pages, tables.branches.heap.pages) == (2, 1, 1)


def test_an_index_is_descended_from_its_root() -> None:
    accounts = Tables(10, PoolParameters()).accounts
    first, root = accounts.index.first, accounts.index.first + 2743
    assert list(accounts.descent(0)) == [root, first + 2733, first]
    # The 1,000,000th is in the last of 2,733 leaves, below the last of ten pages above them.
    assert list(accounts.descent(999_999)) == [root, first + 2742, first + 2732]
    assert accounts.page(61) == 1


def test_rows_of_history_fill_one_page_after_another() -> None:
    tables = Tables(1, PoolParameters())
    inserted = [tables.insert() for _ in range(158)]
    assert inserted[0] == (tables.history.first, True)
    assert inserted[156:] == [(tables.history.first, False), (tables.history.first + 1, True)]


def test_accounts_are_drawn_by_zipfs_law() -> None:
    random, skew, count = stream(1, "rows"), 1.5, 100_000
    drawn = Counter(draw(random, 50, skew) for _ in range(count))
    whole = fsum(k**-skew for k in range(1, 51))
    assert set(drawn) <= set(range(50))
    for rank in (1, 2, 10):
        assert drawn[rank - 1] / count == pytest.approx(rank**-skew / whole, rel=0.1)


def test_who_commits_during_a_flush_shares_the_next() -> None:
    env = simpy.Environment()
    drive = Drive(env, FixedService(4 * MS))
    log, done = WriteAheadLog(env, drive, 0, 8192), list[tuple[str, float]]()

    def client(name: str, start: float) -> simpy.events.ProcessGenerator:
        yield env.timeout(start)
        yield from log.commit(600, Account(name))
        done.append((name, env.now))

    for name, start in (("a", 0.0), ("b", 1 * MS), ("c", 2 * MS), ("d", 5 * MS)):
        env.process(client(name, start))
    env.run()
    assert done == [("a", 4 * MS), ("b", 8 * MS), ("c", 8 * MS), ("d", 12 * MS)]
    assert log.reading() == {"flushes": 3.0, "bytes": 2400.0}


def test_mirrored_drives_are_written_alike_and_share_the_reads() -> None:
    of = run(1, 4, Bytes(2 * MIB), raid="1", drives=2, **SHORT).counters
    written = [of[f"drive{number}.bytes_written"] for number in (1, 2)]
    assert written == [pytest.approx(of["drive.bytes_written"], rel=0.05)] * 2
    assert sum(of[f"drive{number}.bytes_read"] for number in (1, 2)) == pytest.approx(of["drive.bytes_read"], rel=0.01)
    assert min(of[f"drive{number}.bytes_read"] for number in (1, 2)) > 0.0


@pytest.mark.parametrize(("words", "says"), [
    (["--drives", "4"], "--drives is for an array; --raid gives its level"),
    (["--chunk", "64K"], "--chunk is for an array; --raid gives its level"),
    (["--bitmap", "64M"], "--bitmap is for an array; --raid gives its level"),
    (["--delayed"], "--delayed is for an array; --raid gives its level"),
    (["--failed", "1"], "--failed is for an array; --raid gives its level"),
    (["--ure", "1e-14"], "--ure is for an array; --raid gives its level"),
    (["--raid", "5"], "--raid 5 needs --drives: how many there are in the array"),
    (["--raid", "7", "--drives", "4"], "raid: there is no level '7'; there are 0, 1, 4, 5, 6, 10"),
])
def test_an_array_that_cannot_be_is_one_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "buffer_pool", "--scale", "1", *words]) == 2
    assert says in capsys.readouterr().err


def test_clients_wait_for_what_is_not_in_the_pool() -> None:
    result = run(1, 1, Bytes(64 * MIB), "select", choices=PoolOptions(policy=Lru), seed=2, **SHORT)
    of = result.counters
    assert of["pool.fetches"] == sum(of[f"tables.{name}_read"] for name in ("accounts", "accounts_index"))
    # A statement, three pages of the index at two levels, a page of accounts: scale 1 has a root and leaves.
    assert of["tables.accounts_hits"] + of["tables.accounts_read"] == pytest.approx(len(result.transactions), abs=1)
    assert 0.0 < result.extras["heap_hit_ratio"] < result.extras["index_hit_ratio"] < 1.0


def test_pages_that_were_changed_are_written_ahead_of_the_hand() -> None:
    lazy, eager = (run(1, 4, Bytes(4 * MIB), writer_pages=pages, **SHORT) for pages in (0, 1000))
    written = [each.breakdown()["memory"] for each in (lazy, eager)]
    assert lazy.extras["write_rate"] > 0.0
    assert written[1] <= written[0]


def test_a_scan_through_a_ring_takes_few_frames() -> None:
    through, without = (run(1, 1, Bytes(4 * MIB), "select", 1, ring=ring, skew=1.07, minutes=0.005, warm_up=0.005)
                        for ring in (256 * 1024, 0))  # fmt: skip
    assert through.extras["heap_hit_ratio"] > without.extras["heap_hit_ratio"]
    assert through.counters["tables.scanned_read"] > 1000


def test_rows_of_a_branch_are_locked_until_it_has_committed() -> None:
    database = Database(1, 16 * MIB, PoolParameters(), PoolOptions())
    assert (len(database.tellers), len(database.branches)) == (10, 1)
    alone, crowded = (run(1, clients, log_bytes=600, **SHORT).breakdown()["lock"] for clients in (1, 8))
    assert alone == 0.0
    assert crowded > 0.0


def test_the_page_says_what_was_found() -> None:
    text = page(run(1, **SHORT))
    assert "scale 1, 4 clients of tpcb, 0 scans, a pool of 16,777,216 bytes, seed 1" in text
    assert "buffer hits" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--mix tpcc", "unknown mix 'tpcc'"),
        ("--scale 0", "scale must be a whole number from 1 to 100000, not 0"),
        ("--scale 100000", "and scale 100000 takes"),
        ("--clients 0", "clients must be a whole number from 1 to 4096, not 0"),
        ("--pool 4K", "pool: 4096 bytes have no room for a page of 8192"),
        ("--skew 0.5", "skew must be 0, which is uniform, or from 1.001 to 10"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "buffer_pool", *words.split()]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    found = programs()
    if found is None:
        pytest.skip("no PostgreSQL is installed here: apt-get install postgresql")
    with postgres(found, scale=1) as started:
        yield started


@pytest.mark.parametrize("load", ["uniform", "zipf"])
def test_a_real_postgres_finds_as_many_pages(server: Postgres, load: str) -> None:
    """At scale 1, in a pool of a quarter of it. All five sizes at scale 10: the study ``pools``."""
    measured = server.hits(load, 4, scale=1, shorter=10)
    case = MEASURED_LOADS[load]
    simulated = pool_hits(case.mix, case.skew, 4, seed=1, scale=1, minutes=0.005, warm_up=0.01)
    for name, hits in measured.items():
        assert simulated[name] == pytest.approx(hits, abs=0.03), name
