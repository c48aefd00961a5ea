"""Tests the meanings of words for operations in every format, which are passed over, and requests without sizes."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces.blocks import collect_references
from spindle.traces.objects import ObjectRules, object_references
from spindle.workloads.traces.formats.jsonl import keyed_format
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.operations import op_field, operations
from spindle.workloads.traces.reader import Format, Trace
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.source import PIECE

UNKNOWN = "not known, and passed over: op 'FROB' (2), 'BlobRestored' (1); --ops says what they mean, as " \
          "FROB=read,BlobRestored=delete"  # fmt: skip
WORDS = ["GET", "FROB", "BlobRestored", "PURGE", "FROB", "HEAD", "PUT"]
AS = {"csv": ("time,op,key\n", "{0},{1},a\n", ""),
      "columns": ("", "{1};a;{0}\n", with_columns({"op": "1", "key": "2"})),
      **{field: ("", '{{"key": "a", "' + field + '": "{1}"}}\n', keyed_format("key")) for field in
         ("op", "method", "event", "command", "Action", "request.method")}}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def written(path: Path, name: str, words: list[str], repeat: int = 1) -> tuple[Path, Format | str]:
    head, row, format = AS[name]
    path.write_text(head + "".join(row.format(time, word) for time, word in enumerate(words * repeat)))
    return path, format


@pytest.mark.parametrize("name", AS)
def test_a_word_that_is_not_known_is_named_with_its_count_and_is_no_request(path: Path, name: str) -> None:
    trace = Trace(*written(path, name, WORDS))
    assert [(record.op, record.delete) for record in trace] == [(READ, False), (READ, True), (WRITE, False)]
    assert UNKNOWN in trace.faults.sentences
    assert "what neither reads nor writes is passed over: 'HEAD' (1)" in trace.faults.sentences


@pytest.mark.parametrize("name", AS)
def test_words_mean_the_same_read_by_columns(path: Path, name: str) -> None:
    """Beyond the first piece of a file lines are read many at a time."""
    batches = list(Trace(*written(path, name, ["GET", "PURGE", "PUT"], 11_000)).batches())
    assert path.stat().st_size > PIECE
    assert sum(batch.requests for batch in batches) == 33_000
    assert sum(0 if batch.deletes is None else int(batch.deletes.sum()) for batch in batches) == 11_000
    assert sum(int(batch.writes.sum()) for batch in batches) == 11_000


@pytest.mark.parametrize("name", ["csv", "columns"])
def test_words_are_counted_read_by_columns(path: Path, name: str) -> None:
    trace = Trace(*written(path, name, ["GET", "FROB", "HEAD"], 15_000))
    assert sum(batch.requests for batch in trace.batches()) == 15_000
    assert path.stat().st_size > PIECE
    assert (trace.faults.passed.unknown["FROB"], trace.faults.passed.idle["HEAD"]) == (15_000, 15_000)


def test_of_two_fields_with_an_operation_the_first_counts() -> None:
    assert op_field({"a.op": "get", "b.op": "delete", "type": "put"}) == "a.op"
    assert op_field({"event": "x", "op": "get"}) == "op"
    assert op_field({"kind": "image", "type": "image"}) is None


@pytest.mark.parametrize("name", AS)
def test_what_a_word_means_may_be_given_in_every_format(path: Path, name: str) -> None:
    source, format = written(path, name, ["FROB", "get", "frob", "BlobRestored"])
    trace = Trace(source, format, ops=operations("frob=write,blobrestored=delete"))
    assert [(record.op, record.delete) for record in trace] == [
        (WRITE, False), (READ, False), (WRITE, False), (READ, True)]  # fmt: skip
    assert not trace.faults.passed.unknown


@pytest.mark.parametrize(("text", "ops", "expected"), [
    ("fio version 3 iolog\n0 a trim 0 512\n1 a read 0 512\n", "trim=write", [WRITE, READ]),
    ("8,0 0 1 0.000000001 9 Q N 8 + 8\n8,0 0 1 0.000000002 9 Q R 8 + 8\n", "N=write", [WRITE, READ]),
    ("0,0,512,R,0.5\n0,0,512,r,0.6\n", "r=write", [WRITE, WRITE]),
    ('{"op": "frob", "offset": 0, "size": 512}\n{"op": "read", "offset": 0, "size": 512}\n', "frob=write",
     [WRITE, READ]),
    ('1700000000.5 [0 1.1.1.1:1] "GET" "a"\n', "get=write", [WRITE]),
])  # fmt: skip
def test_words_of_tools_may_be_given_a_meaning(path: Path, text: str, ops: str, expected: list[object]) -> None:
    path.write_text(text)
    assert [record.op for record in Trace(path, ops=operations(ops))] == expected


def test_the_codes_of_a_binary_format_have_their_meanings(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(UserError, match="--ops gives words a meaning, and blktrace has codes in binary"):
        Trace(path, "blktrace", ops=operations("1=write"))


def test_where_no_word_is_known_the_refusal_names_them(path: Path) -> None:
    path.write_text("time,op,key\n1,Zip,a\n2,Zap,b\n")
    with pytest.raises(UserError, match=r"there is no request in it: .*op 'Zip' \(1\), 'Zap' \(1\); --ops says"):
        list(Trace(path))


def test_a_type_may_be_that_of_the_object(path: Path) -> None:
    path.write_text('{"key": "a", "type": "image"}\n{"key": "a", "type": "delete"}\n')
    assert [record.delete for record in Trace(path, keyed_format("key"))] == [False, True]


@pytest.mark.parametrize("letters", [["R", "DS", "WS", "DS", "FF"]])
def test_discards_of_a_log_are_counted(path: Path, letters: list[str]) -> None:
    path.write_text("".join(f"8,0 0 1 0.00000000{time} 9 Q {kind} 8 + 8\n" for time, kind in enumerate(letters)))
    trace = Trace(path)
    assert [record.op for record in trace] == [READ, WRITE]
    assert trace.faults.sentences == ["what neither reads nor writes is passed over: 'DS' (2), 'FF' (1)"]


# Sizes that are not there.

UNSIZED: dict[str, tuple[str, Callable[[], Format | str]]] = {
    "csv": ("key,op\na,get\nb,get\n", str), "list": ("a\nb\n", lambda: with_columns({"key": "1"})),
    "json": ('{"key": "a"}\n{"key": "b", "size": null}\n', lambda: keyed_format("key")),
    "redis": ('1.0 [0 1.1.1.1:1] "GET" "a"\n2.0 [0 1.1.1.1:1] "GET" "b"\n', str),
    "lmcache": ("m@1@0@5a1f\nm@1@0@5a1e\n", str),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSIZED)
def test_bytes_of_objects_without_sizes_are_refused(path: Path, name: str) -> None:
    path.write_text(UNSIZED[name][0])
    trace = Trace(path, UNSIZED[name][1]())
    for references in (collect_references(trace, 4096), collect_references(list(trace), 4096)):
        assert references.unsized == 2
        with pytest.raises(UserError, match="--bytes needs the sizes of objects, and the trace has none that is known"):
            object_references(references, 4096, ObjectRules(in_bytes=True))


def test_an_object_without_a_size_among_others_is_counted(path: Path) -> None:
    path.write_text("key,size,op\na,10,get\nb,,get\na,,delete\n")
    references = collect_references(Trace(path), 4096)
    assert (references.sizes.tolist(), references.unsized) == ([10, 1], 1)
    assert object_references(references, 4096, ObjectRules(in_bytes=True)).sized


# Fields of JSON by name.

NESTED = '{"t": 5, "request": {"uri": "a,\\"b", "method": "GET"}, "sent": 7}\n' \
         '{"t": 7, "request": {"uri": "key", "method": "DELETE"}}\n'  # fmt: skip


def test_fields_of_json_are_named_as_columns_are(path: Path) -> None:
    path.write_text(NESTED)
    names = {"time": "t", "key": "request.uri", "op": "request.method", "size": "sent"}
    assert list(Trace(path, with_columns(names))) == [
        Record(0.0, "", READ, 0, 7, keys=('a,"b',)), Record(2.0, "", READ, 0, 1, keys=("key",), delete=True,
                                                            unsized=True)]  # fmt: skip


def test_a_field_may_have_a_list_of_keys_and_blocks_are_bytes(path: Path) -> None:
    path.write_text('{"blocks": [1, "x"]}\n{"blocks": []}\n')
    assert [record.keys for record in Trace(path, with_columns({"key": "blocks"}))] == [("1", "x")]
    path.write_text('{"at": 8192, "n": 512, "rw": "W"}\n')
    assert list(Trace(path, with_columns({"offset": "at", "size": "n", "op": "rw"}))) == [
        Record(None, "", WRITE, 8192, 512)]  # fmt: skip


@pytest.mark.parametrize(("columns", "says"), [
    ({"key": "urr"}, ":1:1: unknown field 'urr': did you mean uri?"),
    ({"key": "uri", "time": "when"}, ":1:1: unknown field 'when'"),
    ({"key": "uri", "size": "ok"}, ":1:1: size must be a number or a word, not 'True'"),
])  # fmt: skip
def test_a_field_that_cannot_be_is_refused(path: Path, columns: dict[str, str], says: str) -> None:
    path.write_text('{"uri": "a", "ok": true}\n')
    with pytest.raises(UserError, match=says):
        list(Trace(path, with_columns(columns)))


@pytest.mark.parametrize("line", ['0,"k,1",5', '"k,1",0,5'])
def test_a_comma_within_quotes_stays_one_in_the_first_line(path: Path, line: str) -> None:
    place = str(1 + line.split('"')[0].count(","))
    path.write_text(f"{line}\n{line}\n")
    assert {record.keys for record in Trace(path, with_columns({"key": place}))} == {("k,1",)}


def test_a_heading_may_have_a_comma_in_it(path: Path) -> None:
    path.write_text('"key, hashed",bytes\na,5\n')
    assert [record.length for record in Trace(path, with_columns({"key": "key, hashed", "size": "bytes"}))] == [5]


# A guess among formats of one shape.


@pytest.mark.parametrize(("lines", "says"), [
    ("0,0,512,R,0.5\n0,8,512,R,0.6\n", ""),
    ("0,4096,512,R,0.5\n0,8192,512,R,0.6\n", "as all divide by 512, they may be bytes"),
    ("1,8,8,0,0\n2,16,8,1,0\n", "taken for Tencent's time,offset,size,op,volume; --columns would say otherwise$"),
    ("1,4096,512,0,0\n2,8192,512,1,0\n", "offsets and sizes all divide by 512, they may be bytes"),
])  # fmt: skip
def test_numbers_that_may_be_bytes_are_a_hint(path: Path, lines: str, says: str) -> None:
    path.write_text(lines)
    trace = Trace(path)
    list(trace)
    sentence = "".join(trace.faults.sentences)
    assert re.search(says, sentence)
    assert bool(sentence) is bool(says)


@pytest.mark.parametrize(("lines", "says"), [
    ("0 0 0 8 0\n10 0 8 8 0\n", "are taken for DiskSim's: ms, device.*--format mqsim takes the times for ns"),
    ("0 0 8192 4096 1\n1.5 0 12288 4096 1\n", "as all blocks and their numbers divide by 4096, they may be bytes"),
    ("0 0 512 4096 1\n1.5 0 12288 4096 1\n", "divide by 512, they may be bytes"),
    ("0 0 8 8 1\n9000 0 8 8 1\n18000 0 8 8 1\n", "its times are taken for nanoseconds, as MQSim's"),
])  # fmt: skip
def test_five_numbers_are_a_guess_that_is_said(path: Path, lines: str, says: str) -> None:
    path.write_text(lines)
    trace = Trace(path)
    list(trace)
    assert re.search(says, "".join(trace.faults.sentences))
    named = Trace(path, "disksim")
    list(named)
    assert not named.faults.sentences
