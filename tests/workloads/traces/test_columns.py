"""Tests that reading by columns equals reading line by line, to the last bit, or leaves the lines to it."""

from pathlib import Path
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.traces.blocks import collect_references
from spindle.workloads.traces.batch import Batch
from spindle.workloads.traces.formats.jsonl import keyed_format
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.reader import Format, Trace
from spindle.workloads.traces.record import Record, TraceLimits
from tests.samples import sample
from tests.traces.test_references import (
    ALIBABA,
    LCS,
    LCS_2,
    LCS_5,
    META_CDN,
    META_KV,
    MOONCAKE,
    OBJECTS,
    TENCENT,
)
from tests.workloads.traces.test_formats import DISKSIM, MSR, PLAIN, SPC
from tests.workloads.traces.ways import by_columns, line_by_line, parts

TWITTER = "0,q:q:1:8W,6,213,4,get,0\n0,a b ,3,0,4,set,3600\n1,ab,3,0,4,delete,0\n2,q:q:1:8W,6,213,5,gets,0\n"
KEYED = "time_ms|key|size|op|ttl|count\n7|a|100|get|60|1\n9|b|7|del|-1|2\n9|a|50|set||3\n"
BLOCKS = "timestamp,device,op,offset,size,response_s,ttl\n1.25,x,R,8192,9000,0.5,0\n,y,W,0,1,0.1,\n2,x,-,1,1,0,9\n"
NS = "time_ns,op,lba_512,sectors\n1700000000123456789,R,8,8\n1700000000123456790,W,16,9\n"
SPC_SHORT = "0,20941264,8192,W,0.551706\n0,3436288,15872,r,0.554041\n"
SPC_LONG = "0,20941264,8192,W,0.551706,x\n1,8,512,r,0.125,y\n"
LISTS = '{"timestamp": 27482, "input_length": 5, "hash_ids": [46, 47]}\n{"timestamp": 28482, "hash_ids": []}\n' \
        '{"timestamp": 29482, "more": {"x": [1]}, "hash_ids": [46, -1, 9]}\n'  # fmt: skip
ONES = '{"page": "a\\u00e9", "size": 5, "tenant": "x", "ttl": 9}\n{"size": 7, "page": "é", "tenant": "y", "ttl": -1}\n'
SECTORS = b"".join(pack("<IQIq", *each) for each in ((9, 8, 512, 2), (9, 0, 4096, -1), (11, 8, 512, -1)))
NUMBERED = "x;7;a ;100;get;k\nx;9;b;50;del;k\nx;9;a;100;set;k\n"
TEXTS = {
    "msr": MSR, "msr+head": "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + MSR, "spc": SPC_SHORT,
    "spc+more": SPC_LONG, "csv": PLAIN, "csv+all": BLOCKS,
    "disksim": DISKSIM, "csv+ns": NS, "csv+keys": KEYED, "alibaba": ALIBABA,
    "csv+owners": "# two\n\nvolume,device,op,offset,size,qlen\na,b,R,0,512,3\na,c,W,512,512,4\n",
    "tencent": TENCENT, "twitter": TWITTER, "meta": META_KV, "meta+cdn": META_CDN, "jsonl": LISTS, "jsonl+page": ONES,
    "columns+numbers": NUMBERED, "columns+headed": "t;time;k;s;o;z\n" + NUMBERED,
    "columns+names": "lbn,what,bytes\n8192,z,512\n0,z,9000\n",
    "csv+long": "time_ns,op,lba_512,sectors,response_s\n1700000000123456789,R,8,8,1\n1700000000123456790,W,1,9,1e-2\n",
    "csv+words": "timestamp,device,op,offset,size\n1.5,-1a,R,0,512\n2,0x5,W,512,512\n3,1e999,-,512,512\n",
}  # fmt: skip
RECORDS = {"oracleGeneral": SECTORS, "oracleGeneral-objects": OBJECTS, "lcs+2": LCS_2, "lcs+5": LCS_5}
FILES: dict[str, str | bytes] = {**TEXTS, **RECORDS}
GIVEN: dict[str, Format] = {
    "jsonl+page": keyed_format("page"), "columns+names": with_columns({"offset": "lbn", "size": "bytes"}),
    **dict.fromkeys(("columns+numbers", "columns+headed"),
                    with_columns({"time_us": "2", "key": "3", "size": "4", "op": "5"})),
}  # fmt: skip


CORPUS = sorted((Path(__file__).parents[2] / "corpus" / "trace").iterdir())


def is_by_columns(trace: Trace) -> bool:
    """All but the beginning: a header, comments, and a first line."""
    return all(isinstance(part, Batch) for part in list(parts(trace))[1:])


def both(trace: Trace, piece: int = 0) -> tuple[list[Record], str]:
    """What *trace* asks for, and what is wrong with it, which are the same in both ways."""
    found = list[tuple[list[Record], str]]()
    for records in (by_columns(trace, piece), line_by_line(trace)):
        read = list[Record]()
        try:
            read.extend(records)
        except UserError as error:
            found.append((read, str(error)))
        else:
            found.append((read, ""))
    assert found[0][1] == found[1][1]
    assert found[0][0] == found[1][0]
    return found[0]


def trace(path: Path, content: str | bytes, name: str) -> Trace:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Trace(path, GIVEN.get(name) or name.partition("+")[0])


def forms(name: str) -> list[str | bytes]:
    """The file; a text with other ends of lines, and with empty lines, which JSON has none of."""
    if name in RECORDS:
        return [RECORDS[name]]
    text = TEXTS[name]
    return [text, text.replace("\n", "\r\n"), text + "\n\n" * (not name.startswith("jsonl")), text.rstrip("\n")]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("piece", [0, 50])
def test_simple_files_are_read_by_columns(tmp_path: Path, name: str, piece: int) -> None:
    for content in forms(name):
        simple = trace(tmp_path / "trace", content, name)
        assert is_by_columns(simple)
        records, wrong = both(simple, piece)
        assert records
        assert not wrong
        if all(record.time is not None for record in records):
            records.sort(key=lambda record: record.time or 0.0)
        assert list(simple) == records
        assert list(collect_references(simple, 512).blocks) == list(collect_references(records, 512).blocks)
        counts = collect_references(records[:1], 512).counts.tolist()
        assert collect_references(simple, 512, 1).counts.tolist() == counts


@pytest.mark.parametrize(("name", "content"), [
    ("jsonl", MOONCAKE), ("csv", "#\n"), ("csv", "key,what\na,b\n"), ("csv", "a"),
    ("spc", SPC), ("twitter", "0,a,b,3,0,4,set,3600\n"), ("twitter", "0, ,6,13,4,get,0\n"), ("csv", "key,ttl\n \t,1\n"),
    ("csv", "time_s\top\toffset\tsize\n0\tR\t0\t512\n\tR\t0\t512\n"),
    ("csv", "time_ns,op,offset,size\n,R,0,1\n1600000000000000001,R,0,1\n1599999990000000000,R,0,1\n"),
    ("csv", "op,offset,size\nR,0x10,512\n"), ("csv", "op,offset,size\nR,-0,512\n"),
    ("csv", "time_s,op,offset,size\n-0.0,R,1,1\n"), ("spc", "0,1,512,W,-0\n"),
    ("csv", "time_s,op,offset,size\n+65,R,1,1\n"), ("spc", "0,1,512,W,+5\n"), ("msr", "8,a,1,Read,0,7,0X0\n"),
    ("meta", "key,op,op_count,size,size\ny,SET,1,0,%\n"),
    ("csv", "time_s,op,offset,size\n0000000000000001,R,1,1\n"), ("csv", "op,offset,size\n-1,1,1\n"),
    ("spc", "0,1,512,W,0.e612\n"), ("spc", "0,1,512,W,1E-400\n"), ("spc", "0,1,512,W,0000000000000001\n"),
    ("spc", "0,1,512,W,0000000000000001e0\n"), ("csv", "key,ttl\na,-1.0\n"), ("csv", "key,ttl\na,-.5\n"),
    ("csv", "op,offset,size\nR,-1,512\n"), ("csv", "op,offset,size\nR,1,0\n"),
    ("csv", "op,offset,size\nR,1,1\rR,1,1\n"), ("csv", "op,offset,size\nR,1,\n"), ("csv", "op,offset,size\nQ,1,1\n"),
    ("csv", "op,offset,size\nR,9223372036854775808,1\n"), ("csv", "op,offset,size\nR,9000000000000000000,512\n"),
    ("csv", "time_s,op,offset,size\nnan,R,1,1\n"), ("csv", "time_s,op,offset,size\n-1,R,1,1\n"),
    ("csv", "time_s,op,offset,size\n99,R,1,1\n1,R,1,1\n"), ("csv", "device,op,offset,size\na b,R,1,1\n"),
    ("csv", "time,op,offset,size\n128166372003061629,R,1,1\n"), ("csv", "op,offset,size\n"), ("msr", b"\xff,\n"),
    ("oracleGeneral", SECTORS[:-1]), ("oracleGeneral", SECTORS[24:] + SECTORS[:24]), ("lcs", LCS), ("lcs", LCS_5[:-3]),
    ("lcs", LCS_2[:-8] + bytes(8)), ("oracleGeneral", OBJECTS), ("columns+numbers", "x;7 8;a;1;get;k\n"),
    ("columns+names", "lbn,bytes,more\n1,2,3\n4,5\n"), ("columns+names", "lbn,lbn\n1,2\n"), ("jsonl", "{"),
    ("jsonl", '{"hash_ids": [1]}\n{"hash_ids": 2}\n'), ("jsonl", '{"hash_ids": [true]}\n'),
    ("jsonl", '{"hash_ids": [1]}{"hash_ids": [2]}\n'), ("jsonl", '{"hash_ids": [1]}\n\n{"hash_ids": [2]}\n'),
    ("jsonl", '{"hash_ids": [1]}\n{"hash_ids": [1], "size": 2}\n'), ("jsonl", '{"hash_ids": [1], "size": null}\n'),
    ("jsonl", '{"hash_ids": [1]}\n{"hash_ids": [1.5]}\n'), ("jsonl", '{"hash_ids": [9223372036854775808]}\n'),
    ("jsonl", '{"hash_ids": [""]}\n'), ("jsonl", '{"hash_ids": [1], "timestamp": 1e30}\n'), ("jsonl", "7\n"),
    ("jsonl+page", '{"page": "a", "size": 0}\n'), ("jsonl+page", '{"page": "a", "ttl": 1e26}\n'),
    ("csv", "op,offset,size,response_s\nR,1,1,1e11\n"), ("jsonl", '{"hash_ids": [1], "device": 5}\n'),
    ("csv", "key,size\na,2147483648\na,1152921504606846977\n"), ("csv", "key,count\na,70000\n"),
])  # fmt: skip
def test_what_is_not_simple_is_read_line_by_line(tmp_path: Path, name: str, content: str | bytes) -> None:
    both(trace(tmp_path / "trace", content, name))


def test_names_are_made_of_the_devices_that_there_are(tmp_path: Path) -> None:
    """Of 300 hosts and 300 disks, and not 90,000."""
    lines = "".join(f"{10**17 + number},h{number},{number},Read,0,512,1\n" for number in range(300))
    _, batch = parts(trace(tmp_path / "trace", lines, "msr"))
    assert isinstance(batch, Batch)
    assert sorted(batch.owners.names) == sorted(f"h{each}.{each}" for each in range(1, 300))


def test_after_a_bad_line_it_goes_on_by_columns(tmp_path: Path) -> None:
    lines = [f"{number},{number},512,R,{number / 8}" for number in range(900)]
    lines[100] = "bad"
    bad = trace(tmp_path / "trace", "\n".join(lines) + "\n", "spc")
    bad = Trace(bad.path, "spc", TraceLimits(skip_bad=1))
    kinds = [isinstance(part, Batch) for part in parts(bad, 1500)]
    assert kinds.count(False) == 2
    assert len(both(bad, 1500)[0]) == 899


@settings(max_examples=sample(60, 150), deadline=None)
@given(name=st.sampled_from(sorted(TEXTS)), cuts=st.lists(st.tuples(
    st.integers(0, 400), st.integers(0, 3), st.text("012789.,-+eExXR\n\r \"'|\0é{}[]:", max_size=3)), max_size=2),
    skip=st.integers(0, 2), piece=st.sampled_from([0, 40]))
def test_both_ways_are_one(
    tmp_path_factory: pytest.TempPathFactory, name: str, cuts: list[tuple[int, int, str]], skip: int, piece: int
) -> None:
    content = TEXTS[name]
    for at, length, text in cuts:
        content = content[:at] + text + content[at + length :]
    changed = trace(tmp_path_factory.mktemp("quick") / "trace", content, name)
    both(Trace(changed.path, changed.format, TraceLimits(skip_bad=skip)), piece)


def test_a_bomb_is_put_out_and_a_missing_file_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        collect_references(Trace(tmp_path / "none", "msr"), 512)
    small = Trace(tmp_path / "trace", "msr", TraceLimits(size=10))
    small.path.write_text(MSR)
    with pytest.raises(UserError, match="at most 10 bytes"):
        collect_references(small, 512)


@settings(max_examples=sample(60, 150), deadline=None)
@given(name=st.sampled_from(sorted(RECORDS)), at=st.integers(0, 200), byte=st.integers(0, 255),
       piece=st.sampled_from([0, 40]))
def test_both_ways_are_one_for_records(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, byte: int, piece: int
) -> None:
    content = bytearray(RECORDS[name])
    content[-1 - at % min(len(content), 200)] = byte
    both(trace(tmp_path_factory.mktemp("quick") / "trace", bytes(content), name), piece)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_corpus_is_read_in_both_ways(path: Path) -> None:
    both(Trace(path))
