"""Tests Kim's drive by hand: what a hit and a miss cost on the drive and in the host, what is counted, and its page."""

from dataclasses import replace
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import pytest
import simpy

from spindle.models.sata_ncq.fac_readings import longest, maxima
from spindle.models.sata_ncq.machine import (
    NEVER,
    PLACEMENTS,
    WRITING,
    Built,
    NcqDrivePlan,
    NcqOptions,
    _Link,
    build,
    in_host,
    moving_arm,
    on_drive,
    on_eviction,
    places,
)
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.run import HostResponses, _extras, _records, run
from spindle.models.sata_ncq.system import page
from spindle.models.sata_ncq.tags import Tags
from spindle.models.sata_ncq.weighed_time import ACCESS_TIMES, response, service
from spindle.sim.clock import PHASE_COUNT, Account, Ledger, Phase
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.planning import PlannedQueue
from spindle.sim.disc.scheduling import CLook, Sptf, Sstf, TaggedQueue
from spindle.sim.error import UserError
from spindle.sim.eviction.fac import DynamicMaximum, StaticMaximum
from spindle.sim.eviction.lru import Lru
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.parameter import change
from spindle.sim.request import READ, WRITE, Access, Hint, Op, Request, Span
from spindle.sim.terminal import Transaction
from spindle.sim.units import KIB, MIB, MINUTE, MS, Bytes
from spindle.traces.replay.storage import CachedDrive, CachePlan, write_through
from spindle.workloads.pc import LOADS
from spindle.workloads.traces.record import Record
from tests.models.sata_ncq.test_sata_tags import CYLINDER, DISC

COMMAND, LINK = 0.5, 4096.0
DRIVE = replace(DISC, overhead=COMMAND)
"""Ten cylinders of a track of 16 sectors, which takes 16 ms; a command takes half a second."""
SLOW = change(NcqParameters(), block=512, link=1e4)


def asked(built: Built, env: simpy.Environment, op: Op, first: int, length: int = 512) -> tuple[float, Request]:
    """The seconds of a request alone."""
    began, request = env.now, built.ask(op, Span(first, length))
    env.run(request)
    return env.now - began, request


def phases(request: Request) -> dict[str, float]:
    spent: dict[str, float] = {}
    for phase, begin, end in request.pieces():
        spent[phase.name.lower()] = spent.get(phase.name.lower(), 0.0) + end - begin
    return {name: pytest.approx(seconds) for name, seconds in spent.items() if seconds}


# What a request costs.

def test_on_the_drive_a_hit_is_the_command_and_the_link() -> None:
    env = simpy.Environment()
    options = NcqOptions(drive=DRIVE, policy=Lru)
    built = build(env, SLOW, options, 4 * 512, 32)
    missed, request = asked(built, env, READ, 3 * 512)
    assert phases(request)["overhead"] == COMMAND
    assert phases(request)["channel"] == 512 / 1e4
    arm = moving_arm(DRIVE)
    assert built.drive.mechanism is not arm
    assert missed > COMMAND + 512 / 1e4
    hit, request = asked(built, env, READ, 3 * 512)
    assert hit == pytest.approx(COMMAND + 512 / 1e4)
    assert phases(request) == {"overhead": COMMAND, "channel": 512 / 1e4}
    assert built.drive.reading()["overhead"] == 0.0, "the drive's own is that of the command"
    assert built.cache is not None
    counts = built.cache.reading()
    assert (counts["hits"], counts["misses"], counts["write_hits"]) == (1, 1, 0)


def test_in_the_host_a_hit_is_nothing_and_a_miss_a_command_of_the_drive() -> None:
    env = simpy.Environment()
    built = build(env, SLOW, NcqOptions(drive=DRIVE, policy=Lru, place=in_host), 4 * 512, 32)
    missed, request = asked(built, env, READ, 3 * 512)
    assert phases(request)["overhead"] == COMMAND
    assert "channel" not in phases(request)
    assert asked(built, env, READ, 3 * 512)[0] == 0.0
    assert built.drive.reading()["completed"] == 1
    assert missed > COMMAND


@pytest.mark.parametrize("place", [on_drive, in_host])
def test_without_a_cache_every_request_is_one_of_the_drive(place: Any) -> None:
    env = simpy.Environment()
    built = build(env, SLOW, NcqOptions(drive=DRIVE, place=place), 0, 1)
    assert built.cache is None
    for number in (1, 2):
        assert phases(asked(built, env, READ, 3 * 512)[1])["overhead"] == COMMAND
        assert built.drive.reading()["completed"] == number
    assert isinstance(built.drive.scheduler, TaggedQueue)
    assert set(built.machine(env).parts) == {"drive"}


def test_the_link_takes_a_while_a_command_and_by_the_byte() -> None:
    env, account = simpy.Environment(), Ledger("somebody")
    env.run(1.0)
    env.run(env.process(_Link(env, COMMAND, LINK).spend(8192, account)))
    assert env.now == 3.5
    assert account.pieces == [(Phase.OVERHEAD, 1.0, 1.5), (Phase.CHANNEL, 1.5, 3.5)]


def test_dirty_blocks_stay_until_they_are_evicted_or_are_written_through() -> None:
    env = simpy.Environment()
    for write, writes in ((on_eviction, 0), (write_through, 1)):
        built = build(env, SLOW, NcqOptions(drive=DRIVE, policy=Lru, write=write), 4 * 512, 32)
        asked(built, env, WRITE, 0)
        env.run(env.now + 3600.0)
        assert built.drive.reading()["writes"] == writes
        if write is on_eviction:
            for number in range(1, 5):
                asked(built, env, WRITE, number * 512)
            assert built.drive.reading()["writes"] == 1
    kept = on_eviction(1000)
    assert (kept._period, kept._expiry, kept._background, kept._limit) == (NEVER, NEVER, 1000, 1000)  # type: ignore[attr-defined]
    assert NEVER == 3.6e9
    assert {"drive": on_drive, "host": in_host} == PLACEMENTS
    assert {"back": on_eviction, "through": write_through} == WRITING


# What it is built of.

def plan(**given: Any) -> NcqDrivePlan:
    cache = CachePlan(4 * 512, 512, Lru, on_eviction)
    return replace(NcqDrivePlan(DRIVE, CLook, 3, 0.25, 1, LINK, cache, service), **given)


def test_the_firmware_chooses_the_nearest_and_may_plan_ahead() -> None:
    chosen = plan().firmware()
    assert isinstance(chosen, Sptf)
    assert chosen._ageing == 0.25
    ahead = plan(ahead=3).firmware()
    assert isinstance(ahead, PlannedQueue)
    assert (ahead._ahead, type(ahead._choice)) == (3, Sptf)
    assert ahead._choice._ageing == 0.25  # type: ignore[attr-defined]
    assert isinstance(plan(ahead=2).firmware(), PlannedQueue)


def test_tags_are_those_of_the_plan_and_who_waits_is_chosen_by_the_host() -> None:
    env = simpy.Environment()
    built = on_drive(env, plan())
    assert isinstance(built.ask, Tags)
    assert (built.ask._free, type(built.ask._host), built.ask._drive) == (3, CLook, built.drive)
    assert isinstance(built.drive.scheduler, Sptf)
    assert built.ask._account.name == "host"
    assert isinstance(built.cache, CachedDrive)
    assert set(built.machine(env).parts) == {"drive", "cache"}
    host = in_host(env, plan(host=Sstf))
    queue = host.drive.scheduler
    assert isinstance(queue, TaggedQueue)
    assert (type(queue._host), type(queue._drive), queue._depth) == (Sstf, Sptf, 3)
    assert host.ask is host.cache


def test_arms_are_made_once_and_have_no_buffer() -> None:
    assert moving_arm(DRIVE) is moving_arm(DRIVE) is not moving_arm(DISC)
    assert moving_arm(DRIVE).disc == replace(DRIVE, buffer=None)


def test_devices_lie_on_whole_blocks_of_the_one_drive() -> None:
    """160 sectors of half a KB are 53 blocks of three and a sector; a second device begins at another block."""
    env = simpy.Environment()
    built = build(env, change(SLOW, block=1536), NcqOptions(drive=DRIVE, policy=Lru), 4 * 1536, 32)
    assert isinstance(built.cache, CachedDrive)
    assert (built.cache.cache.blocks.size, built.cache.extent.length) == (1536, 159 * 512)
    of = places(built, 1536)
    first, second = of["first"], of["second"]
    assert (first._ask, first._capacity, first._offset) == (built.ask, 159 * 512, 0)
    assert (second._ask, second._capacity, second._offset) == (built.ask, 159 * 512, int(0.618034 * 53) * 1536)


@pytest.mark.parametrize(("depth", "cache", "message"), [
    (0, 0, "depth must be 1, which is no NCQ, or up to 32, the tags that SATA has, not 0"), (33, 0, "not 33"),
    (1, -1, "cache must be a number of bytes, 0 for none, not -1"),
])  # fmt: skip
def test_what_cannot_be_built(depth: int, cache: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        build(simpy.Environment(), SLOW, NcqOptions(drive=DRIVE), cache, depth)
    for allowed in (1, 32):
        assert build(simpy.Environment(), SLOW, NcqOptions(drive=DRIVE), 0, allowed)


# The time by which a block is weighed.

def test_an_access_is_weighed_by_its_service_or_by_its_wait_as_well() -> None:
    env = simpy.Environment()
    drive, account = Drive(env, DRIVE), Account("somebody")
    assert {"service": service, "wait": response} == ACCESS_TIMES
    assert service(drive) is drive
    waiting = response(drive)
    first, second = (waiting.start(Access(READ, Span(at, 512), Span(at, 512), None, Hint.NONE, False, account))
                     for at in (0, 9 * CYLINDER))
    env.run(first)
    alone = env.now
    assert first.cost() == pytest.approx(alone)
    env.run(second)
    assert second.cost() == pytest.approx(env.now), "the wait for the first and its own service"
    assert second.value.total == pytest.approx(env.now - alone)
    for op, wait in ((READ, waiting.read), (WRITE, waiting.write)):
        began, done = env.now, drive.reading()[f"{op.value}s"]
        env.run(env.process(wait(Access(op, Span(0, 512), Span(0, 512), None, Hint.NONE, False, account))))
        assert (env.now > began, drive.reading()[f"{op.value}s"]) == (True, done + 1)
    passed = list[tuple[str, Span]]()
    drive.discard = lambda span: passed.append(("discard", span))  # type: ignore[method-assign]
    drive.flush = lambda span: iter([passed.append(("flush", span))])  # type: ignore[method-assign, assignment]
    waiting.discard(Span(0, 512))
    list(waiting.flush(Span(512, 512)))
    assert passed == [("discard", Span(0, 512)), ("flush", Span(512, 512))]


def test_maxima_of_a_disc() -> None:
    assert longest(DRIVE) == pytest.approx(COMMAND + DRIVE.seek(9) + 60 / 3750)
    found = {name: make() for name, make in maxima(DRIVE).items()}
    assert list(found) == ["static", "dynamic", "dynamic, of all"]
    assert [type(maximum) for maximum in found.values()] == [StaticMaximum, DynamicMaximum, DynamicMaximum]


# A host's responses.

class Rows:
    def __init__(self) -> None:
        self.rows: list[tuple[Transaction, int]] = []

    def record(self, row: Transaction, charges: int) -> None:
        self.rows.append((row, charges))


def test_responses_are_recorded_with_their_phases_and_kept_by_kind_from_a_start() -> None:
    env, log = simpy.Environment(), Rows()
    drive, account = Drive(env, DRIVE), Account("host")
    responses = HostResponses(2 * COMMAND)
    done = responses.callback(log)
    for number, op in enumerate((READ, WRITE, READ, READ)):
        span = Span(number * CYLINDER, 512)
        request = drive.start(Access(op, span, span, None, Hint.NONE, False, account))
        env.run(request)
        done(Record(0.0, "", op, span.first, 512), request)
    assert [(row.terminal, row.name) for row, _ in log.rows] == [
        ("host", "read"), ("host", "write"), ("host", "read"), ("host", "read")]  # fmt: skip
    for row, charges in log.rows:
        assert (row.responded, len(row.phases)) == (row.ended, PHASE_COUNT)
        assert sum(row.phases) == pytest.approx(row.ended - row.began)
        assert row.phases[Phase.OVERHEAD] == pytest.approx(COMMAND)
        assert charges >= 3
    assert [row.began for row, _ in log.rows[1:]] == [row.ended for row, _ in log.rows[:-1]]
    times = [row.ended - row.began for row, _ in log.rows]
    found = responses.by_kind()
    assert list(found) == ["reads", "read_mean", "read_median", "read_p95", "writes", "write_mean", "write_median",
                           "write_p95"]  # fmt: skip
    assert (responses.count, found["reads"], found["writes"]) == (4, 2, 1)
    assert found["read_mean"] == pytest.approx((times[2] + times[3]) / 2)
    assert found["write_mean"] == pytest.approx(times[1])
    assert found["read_median"] == pytest.approx(min(times[2:]), rel=2e-3)
    assert found["read_p95"] == pytest.approx(max(times[2:]), rel=2e-3)


def test_a_response_at_the_start_counts_and_none_has_no_mean() -> None:
    env = simpy.Environment()
    drive, span = Drive(env, DRIVE), Span(0, 512)
    request = drive.start(Access(READ, span, span, None, Hint.NONE, False, Account("host")))
    env.run(request)
    for start, reads in ((env.now, 1.0), (env.now + 1e-9, 0.0)):
        responses = HostResponses(start)
        responses.callback(Rows())(Record(0.0, "", READ, 0, 512), request)
        found = responses.by_kind()
        assert (found["reads"], found["writes"], responses.count) == (reads, 0.0, 1)
        assert isnan(found["write_mean"])
        assert isnan(found["read_mean"]) == (not reads)


COUNTERS = {
    "drive.completed": 4.0, "drive.overhead": 1.0, "drive.seek": 2.0, "drive.rotation": 4.0, "drive.transfer": 8.0,
    "drive.queue": 6.0, "drive.busy": 5.0, "cache.hits": 3.0, "cache.late_hits": 2.0, "cache.misses": 5.0,
    "cache.write_hits": 7.0, "cache.write_late_hits": 1.0, "cache.write_misses": 2.0, "cache.written_back": 9.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def short() -> Result:
    return run(requests=20, cache=Bytes(64 * KIB))


def test_measures_of_a_run(short: Result) -> None:
    result = replace(short, counters=COUNTERS, start=10.0, end=30.0)
    found = _extras(result, HostResponses(0.0))
    kinds = HostResponses(0.0).by_kind()
    assert {name: value for name, value in found.items() if name not in kinds} == {
        "total_service": short.recorder.total, "makespan": 20.0, "hit_ratio": 10 / 20, "read_hit_ratio": 3 / 10,
        "write_hit_ratio": 7 / 10, "late_hit_ratio": 3 / 20, "disc_busy": 5 / 20, "disc_accesses": 4.0,
        "service_mean": 15 / 4, "disc_queue_mean": 6 / 4, "written_back": 9.0}  # fmt: skip
    assert set(kinds) < set(found)
    nothing = _extras(replace(result, counters={}), HostResponses(0.0))
    assert (nothing["disc_accesses"], nothing["written_back"], nothing["disc_busy"]) == (0.0, 0.0, 0.0)
    assert all(isnan(nothing[name]) for name in ("hit_ratio", "read_hit_ratio", "service_mean", "disc_queue_mean"))


@pytest.mark.parametrize(("asked_for", "said"), [
    ({}, {"under_way": 32}), ({"under_way": 4}, {"under_way": 4}), ({"timed": True}, {"timed": True}),
])  # fmt: skip
def test_a_result_says_what_was_asked(asked_for: dict[str, Any], said: dict[str, Any]) -> None:
    result = run(requests=20, cache=Bytes(64 * KIB), depth=4, seed=7, gap=0.5, **asked_for)
    assert result.parameters == {"trace": "pcfat32", "requests": 20, "cache": 64 * KIB, "depth": 4, **said, "gap": 0.5}
    assert (result.system, result.seed, result.start) == ("sata_ncq", 7, 0.0)


def test_a_load_is_drawn_from_the_seed() -> None:
    one, same, other = (run(requests=20, cache=Bytes(64 * KIB), seed=seed).extras for seed in (1, 1, 2))
    assert one == same != other


def test_a_warm_up_is_in_minutes() -> None:
    result = run(requests=200, cache=Bytes(64 * KIB), timed=True, warm_up=0.05)
    assert result.start == 0.05 * MINUTE
    for warm_up in (-1e-9, nan, 1e9, inf):
        with pytest.raises(UserError, match="warm_up must be minutes, and not negative, not"):
            run(requests=20, warm_up=warm_up)


def test_a_trace_is_read_so_far_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [f"{number}.0,{8 * number},8,R" for number in range(6)]
    path.write_text("\n".join(["time_s,lba_512,sectors,op", *rows, ""]))
    assert [each.time for each in _records(path, "", NcqParameters(), 1, 4)] == [0.0, 1.0, 2.0, 3.0]
    result = run(path, requests=4, cache=Bytes(64 * KIB))
    assert (result.parameters["requests"], result.parameters["trace"], result.extras["reads"]) == (4, "mine.csv", 4.0)
    assert run(path, "nonsense", 6, cache=Bytes(64 * KIB)).parameters["requests"] == 6, "of a file no load is asked for"


def test_the_share_of_a_run_is_that_of_its_requests() -> None:
    told: list[float] = []
    run(requests=100, cache=Bytes(64 * KIB), watch=lambda now, end: told.append(now / end if end else 0.0))
    assert told
    assert all(0.0 <= share <= 1.0 for share in told)
    assert max(told) > 0.9


def test_a_load_has_the_numbers_of_its_parameters() -> None:
    """Each goes to the field of its name, and the load's own share of random requests stays."""
    names = ("reads", "hot_places", "hot_uses", "once", "skew", "file", "span", "gap", "calm", "burst", "busy_rare",
             "busy_40", "busy_60", "busy_80", "phases")  # fmt: skip
    values = {name: getattr(NcqParameters(), name) for name in names}
    changed = {name: value + number if isinstance(value, int) else value * (1.0 - 0.01 * number)
               for number, (name, value) in enumerate(values.items(), 1)}  # fmt: skip
    for name in LOADS:
        load = change(NcqParameters(), **changed).load(name)
        assert {field: getattr(load, field) for field in names} == changed
        assert load.random == LOADS[name].random


# The page.

EXTRAS = {
    "total_service": 12.3456, "makespan": 7.0, "reads": 1234.0, "writes": 5.0, "read_mean": 0.010, "read_median": 0.009,
    "read_p95": 0.020, "write_mean": nan, "write_median": nan, "write_p95": inf, "hit_ratio": 0.25,
    "read_hit_ratio": 0.5, "write_hit_ratio": nan, "late_hit_ratio": 0.0625, "written_back": 4321.0,
    "disc_accesses": 1000.0, "service_mean": 0.0055, "disc_queue_mean": 0.0123, "disc_busy": 0.875,
}  # fmt: skip


def recorded(*spent: tuple[float, float]) -> Recorder:
    """Responses of so many seconds of seeking and of waiting in the queue."""
    recorder = Recorder()
    for number, (seek, queue) in enumerate(spent):
        parts = [0.0] * PHASE_COUNT
        parts[Phase.SEEK], parts[Phase.WRITE_WAIT] = seek, queue
        recorder.record(Transaction("host", "read", number, number + seek + queue, 9.0, tuple(parts)), 9)
    return recorder


def shown(short: Result, recorder: Recorder, parameters: dict[str, Any] | None = None, **changed: float) -> list[str]:
    given = parameters or {"trace": "mine", "cache": 2 * MIB, "under_way": 4, "timed": False, "warm_up": 1.5,
                           "link": 3e6}  # fmt: skip
    return page(replace(short, extras={**EXTRAS, **changed}, parameters=given, seed=9, recorder=recorder)).splitlines()


def test_the_page_line_by_line(short: Result) -> None:
    """A mean response of 5 ms, of which 3 are seeking: of 34 marks that are 20.4, and 13.6 for the rest."""
    lines = shown(short, recorded((3 * MS, 2 * MS), (3 * MS, 2 * MS)))
    assert lines == [
        "mine: cache of 2 MiB, under way 4, timed false, warm up 1.5 min, link 3 MB/s, seed 9",
        "total service time 12.346 s, in 7.000 s",
        "",
        "response, ms    requests      mean    median       p95",
        "reads              1,234    10.000     9.000    20.000",
        "writes                 5         -         -         -",
        "all                    2     5.000     5.000     5.000",
        "",
        "hits: 50.00 % of reads, - of writes, 25.00 % of all; late hits 6.25 %",
        "blocks written back: 4,321",
        "disc accesses: 1,000, service 5.500 ms, queue 12.300 ms; busy 87.50 %",
        "",
        "where the mean response goes, ms",
        f"    write wait      2.0000  {'#' * 14}",
        f"          seek      3.0000  {'#' * 20}",
    ]


def test_the_page_leaves_out_what_there_was_not(short: Result) -> None:
    """No cache, no access of the disc; of two phases one is half a percent, and the other just less."""
    lines = shown(short, recorded((0.995, 0.005)), {"trace": "mine", "cache": 0, "depth": 1}, hit_ratio=nan,
                  disc_accesses=0.0)  # fmt: skip
    assert lines[0] == "mine: no cache, depth 1, seed 9"
    assert lines[7:9] == ["", "no disc accesses"]
    assert [line.split()[0] for line in lines[11:]] == ["write", "seek"]
    assert len(shown(short, recorded((0.996, 0.004)))) == 14
    assert shown(short, recorded((0.0, 0.0)))[-1] == "every request was answered in no time"


def test_a_parameter_beyond_its_bounds_is_refused() -> None:
    with pytest.raises(UserError, match="block"):
        NcqParameters(block=-1)
