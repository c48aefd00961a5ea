"""Tests other kinds of files than formats describe: dates, units, headers, several files, and files of no trace."""

import gzip
import json
import zipfile
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.formats.jsonl import keyed_format
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.operations import operations
from spindle.workloads.traces.prompts import read_prompts
from spindle.workloads.traces.reader import MAX_KIND_BYTES, Trace, _kinds, kind_text
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import files_of
from spindle.workloads.traces.writing import encode_csv

HEAD = "time_s,op,offset,size\n"
BASE = HEAD + "0,R,0,4096\n1.5,W,4096,512\n"
DATED = "timestamp,op,offset,size\n{},R,0,4096\n{},W,4096,512\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.csv"


def read(path: Path, content: str | bytes) -> Trace:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Trace(path)


def span(path: Path, content: str | bytes) -> float | None:
    """Seconds from the first request to the last, which is a write of 512 bytes at 4096."""
    *_, last = read(path, content)
    assert (last.op, last.first, last.length) == (WRITE, 4096, 512)
    return last.time


def told(path: Path, content: str | bytes) -> str:
    with pytest.raises(UserError) as raised:
        list(read(path, content))
    return str(raised.value)


@pytest.mark.parametrize(("one", "other"), [
    ("2023-11-16 18:17:03.25", "2023-11-16 18:17:04.75"), ("2023-11-16T18:17:03Z", "2023-11-16T18:17:04.5Z"),
    ("2023-11-16T18:17:03+01:00", "2023-11-16T17:17:04.500000000123Z"), ("2023/11/16 18:17", "2023/11/16 18:17:01.5"),
    ("16/11/2023 18:17:03.5", "16/11/2023 18:17:05"), ("11/16/2023 11:59:59.5 AM", "11/16/2023 12:00:01 PM"),
    ("12-11-2023 23:59:59", "13-11-2023 00:00:00.5"), ("5.11.2023 23:59:59", "6.11.2023 00:00:00.5"),
    ("05/11/2023 10:00", "05/11/2023 10:00:01.5"), ("1700000000", "1700000001.5"),
    ("1700000000000", "1700000001500"), ("1700000000000000", "1700000001500000"),
    ("1700000000000000000", "1700000001500000000"), ("133450000000000000", "133450000015000000"),
])  # fmt: skip
def test_dates_and_clocks_are_in_their_unit(path: Path, one: str, other: str) -> None:
    assert span(path, f"timestamp,op,offset,size\n{one},R,0,4096\n{other},W,4096,512\n") == pytest.approx(1.5)


@pytest.mark.parametrize("content", [
    BASE.replace("\n", "\r\n"), BASE.replace("\n", "\r"), BASE.encode("utf-8-sig"), BASE.encode("utf-16"),
    b"\xfe\xff" + BASE.encode("utf-16-be"), BASE.encode("utf-16-le"), BASE.encode("utf-32"),
    BASE.replace("time_s,op", "Time_s,OP"), BASE.replace("1.5", "# a comment\n1.5"), "# made by me\n" + BASE,
    "Time;Op;Offset;Size\n0;R;0;4096\n1,5;W;4096;512\n",
    "device,opcode,offset,length,timestamp\n1,R,0,4096,0\n1,W,4096,512,1500000\n",
    "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372000000000,a,0,read,0,512,1\n"
    "128166372015000000,a,0,WRITE,4096,512,1\n",
], ids=lambda content: repr(content[:30]))  # fmt: skip
def test_texts_of_other_places_are_read(path: Path, content: str | bytes) -> None:
    assert span(path, content) == 1.5


def test_measured_times_have_units_in_their_names(path: Path) -> None:
    one, other = read(path, "time_s,op,offset,size,latency_us\n0,R,0,4096,100\n1,W,0,512,\n")
    assert (one.response, other.response) == (pytest.approx(1e-4), None)


@pytest.mark.parametrize(("content", "says"), [
    ("0,R,0,4096\n1,W,0,512\n", "its first line has no names of columns; --columns says which is which"),
    (HEAD + '0,R,"1,00",512\n', "offset must be a whole number of at most 19 digits, not '1,00'"),
    (HEAD.strip() + ",foo\n0,R,0,4096,1\n1,W,0,512,1\n", "column 'foo' is not known"),
    ("ts,type,lbn,len\n1,R,8,8\n2,R,8,8\n", "column 'len' is not known"),
    (HEAD + "0,SCSI,0,512\n", "op must be R or W, not 'SCSI'; --ops says what other words mean"),
    ("\n \n", "there is nothing in it but blank lines"),
    (b'key,size\n"a"\r"b",1\n', "a line ends within quotes"),
    (b"\x80\x04\x95\x0b\0\0\0\0\0\0\0]", "this is a pickle"), (b"\x93NUMPY\1\0v\0", "this is an array of NumPy"),
    (b"\x1f\x9d\x90abc", "it is compressed by compress"), ("<!DOCTYPE html>\n", "this is a page of text, HTML"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\n", "this is a pointer of Git LFS"),
    ('[{"key": 1}]', "this is one JSON document"), ("500, 1234, 0, 0\n", "this is a log of fio without offsets"),
    ('{"time_s": 0, "offset": 0}\n', "there is no field with keys: --keys names one of 'time_s, offset'"),
    ('{"time_s": 0, "offset": -4, "size": 1}\n', ":1:1: offset must be a whole number of at most 19 digits, not '-4'"),
    ('{"offset": 0, "size": 512}\n' * 3 + '{"offset": [], "size": 1}', ":4:1: offset must be a number or a word"),
    ('{"offset": 0, "size": 512}\n' * 3 + '{"offset": 0, "size": 1, "ts": 5}',
     ":4:1: the field 'ts' is not in the first"),
    (DATED.format("05/11/2023 10:00", "06/11/2023"), ":3:1: 06/11/2023 may be in either of two months: write"),
    (DATED.format("16/11/2023 10:00", "11/17/2023"), ":3:1: 11/17/2023 has day and month in another order"),
    (DATED.format("31/02/2023", "31/02/2023"), ":2:1: 31/02/2023 is no date"),
    (DATED.format("16/11/2023 13:00 PM", "16/11/2023"), ":2:1: 16/11/2023 13:00 PM is no date"),
])  # fmt: skip
def test_the_refusal_says_what_it_is(path: Path, content: str | bytes, says: str) -> None:
    assert says in told(path, content)


def notes(trace: Trace) -> list[str]:
    list(trace)
    return trace.faults.sentences


def test_what_is_guessed_or_passed_over_is_noted(path: Path) -> None:
    assert "HEAD" in notes(read(path, "key,op\na,HEAD\na,get\n"))[0]
    assert notes(read(path, "key,op\na,frob\na,get\nb,bzzt\na,frob\n")) == [
        "not known, and passed over: op 'frob' (2), 'bzzt' (1); --ops says what they mean, as frob=read,bzzt=delete"]
    assert "2,000 s apart on average" in notes(read(path, "time,op,offset,size\n0,R,0,512\n4000,R,0,512\n"))[0]
    assert not notes(read(path, "time,op,offset,size\n1700000000.5,R,0,512\n1700000001.5,R,0,512\n"))
    assert not notes(read(path, DATED.format("16/11/2023 10:00", "20/11/2023 10:00")))
    read(path, "docid\na\nb\n")
    assert notes(Trace(path, with_columns({"key": "1"}))) == ["the first line is taken for a header"]
    read(path, "key,op\na,3\n")
    assert next(iter(Trace(path, ops=operations("3=delete")))).delete


@pytest.mark.parametrize(("line", "time", "deletes"), [
    ('{"key": "a", "timestamp": "2023-11-16T18:17:05Z", "op": "delete", "size": 10.0}', 2.0, True),
    ('{"key": "a", "timestamp": "2023-11-16T18:17:03.5Z", "op": "SET"}', 0.5, False),
])  # fmt: skip
def test_lines_of_json_have_dates_and_operations(path: Path, line: str, time: float, deletes: bool) -> None:
    path.write_text('{"key": "a", "timestamp": "2023-11-16T18:17:03Z"}\n' + line + "\n")
    *_, last = Trace(path, keyed_format("key"))
    assert (last.time, last.delete, last.op is WRITE) == (time, deletes, not deletes)


@pytest.mark.parametrize(("one", "other", "time", "said"), [
    ({"time": 0.0, "op": "read", "offset": 0, "size": 4096}, {"time": 1.5, "op": "write", "offset": 4096, "size": 512},
     1.5, ""),
    ({"TS_us": 5, "rw": "r", "lba": 0, "sectors": 8}, {"TS_us": 1500005, "rw": "WS", "lba": 8, "sectors": 1}, 1.5, ""),
    ({"timestamp": "2023-11-16T10:00:00Z", "type": 0, "sector": 0, "nr_sectors": 8},
     {"timestamp": "2023-11-16T10:00:01.5Z", "type": 1, "sector": 8.0, "nr_sectors": "1"}, 1.5,
     "op 0 is taken for fio's code: 0 reads, 1 writes"),
    ({"ts": 10, "op": "READ", "offset": "0x0", "bytes": 8},
     {"ts": 110, "op": "WRITE", "offset": "0x1000", "bytes": 512}, 0.1,
     "ts is taken for milliseconds, by how far requests are apart"),
    ({"ts": 0, "op": "R", "lba": 0, "length": 8}, {"ts": 1, "op": "W", "lba": 8, "length": 1}, 1.0,
     "length is taken for sectors of 512 bytes"),
    ({"ts": 1700000000000, "op": "R", "offset": 0, "len": 8}, {"ts": 1700000001500, "op": "W", "offset": 4096,
     "len": 512}, 1.5, "time is taken for milliseconds since a date"),
])  # fmt: skip
def test_lines_of_json_are_requests_for_blocks(path: Path, one: Any, other: Any, time: float, said: str) -> None:
    trace = read(path, json.dumps({**one, "dev": "8,0", "x": {}}) + "\n" + json.dumps({**other, "dev": "8,16"}) + "\n")
    first, last = trace
    assert (first.device, last.device, first.op, first.first) == ("8,0", "8,16", READ, 0)
    assert (last.time, last.op, last.first, last.length) == (time, WRITE, 4096, 512)
    assert said in "".join(trace.faults.notes)
    assert bool(said) is bool(trace.faults.notes)


@pytest.mark.parametrize(("content", "notes"), [
    ("op,lba,blocks\nR,8,1\n", ["lba and blocks are taken for sectors of 512 bytes; for 4096: --columns "
                               "lba_4096=lba,sectors_4096=blocks"]),
    ("op,lba,size\nR,8,512\n", ["lba is taken for sectors of 512 bytes; for 4096: --columns lba_4096=lba"]),
    ("op,lba_512,blocks\nR,8,1\n", []), ("op,lba,sectors\nR,8,1\n", []), ("op,offset,size\nR,4096,512\n", []),
    ('{"op": "R", "lba": 8, "blocks": 1}\n', ["lba and blocks are taken for sectors of 512 bytes; for 4096: --columns "
                                             "lba_4096=lba,sectors_4096=blocks"]),
])  # fmt: skip
def test_what_a_block_is_taken_for_is_said(path: Path, content: str, notes: list[str]) -> None:
    trace = read(path, content)
    (record,) = trace
    assert (record.first, record.length) == (4096, 512)
    assert trace.faults.notes == notes


def test_what_that_note_asks_for_is_understood(path: Path) -> None:
    path.write_text("op,lba,blocks\nR,8,1\n")
    (record,) = Trace(path, with_columns({"lba_4096": "lba", "sectors_4096": "blocks", "op": "op"}))
    assert (record.first, record.length) == (8 * 4096, 4096)


# Several files.

def clocked(path: Path, name: str, *times: float) -> Path:
    file = path.with_name(name)
    file.write_text(HEAD + "".join(f"{time},R,0,512\n" for time in times))
    return file


def test_files_side_by_side_are_merged_by_time(path: Path) -> None:
    files = [clocked(path, "a.csv", *range(0, 9000, 3)), clocked(path, "b.csv", *range(1, 9000, 3)),
             clocked(path, "c.csv", *range(20_000, 20_100)), clocked(path, "d.csv", *range(2, 9000, 3))]  # fmt: skip
    trace = Trace(files[0], others=files[1:])
    assert [record.time for record in trace] == [*range(9000), *range(20_000, 20_100)]
    assert notes(trace) == ["4 files are read as one trace, from a.csv to d.csv, merged by time"]


def test_what_stands_too_far_back_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in "abc":
            archive.writestr(name, HEAD + "".join(f"{place},R,0,512\n" for place in range(100, 9000)))
    with pytest.raises(UserError, match=r"at 100 s stands 4,096 requests or more behind one at 4195 s"):
        list(Trace(path))


def test_long_lines_may_stand_as_far_back_as_short_ones(path: Path) -> None:
    late = [*range(100, 120), 110, 111]
    path.write_text(HEAD + "".join(f"{time},R,0,{'512':>60000}\n" for time in late))
    trace = Trace(path)
    assert [record.time for record in trace] == sorted(late)
    assert notes(trace) == ["2 requests stand out of order, behind later ones: sorted by time"]


def test_files_of_two_formats_are_no_trace(path: Path) -> None:
    clocked(path, "a.csv", 0, 1)
    path.with_name("b.spc").write_text("0,10,4096,r,1.0\n0,20,4096,w,2.0\n")
    path.with_name("README.md").write_text("about it\n")
    first, *others = files_of(str(path.parent), TraceLimits())
    with pytest.raises(UserError, match=r"b\.spc: it looks like spc, and a\.csv like csv"):
        Trace(first, others=others)
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("README.md", "a.csv", "b.spc"):
            archive.write(path.with_name(name), name)
    with pytest.raises(UserError, match=r"it looks like spc, and trace\.csv like csv"):
        list(Trace(path))


def test_a_file_without_a_name_in_an_archive_is_passed_over(path: Path) -> None:
    """A name ends at its first byte of zero."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nameless", "no trace")
        archive.writestr("a.csv", BASE)
    path.write_bytes(path.read_bytes().replace(b"nameless", b"\0ameless"))
    assert len(list(Trace(path))) == len(BASE.splitlines()) - 1


# Tables.

def test_tables_have_lists_whole_fractions_and_streams(path: Path) -> None:
    parquet.write_table(pa.table({"hash_ids": [[1, 2], [1]], "timestamp": [0, 1000]}), path)
    assert [(record.time, record.keys) for record in Trace(path)] == [(0.0, ("1", "2")), (1.0, ("1",))]
    table = pa.table({"time_s": [0.0, 0.5], "op": ["R", "W"], "offset": [0.0, 1e16], "size": [4096.0, 512.0]})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    assert [record.first for record in Trace(path)] == [0, 10**16]
    parquet.write_table(pa.table({"key": ["a", None]}), path)
    with pytest.raises(UserError, match="a cell of its only column is empty"):
        list(Trace(path))


@pytest.mark.parametrize("end", ["csv", "tsv", "parquet"])
def test_tables_are_read_from_archives_and_compressed(path: Path, end: str) -> None:
    table = {"time_s": [0.0, 1.5], "op": ["R", "W"], "offset": [0, 4096], "size": [4096, 512]}
    parquet.write_table(pa.table(table), path)
    content = {"parquet": path.read_bytes(), "csv": BASE.encode(), "tsv": BASE.replace(",", "\t").encode()}[end]
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"in/trace.{end}", content)
    for whole in (packed.getvalue(), gzip.compress(content)):
        assert span(path, whole) == 1.5
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("in.zip", packed.getvalue())
    with pytest.raises(UserError, match="this is an archive within an archive: unpack it"):
        list(Trace(path))
    path.write_bytes(packed.getvalue())
    with pytest.raises(UserError, match="more than 0 MiB are a table") if end == "parquet" else nullcontext():
        list(Trace(path, limits=TraceLimits(spool=100)))


def test_prompts_come_in_seconds_and_from_archives(path: Path) -> None:
    lines = "".join(json.dumps({"timestamp": time, "input_length": 512, "output_length": 1, "hash_ids": [1]}) + "\n"
                    for time in (0.0, 60.5))  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("prompts.jsonl", lines)
    trace = read_prompts(path)
    assert ([prompt.time for prompt in trace.prompts], trace.note) == \
        ([0.0, 60.5], "timestamp is taken for seconds, by how it is written")  # fmt: skip


def test_a_file_with_bytes_of_nought_is_a_binary_one() -> None:
    says = "this is a binary file of no kind that is known here; --format names one that is"
    for head, expected in ((b"x\0y", says), (b"0y", ""), (b"X" * MAX_KIND_BYTES + b"\0", "")):
        assert kind_text(head, "unknown") == expected
    others = [table for table in _kinds() if table != "unknown"]
    assert [kind_text(b"x\0y", table) for table in others] == [""] * len(others)


def test_plain_csv_says_what_is_deleted_and_leaves_out_what_is_unknown() -> None:
    key = Record(None, "", READ, 0, 1, keys=("a",), unsized=True)
    lines = b"".join(encode_csv([key, key._replace(delete=True), key._replace(keys=("c",), length=7, unsized=False)]))
    head, *rows = [line.split(",") for line in lines.decode().splitlines()]
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["op"], row["size"]) for row in found] == [("R", ""), ("delete", ""), ("R", "7")]
    for mark in '\t\n\r"':
        with pytest.raises(UserError, match="which CSV takes"):
            list(encode_csv([key._replace(keys=(f"a{mark}b",))]))
    assert list(encode_csv([key._replace(keys=("XX",))]))
