"""Tests parts of a timeline that are not in counters: moves of the arm, holders of a lock, regions, typing."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from enum import Enum
from itertools import pairwise
from math import inf
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import simpy

from spindle.contracts.scheduling import TEN_CYLINDERS
from spindle.sim.clock import Account, Ledger, Phase, Wait, pause
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.kernel.arm import Pass
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.scheduling import CLook, Scan, Sptf
from spindle.sim.disc.sheets import HITACHI_7K320
from spindle.sim.eviction.lru import Lru
from spindle.sim.lock import Lock
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Terminals, Window
from spindle.sim.measure.timeline import TracedRun, traced_drive
from spindle.sim.measure.tracing.cpu import TracedAccount, TracedCpu
from spindle.sim.measure.tracing.drives import TracedArm, TracedCounts
from spindle.sim.measure.tracing.locks import locks_of
from spindle.sim.measure.tracing.memory import TracedOwners
from spindle.sim.measure.tracing.responses import TracedResponses, TracedUser
from spindle.sim.measure.tracing.trace import nanoseconds
from spindle.sim.memory import SharedMemory
from spindle.sim.request import AccessTiming, Op, access
from spindle.sim.script import Call, Loop, Script, Think, Type
from spindle.sim.streams import Constant
from spindle.sim.terminal import Session, Transaction
from tests.sim.measure.timelines import Heard


def moves(heard: Heard) -> list[tuple[float, float, int, int]]:
    return [(each.begin, each.end, each.notes["from"], each.notes["to"])
            for each in heard.slices["drive arm"] if each.name == "move"]  # fmt: skip


def asked(drive: Drive, *cylinders: int) -> None:
    for cylinder in cylinders:
        drive.start(access(Op.READ, cylinder * 2000, 100, Account(f"for {cylinder}")))


def test_the_arm_moves_from_the_begin_of_a_seek_to_its_end() -> None:
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, TEN_CYLINDERS)
    traced = TracedCounts(drive, heard, "drive")
    asked(drive, 5, 5, 2)
    env.run(0.040)
    traced.finish()
    begun = max(each.end for each in heard.slices["drive"] if each.notes.get("cylinder") == 5)
    # 1 ms + 9 ms a ninth of the way
    assert moves(heard) == [pytest.approx((0.0, 0.006, 0, 5)), pytest.approx((begun, begun + 0.004, 5, 2))]
    turning = next(each for each in heard.slices["drive arm"] if each.name == "ten")
    assert turning.notes == {"rpm": 6000, "cylinders": 10, "heads": 2}
    assert (turning.begin, turning.end) == (0.0, 0.040)


def test_an_arm_follows_a_request_over_cylinders_and_is_late_where_its_first_sector_was() -> None:
    """4.1 tracks, each of 10 ms and a wait for its first sector, from cylinder 5 on; the second time a turn is lost."""
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, TEN_CYLINDERS)
    traced = TracedCounts(drive, heard, "drive")
    request = drive.start(access(Op.READ, 10_000, 4100, Account("a")))
    env.run()
    traced.finish()
    way = [(0.0, 0.006, 0, 5), (0.040, 0.042, 5, 6), (0.080, 0.082, 6, 7)]
    assert moves(heard) == [pytest.approx(each) for each in way]
    for lost, now, seen in ((0.010, 1.0, 3), (-0.001, 1.0, 3), (0.0, 0.080, 2), (0.0, 0.040, 1)):
        drive, heard = Drive(simpy.Environment(), TEN_CYLINDERS), Heard()
        service = request.value._replace(rotation=request.value.rotation + lost, overhead=0.5)
        TracedArm(drive, heard, "drive", 0).draw_moves(-0.5, service, request.access, (), now)
        late = max(lost, 0.0)
        assert moves(heard) == [
            pytest.approx((begin + late * (begin > 0.0), end + late * (begin > 0.0), *between))
            for begin, end, *between in way[:seen]]  # fmt: skip


def test_an_arm_that_goes_to_the_edge_is_seen_there() -> None:
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, TEN_CYLINDERS, Scan())
    traced = TracedCounts(drive, heard, "drive")
    asked(drive, 6, 2)
    env.run()
    traced.finish()
    # 1 ms + 1 ms a cylinder; 3 ms until the sector comes, and 1 ms for it; on to the edge, and back without a rest
    way = [(0.0, 0.007, 0, 6), (0.011, 0.015, 6, 9), (0.015, 0.023, 9, 2)]
    assert moves(heard) == [pytest.approx(each) for each in way]


def test_a_pass_behind_a_buffer_begins_where_the_buffer_says() -> None:
    drive, heard = Drive(simpy.Environment(), HITACHI_7K320), Heard()
    TracedArm(drive, heard, "drive", 0)
    mechanism = drive.mechanism
    assert isinstance(mechanism, BufferedArm)
    assert mechanism.buffer.watch is not None
    mechanism.buffer.watch(7, 0.5, Pass(9, 0, 100, 0, 1, 0.25, 3.0, 1.0, 5.0))
    mechanism.buffer.watch(9, 0.8, Pass(9, 1, 100, 0, 1, 0.25, 3.0, 1.0, 5.0))
    mechanism.buffer.watch(4, 1.0, Pass(3, 1, 100, 0, 1, 0.5, 3.0, 1.0, 5.0))
    mechanism.buffer.watch(5, 1.25, Pass(6, 1, 100, 0, 1, 0.75, 3.0, 1.0, 5.0))
    mechanism.buffer.watch(6, 3.0, Pass(8, 1, 100, 0, 1, 0.0, 3.0, 1.0, 5.0))  # in no time
    assert moves(heard) == [(0.5, 0.75, 7, 9), (1.0, 1.5, 4, 3), (1.5, 2.0, 5, 6)], "no two moves at a time"


def test_an_arm_is_shown_from_where_and_when_the_timeline_begins() -> None:
    env, heard = simpy.Environment(2.0), Heard()
    drive = Drive(env, replace(TEN_CYLINDERS, write_settle=0.001))
    drive.arm = ArmPosition(4, 0)
    traced = TracedCounts(drive, heard, "drive")
    drive.start(access(Op.WRITE, 10_000, 100, Account("a")))
    env.run()
    traced.finish()
    assert moves(heard) == [pytest.approx((2.0, 2.003, 4, 5))], "it settles for a write"
    assert [each.begin for each in heard.slices["drive arm"] if each.name == "ten"] == [2.0]
    with pytest.raises(AssertionError, match="drive had requests before its timeline began"):
        TracedCounts(drive, heard, "drive")


def test_a_request_is_shown_with_its_place_and_the_phases_that_take_time() -> None:
    """On head 1, three sectors of ten behind its first; a nanosecond is drawn, and less is not."""
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, TEN_CYLINDERS)
    traced = TracedCounts(drive, heard, "drive")
    done: list[int] = []
    traced.then = lambda: done.append(len(heard.slices["drive"]))
    request = drive.start(access(Op.WRITE, 11_300, 100, Account("a")))
    env.run()
    whole = heard.slices["drive"][-1]
    assert (whole.name, whole.notes) == ("write", {
        "for": "a", "first": 11_300, "bytes": 100, "queued, s": 0.0, "cylinder": 5, "head": 1, "angle": 0.3})
    heard.slices.clear()
    brief = AccessTiming(0.0, 1e-9, 0.0, 2e-10, 2e-10, 0.0)
    traced.begin(0.5, brief)
    traced.leave(1.0, request.access, brief)
    assert [(each.name, each.begin, each.end) for each in heard.slices["drive"]] == [
        ("overhead", 0.5, 0.500000001), ("write", 0.5, 1.0)]  # fmt: skip
    assert len(done) == 2


def test_what_waits_at_the_end_is_said_too() -> None:
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, TEN_CYLINDERS)
    traced = TracedCounts(drive, heard, "drive")
    asked(drive, 5, 2)
    env.run(0.0005)
    asked(drive, 8)
    env.run(0.001)
    traced.finish()
    waiting = [(each.name, each.begin, each.notes["for"], each.notes["queued, s"])
               for each in heard.slices["drive waiting"]]  # fmt: skip
    assert waiting == [("read", 0.0005, "for 8", 0.0005), ("read", 0.0, "for 2", 0.001)]
    assert [each.notes["for"] for each in heard.slices["drive"] if each.name == "unfinished"] == ["for 5"]
    assert {name: heard.below[name] for name in heard.below if "drive" in name} == {
        "drive": "", "drive queue": "drive", "drive arm": "drive", "drive waiting": "drive"}
    assert heard.units == {"drive queue": "requests"}
    assert heard.values["drive queue"] == [(0.0, 0), (0.0, 1), (0.0, 2), (0.0005, 3)]
    assert moves(heard) == [pytest.approx((0.0, 0.006, 0, 5))], "it is on its way"


def test_a_seek_of_which_nobody_knows_yet_how_long_it_takes_is_no_move() -> None:
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, TEN_CYLINDERS)
    traced = TracedCounts(drive, heard, "drive")
    asked(drive, 5)
    traced.begin(0.0, AccessTiming(0.0, 0.0, inf, 0.0, 0.0, 0.0))
    env.run(0.001)
    traced.finish()
    assert moves(heard) == []


@pytest.mark.parametrize("scheduler", [Fcfs, CLook, Sptf])
def test_moves_of_an_arm_behind_a_buffer_follow_each_other(scheduler: type[Scheduler]) -> None:
    env, heard = simpy.Environment(), Heard()
    drive = Drive(env, HITACHI_7K320, scheduler())
    traced = TracedCounts(drive, heard, "drive")
    for number in range(60):
        place = number * 7_919 * 65_536 % (drive.capacity - 65_536) // 512 * 512
        drive.start(access((Op.READ, Op.WRITE)[number % 2], place, 8192, Account("a")))
    env.run()
    traced.finish()
    way = moves(heard)
    assert len(way) > 30
    assert all(one[1] <= other[0] for one, other in pairwise(way))
    assert all(0 <= to < HITACHI_7K320.layout.cylinders for _, _, _, to in way)


def test_a_drive_that_serves_several_at_a_time_has_a_lane_for_each_and_counts_as_without() -> None:
    counted = []
    for heard in (Heard(), None):
        env = simpy.Environment()
        drive = FlashDrive(env, INTEL_S3700)
        traced = None if heard is None else traced_drive(drive, heard, "drive")
        levels: list[float] = []
        if traced is not None:
            traced.then = lambda env=env, levels=levels: levels.append(env.now)
        for number in range(50):
            drive.start(access(Op.READ, number * 65_536, 4096, Account("a")))
        env.run()
        counted.append(drive.reading())
        if heard is not None and traced is not None:
            traced.finish()
            lanes = [name for name in heard.slices if name.startswith("drive lane ")]
            assert len(lanes) == 32, "as many as there are tags"
            assert len(levels) == 50, "levels are looked at whenever a request is done"
            assert sum(len(heard.slices[name]) for name in lanes) == 50
            assert heard.values["drive queue"][-1] == pytest.approx((env.now, 0))
            assert heard.values["drive queue"][:3] == [(0.0, 0), (0.0, 1), (0.0, 2)]
            assert {heard.below[name] for name in (*lanes, "drive queue")} == {"drive"}
            assert heard.units == {"drive queue": "requests"}
            first = heard.slices["drive lane 1"][0]
            assert (first.name, first.notes) == ("read", {"for": "a", "first": 0, "bytes": 4096, "queued, s": 0.0})
            for name in lanes:
                assert all(one.end <= other.begin for one, other in pairwise(heard.slices[name]))
    assert counted[0] == counted[1]


def test_a_lane_is_free_where_the_last_ended_in_the_same_nanosecond() -> None:
    """0.1 + 0.2 s is a bit more than 0.5 - 0.2 s."""
    heard, one = Heard(), access(Op.READ, 0, 512, Account("a"))
    drive, service = FlashDrive(simpy.Environment(), INTEL_S3700), AccessTiming(0.0, 0.0, 0.0, 0.0, 0.2, 0.0)
    traced = traced_drive(drive, heard, "drive")
    for now in (0.1 + 0.2, 0.5):
        drive.counts.enter(now)
        drive.counts.begin(now, service)
        traced.leave(now, one, service)
    assert [name for name in heard.names if "lane" in name] == ["drive lane 1"]


@pytest.mark.parametrize(("seconds", "whole"), [(1.4e-9, 1), (1.6e-9, 2), (2.0, 2_000_000_000)])
def test_an_instant_is_that_of_the_nearest_nanosecond(seconds: float, whole: int) -> None:
    assert nanoseconds(seconds) == whole


def test_a_traced_cpu_knows_the_system_call_that_led_to_a_burst() -> None:
    env, heard = simpy.Environment(), Heard()
    cpu = FcfsCpu(env)
    traced, account = TracedCpu(cpu, heard, env, 4.0), Account("a")
    assert TracedAccount(account, traced).seconds is account.seconds
    cpu.burst(5.0, 1, Phase.CACHE, account, call=2.0)
    cpu.burst(3.0, 1, Phase.CACHE, account)  # after the end of the run
    env.run(4.0)
    traced.finish()
    assert [each[:3] for each in heard.slices["cpu"]] == [("cpu", 0.0, 2.0), ("cache", 2.0, 4.0)]


class Depot:
    """A part that keeps a lock and regions of memory."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.lock = Lock(env, "key of the depot")
        self.memory = SharedMemory(env, 100, Lru())

    def reading(self) -> dict[str, float]:
        return {}

    def write_back_victim(self, key: object) -> None:
        return None

    def forget(self, key: object) -> None: ...


SIZES = {"ann": 60, "bob": 70}
"""Bytes of the depot's 100 that each claims."""


def heard_of(work: Callable[[Depot, str], Wait]) -> Heard:
    """Trace Ann and Bob, who do *work* at a depot from the same instant on."""
    env, heard = simpy.Environment(), Heard()
    depot = Depot(env)
    machine = Machine(env, {"depot": depot, "memory": depot.memory}, FcfsCpu(env))
    for name in SIZES:
        machine.spawn(name, work(depot, name))
    traced = TracedRun(heard)
    engine.run(machine, Programs({}), Window(0.0, 3.0), watch=traced)
    traced.finish()
    return heard


def test_who_holds_a_lock_and_what_is_in_memory() -> None:
    def work(depot: Depot, name: str) -> Wait:
        account = Account(name)
        yield from depot.lock.acquire(account)
        yield from depot.memory.claim(depot, name, SIZES[name], account)
        depot.memory.unpin(name)
        yield pause(depot.env, 2.0)
        depot.lock.release()

    heard = heard_of(work)
    held = [(each.name, each.notes["for"], each.begin, each.end) for each in heard.slices["key of the depot"]]
    assert held == [("held", "ann", 0.0, 2.0), ("held", "bob", 2.0, 3.0)]
    assert heard.values["depot"] == [(0.0, 60), (2.0, 0), (2.0, 70)]
    assert heard.values["memory capacity"] == [(0.0, 100)]
    assert (heard.below["memory capacity"], heard.below["depot"]) == ("memory owners", "memory owners")
    assert (heard.units["memory capacity"], heard.units["depot"]) == ("bytes", "bytes")
    assert heard.names.count("depot") == 1


def test_a_region_counts_from_when_it_has_room_and_a_lock_for_no_time_is_not_drawn() -> None:
    """Ann's bytes may go after 1 s; Bob waits until then."""
    def work(depot: Depot, name: str) -> Wait:
        account = Account(name)
        yield from depot.lock.acquire(account)
        depot.lock.release()
        yield from depot.memory.claim(depot, name, SIZES[name], account)
        yield pause(depot.env, 1.0)
        depot.memory.unpin(name)

    heard = heard_of(work)
    assert heard.values["depot"] == [(0.0, 60), (1.0, 0), (1.0, 70)]
    assert heard.slices["key of the depot"] == []


def test_what_is_in_memory_before_the_timeline_begins_is_on_it() -> None:
    env, heard = simpy.Environment(1.5), Heard()
    depot = Depot(env)
    env.run(env.process(depot.memory.claim(depot, "ann", 60, Account("ann"))))
    depot.memory.unpin("ann")
    TracedOwners(depot.memory, heard, env, "memory", {id(depot): "the depot"})
    assert heard.values == {"memory capacity": [(1.5, 100)], "the depot": [(1.5, 60)]}
    depot.memory.release("ann")
    assert heard.values["the depot"] == [(1.5, 60), (1.5, 0)]


def test_a_policy_hears_whether_a_region_was_evicted_as_without_a_timeline() -> None:
    class Told(Lru):
        def remove(self, key: Hashable, evicted: bool) -> None:
            super().remove(key, evicted)
            told.append((key, evicted))

    told: list[tuple[Hashable, bool]] = []
    env = simpy.Environment()
    depot = Depot(env)
    depot.memory = SharedMemory(env, 100, Told())
    TracedOwners(depot.memory, Heard(), env, "memory", {})
    for key in "ab":
        env.run(env.process(depot.memory.claim(depot, key, 60, Account(key))))
        depot.memory.unpin(key)
    depot.memory.release("b")
    assert told == [("a", True), ("b", False)]


class Tide:
    """A part whose level rises whatever happens."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env

    def reading(self) -> dict[str, float]:
        return {}

    def levels(self) -> dict[str, float]:
        return {"water_bytes": 10.2 * self._env.now, "deep_water_metres": 2.0, "ships": 1.0}


def test_levels_are_looked_at_when_the_run_ends() -> None:
    env, heard = simpy.Environment(), Heard()
    traced = TracedRun(heard)
    engine.run(Machine(env, {"sea": Tide(env)}), Programs({}), Window(0.0, 3.0), watch=traced)
    traced.finish()
    assert heard.values["sea water"] == [(0.0, 0), (3.0, 31)]
    assert heard.units == {"sea water": "bytes", "sea deep_water": "metres", "sea": "ships"}


class Box:
    """A part that holds another thing."""

    def __init__(self, thing: object, other: object = None) -> None:
        self.thing, self.other = thing, other


def test_locks_are_found_three_attributes_deep_and_each_once() -> None:
    env = simpy.Environment()
    locks = [Lock(env, str(number)) for number in range(5)]
    vars(env)["lock"] = Lock(env, "within the clock")
    found = locks_of([Box(locks[0], Box(locks[1], Box(locks[2], Box(locks[3])))), Box(locks[0]), locks[4], env])
    assert [lock.name for lock in found] == ["0", "1", "2", "4"]


class Use(Enum):
    CODE = "code"


class Region(NamedTuple):
    kind: object


@pytest.mark.parametrize(("key", "name", "names", "label"), [
    ("a", None, True, "the depot"), ("a", None, False, "Depot"), ("a", "barn", False, "barn"),
    (Region(Use.CODE), "barn", False, "barn: code"), (Region("code"), "barn", False, "barn"),
])  # fmt: skip
def test_an_owner_has_its_own_name_or_that_of_its_class_and_its_kinds_are_apart(
    key: object, name: str | None, names: bool, label: str
) -> None:
    env, heard = simpy.Environment(), Heard()
    depot = Depot(env)
    if name is not None:
        vars(depot)["name"] = name
    TracedOwners(depot.memory, heard, env, "memory", {id(depot): "the depot"} if names else {})
    env.run(env.process(depot.memory.claim(depot, key, 60, Account("ann"))))
    TracedOwners(depot.memory, later := Heard(), env, "memory", {id(depot): "the depot"} if names else {})
    depot.memory.release(key)
    assert (heard.values[label], later.values[label]) == ([(0.0, 60), (0.0, 0)], [(0.0, 60), (0.0, 0)])


def test_responses_under_way_together_are_on_lanes_of_their_own() -> None:
    heard, looked = Heard(), list[str]()
    responses = TracedResponses(Programs({}), heard, simpy.Environment(), lambda: looked.append(heard.names[-1]))
    none = (0.0,) * len(Phase)
    for name, began, ended in (("x", 0.0, 2.0), ("y", 1.0, 3.0), ("z", 2.0, 4.0), ("w", 2.5, 2.75)):
        responses.record(Transaction("host", name, began, ended, ended, none))
    assert {lane: [each.name for each in heard.slices[lane]] for lane in heard.slices} == {
        "host": ["x", "z"], "host/2": ["y"], "host/3": ["w"]}  # fmt: skip
    assert looked == ["host", "host/2", "host/2", "host/3"]


def test_a_user_types_and_a_response_says_what_it_waits_for() -> None:
    env, heard = simpy.Environment(), Heard()
    machine = Machine(env, {}, FcfsCpu(env))
    inner = Loop((Think(Constant(1.0)), Type(20)), 2)
    script = Script("clerk", (Loop((inner, Call(None, "ask"))),), 1, 10.0, start=Constant(0.0), typing=10.0)

    def work(session: Session) -> Wait:
        yield machine.cpu.burst(0.25, 1, Phase.CPU, session.account)
        yield machine.cpu.burst(0.125, 1, Phase.CPU, session.account)
        yield machine.cpu.burst(0.125, 1, Phase.CPU, session.account)
        yield from session.reply(1)

    traced = TracedRun(heard)
    engine.run(machine, Terminals([script], lambda _, session: [work(session)]), Window(0.0, 19.0),
               watch=traced)
    traced.finish()
    assert (heard.below["responses"], heard.below["clerk 1"]) == ("", "responses")
    away = [(each.name, each.begin, each.end) for each in heard.slices["clerk 1"] if each.name in ("think", "type")]
    assert away == [("think", 8.5, 9.5), ("type", 9.5, 11.5), ("think", 11.5, 12.5), ("type", 12.5, 14.5),
                    ("think", 14.5, 15.5), ("think", 17.0, 18.0), ("type", 18.0, 19.0)]  # fmt: skip
    waits = [(each.name, each.begin, each.end) for each in heard.slices["clerk 1"] if each.name in ("cpu", "line")]
    assert waits[:2] == [("cpu", 7.0, 7.5), ("line", 7.5, 8.5)], "bursts in a row are one"


def test_who_is_never_answered_has_one_track_and_who_never_asks_has_one_too() -> None:
    env, heard = simpy.Environment(), Heard()
    traced = TracedRun(heard)
    scripts = [Script(name, (Think(Constant(seconds)), Call(None, "ask")), 1, 1000.0, start=Constant(0.0))
               for name, seconds in (("clerk", 0.25), ("sleeper", 9.0))]  # fmt: skip
    load = Terminals(scripts, lambda _, session: [iter([pause(env, 9.0)])])
    engine.run(Machine(env, {}), load, Window(0.0, 1.0), watch=traced)
    traced.finish()
    assert heard.names[-2:] == ["clerk 1", "sleeper 1"]
    assert ([each.name for each in heard.slices["clerk 1"]], heard.slices["sleeper 1"]) == (["response", "ask"], [])


def test_waits_that_overlap_are_one_as_long_as_the_longest_and_none_begins_before_its_response() -> None:
    """Seeks from 1 to 5 and from 2 to 3 s, in the order in which they ended, and a wait of the response before."""
    account = Ledger("ann")
    account.charge_all([(Phase.SEEK, 2.0, 3.0), (Phase.SEEK, 1.0, 5.0), (Phase.CPU, 0.0, 1.0),
                        (Phase.MEMORY, 4.0, 4.5), (Phase.LINE, 5.0, 9.0)])  # fmt: skip
    terminal: Any = SimpleNamespace(session=SimpleNamespace(account=account), _walk=None, _perform=None)
    user, heard = TracedUser(terminal, simpy.Environment()), Heard()
    assert [*user.waits()] == [("cpu", 0.0, 1.0), ("seek", 1.0, 5.0), ("memory", 4.0, 4.5), ("line", 5.0, 9.0)]
    terminal.session.account = Account("of nobody who is traced")
    assert [*user.waits()] == []
    terminal.session.account = account
    responses = TracedResponses(Programs({}), heard, simpy.Environment(), lambda: None)
    responses._slices(heard.track("ann"), user.waits(), nanoseconds(2.0), nanoseconds(7.0))
    assert [each[:3] for each in heard.slices["ann"]] == [("seek", 2.0, 5.0), ("line", 5.0, 7.0)]


def test_typing_within_loops_is_typed_once_and_programs_have_a_ledger() -> None:
    """Each loop around a step passes it on once more."""
    terminal: Any = SimpleNamespace(_script=SimpleNamespace(typing=10.0), _walk=iter, _perform=lambda *each: each)
    env = simpy.Environment()
    user, session = TracedUser(terminal, env), SimpleNamespace(account=Account("ann"))
    steps = (Type(0), Type(20), Type(20), Type(20))
    for now in (1.0, 5.0):
        env.run(now)
        assert (*user.walk(steps),) == steps
    assert user._typed == [(1.0, 3.0), (5.0, 7.0)]
    assert user.perform("program", session) == ("program", session)  # type: ignore[arg-type,comparison-overlap]
    assert (type(session.account), session.account.name) == (Ledger, "ann")


def test_typing_is_asked_for_once() -> None:
    terminal: Any = SimpleNamespace(_walk=None, _perform=None)
    user = TracedUser(terminal, simpy.Environment())
    user._typed = [(1.0, 2.0), (3.0, 5.0), (6.0, 9.0), (8.0, 10.0)]
    assert [*user.take_typing(4.0, 8.0)] == [(4.0, 5.0), (6.0, 8.0)]
    assert user._typed[0] == (3.0, 5.0)
