"""Tests what is built of a question of a replay: its host, drives and queues, cache, tiers and head."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.questions.array import ArrayOptions
from spindle.questions.host import HostOptions
from spindle.questions.storage import CacheOptions, DriveOptions, FlashTierOptions, LoopOptions, TierOptions
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.scheduling import Sptf, Sstf, TaggedQueue
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import READ
from spindle.sim.units import Bytes
from spindle.traces.curve.tiers import Inclusion, Tier
from spindle.traces.opening import TraceOptions, on_devices
from spindle.traces.replay import answer as answers
from spindle.traces.replay import answer_page, quick
from spindle.traces.replay.answer import (
    ReplayAnswer,
    ReplayLoop,
    ReplayWatch,
    answer_replay,
    cache_plan,
    chain_limit,
    flash_plan,
    host_queue,
    loop_of,
    queue_of,
    read_drive,
    sheet_of,
    storage_plan,
    tier_plan,
)
from spindle.traces.replay.data import VERSION, answer_data
from spindle.traces.replay.hosts import Chained, Closed, Open
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.storage import FLASH_WRITING, CachePlan, FlashPlan, Storage, write_back, write_through
from spindle.traces.replay.tiers import TieredStorage, TierPlan
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record
from tests.traces.conftest import SHEET, trace_of

HP = DriveOptions("hp7933")


@pytest.fixture
def timed(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(trace_of((0.5, "R", 0, 8), (1.0, "W", 8, 8), (4.0, "R", 800, 8)))
    return path


@pytest.fixture
def untimed(tmp_path: Path) -> Path:
    path = tmp_path / "u.csv"
    path.write_text(trace_of(("R", 0, 8), ("W", 8, 8), head="op,lba_512,sectors"))
    return path


def opened(path: Path) -> Trace:
    return on_devices(TraceOptions().open(path))


def refusal(act: Callable[..., Any], *given: Any) -> str:
    with pytest.raises(UserError) as error:
        act(*given)
    return str(error.value)


# Loops.

def told(loop: ReplayLoop) -> tuple[Any, ...]:
    host: Any = loop.host
    kind, named = (host.func, host.keywords) if isinstance(host, partial) else (host, {})
    return loop.name, loop.why, kind, named, loop.under_way, loop.is_timed


def test_a_trace_with_times_is_an_open_loop_unless_another_is_asked_for(timed: Path) -> None:
    trace = opened(timed)
    assert told(loop_of(LoopOptions(), trace)) == ("open loop", "because it has times", Open, {}, 0, True)
    assert told(loop_of(LoopOptions(open=True), trace)) == ("open loop", "as asked", Open, {}, 0, True)
    assert told(loop_of(LoopOptions(closed=3), trace)) == (
        "closed loop of 3", "as asked", Closed, {"depth": 3}, 3, False)  # fmt: skip
    assert told(loop_of(LoopOptions(speed=2.5), trace)) == (
        "open loop at 2.5 times the speed", "because it has times", Open, {}, 0, False)  # fmt: skip


def test_chains_are_linked_by_their_delay(timed: Path) -> None:
    name, why, kind, named, under_way, is_timed = told(loop_of(LoopOptions(chains="5ms"), opened(timed)))
    assert (name, why, kind, under_way, is_timed) == (
        "open loop with chains of up to 5ms", "as asked", Chained, None, True)  # fmt: skip
    assert named["links"].limit == 0.005


def test_a_trace_without_times_is_a_closed_loop_of_one(untimed: Path) -> None:
    trace = opened(untimed)
    assert told(loop_of(LoopOptions(), trace)) == (
        "closed loop of 1", "because it has no times", Closed, {}, 1, False)  # fmt: skip
    for asked in (LoopOptions(open=True), LoopOptions(chains="5ms")):
        assert refusal(loop_of, asked, trace) == (
            f"{untimed} has no times for an open loop; closed asks for one request after another")
    assert loop_of(LoopOptions(closed=2), trace).under_way == 2


def test_speed_is_of_an_open_loop_alone(timed: Path, untimed: Path) -> None:
    says = "speed is for an open loop, in which requests come at their times; this is a"
    assert refusal(loop_of, LoopOptions(closed=2, speed=2.0), opened(timed)) == f"{says} closed loop of 2"
    assert refusal(loop_of, LoopOptions(speed=2.0), opened(untimed)) == f"{says} closed loop of 1"
    refused = refusal(loop_of, LoopOptions(chains="5ms", speed=2.0), opened(timed))
    assert refused.startswith(f"{says}n open loop with chains")


@pytest.mark.parametrize(("text", "seconds"), [("5ms", 0.005), ("10", 10.0), ("1us", 1e-6)])
def test_a_delay_of_chains_is_read_with_its_unit(text: str, seconds: float) -> None:
    assert chain_limit(text) == seconds


@pytest.mark.parametrize("text", ["0", "-1", "10.001", "1min"])
def test_a_delay_of_chains_is_more_than_nought_and_at_most_ten_seconds(text: str) -> None:
    assert refusal(chain_limit, text) == f"chains must be more than 0 and at most 10 s, such as 5ms, not '{text}'"


def test_a_delay_that_is_no_time_is_refused() -> None:
    assert refusal(chain_limit, "often") == "chains must be a number, such as 0.04, 40ms or 2min, not 'often'"


def test_requests_come_as_much_earlier_as_the_load_is_faster(timed: Path) -> None:
    asked: list[float] = []
    question = ReplayQuestion(device=HP, loop=LoopOptions(speed=2.0))
    answer_replay(question, timed, ReplayWatch(also=lambda record, response, request: asked.append(request.submitted)))
    assert asked == [0.25, 0.5, 2.0]


# Drives.

def test_a_drive_is_a_sheet_a_name_or_a_file(tmp_path: Path) -> None:
    sheet = DriveSheet(HP7933, "HP-IB")
    assert read_drive(sheet) is sheet
    assert read_drive("hp7933") == DriveSheet(HP7933, None)
    (tmp_path / "small.yaml").write_text(SHEET)
    for file in (tmp_path / "small.yaml", str(tmp_path / "small.yaml")):
        assert read_drive(file).disc.name == "Small Drive"
    (tmp_path / "bus.yaml").write_text(f"{SHEET}bus: {{kind: HP-IB}}\n")
    assert read_drive(str(tmp_path / "bus.yaml")).bus == "HP-IB"
    assert refusal(read_drive, FixedService(1.0)) == "a trace is replayed on a drive"
    (tmp_path / "theirs.yaml").write_text("disksim_disk DISK { }\n")
    assert "this is a DiskSim file" in refusal(read_drive, str(tmp_path / "theirs.yaml"))


def test_a_sheet_gets_the_bus_and_the_state_that_are_asked_for() -> None:
    assert sheet_of(HP) == DriveSheet(HP7933, None)
    assert sheet_of(replace(HP, bus="HP-IB")) == DriveSheet(HP7933, "HP-IB")
    full = sheet_of(DriveOptions("intels3700", filled=0.5)).disc
    assert isinstance(full, FlashType)
    assert (full.filled, full.preempted) == (0.5, True)
    steps = [sheet_of(DriveOptions("intels3700", foreground=foreground)).disc for foreground in (False, True)]
    assert [isinstance(disc, FlashType) and disc.preempted for disc in steps] == [True, False]
    assert refusal(sheet_of, replace(HP, filled=0.5)) == f"filled is for solid-state drives; {HP7933.name} is a disc"
    assert "unknown bus" in refusal(sheet_of, replace(HP, bus="SASI"))


def test_the_hosts_queue_is_of_the_scheduler_that_is_asked_for() -> None:
    assert type(host_queue(HP)) is Fcfs
    assert type(host_queue(replace(HP, scheduler="sptf"))) is Sptf
    assert type(host_queue(replace(HP, scheduler=Sstf))) is Sstf


def test_tags_lie_behind_the_hosts_queue() -> None:
    assert type(queue_of(HP, DriveSheet(HP7933, None))()) is Fcfs
    tagged = queue_of(replace(HP, scheduler="sstf", depth=4), DriveSheet(HP7933, None, DriveQueue()))()
    assert type(tagged) is TaggedQueue
    assert (type(tagged._host), type(tagged._drive), tagged._depth) == (Sstf, Sptf, 4)
    assert isinstance(tagged._drive, Sptf)
    assert tagged._drive._ageing == 0.006
    own = queue_of(replace(HP, scheduler="sstf"), DriveSheet(HP7933, None, DriveQueue(tags=7)))()
    assert type(own) is TaggedQueue
    assert (type(own._host), own._depth) == (Sstf, 7)
    refused = refusal(queue_of, replace(HP, scheduler="none"), DriveSheet(HP7933, None))
    assert refused.startswith("unknown scheduler 'none'")


@pytest.mark.parametrize(("depth", "tags"), [(0, 32), (1, 1), (4, 4), (32, 32), (64, 32)])
def test_the_depth_of_a_solid_state_drive_is_the_number_of_its_tags(depth: int, tags: int) -> None:
    device = DriveOptions("intels3700", scheduler="sstf", depth=depth)
    sheet = sheet_of(device)
    assert isinstance(sheet.disc, FlashType)
    assert sheet.disc.front.tags == tags
    assert type(queue_of(device, sheet)()) is Sstf


def test_a_plan_has_what_was_asked_for() -> None:
    memory = CacheOptions(Bytes(1 << 20), "arc", Bytes(512), "through")
    front = FlashTierOptions("samsung960pro", Bytes(1 << 20), "arc", Bytes(512), "back")
    device = replace(HP, wrap=True, head=7, stall_every=2, stall=0.1, network_latency=0.5)
    plan = storage_plan(ReplayQuestion(device=device, memory=memory, front=front))
    assert (plan.sheet, plan.wrap, plan.head, plan.count, plan.raid) == (DriveSheet(HP7933, None), True, 7, None, None)
    assert plan.cache == CachePlan(1 << 20, 512, Arc, write_through)
    assert plan.flash == FlashPlan(SAMSUNG_960_PRO, CachePlan(1 << 20, 512, Arc, FLASH_WRITING["back"]))
    assert (plan.hindrance, plan.network) == (Hindrance(stall_every=2, stall=0.1), NetworkType(latency=0.5))
    assert cache_plan(CacheOptions(Bytes(4096))) == CachePlan(4096, 4096, Lru, write_back)
    assert cache_plan(CacheOptions()) is None


def test_a_flash_tier_has_the_whole_blocks_of_its_drive_and_is_flash() -> None:
    plan = flash_plan(FlashTierOptions("samsung960pro", flash_block=Bytes(7 << 20)))
    assert plan is not None
    assert plan.cache.size == SAMSUNG_960_PRO.capacity // (7 << 20) * (7 << 20) < SAMSUNG_960_PRO.capacity
    assert type(plan.cache.size) is int
    assert flash_plan(FlashTierOptions()) is None
    assert refusal(flash_plan, FlashTierOptions("hp7933")).startswith("flash must name a solid-state drive")


def test_a_number_of_drives_is_that_of_the_devices_or_of_the_array() -> None:
    assert storage_plan(ReplayQuestion(device=HP, array=ArrayOptions(drives=3))).count == 3
    queued = DriveOptions(DriveSheet(HP7933, None, DriveQueue(tags=7)))
    made = storage_plan(ReplayQuestion(device=queued)).scheduler()
    assert isinstance(made, TaggedQueue)
    assert made._depth == 7
    plan = storage_plan(ReplayQuestion(device=HP, array=ArrayOptions("5", 4, ure=1e-14), seed=9))
    assert (plan.count, plan.raid) == (None, RaidType("5", 4, unrecoverable=1e-14, seed=9))


def test_tiers_take_the_place_of_the_cache() -> None:
    layers = TierOptions("64K:10us,1MB:1ms", "inclusive")
    question = ReplayQuestion(device=HP, layers=layers, memory=CacheOptions(policy="arc", block=Bytes(512)))
    assert tier_plan(question) == TierPlan([Tier(128, 1e-5), Tier(1953, 1e-3)], 512, Inclusion.INCLUSIVE, Arc)
    assert storage_plan(question).cache is None
    assert tier_plan(ReplayQuestion(device=HP)) is None


def test_tiers_write_through_and_say_so() -> None:
    asked = ReplayQuestion(device=HP, layers=TierOptions("64K:10us"), memory=CacheOptions(write="through"))
    assert refusal(asked.check) == "write is for a cache, which tiers replace"


def test_drives_that_no_device_lies_on_are_refused(timed: Path) -> None:
    says = "drives 3 leaves 2 idle: the trace has 1 device, and each lies on one drive; raid 0 makes them one array"
    assert refusal(answer_replay, ReplayQuestion(device=HP, array=ArrayOptions(drives=3)), timed) == says


def test_a_question_of_tiers_is_answered_by_tiers_and_others_by_drives(timed: Path) -> None:
    tiered = answer_replay(ReplayQuestion(device=HP, layers=TierOptions("64K:10us")), timed)
    assert isinstance(tiered.replayed.storage, TieredStorage)
    assert isinstance(answer_replay(ReplayQuestion(device=HP), timed).replayed.storage, Storage)


# The head of an answer.

def head(timed: Path, **asked: Any) -> ReplayAnswer:
    return answer_replay(ReplayQuestion(**asked), timed)


def test_the_head_of_a_plain_answer(timed: Path) -> None:
    answer = head(timed, device=HP)
    assert answer.title == f"t.csv on {HP7933.name}, open loop"
    assert dict(answer.head()) == {
        "trace": str(timed), "format": "csv", "drive": HP7933.name, "drives": 1, "loop": "open loop",
        "loop_because": "because it has times", "scheduler": "fcfs", "bad_lines": 0, "notes": []}  # fmt: skip


def test_the_head_of_an_answer_with_all_there_is(timed: Path) -> None:
    answer = head(timed, device=replace(HP, scheduler="sptf", depth=4, head=3), array=ArrayOptions("1", 2),
                  memory=CacheOptions(Bytes(1 << 16), "arc"), loop=LoopOptions(speed=2.0))  # fmt: skip
    found = dict(answer.head())
    assert {name: found[name] for name in ("drives", "raid", "speed", "scheduler", "head", "cache", "policy")} == {
        "drives": 2, "raid": "1", "speed": 2.0, "scheduler": "sptf, NCQ of 4", "head": 3, "cache": 1 << 16,
        "policy": "arc"}  # fmt: skip
    assert f"2 drives {HP7933.name} in raid 1, sptf, NCQ of 4" in "\n".join(answer_page.answer_lines(answer))


def test_the_page_and_the_data_tell_where_the_arm_was(timed: Path) -> None:
    answer = head(timed, device=replace(HP, head=3))
    assert "fcfs, arm on cylinder 3 at first" in "\n".join(answer_page.answer_lines(answer))
    assert answer_data(answer)["version"] == VERSION


@pytest.mark.parametrize(("device", "shown"), [
    (HP, None), (replace(HP, head=5), 5), (replace(HP, scheduler="sptf"), 0), (replace(HP, scheduler=Sstf), 0),
    (DriveOptions("intels3700", "", "sptf"), None),
])  # fmt: skip
def test_the_place_of_the_arm_is_told_where_it_matters(timed: Path, device: DriveOptions, shown: int | None) -> None:
    assert head(timed, device=device).head().get("head") == shown


def test_a_scheduler_is_named_by_its_name_its_class_or_its_kind(timed: Path) -> None:
    names = [head(timed, device=replace(HP, scheduler=each)).scheduler() for each in ("sstf", Sstf, partial(Sptf, 0.1))]
    assert names == ["sstf", "Sstf", "partial"]


# What is replayed by compiled loops.

class Seen:
    """Notes how compiled loops are asked, and answers nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        self.calls: list[tuple[Any, ...]] = []
        monkeypatch.setattr(answers, "AVAILABLE", True)
        monkeypatch.setattr(answers, "COMPILED_FROM", size)
        monkeypatch.setattr(quick, "quick_replay", self)

    def __call__(self, trace: Trace, plan: Any, under_way: int, most: int | None, update: Any, speed: float) -> None:
        self.calls.append((trace.path, plan.sheet.disc, under_way, most, speed))
        update(3)


def test_large_traces_are_replayed_by_loops(timed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(monkeypatch, timed.stat().st_size)
    answer_replay(ReplayQuestion(device=HP), timed)
    answer_replay(ReplayQuestion(TraceOptions(limit=2), HP, loop=LoopOptions(closed=5)), timed)
    answer_replay(ReplayQuestion(device=HP, loop=LoopOptions(speed=3.0)), timed)
    assert seen.calls == [(timed, HP7933, 0, None, 1.0), (timed, HP7933, 5, 2, 1.0), (timed, HP7933, 0, None, 3.0)]


@pytest.mark.parametrize("asked", [
    {"memory": CacheOptions(Bytes(1 << 16))}, {"layers": TierOptions("64K:10us")}, {"host": HostOptions("psync")},
    {"front": FlashTierOptions("samsung960pro")}, {"device": replace(HP, stall_every=2, stall=0.5)},
])  # fmt: skip
def test_what_lies_above_drives_or_hinders_them_is_not_replayed_by_loops(
    timed: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    seen = Seen(monkeypatch, 0)
    answer_replay(ReplayQuestion(**{"device": HP, **asked}), timed)
    assert seen.calls == []


def test_small_traces_and_those_that_somebody_watches_are_not_replayed_by_loops(
    timed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, question = Seen(monkeypatch, timed.stat().st_size + 1), ReplayQuestion(device=HP)
    answer_replay(question, timed)
    monkeypatch.setattr(answers, "COMPILED_FROM", 0)
    answer_replay(question, timed, ReplayWatch(also=lambda *given: None))
    plans: list[Any] = []
    answer_replay(question, timed, ReplayWatch(storage=lambda plan: plans.append(plan) or plan))
    assert [plan.disc for plan in plans] == [HP7933]
    monkeypatch.setattr(answers, "AVAILABLE", False)
    answer_replay(question, timed)
    assert seen.calls == []


def test_chains_are_not_replayed_by_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, path = Seen(monkeypatch, 0), tmp_path / "c.csv"
    path.write_text(trace_of((0.5, "R", 0, 8, 5), (1.0, "R", 8, 8, 5), head="time_s,op,lba_512,sectors,response_ms"))
    answer_replay(ReplayQuestion(device=HP, loop=LoopOptions(chains="5ms")), path)
    assert seen.calls == []


@pytest.mark.parametrize(("drive", "compiled", "says"), [
    ("hp7933", True, "replaying"), ("hp7933", False, "compiling, then replaying"),
])  # fmt: skip
def test_a_bar_says_what_loops_do_and_takes_the_bytes(
    timed: Path, monkeypatch: pytest.MonkeyPatch, drive: str, compiled: bool, says: str
) -> None:
    from spindle.sim.disc.kernel import drives

    told: list[object] = []
    Seen(monkeypatch, 0)
    monkeypatch.setattr(drives, "are_compiled", lambda buffered: told.append(buffered) or compiled)
    bar = SimpleNamespace(update=told.append)
    watch = ReplayWatch(bytes_read=lambda trace, what: told.append(what) or nullcontext(bar))
    answer_replay(ReplayQuestion(device=DriveOptions(drive)), timed, watch)
    assert told == [False, says, 3]


def test_records_go_through_the_watch(timed: Path) -> None:
    def first(trace: Trace, records: Any) -> list[Record]:
        return [next(records)]

    answer = answer_replay(ReplayQuestion(device=HP), timed, ReplayWatch(records=first))
    assert answer.replayed.tally.times_of(READ).count == 1
    assert answer.replayed.tally.all_times.count == 1
    assert isinstance(answer.replayed.storage.env, simpy.Environment)
