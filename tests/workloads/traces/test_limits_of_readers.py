"""Tests limits and rules of readers by hand: clocks and units, keys of a line, headers, SCSI commands, tables."""

from pathlib import Path
from struct import pack
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.traces import tables
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.formats.vscsi import OPS
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.rows import CLOCK_UNITS, LATEST, MAX_KEYS
from spindle.workloads.traces.source import open_pieces
from spindle.workloads.traces.unpacked import MAX_AT_ONCE, USUAL_RATIO, Unpacked, parquet_columns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.csv"


def read(path: Path, text: str, **limits: Any) -> Trace:
    path.write_text(text)
    return Trace(path, limits=TraceLimits(**limits))


# Clocks.

@pytest.mark.parametrize(("clock", "step", "seconds"), [
    (int(LATEST), 1, 1.0), (int(LATEST) + 1, 1000, 1.0), (1e14, 1000, 1.0), (1e14 + 1000, 1_000_000, 1.0),
    (1e17, 1_000_000, 1.0), (1e17 + 1e6, 10_000_000, 1.0), (2e17, 10_000_000, 1.0), (2e17 + 1e6, 1_000_000_000, 1.0),
])  # fmt: skip
def test_a_clock_beyond_any_date_in_seconds_is_in_a_smaller_unit(
    path: Path, clock: float, step: int, seconds: float
) -> None:
    """Up to 1e11 seconds; to 1e14 milliseconds, to 1e17 microseconds, to 2e17 ticks of 100 ns, and nanoseconds."""
    rows = "".join(f"{int(clock) + step * number},R,0,512\n" for number in range(3))
    assert [record.time for record in read(path, "timestamp,op,offset,size\n" + rows)] == pytest.approx(
        [0.0, seconds, 2 * seconds])


def test_units_of_clocks() -> None:
    assert LATEST == 1e11
    assert [(most, unit) for most, unit, _ in CLOCK_UNITS] == [(1e14, 1e-3), (1e17, 1e-6), (2e17, 1e-7)]


def test_a_guess_of_a_unit_is_noted(path: Path) -> None:
    trace = read(path, "timestamp,op,offset,size\n1700000000000,R,0,512\n1700000001500,W,512,512\n")
    assert [(record.time, record.op) for record in trace] == [(0.0, READ), (1.5, WRITE)]
    assert trace.faults.notes == ["timestamp is taken for milliseconds since a date; timestamp_ms, _us or _ns would "
                                  "say the unit"]
    assert read(path, "timestamp,op,offset,size\n1700000000,R,0,512\n").faults.notes == []


# Lines.

def test_a_header_that_is_repeated_is_passed_over(path: Path) -> None:
    head = "time_s,op,offset,size\n"
    of = read(path, head + "0,R,0,512\n" + head + "1,W,512,512\n" + head)
    assert [(record.time, record.op) for record in of] == [(0.0, READ), (1.0, WRITE)]
    assert of.faults.bad == 0
    with pytest.raises(UserError, match=":3:1: time_s must be a number"):
        list(read(path, head + "0,R,0,512\ntime_s,op,offset,length\n"))


@pytest.mark.parametrize(("count", "right"), [(1, True), (MAX_KEYS, True), (0, False), (MAX_KEYS + 1, False)])
def test_a_line_asks_for_an_object_so_many_times(path: Path, count: int, right: bool) -> None:
    path.write_text(f"key,count\na,{count}\n")
    trace = Trace(path, with_columns({"key": "1", "count": "2"}))
    if right:
        assert [len(record.keys) for record in trace] == [count]
    else:
        with pytest.raises(UserError, match=f"from 1 to {MAX_KEYS} times, not {count}"):
            list(trace)


@pytest.mark.parametrize(("cell", "key"), [("0", "0"), ('"k,1"', "k,1"), ('"k,1,2"', "k,1,2"), ('"a ""b"', 'a "b')])
def test_a_quoted_comma_is_of_the_key(path: Path, cell: str, key: str) -> None:
    """In a line that is not the first of a list without a header, and with one."""
    path.write_text(f"time_s,key,size\n0,x,1\n1,{cell},5\n2,x,1\n")
    assert [record.keys for record in Trace(path)] == [("x",), (key,), ("x",)]


def test_times_to_live_are_positive_or_none(path: Path) -> None:
    rows = "time_s,key,size,ttl\n0,a,1,0\n1,b,1,0.5\n2,c,1,7\n3,d,1,\n"
    assert [record.ttl for record in read(path, rows)] == [None, 0.5, 7.0, None]


def test_measured_times_are_of_their_columns(path: Path) -> None:
    head = "time_s,op,lba_512,sectors,"
    both = next(iter(read(path, head + "service_ms,queue_ms,response_ms\n0,R,0,1,4,3,9\n")))
    assert (both.response, both.service) == pytest.approx((0.007, 0.004))
    for name in ("service_ms", "queue_ms"):
        alone = next(iter(read(path, f"{head}{name},response_ms\n0,R,0,1,3,9\n")))
        assert (alone.response, alone.service) == (pytest.approx(0.009), None)


# Limits of records.

@pytest.mark.parametrize(("limits", "row", "right"), [
    ({"end": 4096}, "0,R,3584,512", True), ({"end": 4096}, "0,R,3585,512", False),
    ({"length": 512}, "0,R,0,512", True), ({"length": 512}, "0,R,0,513", False), ({}, "0,R,0,1", True),
    ({}, "0,R,0,0", False), ({"latest": 5.0}, "5,R,0,512", True), ({"latest": 5.0}, "5.001,R,0,512", False),
])  # fmt: skip
def test_requests_have_limits(path: Path, limits: dict[str, Any], row: str, right: bool) -> None:
    for rows in (row, f"0,R,0,1\n{row}"):
        trace = read(path, f"time_s,op,offset,size\n{rows}\n", **limits)
        if right:
            assert len(list(trace)) == rows.count("\n") + 1
        else:
            with pytest.raises(UserError):
                list(trace)


def test_times_run_back_by_just_the_slack(path: Path) -> None:
    text = "time_s,op,offset,size\n10,R,0,512\n{},R,0,512\n"
    assert len(list(read(path, text.format("6"), slack=4.0))) == 2
    with pytest.raises(UserError, match="by more than 4 s"):
        list(read(path, text.format("5.999"), slack=4.0))


def test_as_many_bad_lines_and_devices_as_are_allowed(path: Path) -> None:
    faults = Faults(2)
    for number in range(2):
        faults.add("here", f"reason {number}")
    assert (faults.bad, faults.kept) == (2, ["here: reason 0", "here: reason 1"])
    with pytest.raises(UserError, match=r"here: reason 2 \(and 2 bad before it\)"):
        faults.add("here", "reason 2")
    rows = "time_s,device,op,offset,size\n" + "".join(f"0,{name},R,0,512\n" for name in "aba")
    assert len(list(read(path, rows, devices=2))) == 3
    with pytest.raises(UserError, match="device 'b' is one more than the 1"):
        list(read(path, rows, devices=1))


def test_ten_bad_lines_and_ten_notes_are_kept() -> None:
    faults = Faults()
    for number in range(12):
        faults.add("here", number)
        faults.note(f"note {number}")
        faults.note("note 0")
    assert (faults.bad, len(faults.kept), len(faults.notes)) == (12, 10, 10)


def test_whole_numbers_beside_an_empty_cell_stay_exact(path: Path) -> None:
    """Beyond 2^53 a fraction has no room for each nanosecond."""
    clock = 2**60 + 1
    rows = f"timestamp_ns,op,offset,size\n{clock},R,0,512\n,R,0,512\n{clock + 100},R,0,512\n"
    assert [record.time for record in read(path, rows)] == [0.0, None, pytest.approx(100e-9, rel=1e-6)]


def test_a_file_may_have_just_so_many_bytes(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.write_bytes(b"0123456789")
    with whole.open("rb") as file:
        assert b"".join(open_pieces("whole", file, TraceLimits(size=10))) == b"0123456789"
    with whole.open("rb") as file, pytest.raises(UserError, match="has at most 9 bytes"):
        list(open_pieces("whole", file, TraceLimits(size=9)))


# SCSI.

@pytest.mark.parametrize(("command", "op"), [
    (0x08, READ), (0x28, READ), (0xA8, READ), (0x88, READ), (0x0A, WRITE), (0x2A, WRITE), (0xAA, WRITE), (0x8A, WRITE),
    (0x12, None), (0x35, None), (0x42, None),
])  # fmt: skip
def test_scsi_reads_and_writes_of_any_length(tmp_path: Path, command: int, op: Op | None) -> None:
    path = tmp_path / "trace.vscsi"
    path.write_bytes(b"".join(pack("<IIIHHQQ", 7, 512, 1, each, 0x100, 1, 1_000_000) for each in (0x28, command, 0x2A)))
    found = [record.op for record in Trace(path, "vscsi1")]
    assert found == [READ, *([] if op is None else [op]), WRITE]
    assert len(OPS) == 8


# Tables.

def table(path: Path, rows: int, **columns: Any) -> Path:
    usual = {"time_s": [0.0], "op": ["R"], "offset": [0], "size": [512]}
    whole = pa.table({**{name: cell * rows for name, cell in usual.items()}, **columns})
    parquet.write_table(whole, path, compression="zstd")
    return path


def test_what_comes_out_of_a_file_is_counted() -> None:
    """At most twice as much as of 100 bytes, or 150 bytes whatever the file has."""
    for size, most in ((100, 200), (10, 150)):
        unpacked = Unpacked("trace", size, TraceLimits(ratio=2.0, ratio_from=150))
        unpacked.add(most - 50)
        assert list(unpacked.count([b"x" * 20, b"y" * 30])) == [b"x" * 20, b"y" * 30]
        with pytest.raises(UserError, match="trace: more than 2 times as long when decompressed"):
            unpacked.add(1)
    with pytest.raises(UserError, match="more than 2 times"):
        list(Unpacked("trace", 1, TraceLimits(ratio=2.0, ratio_from=9)).count([b"x" * 9, b"y"]))


@pytest.mark.parametrize(("size", "packed", "right"), [
    (MAX_AT_ONCE, 1, True), (MAX_AT_ONCE + 1, 1, False), (USUAL_RATIO * MAX_AT_ONCE, MAX_AT_ONCE, True),
    (USUAL_RATIO * MAX_AT_ONCE + 1, MAX_AT_ONCE, False),
])  # fmt: skip
def test_no_more_is_held_at_once_than_memory_has_room_for(size: int, packed: int, right: bool) -> None:
    unpacked = Unpacked("trace", packed, TraceLimits(ratio=1e9))
    if right:
        unpacked.add_at_once(size, packed)
    else:
        with pytest.raises(UserError, match=f"trace: {packed} bytes of it unpack to {size} at once"):
            unpacked.add_at_once(size, packed)


def test_columns_of_parquet_unpack_to_their_values_or_to_more(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    rows = 1000
    columns = {"i4": pa.int32(), "i8": pa.int64(), "f4": pa.float32(), "f8": pa.float64(), "b": pa.bool_()}
    parquet.write_table(pa.table({name: pa.array([1] * rows).cast(kind) for name, kind in columns.items()}), path)
    meta = parquet.ParquetFile(path).metadata
    sizes = [size for size, _ in parquet_columns(meta)]
    assert sizes == [rows * width for width in (4, 8, 4, 8, 1)]
    packed = [meta.row_group(0).column(place).total_compressed_size for place in range(5)]
    assert [each for _, each in parquet_columns(meta)] == packed
    parquet.write_table(pa.table({"word": [f"{'x' * 99}{number}" for number in range(rows)]}), path)
    ((size, _),) = parquet_columns(parquet.ParquetFile(path).metadata)
    assert size > 100 * rows


@pytest.mark.parametrize("end", ["parquet", "arrow"])
def test_a_table_that_unpacks_to_far_more_is_refused(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"trace.{end}"
    whole = pa.table({"time_s": [0.0] * 5000, "op": ["R"] * 5000, "offset": [0] * 5000, "size": [512] * 5000})
    if end == "parquet":
        parquet.write_table(whole, path, compression="zstd")
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(path, whole.schema, options=options) as writer:
            writer.write_table(whole)
    assert len(list(Trace(path, limits=TraceLimits(ratio=1000.0)))) == 5000
    with pytest.raises(UserError, match="more than 2 times as long when decompressed"):
        list(Trace(path, limits=TraceLimits(ratio=2.0, ratio_from=1)))


def test_a_table_has_so_many_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path / "trace.parquet", 3)
    monkeypatch.setattr(tables, "MAX_COLUMNS", 4)
    assert len(list(Trace(path))) == 3
    monkeypatch.setattr(tables, "MAX_COLUMNS", 3)
    with pytest.raises(UserError, match="a table has at most 3 columns"):
        list(Trace(path))


@pytest.mark.parametrize(("rows", "batches"), [(tables.ROWS, 1), (tables.ROWS + 1, 2)])
def test_tables_are_read_some_rows_at_a_time(tmp_path: Path, rows: int, batches: int) -> None:
    path = table(tmp_path / "trace.parquet", rows)
    lines = list(tables.lines_of(path, "trace", path.read_bytes()[:8], TraceLimits()))
    assert len(lines) == batches
    assert [each.count(b"\n") for each in lines] == [tables.ROWS + 1, 1][:batches]
    assert lines[0].startswith(b"time_s,op,offset,size\n")


def test_whole_fractions_are_written_as_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    parquet.write_table(pa.table({"op": ["R"] * 2, "offset": [0.0, 2.0**40], "size": [512.0, 512.0]}), path)
    assert [record.first for record in Trace(path)] == [0, 2**40]
    assert next(iter(Trace(path))) == Record(None, "", READ, 0, 512)
