"""Tests that a Computer gives the results of the same parts put together by hand, and refuses mistakes at once."""

from collections.abc import Callable, Iterator

import pytest
import simpy

from spindle import (
    KIB,
    MIB,
    MS,
    US,
    BlockCache,
    Call,
    Computer,
    DiscType,
    Drive,
    Exponential,
    FcfsCpu,
    File,
    Lock,
    Loop,
    Machine,
    OpenFile,
    PowerSeek,
    Result,
    S3Fifo,
    Script,
    Session,
    SharedMemory,
    Span,
    Sptf,
    SystemCalls,
    Terminals,
    Think,
    UserError,
    Window,
    pick,
    run,
    uniform,
)
from spindle.sim.clock import Wait
from spindle.sim.eviction.policy import make
from spindle.workloads.synthetic import RandomReads

MINE = DiscType("mine", uniform(1000, 8, 32, 512), 3600, PowerSeek.fit(3 * MS, 15 * MS, 30 * MS, 1000))
RECORD = 4 * KIB


def updating(files: list[File], table: Lock) -> Callable[[Machine, Session], Wait]:
    """A record of one of *files* is read, changed and written while *table* is locked."""

    def update(machine: Machine, session: Session) -> Wait:
        file = OpenFile(files[pick(session.random, len(files))])
        first = pick(session.random, file.file.size // RECORD) * RECORD
        yield from table.acquire(session.account)
        yield from machine.read(file, first, RECORD, session.account)
        yield from machine.write(file, first, RECORD, session.account)
        table.release()
        yield from session.reply(80)

    return update


def in_few_lines() -> Result:
    mine = Computer(read_call=0.5 * MS)
    caches = mine.cache(mine.drive(MINE, Sptf()), mine.drive(MINE, Sptf()), size=2 * MIB, policy=S3Fifo)
    files = [mine.file(cache, 100 * MIB) for cache in caches]
    table = mine.lock("table")
    update = updating(files, table)
    return mine.run(terminals=30, think=Exponential(5.0), transaction=update, minutes=5, seed=1)


def by_hand() -> Result:
    env = simpy.Environment()
    cpu = FcfsCpu(env)
    drives = [Drive(env, MINE, Sptf(), name) for name in ("drive1", "drive2")]
    block = 4 * KIB
    memory = SharedMemory(env, 2 * MIB, make(S3Fifo, 2 * MIB // block), block)
    caches = [BlockCache(env, drive, block, memory, name=f"cache{n}") for n, drive in enumerate(drives, 1)]
    files = [File(f"file{n}", cache, [Span(0, 100 * MIB)]) for n, cache in enumerate(caches, 1)]
    table = Lock(env, "table")
    machine = Machine(env, {"drive1": drives[0], "drive2": drives[1]}, cpu, SystemCalls(read=0.5 * MS))

    def perform(program: object, session: Session) -> Iterator[Wait]:
        assert callable(program)
        yield program(machine, session)

    script = Script("user", (Loop((Think(Exponential(5.0)), Call(updating(files, table), "update"))),), 30)
    return run(machine, Terminals([script], perform), Window.minutes(5, 1), seed=1)


def test_few_lines_give_the_same_as_the_parts_put_together_by_hand() -> None:
    short, long = in_few_lines(), by_hand()
    assert short.transactions == long.transactions
    assert len(short.transactions) > 100
    assert {name: short.counters[name] for name in long.counters} == long.counters
    assert short.events == long.events


def test_a_result_says_what_the_parts_did() -> None:
    summary = in_few_lines().summary()
    assert 0.0 < summary["hit_ratio"] < 1.0
    assert 0.0 < summary["drive1_busy"] < 1.0
    assert 0.0 < summary["part_lock"] < summary["response_mean"]


def test_the_hit_ratio_by_hand() -> None:
    """All of a file of one block is in memory from the second read on."""
    mine = Computer()
    (cache,) = mine.cache(mine.drive(MINE), size=8 * KIB)
    reads = RandomReads(mine.file(cache, 4 * KIB), 4 * KIB, times=10)
    result = mine.run(terminals=1, think=Exponential(1.0), transaction=reads, minutes=1, warm_up=0)
    assert result.summary()["hit_ratio"] == 1 - 1 / (result.counters["cache1.hits"] + 1)


def test_what_a_cache_costs_the_cpu_is_charged_to_every_access() -> None:
    mine = Computer()
    (cache,) = mine.cache(mine.drive(MINE), size=8 * KIB, search=1 * MS, copy=2 * US)
    look_up = RandomReads(mine.file(cache, 4 * KIB), 1 * KIB, times=3)
    result = mine.run(terminals=1, think=Exponential(1.0), transaction=look_up, minutes=1, seed=1)
    assert result.breakdown()["cache"] == pytest.approx(3 * (1 * MS + 1 * KIB * 2 * US))


def test_files_lie_one_behind_the_other_in_whole_blocks() -> None:
    mine = Computer()
    drive = mine.drive(MINE)
    (cache,) = mine.cache(drive, size=64 * KIB)
    places = [mine.file(storage, size).extents[0] for storage, size in ((cache, 5000), (drive, 100), (cache, 4096))]
    assert places == [Span(0, 8192), Span(8192, 512), Span(12288, 4096)]


def test_parts_are_named_by_kind_and_number() -> None:
    mine = Computer()
    mine.cache(mine.drive(MINE), mine.drive(MINE, name="swap"), mine.drive(MINE), size=1 * MIB)
    mine.lock("table")
    assert list(mine.machine.parts) == ["cpu", "drive1", "swap", "drive2", "memory1", "cache1", "cache2", "cache3",
                                        "table"]


def nothing(machine: Machine, session: Session) -> Wait:
    yield from session.reply(1)


def plain(machine: Machine, session: Session) -> None:
    """Waits for nothing."""


def measured(mine: Computer, transaction: Callable[..., object] = nothing, terminals: int = 1) -> Result:
    return mine.run(terminals=terminals, think=Exponential(1.0), transaction=transaction,  # type: ignore[arg-type]
                    minutes=1, warm_up=0)  # fmt: skip


def with_file(forgetful: Callable[[Machine, OpenFile, Lock], Callable[..., Wait]]) -> None:
    mine = Computer()
    measured(mine, forgetful(mine.machine, OpenFile(mine.file(mine.drive(MINE), MIB)), mine.lock("table")))


def drops_a_read(machine: Machine, file: OpenFile, table: Lock) -> Callable[..., Wait]:
    def update(machine: Machine, session: Session) -> Wait:
        machine.read(file, 0, 512, session.account)
        yield from session.reply(1)

    return update


def drops_a_lock(machine: Machine, file: OpenFile, table: Lock) -> Callable[..., Wait]:
    def update(machine: Machine, session: Session) -> Wait:
        table.acquire(session.account)
        yield from machine.write(file, 0, 512, session.account)

    return update


def reads_beyond_the_end(machine: Machine, file: OpenFile, table: Lock) -> Callable[..., Wait]:
    def look_up(machine: Machine, session: Session) -> Wait:
        yield from machine.read(file, MIB - 256, 512, session.account)

    return look_up


def writes_beyond_the_end(machine: Machine, file: OpenFile, table: Lock) -> Callable[..., Wait]:
    def update(machine: Machine, session: Session) -> Wait:
        yield from machine.write(file, MIB, 512, session.account)

    return update


def twice(mine: Computer) -> None:
    measured(mine)
    measured(mine)


def files_too_many(mine: Computer) -> None:
    drive = mine.drive(MINE)
    mine.file(drive, 100 * MIB)
    mine.file(drive, 26 * MIB)


def same_file(mine: Computer) -> None:
    drive = mine.drive(MINE)
    mine.file(drive, KIB, "stock")
    mine.file(drive, KIB, "stock")


@pytest.mark.parametrize(("act", "says"), [
    (lambda mine: mine.file(mine.drive(MINE), 200 * MIB),
     r"file1: 209715200 bytes do not fit into the 131072000 bytes that drive1 has left of 131072000"),
    (files_too_many, r"file2: 27262976 bytes do not fit into the 26214400 bytes that drive1 has left of 131072000"),
    (same_file, "there is a file 'stock' already"),
    (lambda mine: [mine.lock("table"), mine.lock("table")], "a lock needs a name of its own, and 'table' is taken"),
    (lambda mine: mine.drive(MINE, name="cpu"), "a drive needs a name of its own, and 'cpu' is taken"),
    (lambda mine: mine.lock(""), "a lock needs a name$"),
    (lambda mine: mine.cache(size=MIB), "a cache takes drives, and none is given$"),
    (lambda mine: mine.cache(mine.drive(MINE), size=KIB), "room in memory: 4096 bytes of 1024"),
    (lambda mine: mine.cache(mine.drive(MINE), size=MIB, copy=-1 * US), "search and copy of a cache are seconds"),
    (lambda mine: mine.cache(Computer().drive(MINE), size=MIB), "drive1 is no drive of this computer"),
    (twice, "a computer runs once"),
    (lambda mine: measured(mine, terminals=0), "terminals must be at least 1, not 0"),
    (lambda mine: measured(mine, plain), "transaction plain must be a generator"),
    (lambda mine: with_file(drops_a_read), r"update calls machine.read\(...\) and does not wait for it: yield from"),
    (lambda mine: with_file(reads_beyond_the_end), "file1: bytes 1048320 to 1048832 are not within its 1048576 bytes"),
    (lambda mine: with_file(writes_beyond_the_end), "file1: bytes 1048576 to 1049088 are not within its 1048576 bytes"),
    (lambda mine: with_file(drops_a_lock), r"update calls table.acquire\(...\) and does not wait for it"),
])  # fmt: skip
def test_what_cannot_be_is_said_at_once(act: Callable[[Computer], object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        act(Computer())
