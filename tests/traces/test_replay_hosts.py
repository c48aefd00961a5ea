"""Tests hosts and places by hand: when each request is submitted to a drive that takes a second, and its place."""

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, nan
from typing import Any

import pytest
import simpy

from spindle.questions.storage import MAX_UNDER_WAY
from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cache.write_policy import CacheWriteBack, WriteThrough
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.memory import SharedMemory
from spindle.sim.parts import LawBroken, parts_on
from spindle.sim.request import READ, WRITE, Access, Hint, Op, Request, Span, access
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import AHEAD, Chained, Closed, Host, Links, Open, Paced, TraceLoad
from spindle.traces.replay.storage import (
    DIRTY_EXPIRY,
    DIRTY_PERIOD,
    GOLDEN,
    CachedDrive,
    CachePlan,
    DevicePlace,
    Places,
    Storage,
    to_drive,
    write_back,
    write_through,
)
from spindle.workloads.traces.record import Record

SECTOR = 512
SHEET = DriveSheet(HP7933, None)


def record(time: float | None, op: Op = READ, response: float | None = None, gap: float | None = None,
           device: str = "") -> Record:  # fmt: skip
    return Record(time, device, op, 0, SECTOR, response, gap)


def asked(
    records: Sequence[Record], host: Callable[..., Host], seconds: float = 1.0, write: float | None = None
) -> tuple[list[float], float]:
    """When each was asked, in the order of completion, and the end, on a drive that takes so long for each."""
    env = simpy.Environment()
    slow = None if write is None else (write, 0.0)
    drive = Drive(env, FixedService(seconds, capacity=1 << 30, write=slow))
    place, told, finished = DevicePlace("", to_drive(drive), 1 << 30, 0, SECTOR, False), list[float](), env.event()
    host(finished, iter(records), {"": place, "other": place}, lambda row, of: told.append(of.submitted))
    env.run(finished)
    return told, env.now


# An open loop.

def test_an_open_loop_asks_each_at_its_time_or_at_once() -> None:
    records = [record(time) for time in (2.0, 2.0, 1.0, -5.0, 7.0)]
    assert asked(records, Open) == ([2.0, 2.0, 2.0, 2.0, 7.0], 8.0)


def test_nothing_to_ask_ends_at_once() -> None:
    for host in (Open, Closed, partial(Paced, depth=2), partial(Chained, links=Links(1.0))):
        assert asked([], host) == ([], 0.0)


@pytest.mark.parametrize("time", [inf, nan])
def test_a_time_that_never_comes_is_refused(time: float) -> None:
    with pytest.raises(ValueError, match="a delay must be finite"):
        asked([record(time)], Open)


def test_an_open_loop_needs_times() -> None:
    with pytest.raises(UserError, match="a request has no time, which an open loop needs; --closed asks for one"):
        asked([record(None)], Open)


# A closed loop.

@pytest.mark.parametrize(("depth", "times", "end"), [
    (1, [0.0, 1.0, 2.0, 3.0], 4.0), (2, [0.0, 0.0, 1.0, 2.0], 4.0), (9, [0.0] * 4, 4.0),
])  # fmt: skip
def test_a_closed_loop_asks_for_the_next_when_one_is_done(depth: int, times: list[float], end: float) -> None:
    assert asked([record(None)] * 4, partial(Closed, depth=depth)) == (times, end)


def test_a_gap_goes_by_before_a_request_of_a_closed_loop() -> None:
    assert asked([record(None, gap=gap) for gap in (0.5, None, 2.0, 0.0)], Closed) == ([0.5, 1.5, 4.5, 5.5], 6.5)


def test_a_closed_loop_has_one_at_least_and_a_most() -> None:
    assert asked([record(None)], partial(Closed, depth=MAX_UNDER_WAY))[1] == 1.0
    for depth in (0, MAX_UNDER_WAY + 1):
        with pytest.raises(UserError, match=f"keeps 1 to {MAX_UNDER_WAY} requests under way, not {depth}"):
            asked([record(None)], partial(Closed, depth=depth))


# A paced loop.

def test_a_paced_loop_goes_on_with_whoever_waits_when_one_is_done() -> None:
    records = [record(time) for time in (0.0, 0.0, 0.0, 2.5, 10.0)]
    assert asked(records, partial(Paced, depth=2)) == ([0.0, 0.0, 1.0, 2.5, 10.0], 11.0)


def test_a_paced_loop_of_one_asks_at_the_time_of_a_request_that_comes_later() -> None:
    records = [record(time) for time in (0.0, 1.0, 5.0, 5.0)]
    assert asked(records, partial(Paced, depth=1)) == ([0.0, 1.0, 5.0, 6.0], 7.0)


def test_a_request_that_is_due_as_others_end_is_asked_once_and_the_next_at_its_time() -> None:
    """On two drives two end at 1, when the third is due; the fourth comes at 5. Its time is not that of the third."""
    env = simpy.Environment()
    drives = [Drive(env, FixedService(1.0, capacity=1 << 30)) for _ in range(2)]
    places = {name: DevicePlace(name, to_drive(drive), 1 << 30, 0, SECTOR, False)
              for name, drive in zip("ab", drives, strict=True)}  # fmt: skip
    records = [record(0.0, device="a"), record(0.0, device="b"), record(1.0, device="a"), record(5.0, device="b")]
    told, finished = list[float](), env.event()
    Paced(finished, iter(records), places, lambda row, of: told.append(of.submitted), 2)
    env.run(finished)
    assert (told, env.now) == ([0.0, 0.0, 1.0, 5.0], 6.0)


def test_a_request_whose_time_came_while_all_were_under_way_is_asked_when_one_ends_then() -> None:
    """The second is due at 2, and its time comes before the first is done, at the same instant."""
    env = simpy.Environment()
    drive = Drive(env, FixedService(1.0, capacity=1 << 30))
    ahead = drive.start(Access(READ, Span(0, 1), Span(0, 1), None, Hint.NONE, False, Account("another")))
    place = DevicePlace("", to_drive(drive), 1 << 30, 0, SECTOR, False)
    told, finished = list[float](), env.event()
    Paced(finished, iter([record(0.0), record(2.0)]), {"": place}, lambda row, of: told.append(of.submitted), 1)
    env.run(finished)
    assert (told, env.now, ahead.processed) == ([0.0, 2.0], 3.0, True)


# Chains.

def test_a_link_is_as_long_as_the_limit_at_most_and_begins_when_a_read_is_done() -> None:
    links = Links(0.5)
    assert links.link(0, record(0.0, READ, 1.0)) is None
    assert links.link(1, record(1.0, READ, 1.0)) == (0, 0.0), "just done"
    assert links.link(2, record(1.5, READ, 1.0)) == (0, 0.5)
    assert links.link(3, record(1.75, READ, 1.0)) is None
    assert links.followers == 2
    assert Links(9.0).link(0, record(0.0, READ, 1.0)) is None, "nothing was done before the first"


def test_the_last_of_several_reads_that_are_done_is_followed() -> None:
    links = Links(10.0)
    links.link(0, record(0.0, READ, 3.0))
    links.link(1, record(0.0, READ, 2.0))
    links.link(2, record(0.0, WRITE, 3.5))
    assert links.link(3, record(4.0, READ, 1.0)) == (0, 1.0)


def test_a_follower_of_a_read_under_way_comes_so_long_after_it() -> None:
    """Measured reads took 0.1 s, and take 1 s here: 0.2 and 0.3 after the first."""
    records = [record(0.0, READ, 0.1), record(0.3, WRITE, 0.1), record(0.4, READ, 0.1), record(9.0, READ, 0.1)]
    times, end = asked(records, partial(Chained, links=Links(0.5)))
    assert times == pytest.approx([0.0, 1.2, 1.3, 9.0])
    assert end == 10.0


def test_a_follower_that_is_read_after_its_read_was_done_comes_so_long_after_its_end() -> None:
    """The read took 70 s when it was measured, and takes 1 s here; its follower is read at 2, and comes 5 s after 1."""
    records = [record(0.0, READ, 70.0), record(AHEAD + 2.0, WRITE, 0.1), record(75.0, READ, 0.1)]
    times, end = asked(records, partial(Chained, links=Links(9.0)))
    assert times == pytest.approx([0.0, 6.0, AHEAD + 2.0])
    assert end == AHEAD + 3.0


def test_a_trace_is_read_a_minute_ahead(env: simpy.Environment) -> None:
    """At 0 up to the first request beyond 60 s; that is at 61, so the next is read at 1."""
    read: list[tuple[float, float]] = []

    def records() -> Any:
        for time in (0.0, AHEAD, AHEAD + 1.0, AHEAD + 1.5, AHEAD + 5.0):
            read.append((env.now, time))
            yield record(time, READ, 0.1)

    drive = Drive(env, FixedService(0.25, capacity=1 << 30))
    place, finished = DevicePlace("", to_drive(drive), 1 << 30, 0, SECTOR, False), env.event()
    Chained(finished, records(), {"": place}, lambda row, of: None, Links(0.01))
    env.run(finished)
    assert read == [(0.0, 0.0), (0.0, AHEAD), (0.0, AHEAD + 1.0), (1.0, AHEAD + 1.5), (1.5, AHEAD + 5.0)]
    assert env.now == AHEAD + 5.25


def test_ends_of_reads_are_kept_for_two_minutes(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(0.25, capacity=1 << 30))
    place, finished = DevicePlace("", to_drive(drive), 1 << 30, 0, SECTOR, False), env.event()
    records = [record(time, READ, 0.1) for time in (0.0, 59.0, 61.0, 179.5, 180.5, 241.0, 300.0)]
    chained = Chained(finished, iter(records), {"": place}, lambda row, of: None, Links(0.01))
    kept: list[tuple[float, list[int]]] = []
    for instant in (60.0, 119.0, 120.0, 121.0, 182.0, 241.5):
        env.run(instant)
        kept.append((instant, sorted(chained._ended)))
    assert kept == [(60.0, [0, 1]), (119.0, [0, 1, 2]), (120.0, [0, 1, 2]), (121.0, [1, 2]),
                    (182.0, [2, 3, 4]), (241.5, [3, 4, 5])]  # fmt: skip


# A load is what a host asks.

def test_a_load_tells_a_recorder_and_ends_with_the_last(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(1.0, capacity=1 << 30))
    place, logs, told = DevicePlace("", to_drive(drive), 1 << 30, 0, SECTOR, False), list[object](), list[float]()

    def recorder(log: object) -> Callable[[Record, Request], None]:
        logs.append(log)
        return lambda row, of: told.append(env.now)

    load = TraceLoad(iter([record(0.5), record(0.75)]), {"": place}, Open, recorder, lambda: 0.5)
    result = engine.run(Machine(env, {}), load, Window())
    assert (result.end, told, len(logs), load.share(), load.under_way()) == (2.5, [1.5, 2.5], 1, 0.5, ())
    assert logs[0] is not None


# Places.

def place(capacity: int, offset: int = 0, wrap: bool = True, device: str = "") -> tuple[DevicePlace, list[Span]]:
    spans: list[Span] = []

    def ask(op: Op, span: Span) -> Any:
        assert op is READ
        spans.append(span)

    return DevicePlace(device, ask, capacity, offset, SECTOR, wrap), spans


@pytest.mark.parametrize(("first", "length", "begins"), [
    (0, 100, 1000), (8000, 1000, 9000), (8001, 1000, 8704), (8999, 1, 9999), (9000, 1, 0), (9500, 600, 500),
    (8900, 101, 9728), (28999, 1, 9999), (0, 10_000, 0), (1, 9_999, 0),
])  # fmt: skip
def test_a_request_beyond_the_end_goes_on_from_the_beginning_and_none_is_cut(
    first: int, length: int, begins: int
) -> None:
    """A drive of 10,000 bytes, of which the device begins at 1,000."""
    made, spans = place(10_000, 1000)
    made.ask(READ, first, length)
    assert spans == [Span(begins, length)]


def test_without_wrapping_what_lies_beyond_the_end_is_refused() -> None:
    made, spans = place(10_000, wrap=False, device="sda")
    made.ask(READ, 9_000, 1000)
    assert spans == [Span(9_000, 1000)]
    with pytest.raises(UserError) as error:
        made.ask(READ, 9_001, 1000)
    assert str(error.value) == ("1000 bytes from byte 9001 of device 'sda' on go beyond 10000, where the drive ends; "
                                "--wrap goes on from its beginning, --drive names a larger")  # fmt: skip
    with pytest.raises(UserError) as error:
        place(10_000)[0].ask(READ, 0, 10_001)
    assert str(error.value) == "10001 bytes from byte 0 on go beyond 10000, where the drive ends"


def test_devices_take_drives_in_turn_and_begin_far_apart() -> None:
    made, unit, capacity = list[str](), 512, 1_000_000

    def build(name: str) -> tuple[Any, int]:
        made.append(name)
        return name, capacity

    places = Places(build, unit, 2, True)
    found = [(places[device]._ask, places[device]._offset) for device in "abcdefa"]
    apart = [int(turn * GOLDEN % 1.0 * capacity) // unit * unit for turn in range(3)]
    assert apart == [0, 617_984, 236_032]
    assert found == [("0", 0), ("1", 0), ("0", 617_984), ("1", 617_984), ("0", 236_032), ("1", 236_032), ("0", 0)]
    assert made == ["0", "1"]
    assert places["c"]._device == "c"


def test_each_device_has_a_drive_of_its_own_name_where_no_number_is_said() -> None:
    places = Places(lambda name: (name, 10_000), 512, None, False)  # type: ignore[arg-type, return-value]
    assert [places[device]._ask for device in ("x", "y", "x")] == ["x", "y", "x"]
    assert [each._offset for each in places.values()] == [0, 0]


# Storage.

def storage(env: simpy.Environment, **plan: Any) -> Storage:
    return Storage(env, StoragePlan(plan.pop("sheet", SHEET), Fcfs, **plan))


def test_a_drive_is_asked_for_whole_accesses_of_the_host(env: simpy.Environment) -> None:
    seen: list[Access] = []

    class Noting(Drive):
        def start(self, access: Access) -> Request:
            seen.append(access)
            return super().start(access)

    to_drive(Noting(env, FixedService(1.0, capacity=1 << 20)))(WRITE, Span(3, 4))
    (only,) = seen
    assert only[:-1] == (WRITE, Span(3, 4), Span(3, 4), None, Hint.NONE, False)
    assert only.account.name == "host"


def test_drives_across_a_network_share_it_each_way(env: simpy.Environment) -> None:
    """A sector is a second on the way back. Reads of two drives at once end as one of them, and a second later."""
    ends: list[list[float]] = []
    for network in (None, NetworkType(rate=SECTOR)):
        made, done = storage(simpy.Environment(), network=network), list[float]()
        for name in ("0", "1"):
            request = made.device(name).start(access(READ, 0, SECTOR, Account("")))
            request.callbacks.append(lambda request, done=done: done.append(request.env.now))
        assert made.has_layers is (network is not None)
        made.env.run()
        ends.append(done)
    (usual, same), hindered = ends
    assert usual == same
    assert hindered == pytest.approx([usual + 1.0, usual + 2.0])


def test_a_write_cache_lies_above_each_drive_of_a_queue_with_writes(env: simpy.Environment) -> None:
    queued = DriveSheet(HP7933, None, DriveQueue(tags=4, writes=3))
    made = storage(env, sheet=queued)
    one, other = made.device("a"), made.device("b")
    assert isinstance(one, WriteCache)
    assert isinstance(other, WriteCache)
    assert made.device("a") is one is not other
    assert (one.drive, one._writes) == (made.drives["a"], 3)
    assert made.has_layers
    bare = storage(env, sheet=DriveSheet(HP7933, None, DriveQueue(tags=4)))
    assert isinstance(bare.device("a"), Drive)
    assert not bare.has_layers


def test_an_array_has_its_drives_and_its_name(env: simpy.Environment) -> None:
    made = storage(env, raid=RaidType("1", 2))
    array = made.device("")
    assert isinstance(array, Raid)
    assert made.device("") is array
    assert (array.name, list(made.drives), made.arrays) == ("raid", [".0", ".1"], [array])
    named = storage(env, raid=RaidType("1", 2))
    assert named.device("x").name == "raid x"
    assert [each.name for each in named.drives.values()] == ["disc x.0", "disc x.1"]
    assert made.has_layers


def test_a_rebuild_begins_with_the_first_request_and_its_speed(
    env: simpy.Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    monkeypatch.setattr(Raid, "begin_rebuild", lambda raid, speed: begun.append(speed))
    made = storage(env, raid=RaidType("5", 3, failed=1, rebuild=1000))
    made.device("")
    assert begun == []
    assert made.places[""] is not None
    assert begun == [1000]
    assert storage(env, raid=RaidType("5", 3, failed=1)).places[""] is not None
    assert begun == [1000]


def test_a_cache_above_a_drive_has_whole_blocks_and_the_drives_name(env: simpy.Environment) -> None:
    made = storage(env, cache=CachePlan(10 * 4096 + 5, 4096, Lru, write_through), count=1, wrap=True)
    places = [made.places["a"], made.places["b"]]
    (only,) = made.caches
    assert only.cache.name == "cache 0"
    assert only.extent == Span(0, HP7933.layout.capacity // 4096 * 4096)
    assert [each._unit for each in places] == [4096, 4096]
    assert places[1]._offset % 4096 == 0
    assert made._memory is not None
    assert made._memory.capacity == 10 * 4096
    assert storage(env).places["a"]._unit == 256


def test_half_of_a_cache_may_stay_dirty_and_all_of_it_for_a_while() -> None:
    policy = write_back(9)
    assert isinstance(policy, CacheWriteBack)
    assert vars(policy) == vars(CacheWriteBack(DIRTY_PERIOD, DIRTY_EXPIRY, 4, 9))
    assert isinstance(write_through(9), WriteThrough)


@pytest.mark.parametrize(("size", "block", "says"), [
    (4096, 256, "a block of 256 bytes is too small for a cache of a drive: 512 is the least"),
    (4095, 4096, "a cache of 4095 bytes has no room for a block of 4096"),
])  # fmt: skip
def test_a_cache_has_room_for_a_block_that_is_not_too_small(size: int, block: int, says: str) -> None:
    CachePlan(4096, 4096, Lru, write_back)
    CachePlan(512, 512, Lru, write_back)
    with pytest.raises(UserError) as error:
        CachePlan(size, block, Lru, write_back)
    assert str(error.value) == says


def cached(env: simpy.Environment) -> CachedDrive:
    drive = Drive(env, FixedService(1.0, capacity=1 << 20))
    memory = SharedMemory(env, 4 * 4096, Lru(), uniform=4096)
    return CachedDrive(BlockCache(env, drive, 4096, memory, writing=write_back(4 * 4096), name="cache"), 1 << 20)


def test_writes_are_hits_late_hits_and_misses(env: simpy.Environment) -> None:
    made = cached(env)
    assert made in parts_on(env)
    request = made(WRITE, Span(0, 4096))
    env.run(request)
    assert request.access[:-1] == (WRITE, Span(0, 4096), Span(0, 1 << 20), None, Hint.NONE, False)
    assert request.access.account.name == "host"
    assert (made.levels(), made.reading()["write_misses"]) == ({"dirty_blocks": 1.0}, 1.0)
    env.run(made(WRITE, Span(10, 20)))
    reading = made(READ, Span(4096, 4096))
    env.run(env.now + 0.5)
    made(WRITE, Span(4096, 4096))
    made(WRITE, Span(0, 8192))
    made(WRITE, Span(0, 3 * 4096))
    env.run(reading)
    counts = made.reading()
    assert [counts[f"write_{name}"] for name in ("hits", "late_hits", "misses")] == [1.0, 2.0, 2.0]
    made.check()
    made._late_hits += 1
    with pytest.raises(LawBroken, match="writes of cache: 1 hits, 3 late hits and 2 misses of 5 requests"):
        made.check()
