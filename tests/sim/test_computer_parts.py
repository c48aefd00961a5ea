"""Tests by hand that the parts a Computer builds are those that were asked for, and what they cost and count."""

from collections.abc import Callable

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


def result(mine: Computer, file: File, *calls: tuple[str, int, int], minutes: float = 1.0) -> Result:
    """One user who performs all *calls*, each of an operation, a first byte and a length, every ten seconds."""

    def transaction(machine: Machine, session: Session) -> Wait:
        opened = OpenFile(file)
        for kind, first, length in calls:
            yield from getattr(machine, kind)(opened, first, length, session.account)
        yield from session.reply(1)

    return mine.run(terminals=1, think=Constant(10.0), transaction=transaction, minutes=minutes, warm_up=0)


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


def test_a_file_may_have_one_byte_and_takes_a_sector() -> None:
    mine = Computer()
    drive = mine.drive("hp7933")
    assert [mine.file(drive, 1).extents[0] for _ in range(2)] == [(0, 256), (256, 256)]
