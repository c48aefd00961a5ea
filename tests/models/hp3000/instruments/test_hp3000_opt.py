"""Tests the log of OPT (HP's performance tool): an interval by hand, pages and tables, and sums in whole runs."""

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import simpy

from spindle.models.hp3000.caching.control import CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.instruments.monitor import TepeMonitor
from spindle.models.hp3000.instruments.opt import OptInstant, OptInterval, OptLog, bar, moment, page
from spindle.models.hp3000.memory import SegmentKind
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Window
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import Result
from spindle.sim.memory import SharedMemory
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken
from spindle.sim.units import KIB, MIB, MS
from tests.models.hp3000.memory.test_hp3000_segments import Bench as SegmentBench

COUNTERS: Mapping[str, float] = {
    "cpu.busy_cpu": 18.0, "cpu.busy_interrupt": 3.0, "cpu.busy_manager": 1.5, "cpu.busy_cache": 0.0,
    "cpu.bursts": 5000.0, "dispatcher.paused_disc": 27.0, "dispatcher.paused_swap": 0.0, "dispatcher.idle": 10.5,
    "dispatcher.disc_stops": 1200.0, "desk.inquiries": 600.0, "desk.responses": 590.0,
    "desk.logged_on_seconds": 600.0, "desk.waiting_seconds": 90.0, "data_base.lock_impedes": 1200.0,
    "data_base.lock_held": 45.0, "data_base.calls": 3000.0, "data_base.block_reads": 900.0,
    "data_base.buffer_hits": 2700.0, "segments.faults": 60.0, "segments.swap_writes": 30.0,
    "segments.code_byte_seconds": 60.0 * 512 * KIB,
    "segments.stack_byte_seconds": 60.0 * MIB, "segments.extra_data_byte_seconds": 60.0 * MIB,
    "memory.used_seconds": 60.0 * (2 * MIB + 512 * KIB),
    "drive1.reads": 600.0, "drive1.writes": 0.0, "drive1.busy": 30.0, "drive1.number_seconds": 60.0,
    "drive1.bytes_read": 600.0 * KIB, "drive1.bytes_written": 0.0,
    "drive2.reads": 0.0, "drive2.writes": 0.0, "drive2.busy": 0.0, "drive2.number_seconds": 0.0,
    "drive2.bytes_read": 0.0, "drive2.bytes_written": 0.0,
}  # fmt: skip
MOMENT = OptInstant(
    {"CLERKS 1": 24 * KIB, "CLERKS 2": 40 * KIB}, {SegmentKind.CODE: 4, SegmentKind.STACK: 2, SegmentKind.DATA: 3},
    {SegmentKind.CODE: 5, SegmentKind.STACK: 2, SegmentKind.DATA: 6}, None,
)  # fmt: skip
COSTS = change(MpeParameters(), memory=4 * MIB, resident=1 * MIB, discs=2, channels=1, dispatch=1 * MS)
MINUTE_SIX = OptInterval(300.0, 360.0, COUNTERS, MOMENT, COSTS)
CACHED = OptInterval(300.0, 360.0, {
    **COUNTERS, "cpu.busy_cache": 6.0, "dispatcher.idle": 4.5, "memory.used_seconds": 60.0 * (2 * MIB + 768 * KIB),
    "drive2.writes": 300.0, "drive2.busy": 6.0, "drive2.number_seconds": 30.0, "drive2.bytes_written": 900.0 * KIB,
    "cache1.hits": 300.0, "cache1.late_hits": 60.0, "cache1.misses": 60.0, "cache1.writes": 180.0,
    "cache1.write_hits": 90.0, "cache1.stops": 240.0, "cache1.fetches": 120.0, "cache1.domain_seconds": 600.0,
    "cache1.byte_seconds": 60.0 * 256 * KIB, "cache1.overhead_byte_seconds": 60.0 * 64 * KIB,
    "posting.posted": 180.0, "posting.pending_seconds": 30.0,
}, replace(MOMENT, settings=CacheSettings(2 * KIB, 16 * KIB, WriteMode(block=True))), COSTS)  # fmt: skip
"""The same minute with the first disc cached, which adds 6 s of CPU, and writes to the second."""


# By hand ------------------------------------------------------------------------------------------


def test_the_states_of_the_cpu() -> None:
    assert MINUTE_SIX.cpu() == pytest.approx({
        "processes": 0.25, "dispatching": 0.10, "memory_manager": 0.025, "cache_manager": 0.0,
        "paused_disc": 0.45, "paused_swap": 0.0, "idle": 0.175,
    })  # fmt: skip
    MINUTE_SIX.check()
    slow = replace(MINUTE_SIX, costs=change(COSTS, dispatch=100 * MS)).cpu()
    assert (slow["processes"], slow["dispatching"]) == (0.0, pytest.approx(0.35)), "no more than was worked"


def test_an_interval_that_contradicts_itself_is_refused() -> None:
    for counter, law in (("dispatcher.idle", "states of the CPU"), ("memory.used_seconds", "kinds of region")):
        wrong = OptInterval(300.0, 360.0, {**COUNTERS, counter: COUNTERS[counter] + 0.1 * KIB}, MOMENT, COSTS)
        with pytest.raises(LawBroken, match=f"^OPT: {law}"):
            wrong.check()


def test_each_ldev_and_all_of_them() -> None:
    one, two = MINUTE_SIX.ldevs()
    assert one == pytest.approx({
        "reads": 10.0, "writes": 0.0, "busy": 0.5, "queue": 1.0, "service_ms": 50.0, "response_ms": 100.0,
        "bytes": 10.0 * KIB,
    })  # fmt: skip
    assert two["busy"] == 0.0
    assert isnan(two["service_ms"])
    assert MINUTE_SIX.discs() == pytest.approx({**one, "busy": 0.25})


def test_memory_stops_and_tables() -> None:
    assert MINUTE_SIX.memory() == pytest.approx({
        "mpe": MIB, "code": 512 * KIB, "stack": MIB, "extra_data": MIB, "cache_domains": 0.0, "free": 512 * KIB,
    })  # fmt: skip
    assert MINUTE_SIX.stops() == {"disc": 20.0, "cache": 0, "absence": 1.0, "impede": 20.0}
    assert MINUTE_SIX.tables() == pytest.approx({
        "sessions": 10.0, "inquiries": 1.5, "disc_requests": 1.0, "code_segments": 4, "stack_segments": 2,
        "extra_data_segments": 3, "cache_domains": 0, "posts": 0.0,
    })  # fmt: skip


def test_the_bar_is_as_wide_as_it_should_be_however_shares_are_rounded() -> None:
    shares = dict.fromkeys(("processes", "dispatching", "memory_manager", "cache_manager", "paused_disc"), 0.0)
    assert bar({**shares, "paused_swap": 0.0, "idle": 1.0}, 10) == " " * 10
    assert bar({**MINUTE_SIX.cpu()}, 20) == "PPPPPDDM========    "
    thirds = {**shares, "processes": 1 / 3, "paused_swap": 1 / 3, "idle": 1 / 3}
    assert [len(bar(thirds, width)) for width in range(1, 30)] == list(range(1, 30))


def test_the_page() -> None:
    assert page(6, MINUTE_SIX) == """\
OPT LOG, interval 6                                          minute 5.00 to 6.00
================================================================================

CPU  processes   dispatch    mem mgr  cache mgr disc pause swap pause       idle
%     P   25.0   D   10.0   M    2.5   C    0.0   =   45.0   ~    0.0       17.5
|PPPPPPPPPPPPPPPPPPPPDDDDDDDMM===================================              |

STOPS/s       disc 20.0, cache 0.0, absence 1.0, impede 20.0, all 41.0
DISC I/O/s    users 20.0, fetches 0.0, posts 0.0, manager 1.5, all 21.5
DATA BASE     calls/s 50.0, reads/s 15.0, in a buffer 75%, lock held 75%

LDEV     reads/s  writes/s K-bytes/s    busy %     queue   service  response
   1       10.00      0.00      10.0      50.0      1.00      50.0     100.0
   2        0.00      0.00       0.0       0.0      0.00         -         -
 all       10.00      0.00      10.0      25.0      1.00      50.0     100.0

MEMORY            MPE       code     stacks extra data    domains       free
K-bytes          1024        512       1024       1024          0        512

TABLES      sessions inquiries disc reqs     posts code segs    stacks data segs
in use          10.0       1.5       1.0       0.0       4/5       2/2       3/6

WORKING SETS  2 processes, mean 32 K-bytes, largest CLERKS 2 40"""


def test_all_numbers_of_a_minute_with_caching() -> None:
    """600 requests of the cache, of them 420 reads, and 300 accesses to its disc; the drives make 900 of 90 s."""
    assert CACHED.row() == pytest.approx({
        "since": 300.0, "until": 360.0, "responses": 59 / 6,
        "cpu_processes": 0.25, "cpu_dispatching": 0.1, "cpu_memory_manager": 0.025, "cpu_cache_manager": 0.1,
        "cpu_paused_disc": 0.45, "cpu_paused_swap": 0.0, "cpu_idle": 0.075,
        "stops_disc": 20.0, "stops_cache": 4.0, "stops_absence": 1.0, "stops_impede": 20.0,
        "disc_reads": 10.0, "disc_writes": 5.0, "disc_busy": 0.3, "disc_queue": 1.5, "disc_service_ms": 40.0,
        "disc_response_ms": 100.0, "disc_bytes": 25.0 * KIB,
        "disc_for_users": 20.0, "disc_for_fetches": 2.0, "disc_for_posts": 3.0, "disc_for_manager": 1.5,
        "memory_mpe": MIB, "memory_code": 512 * KIB, "memory_stack": MIB, "memory_extra_data": MIB,
        "memory_cache_domains": 256 * KIB, "memory_free": 256 * KIB,
        "table_sessions": 10.0, "table_inquiries": 1.5, "table_disc_requests": 1.5, "table_code_segments": 4.0,
        "table_stack_segments": 2.0, "table_extra_data_segments": 3.0, "table_cache_domains": 10.0, "table_posts": 0.5,
        "data_base_calls": 50.0, "data_base_block_reads": 15.0, "data_base_lock_held": 0.75,
        "data_base_buffer_hits": 0.75, "cache_requests": 10.0, "cache_read_hit": 5 / 7, "cache_write_hit": 0.5,
        "cache_read_share": 0.7, "cache_eliminated": 0.5,
    })  # fmt: skip
    CACHED.check()
    assert [name for name in CACHED.row() if name not in MINUTE_SIX.row()] == [
        f"cache_{name}" for name in ("requests", "read_hit", "write_hit", "read_share", "eliminated")]  # fmt: skip


def test_a_page_ends_with_the_operators_table() -> None:
    before, _, table = page(1, CACHED).partition("\n\nSHOWCACHE\n")
    assert before.endswith("largest CLERKS 2 40")
    assert table.splitlines()[2:] == [
        "     1       600     71     50     70      240      256       6       10",
        " Total       600     71     50     70      240      256       6       10",
        "", "   50% OF USER I/OS ELIMINATED", "  DATA OVERHEAD IS 64K BYTES",
        "  SEQUENTIAL FETCH QUANTUM IS 64 SECTORS", "  RANDOM FETCH QUANTUM IS 8 SECTORS", "  BLOCK ON WRITE = YES",
    ]  # fmt: skip
    assert "   2        0.00      5.00      15.0      10.0      0.50      20.0     100.0\n" in before


def test_rows_of_discs_and_of_working_sets(tmp_path: Path) -> None:
    log = OptLog(COSTS)
    log.intervals = [MINUTE_SIX, CACHED]
    disc = {"reads": 0.0, "writes": 5.0, "busy": 0.1, "queue": 0.5, "service_ms": 20.0, "response_ms": 100.0,
            "bytes": 15.0 * KIB}  # fmt: skip
    assert [(row["since"], row["until"], row["ldev"]) for row in log.ldev_rows()] == [
        (300.0, 360.0, number) for number in (1, 2, 1, 2)]  # fmt: skip
    assert log.ldev_rows()[3] == pytest.approx({"since": 300.0, "until": 360.0, "ldev": 2, **disc})
    sets = [("CLERKS 1", 24 * KIB), ("CLERKS 2", 40 * KIB)]
    assert log.working_set_rows() == [{"until": 360.0, "process": name, "bytes": size} for name, size in sets * 2]
    assert log.rows() == [MINUTE_SIX.row(), CACHED.row()]
    log.intervals = [MINUTE_SIX]
    log.write(tmp_path / "log.csv")
    files = {file.name: file.read_bytes().decode().split("\n") for file in tmp_path.iterdir()}
    assert set(files) == {"log.csv", "log_global.csv", "log_ldevs.csv", "log_working_sets.csv"}
    assert files["log_working_sets.csv"] == [
        "until,process,bytes", "360.0,CLERKS 1,24576", "360.0,CLERKS 2,40960", ""]  # fmt: skip
    assert files["log.csv"] == files["log_global.csv"]
    assert files["log.csv"][0] == ",".join(MINUTE_SIX.row())


def test_of_no_process_there_is_no_largest_working_set() -> None:
    nobody = replace(MINUTE_SIX, moment=replace(MOMENT, working_sets={}))
    assert page(1, nobody).endswith("\n\nWORKING SETS  0 processes, mean 0 K-bytes")


def test_the_state_at_an_instant(env: simpy.Environment) -> None:
    """Of two processes' stacks one is in memory, of the data of the one nothing; code and tables have no owner."""
    bench = SegmentBench(env)
    stacks = [bench.manager.stack("ONE", 4 * KIB), bench.manager.stack("OTHER", 8 * KIB)]
    bench.manager.data("data of ONE", KIB, "ONE")
    for segment in (stacks[0], bench.manager.data("tables", KIB), *bench.manager.code("PROGRAM", 2, KIB)):
        bench.needs(segment, "somebody")
    bench.run()
    machine = Machine(env, {"segments": bench.manager})
    kinds = SegmentKind.CODE, SegmentKind.STACK, SegmentKind.DATA
    expected = OptInstant({"ONE": 4 * KIB, "OTHER": 0}, dict(zip(kinds, (2, 1, 1), strict=True)),
                          dict(zip(kinds, (2, 2, 2), strict=True)), None)  # fmt: skip
    assert moment(machine) == expected
    costs, control = CacheCosts(1 * MS, 1 * MS, 1 * MS, 2), Control(env, CacheSettings(KIB))
    machine.parts["cache1"] = DiscCache(env, bench.drive, bench.cpu, bench.memory, costs, control)
    assert moment(machine) == replace(expected, settings=CacheSettings(KIB))


# On a machine that idles --------------------------------------------------------------------------


@pytest.fixture
def idle(env: simpy.Environment) -> Machine:
    """A machine of the parameters that does nothing, in which nothing is in memory."""
    bench = SegmentBench(env)
    machine = Machine(env, {"segments": bench.manager, "memory": SharedMemory(env, COSTS.available, Lru()),
                            "drive1": bench.drive, "drive2": bench.drive})  # fmt: skip
    machine.reading = lambda: dict.fromkeys(COUNTERS, 0.0) | {  # type: ignore[method-assign]
        "dispatcher.idle": env.now, "cpu.bursts": env.now}  # fmt: skip
    return machine


@pytest.mark.parametrize(("start", "ends"), [(0.9, [0.9, 1.4, 1.9, 2.3]), (0.0, [0.0, 0.5, 1.0, 1.5, 2.0, 2.3])])
def test_a_machine_is_looked_at_when_an_interval_is_over(
    env: simpy.Environment, idle: Machine, start: float, ends: list[float]
) -> None:
    """Each half of a second, however often the run asks; in binary fractions (1.4 - 0.9) / 0.5 is less than 1."""
    log = OptLog(COSTS, 0.5)
    log.attend(idle, None, Window(start, 2.3))  # type: ignore[arg-type]
    for tenth in range(1, 24):
        env.run(tenth / 10)
        log.progress(tenth / 10, 2.3)
    assert [each.since for each in log.intervals] == pytest.approx(ends[:-1])
    assert [each.until for each in log.intervals] == pytest.approx(ends[1:])
    assert [each.counters["dispatcher.idle"] for each in log.intervals] == [each.seconds for each in log.intervals]


def test_a_machine_that_contradicts_itself_ends_the_run(env: simpy.Environment, idle: Machine) -> None:
    log = OptLog(COSTS, 0.5)
    log.attend(idle, None, Window(0.0, 1.0))  # type: ignore[arg-type]
    env.run(0.5)
    idle.reading = lambda: dict.fromkeys(COUNTERS, 0.0) | {"cpu.bursts": 1.0}  # type: ignore[method-assign]
    with pytest.raises(LawBroken, match="states of the CPU"):
        log.progress(0.5, 1.0)


# In runs ------------------------------------------------------------------------------------------

LOAD: Mapping[str, Any] = {
    "terminals": 13, "clerks": 10, "minutes": 2.5, "warm_up": 1.0, "think_scale": 0.5, "seed": 5,
}  # fmt: skip


SMALL: Mapping[str, Any] = {"discs": 1, "channels": 1, "set_bytes": 64 * KIB}


def parameters(caching: bool) -> dict[str, Any]:
    return {"memory": 2 * MIB, "discs": 2, "channels": 1} if caching else {"discs": 2, "channels": 1}


Logged = Mapping[bool, tuple[OptLog, Result]]


@pytest.fixture(scope="module")
def logged() -> Logged:
    """With caching in a memory that is too small, and without."""
    runs = {}
    for caching in (False, True):
        given = parameters(caching)
        log = OptLog(change(MpeParameters(), **given))
        watch = Observers(TepeMonitor(), log)
        runs[caching] = log, run(caching=caching, interval=log.interval, watch=watch, **LOAD, **given)
    return runs


def test_a_run_of_two_people_is_logged_to_its_end() -> None:
    """From 0.6 to 2.4 s, looked at each half of a second, and not while there is nothing to compare with."""
    log = OptLog(change(MpeParameters(), **SMALL), 0.5)
    result = run(2, 1, minutes=0.03, warm_up=0.01, interval=0.5, watch=log, **SMALL)
    assert [each.since for each in log.intervals] == pytest.approx([0.6, 1.1, 1.6, 2.1])
    assert [each.until for each in log.intervals] == pytest.approx([1.1, 1.6, 2.1, 2.4])
    log.progress(result.end, result.end)  # the same instant again
    assert len(log.intervals) == 4
    with pytest.raises(UserError, match="an OPT log is of one run"):
        run(2, 1, minutes=0.1, watch=log, **SMALL)
    names = ("cpu.busy", "drive1.reads", "memory.used_seconds", "desk.logged_on_seconds")
    assert [sum(each.counters[name] for each in log.intervals) for name in names] == pytest.approx(
        [result.counters[name] for name in names])  # fmt: skip
    assert set(log.intervals[0].moment.working_sets) == {"CLERKS 1", "FORTRAN 1"}
    assert log.intervals[0].costs.discs == 1
    for other in ({"memory": 4 * MIB}, {"discs": 2}):
        with pytest.raises(UserError, match=f"for a machine with .* and {other.get('discs', 1)} discs, not for one"):
            run(2, 1, minutes=0.1, watch=OptLog(change(MpeParameters(), **{**SMALL, **other})), **SMALL)


@pytest.mark.parametrize("caching", [False, True])
def test_intervals_are_of_a_minute_and_add_up_to_the_run(logged: Logged, caching: bool) -> None:
    log, result = logged[caching]
    assert [(each.since, each.until) for each in log.intervals] == [(60.0, 120.0), (120.0, 180.0), (180.0, 210.0)]
    assert [each.counters for each in log.intervals] == [
        {name: value for name, value in each.items() if name != "until"} for each in result.intervals
    ]
    for name in ("drive1.reads", "dispatcher.paused_disc", "data_base.calls"):
        assert sum(each.counters[name] for each in log.intervals) == pytest.approx(result.counters[name])


@pytest.mark.parametrize("caching", [False, True])
def test_parts_add_up_to_wholes(logged: Logged, caching: bool) -> None:
    log, result = logged[caching]
    for each in log.intervals:
        assert sum(each.cpu().values()) == pytest.approx(1.0, rel=1e-9)
        assert all(share >= 0.0 for share in each.cpu().values())
        assert sum(each.memory().values()) == pytest.approx(change(MpeParameters(), **parameters(caching)).memory)
        ldevs, discs = each.ldevs(), each.discs()
        for name in ("reads", "writes", "queue", "bytes"):
            assert sum(ldev[name] for ldev in ldevs) == pytest.approx(discs[name])
        busy = sum(each.cpu()[name] for name in ("processes", "dispatching", "memory_manager", "cache_manager"))
        assert busy * each.seconds == pytest.approx(each.counters["cpu.busy"])
    paused = sum(each.cpu()["paused_disc"] * each.seconds for each in log.intervals)
    assert paused / result.seconds == pytest.approx(result.extras["paused_disc"])


@pytest.mark.parametrize("caching", [False, True])
def test_every_disc_request_has_a_cause(logged: Logged, caching: bool) -> None:
    log, _ = logged[caching]
    begun = sum(sum(each.causes().values()) * each.seconds for each in log.intervals)
    issued = sum(each.counters[f"drive{number}.issued"] for each in log.intervals for number in (1, 2))
    assert issued > 500
    assert begun == pytest.approx(issued, abs=3)  # a fault is counted when it begins, and then its room is sought


def test_what_is_paused_for(logged: Logged) -> None:
    plain, cached = (logged[caching][1].extras for caching in (False, True))
    assert plain["paused_disc"] > 0.2
    assert cached["paused_swap"] > 5 * plain["paused_swap"] > 0.0
    stops = logged[True][0].intervals[0].stops()
    assert stops["disc"] == 0.0 < min(stops["cache"], stops["absence"])


def test_working_sets_are_no_larger_than_what_is_in_memory(logged: Logged) -> None:
    for log, _ in logged.values():
        for each in log.intervals:
            held = each.moment.working_sets
            assert len(held) == 13
            assert 0 < sum(held.values()) <= each.costs.available
    assert logged[True][0].intervals[-1].cache_table() is not None
    assert logged[False][0].intervals[-1].cache_table() is None


def test_the_log_changes_nothing(logged: Logged) -> None:
    plain = run(caching=True, **LOAD, **parameters(True))
    assert plain.events == logged[True][1].events
    assert plain.counters == pytest.approx(logged[True][1].counters)
    assert plain.transactions == logged[True][1].transactions


def test_a_run_that_does_not_stop_each_minute_is_logged_when_it_does() -> None:
    given = parameters(False)
    log = OptLog(change(MpeParameters(), **given), interval=20.0)
    run(caching=False, watch=log, **{**LOAD, "minutes": 1.0, "warm_up": 0.0}, **given)
    assert [round(each.until, 6) for each in log.intervals] == [20.4, 40.8, 60.0]
    assert [each.since for each in log.intervals[1:]] == [each.until for each in log.intervals[:-1]]


@pytest.mark.parametrize("caching", [False, True])
def test_pages_are_of_80_columns(logged: Logged, caching: bool) -> None:
    text = logged[caching][0].text()
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("OPT LOG, interval") == 3
    assert text.count("SHOWCACHE") == 3 * caching


def test_frames_and_files_have_the_same_rows(logged: Logged, tmp_path: Path) -> None:
    log = logged[True][0]
    assert log.frame().shape[0] == 3
    log.write(tmp_path / "log.csv")
    frames = {"log": log.frame(), "log_ldevs": pd.DataFrame(log.ldev_rows()),
              "log_working_sets": pd.DataFrame(log.working_set_rows())}
    assert [len(frame) for frame in frames.values()] == [3, 6, 39]
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / f"{name}.csv"), frame, check_exact=True, check_dtype=False)
    log.write(tmp_path / "log.txt")
    assert (tmp_path / "log.txt").read_text("utf-8") == log.text() + "\n"


def test_mistakes(logged: Logged, tmp_path: Path) -> None:
    log = logged[False][0]
    with pytest.raises(UserError, match=r"log\.xls must end in \.csv or \.txt"):
        log.write(tmp_path / "log.xls")
    with pytest.raises(UserError, match=r"with .* bytes beside MPE and 6 discs, not for one with .* and 2"):
        run(watch=OptLog(MpeParameters()), **LOAD, **parameters(False))


@pytest.mark.parametrize("interval", [0.0, -1.0, float("nan"), float("inf")])
def test_an_interval_is_positive_and_finite(interval: float) -> None:
    with pytest.raises(UserError, match="interval must be positive and finite"):
        OptLog(MpeParameters(), interval)


# As an option of a run


def test_a_run_that_is_logged_answers_as_one_that_is_not(tmp_path: Path) -> None:
    short = {"terminals": 10, "minutes": 2.5, "warm_up": 1.0, "seed": 3}
    for name in ("opt.txt", "opt.csv"):
        logged, plain = run(**short, log=str(tmp_path / name)), run(**short)  # type: ignore[arg-type]
        assert logged.transactions == plain.transactions
        assert logged.counters == pytest.approx(plain.counters)
    assert (tmp_path / "opt.txt").read_text("utf-8").count("OPT LOG, interval") == 3  # and a half
    assert list(pd.read_csv(tmp_path / "opt.csv")["until"]) == [120.0, 180.0, 210.0]


@pytest.mark.parametrize(("name", "says"), [("opt.xls", "must end in"), ("new/opt.txt", "there is no folder")])
def test_a_log_that_cannot_be_written_is_refused_before_the_run(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        run(minutes=1e5, log=str(tmp_path / name))
