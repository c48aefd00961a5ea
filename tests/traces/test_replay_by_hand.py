"""Tests a replay's tally, tiers and hosts by hand: what is counted where, what time is charged, what is checked."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.measure.result import MAX_BUCKET_SECONDS, Quantiles
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, WRITE, Access, Op, Request, Span, access
from spindle.sim.units import MS
from spindle.traces.curve.tier_contents import TierBlocks, TierStack
from spindle.traces.curve.tiers import Inclusion, Tier
from spindle.traces.replay import replay
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.quick import count_quantiles
from spindle.traces.replay.replay import DeviceTimes, TraceReplayed, TraceTally, check_breakdown
from spindle.traces.replay.storage import CachedDrive, check_used
from spindle.traces.replay.tiers import TieredDrive, TieredStorage, TierPlan, TierServer
from spindle.workloads.traces.batch import NotSimpleError
from spindle.workloads.traces.record import Record

BLOCK = 4096


# The tally.

def record(device: str, op: Op) -> Record:
    return Record(0.0, device, op, 0, 512)


def test_times_by_operation_and_by_device(env: simpy.Environment) -> None:
    request = Request(env, access(READ, 0, 512, Account("")))
    by_device, also = DeviceTimes(), list[tuple[Record, float, Request]]()
    tally = TraceTally(by_device.pass_to(lambda *call: also.append(call)))
    asked = [record("few", READ), record("many", WRITE), record("many", READ), record("many", WRITE)]
    for each in asked:
        env.run(env.now + 1.0)
        tally.add(each, request)
    assert [tally.times_of(op).sum for op in (None, READ, WRITE)] == [10.0, 4.0, 6.0]
    assert (tally.begin, tally.reads.longest, tally.writes.longest) == (0.0, 3.0, 4.0)
    assert also == [(each, float(place), request) for place, each in enumerate(asked, 1)]
    groups = by_device.groups()
    assert [(name, {kind: (times.count, times.sum) for kind, times in group.items()})
            for name, group in groups.items()] == [
        ("many", {"all": (3, 9.0), "reads": (1, 3.0), "writes": (2, 6.0)}),
        ("few", {"all": (1, 1.0), "reads": (1, 1.0), "writes": (0, 0.0)})]  # fmt: skip


def test_measured_responses_are_of_their_operation_and_of_all(env: simpy.Environment) -> None:
    request = Request(env, access(READ, 0, 512, Account("")))
    tally = TraceTally()
    for op, measured in ((READ, 1.0), (WRITE, 2.0), (WRITE, 4.0), (READ, None)):
        tally.add(Record(0.0, "a", op, 0, 512, measured), request)
    assert [(each.count, each.sum) for each in map(tally.measured_of, (None, READ, WRITE))] == [
        (3, 7.0), (1, 1.0), (2, 6.0)]  # fmt: skip


class Known:
    """Storage of one drive of which all is known."""

    has_layers = False
    arrays = caches = ()

    def __init__(self, **counts: float) -> None:
        self._counts = dict.fromkeys(("queue", "overhead", "seek", "rotation", "transfer", "channel"), 0.0) | counts

    @property
    def drives(self) -> Mapping[str, "Known"]:
        return {"": self}

    def reading(self) -> Mapping[str, float]:
        return self._counts


@pytest.mark.parametrize(("counts", "terms"), [({"issued": 5.0}, 16 * 7), ({}, 16 * 2)])
def test_responses_are_their_phases(
    monkeypatch: pytest.MonkeyPatch, env: simpy.Environment, counts: dict[str, float], terms: int
) -> None:
    """Each request, of the host and of the drive, and one more may be off by 16 roundings."""
    tally = TraceTally()
    request = Request(env, access(READ, 0, 512, Account("")))
    env.run(3.0)
    tally.add(record("", READ), request)
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(replay, "agree", lambda *call: calls.append(call))
    check_breakdown(TraceReplayed(tally, Known(seek=1.0, rotation=2.0, **counts), 3.0))  # type: ignore[arg-type]
    assert calls == [("breakdown: responses against their phases", 3.0, 3.0, terms, 3.0)]


@pytest.mark.parametrize("seconds", [[], [0.0], [0.0, 1e-6, 3e-6, 1e-3, 0.5, 1.0, 2.0, 1e4], [2.0**each for each in
                                     range(-22, 20)]])  # fmt: skip
def test_quantiles_counted_at_once_are_those_counted_one_by_one(seconds: list[float]) -> None:
    one = Quantiles()
    for each in seconds:
        one.add(each)
    assert count_quantiles(np.array(seconds))._buckets == one._buckets


@pytest.mark.parametrize("seconds", [[-1.0], [1.0, -1e-3], [MAX_BUCKET_SECONDS], [1.0, 2 * MAX_BUCKET_SECONDS]])
def test_times_that_no_bucket_has_are_left_to_others(seconds: list[float]) -> None:
    with pytest.raises(NotSimpleError):
        count_quantiles(np.array(seconds))


# Tiers: each block takes 1 ms of the first, 10 ms of the second, and 100 ms of the drive, whose blocks it has.

class Asked(Drive):
    """A drive that remembers what it was asked for."""

    def __init__(self, env: simpy.Environment, capacity: int) -> None:
        super().__init__(env, FixedService(100 * MS, capacity=capacity))
        self.asked: list[Access] = []

    def start(self, access: Access) -> Request:
        self.asked.append(access)
        return super().start(access)


def tiered(env: simpy.Environment, *sizes: int, capacity: int = 100 * BLOCK) -> tuple[TieredDrive, Asked]:
    tiers = [Tier(size, seconds) for size, seconds in zip(sizes, (1 * MS, 10 * MS), strict=False)]
    stack = TierStack([TierBlocks(tier.blocks, Lru) for tier in tiers], Inclusion.EXCLUSIVE)
    drive = Asked(env, capacity)
    return TieredDrive(drive, BLOCK, 7, stack, [TierServer(env, tier) for tier in tiers]), drive


def test_reads_are_hits_late_hits_and_misses(env: simpy.Environment) -> None:
    """Two blocks are fetched at once; who asks meanwhile waits for them; then both are in the first tier."""
    drive, below = tiered(env, 4)
    first, late = drive(READ, Span(0, 2 * BLOCK)), drive(READ, Span(BLOCK, 1))
    env.run(late)
    assert env.now == pytest.approx(0.1)
    env.run(hit := drive(READ, Span(0, 2 * BLOCK)))
    assert env.now == pytest.approx(0.102)
    assert drive.reading() == {"hits": 1.0, "late_hits": 1.0, "misses": 1.0, "write_hits": 0.0, "write_late_hits": 0.0,
                               "write_misses": 0.0}  # fmt: skip
    assert [(each.op, each.span, each.account.name) for each in below.asked] == [(READ, Span(0, 2 * BLOCK), "tiers")]
    assert [(each.access.op, each.access.span, each.access.account is each.ledger) for each in (first, late, hit)] == [
        (READ, Span(0, 2 * BLOCK), True), (READ, Span(BLOCK, 1), True), (READ, Span(0, 2 * BLOCK), True)]  # fmt: skip
    assert hit.ledger is not None
    assert hit.ledger.name == "read"
    assert [part for part, *_ in hit.ledger.pieces] == [Phase.CACHE]
    assert drive.below == 2
    drive.check()


def test_what_is_on_its_way_is_waited_for_by_whoever_asks_for_any_of_it(env: simpy.Environment) -> None:
    drive, below = tiered(env, 4)
    for first in range(2):
        drive(READ, Span(first * BLOCK, (2 - first) * BLOCK))
    env.run()
    assert (drive.reading()["late_hits"], len(below.asked)) == (1.0, 1)
    assert drive._coming == {}


def test_blocks_before_those_that_are_on_their_way_are_there(env: simpy.Environment) -> None:
    drive, _ = tiered(env, 4)
    env.run(drive(READ, Span(0, BLOCK)))
    drive(READ, Span(2 * BLOCK, BLOCK))
    began = env.now
    env.run(drive(READ, Span(0, BLOCK)))
    assert env.now - began == pytest.approx(0.001)
    assert (drive.reading()["hits"], drive.reading()["late_hits"]) == (1.0, 0.0)


def test_a_byte_of_a_block_is_one_block(env: simpy.Environment) -> None:
    drive, below = tiered(env, 4)
    env.run(drive(READ, Span(BLOCK, 1)))
    env.run(drive(READ, Span(0, BLOCK + 1)))
    assert [each.span for each in below.asked] == [Span(BLOCK, BLOCK), Span(0, BLOCK)]


def test_a_write_goes_into_the_first_tier_and_through(env: simpy.Environment) -> None:
    drive, below = tiered(env, 2)
    env.run(drive(WRITE, Span(512, 100)))
    assert [(each.op, each.span, each.account.name) for each in below.asked] == [(WRITE, Span(512, 100), "tiers")]
    env.run(drive(WRITE, Span(512, 100)))
    env.run(drive(READ, Span(0, BLOCK)))
    reading = drive.reading()
    assert (reading["write_misses"], reading["write_hits"], reading["hits"], reading["misses"]) == (1.0, 1.0, 1.0, 0.0)
    drive._requests += 1
    with pytest.raises(LawBroken, match="requests to tiers"):
        drive.check()


def test_a_tier_serves_one_after_another(env: simpy.Environment) -> None:
    server = TierServer(env, Tier(4, 0.5))
    accounts = [Account(name) for name in "abc"]
    for account, blocks in zip(accounts, (2, 1, 4), strict=True):
        env.process(server.serve(blocks, account))
    env.run()
    assert env.now == 3.5
    assert (server.asked, server.busy, server.waited) == (3, 3.5, 1.0 + 1.5)
    assert [(each.seconds[Phase.QUEUE], each.seconds[Phase.CACHE], each.charges) for each in accounts] == [
        (0.0, 1.0, 1), (1.0, 0.5, 2), (1.5, 2.0, 2)]  # fmt: skip


def test_requests_of_far_more_blocks_than_there_are_requests_are_refused(env: simpy.Environment) -> None:
    """A first of one block, and a second of two million."""
    blocks = SimpleNamespace(numbers_in=lambda span: range(span.length // 512), size=512)
    cached = CachedDrive(SimpleNamespace(env=env, blocks=blocks, start=lambda access: access), 1 << 40)  # type: ignore[arg-type]
    cached(READ, Span(0, 512))
    with pytest.raises(UserError, match=r"^2 requests would be 2,097,153 references to blocks of 512 bytes"):
        cached(READ, Span(0, 1 << 30))


def test_no_drive_is_left_idle_unless_an_array_has_them_all() -> None:
    one = SimpleNamespace(raid=None, count=3)
    for used in (3, 4):
        check_used(one, used)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="3 leaves 1 idle: the trace has 2 devices"):
        check_used(one, 2)  # type: ignore[arg-type]
    for plan in (SimpleNamespace(raid="5", count=3), SimpleNamespace(raid=None, count=None)):
        check_used(plan, 1)  # type: ignore[arg-type]


def test_only_whole_blocks_of_a_drive_are_used(env: simpy.Environment) -> None:
    assert tiered(env, 1, capacity=3 * BLOCK + 512)[0].capacity == 3 * BLOCK


def test_devices_lie_on_so_many_drives_below_tiers_and_wrap_if_they_may(env: simpy.Environment) -> None:
    tiers = TierPlan([Tier(1, 1.0)], BLOCK, Inclusion.EXCLUSIVE)
    storage = TieredStorage(env, StoragePlan(DriveSheet(HP7933, None), Fcfs, count=1), tiers)
    assert storage.places["a"] is not None
    with pytest.raises(UserError, match="device 'b' is one more than the 1 drives"):
        storage.places["b"]
    wrapping = TieredStorage(env, StoragePlan(DriveSheet(HP7933, None), Fcfs, count=1, wrap=True), tiers)
    assert wrapping.places["a"] is not wrapping.places["b"]
    assert len(wrapping.caches) == 1
