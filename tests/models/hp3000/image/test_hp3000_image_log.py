"""Tests the log of IMAGE, HP's data base, by hand: when and where it is written, who waits, and its cost in a run."""

from collections.abc import Mapping
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.control_block import CpuPart
from spindle.models.hp3000.image import BufferPlan, DataBase
from spindle.models.hp3000.image_log import ImageLog
from spindle.models.hp3000.run import run
from spindle.sim.clock import Account, Wait
from spindle.sim.error import UserError
from spindle.sim.machine import File, OpenFile
from spindle.sim.request import Span
from spindle.workloads.programs import Intrinsic
from tests.models.hp3000.image.test_hp3000_image import BLOCKS, CALL, READ, SYSTEM_CALL, Bench

UPDATE = CALL + 2 * READ
"""Seconds of an update without a log: the block is read and written."""
SECTOR = 256


def logged(bench: Bench, record: int = SECTOR, buffer: int = 0, size: int = 64 * SECTOR) -> list[tuple[str, int, int]]:
    """Add a log file of *size* bytes to *bench*, after its data sets; return file, place and length of each write."""
    written: list[tuple[str, int, int]] = []
    write = bench.machine.write

    def noted(file: OpenFile, first: int, length: int, account: Account, durable: bool = False) -> Wait:
        written.append((file.file.name, first, length))
        return write(file, first, length, account, durable)

    bench.machine.write = noted  # type: ignore[method-assign]
    file = File("log", bench.drive, [Span(3 * BLOCKS * 1024, size)])
    bench.data_base.log = ImageLog(bench.machine, file, record, buffer)
    return written


def log_of(bench: Bench) -> Mapping[str, float]:
    assert bench.data_base.log is not None
    return bench.data_base.log.reading()


@pytest.fixture
def bench(env: simpy.Environment) -> Bench:
    return Bench(env)


# By hand ------------------------------------------------------------------------------------------


def test_the_record_is_written_before_the_block(bench: Bench) -> None:
    written = logged(bench)
    bench.calls(Intrinsic.UPDATE)
    assert bench.run() == [("user", pytest.approx(UPDATE + READ))]
    assert [name for name, _, _ in written] == ["log", "set 2"]
    assert written[0] == ("log", 0, SECTOR)
    assert log_of(bench) == pytest.approx({"records": 1.0, "writes": 1.0, "wait_seconds": READ})


@pytest.mark.parametrize(("intrinsic", "records"), [(Intrinsic.PUT, 1.0), (Intrinsic.DELETE, 1.0),
                                                    (Intrinsic.UPDATE, 0.0), (Intrinsic.GET_KEYED, 0.0)])  # fmt: skip
def test_only_calls_that_change_several_blocks_are_written_to_ilrs_file(
    bench: Bench, intrinsic: Intrinsic, records: float
) -> None:
    file = File("ILR", bench.drive, [Span(3 * BLOCKS * 1024, 64 * SECTOR)])
    recovery = bench.data_base.recovery = ImageLog(bench.machine, file, 512, 0, True)
    bench.calls(intrinsic)
    bench.run()
    assert recovery.reading()["records"] == records


def test_a_data_base_writes_to_the_files_that_it_is_given(bench: Bench) -> None:
    base, log, recovery = bench.data_base, "log", "recovery"
    given = DataBase(base._machine, base._sets, base._control, BufferPlan(8, 1024), base._locality, base._costs,
                     log, recovery)  # type: ignore[arg-type]  # fmt: skip
    files = {intrinsic.name: given._logs(intrinsic) for intrinsic in Intrinsic}
    assert {name: each for name, each in files.items() if each} == {
        "PUT": [log, recovery], "UPDATE": [log], "DELETE": [log, recovery]}  # fmt: skip


def test_ilr_waits_for_the_medium_behind_a_cache() -> None:
    rows = {record: run(**{**LOAD, "caching": True}, seed=1, ilr_record=record) for record in (0, 512)}
    assert rows[512].counters["ilr.writes"] > 0.0
    assert rows[512].counters["ilr.wait_seconds"] / rows[512].counters["ilr.writes"] > 10.0e-3
    assert "ilr.writes" not in rows[0].counters


def test_the_wait_is_charged_to_the_caller_as_any_disc_access(bench: Bench) -> None:
    logged(bench)
    bench.calls(Intrinsic.UPDATE)
    bench.run()
    assert bench.accounts["user"].total() == pytest.approx(UPDATE + READ)


@pytest.mark.parametrize(("intrinsic", "records"), [
    (Intrinsic.FIND, 0), (Intrinsic.GET_KEYED, 0), (Intrinsic.GET_CHAINED, 0), (Intrinsic.GET_SERIAL, 0),
    (Intrinsic.CONTROL, 0), (Intrinsic.UPDATE, 3), (Intrinsic.PUT, 3), (Intrinsic.DELETE, 3),
])  # fmt: skip
def test_only_changes_are_logged_each_call_once(bench: Bench, intrinsic: Intrinsic, records: int) -> None:
    written = logged(bench)
    bench.calls(intrinsic, times=3)
    bench.run()
    assert [place for place in written if place[0] == "log"] == [
        ("log", number * SECTOR, SECTOR) for number in range(records)
    ]  # fmt: skip


def test_a_buffer_is_written_by_the_call_that_fills_it(bench: Bench) -> None:
    """Four updates of one block, which is read once; a buffer of 3 sectors is full with the third record."""
    written = logged(bench, buffer=3 * SECTOR + 255)
    standing = bench.calls(Intrinsic.UPDATE, times=4)
    assert bench.run() == [("user", pytest.approx(4 * CALL + READ + 4 * READ + READ))]
    assert [name for name, _, _ in written] == ["set 2", "set 2", "log", "set 2", "set 2"]
    assert written[2] == ("log", 0, 3 * SECTOR)
    assert log_of(bench) == pytest.approx({"records": 4.0, "writes": 1.0, "wait_seconds": READ})
    assert standing.now


def test_records_take_whole_sectors_and_a_full_file_is_begun_anew(bench: Bench) -> None:
    written = logged(bench, record=300, size=5 * SECTOR)
    bench.calls(Intrinsic.UPDATE, times=3)
    bench.run()
    assert [place for place in written if place[0] == "log"] == [
        ("log", 0, 512), ("log", 512, 512), ("log", 0, 512),
    ]  # fmt: skip


def test_the_last_record_may_fill_the_file(bench: Bench) -> None:
    written = logged(bench, record=512, size=4 * SECTOR)
    bench.calls(Intrinsic.UPDATE, times=3)
    bench.run()
    assert [place for name, place, _ in written if name == "log"] == [0, 512, 0]


def test_others_wait_for_it_where_a_call_holds_the_control_block(bench: Bench) -> None:
    logged(bench)
    bench.calls(Intrinsic.UPDATE, who="clerk")
    bench.calls(Intrinsic.CONTROL, who="other", when=0.001)
    assert bench.run() == [("clerk", pytest.approx(UPDATE + READ)), ("other", pytest.approx(UPDATE + READ + CALL))]


def test_and_do_not_where_it_is_let_go_of_for_the_disc(env: simpy.Environment) -> None:
    bench = Bench(env, hold=CpuPart())
    logged(bench)
    bench.calls(Intrinsic.UPDATE, who="clerk")
    bench.calls(Intrinsic.CONTROL, who="other", when=0.001)
    assert bench.run() == [
        ("other", pytest.approx(CALL + SYSTEM_CALL + CALL)),  # the CPU starts the log's write before his call
        ("clerk", pytest.approx(UPDATE + READ)),
    ]


def test_the_wait_is_counted_up_to_any_instant(bench: Bench) -> None:
    logged(bench)
    bench.calls(Intrinsic.UPDATE)
    bench.env.run(until=CALL + 0.010)
    assert log_of(bench) == pytest.approx({"records": 1.0, "writes": 1.0, "wait_seconds": 0.010})


# In runs ------------------------------------------------------------------------------------------

LOAD: Mapping[str, Any] = {"terminals": 12, "minutes": 2.0, "warm_up": 0.5, "caching": False, "think_scale": 0.3}


def test_without_a_record_there_is_no_log_and_none_of_its_numbers() -> None:
    result = run(**LOAD)
    assert [name for name in (*result.counters, *result.extras) if "log_" in name or "image_log" in name] == []


def test_a_log_is_written_by_the_updates_of_a_run_and_has_its_share_of_the_response() -> None:
    result = run(log_record=256, **LOAD)
    counters, response = result.counters, result.response()
    assert 20 < counters["image_log.writes"] <= counters["image_log.records"]
    waited = sum(row.responded - row.began for row in result.transactions)
    assert result.extras["log_share"] == pytest.approx(counters["image_log.wait_seconds"] / waited, rel=0.05)
    assert 0.0 < result.extras["log_share"] < 0.5
    assert result.extras["log_writes"] == counters["image_log.writes"] / result.seconds
    assert response["responses"] > 100


def test_a_larger_buffer_is_written_less_often() -> None:
    at_once, gathered = run(log_record=256, **LOAD), run(log_record=256, log_buffer=4096, **LOAD)
    counters = gathered.counters
    assert counters["image_log.writes"] == pytest.approx(counters["image_log.records"] / 16, abs=1)
    assert counters["image_log.wait_seconds"] < 0.2 * at_once.counters["image_log.wait_seconds"]


def test_a_cached_log_costs_the_copy_and_the_disc_writes_it_behind() -> None:
    plain = run(log_record=256, **LOAD)
    cached = run(log_record=256, **{**LOAD, "caching": True})

    def each(counters: Mapping[str, float]) -> float:
        return counters["image_log.wait_seconds"] / counters["image_log.writes"]

    assert each(cached.counters) < 0.5 * each(plain.counters)
    assert cached.counters["posting.posted"] > cached.counters["image_log.writes"] > 20


@pytest.mark.parametrize(("given", "says"), [
    ({"log_buffer": 4096}, "log_buffer needs a log_record: there is no IMAGE logging where it is 0"),
    ({"log_record": 65537}, "log_record must be at least 0 and at most 65536"),
    ({"log_record": 256, "log_buffer": -1}, "log_buffer must be at least 0"),
])
def test_what_makes_no_sense_is_refused(given: Mapping[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        run(**LOAD, **given)
