"""Tests by hand that the parts a Computer builds are those that were asked for, and what they cost and count."""

from collections.abc import Callable
from functools import partial
from math import isnan

import pytest

from spindle import KIB, MIB, MS, Computer, File, Machine, OpenFile, Result, Session, Sptf, UserError
from spindle.sim.cache.block_cache import Sequential
from spindle.sim.cache.write_policy import CacheWriteBack
from spindle.sim.clock import Wait
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.raid.layout import CHUNK, RaidType
from spindle.sim.streams import Constant

KINDS = ("read", "write")


def result(mine: Computer, file: File, *calls: tuple[str, int, int], **given: object) -> Result:
    """Run a user for a minute who performs all *calls*, of an operation, a first byte and a length, every 10 s."""

    def transaction(machine: Machine, session: Session) -> Wait:
        opened = OpenFile(file)
        for kind, first, length in calls:
            yield from getattr(machine, kind)(opened, first, length, session.account)
        yield from session.reply(1)

    asked = {"terminals": 1, "think": Constant(10.0), "transaction": transaction, "minutes": 1, "warm_up": 0, **given}
    return mine.run(**asked)  # type: ignore[arg-type]


def test_system_calls_cost_the_cpu_what_is_said_and_nothing_else() -> None:
    calls = [(kind, 0, 512) for kind in KINDS]
    for costs, seconds in (({}, 0.0), ({"read_call": "1ms"}, 1 * MS), ({"write_call": 2 * MS}, 2 * MS)):
        mine = Computer(**costs)  # type: ignore[arg-type]
        assert result(mine, mine.file(mine.drive("hp7933"), MIB), *calls).breakdown()["cpu"] == pytest.approx(seconds)


def test_drives_have_the_queue_that_was_asked_for_and_the_cpu_is_of_the_class() -> None:
    mine = Computer(cpu=PreemptiveCpu)
    assert [type(mine.drive("hp7933", scheduler).scheduler) for scheduler in (None, "sptf", Sptf)] == [Fcfs, Sptf, Sptf]
    assert type(mine.cpu) is type(mine.machine.cpu) is PreemptiveCpu


def test_an_array_is_of_the_kind_that_was_asked_for() -> None:
    mine = Computer()
    drives = [mine.drive("hp7933") for _ in range(6)]
    plain = mine.raid("0", *drives[:2])
    array = mine.raid("5", *drives[2:5], chunk=8 * KIB, bitmap=64 * KIB, delayed=True, unrecoverable=1e-9, name="bulk")
    assert plain.kind == RaidType("0", 2, CHUNK)
    assert array.kind == RaidType("5", 3, 8 * KIB, bitmap=64 * KIB, delayed=True, unrecoverable=1e-9)
    assert (plain.name, array.name) == ("raid1", "bulk")
    assert [mine.machine.parts[name] for name in ("raid1", "bulk")] == [plain, array]
    file = mine.file(array, 3 * MIB)
    assert (file.storage, file.extents[0].first) == (array, 0)
    reads = result(mine, file, ("read", 0, 512)).counters
    assert reads["bulk.completed"] == 5
    assert [reads[f"{drive.name}.completed"] for drive in (*drives[:2], drives[5])] == [0, 0, 0]
    assert sum(reads[f"{drive.name}.completed"] for drive in drives[2:5]) == 5


def test_a_drive_of_an_array_and_one_of_another_computer_take_no_file() -> None:
    mine = Computer()
    drives = [mine.drive("hp7933") for _ in range(3)]
    mine.raid("1", *drives[:2])
    for act in (lambda: mine.file(drives[0], MIB), lambda: mine.raid("1", drives[1], drives[2]),
                lambda: mine.raid("1", drives[2], Computer().drive("hp7933"))):  # fmt: skip
        with pytest.raises(UserError, match=r"^drive\d is no drive of this computer, or in an array"):
            act()


def test_each_cache_gets_a_reader_ahead_and_a_writer_of_its_own() -> None:
    """Of eight blocks that are read in turn, all but the first two are there before they are asked for."""
    made: list[object] = []

    def noted(make: Callable[[], object]) -> Callable[[], object]:
        return lambda: made.append(each := make()) or each

    mine = Computer()
    ahead = noted(lambda: Sequential(64 * KIB))
    lazy = noted(lambda: CacheWriteBack(period=1000.0, expiry=1000.0, background=MIB, limit=MIB))
    caches = mine.cache(*(mine.drive("hp7933") for _ in range(2)), size=MIB, read_ahead=ahead, writing=lazy)  # type: ignore[arg-type]
    assert [type(each) for each in made] == [Sequential, CacheWriteBack] * 2
    calls = [*(("read", number * 4 * KIB, 4 * KIB) for number in range(8)), ("write", 0, 4 * KIB)]
    counted = result(mine, mine.file(caches[1], MIB), *calls).counters
    assert (counted["cache1.misses"], counted["cache2.misses"], counted["drive2.writes"]) == (0, 2, 0)
    plain = Computer()
    (cache,) = plain.cache(plain.drive("hp7933"), size=MIB)
    counted = result(plain, plain.file(cache, MIB), *calls).counters
    assert (counted["cache1.misses"], counted["drive1.writes"]) == (8, counted["cache1.writes"])


@pytest.mark.parametrize(("costs", "seconds"), [
    ({"search": "1ms"}, 1 * MS), ({"copy": 1e-6}, 512e-6), ({"search": 1 * MS, "copy": 1e-6}, 1.512 * MS),
])  # fmt: skip
def test_a_cache_costs_its_search_and_its_copies(costs: dict[str, object], seconds: float) -> None:
    mine = Computer()
    (cache,) = mine.cache(mine.drive("hp7933"), size=MIB, **costs)  # type: ignore[arg-type]
    assert result(mine, mine.file(cache, MIB), ("read", 0, 512)).breakdown()["cache"] == pytest.approx(seconds)


def test_memory_may_have_room_for_one_block_and_blocks_for_one_byte() -> None:
    mine = Computer()
    (cache,) = mine.cache(mine.drive("hp7933"), size=4096)
    counted = result(mine, mine.file(cache, MIB), *(("read", first, 1) for first in (0, 1, 4096, 4095))).counters
    assert (counted["cache1.hits"], counted["cache1.misses"]) == (9, 11)
    bytewise = Computer()
    (cache,) = bytewise.cache(bytewise.drive("hp7933"), size=1, block=1)
    assert (cache.blocks.size, bytewise.file(cache, 1).size) == (1, 1)


@pytest.mark.parametrize(("act", "says"), [
    (lambda mine: Computer(read_call="x"), "^read_call must be a number of s"),
    (lambda mine: Computer(write_call="x"), "^write_call must be a number of s"),
    (lambda mine: mine.cache(mine.drive("hp7933"), size="64K", block="x"), "^block must be whole bytes"),
    (lambda mine: mine.cache(mine.drive("hp7933"), size="64K", search="x"), "^search must be a number of s"),
    (lambda mine: mine.cache(mine.drive("hp7933"), size="64K", block=0), "room in memory: 0 bytes of 65536"),
    (lambda mine: mine.cache(mine.drive("hp7933"), size="64K", copy=float("inf")), "search and copy of a cache"),
    (lambda mine: mine.cache(mine.drive("hp7933"), size="64K", read_ahead=5),
     r"^a?\s?read_ahead must be a class or a function that makes one, such as lambda: Sequential\(64 \* KIB\)"),
    (lambda mine: mine.cache(mine.drive("hp7933"), size="64K", writing=5),
     "^writing must be a class or a function that makes one, such as WriteThrough"),
    (lambda mine: mine.file(mine.drive("hp7933"), "x"), "^size must be whole bytes"),
    (lambda mine: mine.file(mine.drive("hp7933"), 0), "^file1: 0 bytes do not fit"),
])  # fmt: skip
def test_an_argument_that_cannot_be_is_named(act: Callable[[Computer], object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        act(Computer())


def nothing(machine: Machine, session: Session) -> Wait:
    yield from session.reply(1)


class Asking:
    """A transaction that is an object; *wait* is what it gives to wait for."""

    def __init__(self, wait: Callable[[Machine, Session], object]) -> None:
        self._wait = wait

    def __call__(self, machine: Machine, session: Session) -> object:
        return self._wait(machine, session)


@pytest.mark.parametrize(("given", "says"), [
    ({"terminals": "x"}, "^terminals must be a whole number"), ({"minutes": "x"}, "^minutes must be a number of min"),
    ({"warm_up": "x"}, "^warm_up must be a number of min"),
    ({"transaction": Asking(lambda *_: None)}, "^transaction Asking must be a generator"),
    ({"transaction": 5}, "^transaction int must be a generator"),
])  # fmt: skip
def test_an_argument_of_a_run_that_cannot_be_is_named(given: dict[str, object], says: str) -> None:
    mine = Computer()
    with pytest.raises(UserError, match=says):
        result(mine, mine.file(mine.drive("hp7933"), MIB), **given)


def test_a_run_says_what_it_was() -> None:
    """A transaction that is an object has the name of its class; progress is told; rows are kept if that is asked."""
    told: list[float] = []
    mine = Computer()
    file = mine.file(mine.drive("hp7933"), MIB)
    kept = result(mine, file, transaction=Asking(nothing), terminals="2", watch=lambda now, end: told.append(end))
    assert (kept.system, kept.parameters, kept.seed, kept.transactions[0].name) == (
        "computer", {"terminals": 2}, 1, "Asking")  # fmt: skip
    assert set(told) == {60.0}
    other = Computer()
    summed = result(other, other.file(other.drive("hp7933"), MIB), transaction=nothing, keep_rows=False, seed=7)
    assert (summed.seed, summed.transactions, summed.recorder.count > 0) == (7, [], True)


def test_utilisations_and_hits_by_hand() -> None:
    """Of two drives one works; of six accesses each takes its call of 1 s of the CPU; caches that nobody asks."""
    mine = Computer(read_call=1.0)
    idle, working = mine.drive("hp7933"), mine.drive("hp7933")
    mine.cache(mine.drive("hp7933"), size=MIB)
    run = result(mine, mine.file(working, MIB), ("read", 0, 512))
    assert run.extras["cpu_busy"] == run.counters["cpu.busy"] / 60.0 > 0.05
    busy = run.counters["drive2.busy"] / 60.0
    assert (run.extras["drive1_busy"], run.extras["drive2_busy"], run.extras["disc_busy"]) == (0.0, busy, busy / 3)
    assert isnan(run.extras["hit_ratio"])
    assert idle.counts.reads == 0
    bare = Computer()
    alone = bare.run(terminals=1, think=1.0, transaction=nothing, minutes=1, warm_up=0).extras
    assert alone == {"cpu_busy": 0.0}


def test_a_write_may_wait_for_the_medium() -> None:
    def transaction(machine: Machine, session: Session) -> Wait:
        yield from machine.write(opened, 0, 4 * KIB, session.account, durable=True)
        yield from session.reply(1)

    mine = Computer()
    lazy = partial(CacheWriteBack, period=1000.0, expiry=1000.0, background=MIB, limit=MIB)
    (cache,) = mine.cache(mine.drive("hp7933"), size=MIB, writing=lazy)
    opened = OpenFile(mine.file(cache, MIB))
    counted = result(mine, opened.file, transaction=transaction).counters
    assert counted["drive1.writes"] == counted["desk.responses"] > 0


def test_a_write_that_nobody_waits_for_is_found() -> None:
    def transaction(machine: Machine, session: Session) -> Wait:
        machine.write(opened, 0, 512, session.account)
        yield from session.reply(1)

    mine = Computer()
    opened = OpenFile(mine.file(mine.drive("hp7933"), MIB))
    with pytest.raises(UserError, match=r"transaction calls machine\.write\(\.\.\.\) and does not wait for it"):
        result(mine, opened.file, transaction=transaction)


def test_the_desk_is_no_name_of_a_part_and_a_file_may_fill_its_disc() -> None:
    mine = Computer()
    drive = mine.drive("hp7933")
    with pytest.raises(UserError, match="'desk' is taken"):
        mine.drive("hp7933", name="desk")
    assert mine.file(drive, drive.capacity).size == drive.capacity


def test_a_file_may_have_one_byte_and_takes_a_sector() -> None:
    mine = Computer()
    drive = mine.drive("hp7933")
    assert [mine.file(drive, 1).extents[0] for _ in range(2)] == [(0, 256), (256, 256)]
