"""Tests references of all kinds by hand: objects by key, published traces, columns by name or number; and refusals."""

from pathlib import Path
from struct import pack

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces.blocks import references
from spindle.workloads.traces.formats.jsonl import keyed_format
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits, number_of
from spindle.workloads.traces.text import TextFormat


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def read(path: Path, content: str | bytes, format: str | TextFormat = "", skip_bad: int = 0) -> list[Record]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(Trace(path, format, TraceLimits(skip_bad=skip_bad)))


def told(path: Path, content: str | bytes, format: str | TextFormat = "") -> str:
    with pytest.raises(UserError) as raised:
        read(path, content, format)
    assert "\n" not in str(raised.value)
    return str(raised.value).removeprefix(str(path))


def asked(time: float | None, *keys: str, size: int | None = None, device: str = "") -> Record:
    return Record(time, device, READ, 0, 1 if size is None else size, keys=keys, unsized=size is None)


TWITTER = "0,q:q:1:8W,6,213,4,get,0\n0,a,b,3,0,4,set,3600\n1,a,b,3,0,4,delete,0\n2,q:q:1:8W,6,213,5,gets,0\n"
META_KV = "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n" \
          "10,x,3,GET,2,7,1,0\n12,y,3,SET,1,0,0,9\n13,y,3,DELETE,1,0,0,0\n"  # fmt: skip
META_CDN = "timestamp,cacheKey,OpType,objectSize,responseSize,cache_hit\n1500,k1,1,900,20,0\n3000,k2,1,80,20,1\n"
ALIBABA = "0,R,126703644672,4096,1577808000000626\n3,W,0,512,1577808000500626\n"
TENCENT = "1538323199,1003027216,16,0,2313\n1538323200,8,1,1,2\n"
MOONCAKE = '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}\n' \
           '{"timestamp": 28482, "hash_ids": []}\n{"timestamp": 29482, "hash_ids": ["46"]}\n'  # fmt: skip


def lcs(version: int, layout: str = "", *records: tuple[int, ...]) -> bytes:
    """The header of lcs, and *records* behind it."""
    mark = 0x123456789ABCDEF0
    return pack("<QQ", mark, version) + bytes(8168) + pack("<Q", mark) + b"".join(pack(layout, *r) for r in records)


LCS = lcs(1)
LCS_2 = lcs(2, "<IQIIq", (9, 1 << 62, 512, 1, 2), (9, 7, 10, 5 << 8 | 9, -1), (10, 1 << 62, 512, 5 << 8 | 3, -1))
LCS_5 = lcs(5, "<IQqIIqII", (9, 8, 512, 3, 60, 1, 0, 7), (10, 8, 512, 1, 0, -1, 0, 7))
OBJECTS = b"".join(pack("<IQIq", *each) for each in ((9, 1 << 62, 512, 3), (9, 5, 4096, -1), (11, 1 << 62, 512, -1)))
OBJECT_RECORDS = [asked(0.0, str(1 << 62), size=512), asked(0.0, "5", size=4096), asked(2.0, str(1 << 62), size=512)]
FILES = {
    "twitter": (TWITTER, [asked(0.0, "q:q:1:8W", size=219, device="4"),
                          Record(0.0, "4", WRITE, 0, 3, keys=("a,b",), ttl=3600.0),
                          Record(1.0, "4", READ, 0, 3, keys=("a,b",), delete=True),
                          asked(2.0, "q:q:1:8W", size=219, device="5")]),
    "meta": (META_KV, [asked(0.0, "x", "x", size=10), Record(2.0, "", WRITE, 0, 3, keys=("y",), ttl=9.0),
                       Record(3.0, "", READ, 0, 3, keys=("y",), delete=True)]),
    "meta ": (META_CDN, [asked(0.0, "k1", size=900), asked(1.5, "k2", size=80)]),
    "alibaba": (ALIBABA, [Record(0.0, "0", READ, 126703644672, 4096), Record(0.5, "3", WRITE, 0, 512)]),
    "tencent": (TENCENT, [Record(0.0, "2313", READ, 1003027216 * 512, 8192), Record(1.0, "2", WRITE, 4096, 512)]),
    "jsonl": (MOONCAKE, [asked(0.0, "46", "47"), asked(2.0, "46")]),
    "lcs": (LCS + OBJECTS, OBJECT_RECORDS),
    "lcs ": (LCS_2, [asked(0.0, str(1 << 62), size=512), Record(0.0, "5", READ, 0, 10, keys=("7",), delete=True),
                     Record(1.0, "5", WRITE, 0, 512, keys=(str(1 << 62),))]),
    "lcs  ": (LCS_5, [Record(0.0, "", WRITE, 0, 512, keys=("8",), ttl=60.0), asked(1.0, "8", size=512)]),
    "oracleGeneral-objects": (OBJECTS, OBJECT_RECORDS),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_and_read(path: Path, name: str) -> None:
    content, records = FILES[name]
    assert read(path, content) == records
    assert Trace(path).format.name == name.strip()


@pytest.mark.parametrize(("head", "row", "record"), [
    ("timestamp,op,offset,size", "7,R,1024,512\n9.5,w,0,4096", Record(2.5, "", WRITE, 0, 4096)),
    ("time_us,op,offset,size", "7,R,1024,512\n9,R,0,1", Record(2e-6, "", READ, 0, 1)),
    ("time_s;device;offset;length", "7;a;1024;512\n9;b;5;1", Record(9.0, "b", READ, 5, 1)),
    ("time_ms\tkey\tsize", "1578000000000\ta b,c\t5\n1578000000250\td\t6", asked(0.25, "d", size=6)),
    ("key", "some\nother", asked(None, "other")),
    ("key|op|count", "x|set|1\ny|-|2", asked(None, "y", "y")),
    ("op lba_512 sectors", "U 1 2\n- 3 4", Record(None, "", READ, 1536, 2048)),
])  # fmt: skip
def test_a_header_says_what_is_asked_for_and_when(path: Path, head: str, row: str, record: Record) -> None:
    assert read(path, f"{head}\n{row}\n")[-1] == record
    assert Trace(path).format.name == "csv"


@pytest.mark.parametrize(("columns", "mark", "content", "record"), [
    ({"time": "1", "key": "2", "size": "3", "op": "4"}, "", "5,a,10,U\n6,b,20,get,x,y\n", asked(1.0, "b", size=20)),
    ({"key": "3"}, "", "5 a 10\n6 b 20\n", asked(None, "20")),
    ({"key": "2", "time": "1"}, "", "when,what\n5,a\n7,b\n", asked(2.0, "b")),
    ({"key": "id", "size": "bytes"}, "", "x,bytes,id\n-,7,a\n-,8,b\n", asked(None, "b", size=8)),
    ({"offset": "2", "size": "1"}, ":", "512:0\n512:1024\n", Record(None, "", READ, 1024, 512)),
    ({"offset": "2", "size": "1"}, "\t", "512\t0\n512\t1024\n", Record(None, "", READ, 1024, 512)),
])  # fmt: skip
def test_columns_may_be_named_by_who_reads(
    path: Path, columns: dict[str, str], mark: str, content: str, record: Record
) -> None:
    found = read(path, content, with_columns(columns, mark))
    assert (len(found), found[-1]) == (2, record)


def test_any_field_of_json_may_have_the_keys(path: Path) -> None:
    rows = '{"time_s": 1.5, "page": "a/b", "size": 7, "tenant": "t"}\n{"time_s": 2, "page": ["c", 3], "size": 1}\n'
    first, last = asked(0.0, "a/b", size=7, device="t"), asked(0.5, "c", "3", size=1)
    assert read(path, rows, keyed_format("page")) == [first, last]


def test_an_object_is_one_block_whoever_asks_and_however_large(path: Path) -> None:
    a, b, c = (number_of(key) for key in ("q:q:1:8W", "a,b", "x"))
    assert [piece.tolist() for piece in references(read(path, TWITTER), 4096)] == [[a, b, a]]
    assert next(references(read(path, META_KV), 4096)).tolist() == [c, c, number_of("y")]
    assert len({a, b, c, number_of("7"), number_of("07")}) == 5
    assert 0 <= min(a, b, c) <= max(a, b, c) < 1 << 62


WRONG = [
    ("offset,size,op,what\n1,2,R,x\n", ":1:1: column 'what' is not known; --columns says which to read of time_s"),
    ("tmestamp,op,offset,size\n1,R,1,2\n", ":1:1: column 'tmestamp' is not known (is timestamp meant?); --columns"),
    ("op,size\nR,1\n", ":1:1: there is no column offset or lba_512, nor key"),
    ("op,offset\nR,1\n", ":1:1: there is no column size or sectors, nor key"),
    ("timestamp,op,offset,size\n1,R,1,9223372036854775808\n", ":2:7: a request has from 1 to 1073741824 bytes"),
    ("key,size\na,9223372036854775808\n", ":2:3: an object has from 0 to 1152921504606846976 bytes, not 9223372036854"),
    ("key,ttl\na,-2\n", ":2:3: ttl must be a number that is not negative, -1, or empty, not '-2'"),
    ("key,size\na,-1\n", ":2:3: size must be a whole number of at most 19 digits, or empty, not '-1'"),
    ("time,key\n100,a\n50,b\n", ":3:1: the time runs back from 0 to -50 s, by more than 10 s"),
    ("key,count\na,70000\n", ":2:3: one line asks for an object from 1 to 65536 times, not 70000"),
    ("key,size\n,5\n", ":2:1: key must be a key of 1 to 4096 characters, not ''"),
    (TWITTER + "3,a,1,2,c,fetch,0\n", ":5:11: operation must be get or gets or set"),
    (TENCENT + "1538323200,8,1,2,2\n", ":3:16: IOType must be 0 or 1, not '2'"),
    (ALIBABA + "0,X,0,1,1577808000000626\n", ":3:3: opcode must be R or W, not 'X'"),
    (META_KV + "13,y,3,GET,1,x,0,0\n", ":5:14: size must be a whole number"),
    (MOONCAKE + '{"hash_ids": [1}\n', ":4:16: this is no JSON: Expecting ',' delimiter"),
    (MOONCAKE + '{"hash_id": [1]}\n', ":4:1: unknown field 'hash_ids': did you mean hash_id?"),
    (MOONCAKE + '{"hash_ids": [1.5]}\n', ":4:1: a key must be a whole number or 1 to 4096 characters, not '1.5'"),
    (MOONCAKE + '{"hash_ids": [[1]]}\n', ":4:1: a key must be a whole number or 1 to 4096"),
    (MOONCAKE + '[1]\n', ":4:1: a line must be an object in braces, not '[1]'"),
    (MOONCAKE + '{"hash_ids": [' + "9" * 5000 + "]}\n", ":4:1: this is no JSON that can be read: too deep, or a"),
    (MOONCAKE + "[" * 60_000 + "\n", ":4:1: this is no JSON that can be read"),
    (MOONCAKE + '{"timestamp": NaN, "hash_ids": [1]}\n', ":4:1: timestamp must be a number, not 'nan'"),
    (MOONCAKE + '{"ttl": "soon", "hash_ids": [1]}\n', ":4:1: ttl must be a number of seconds, not 'soon'"),
    (MOONCAKE + '{"size": -1, "hash_ids": [1]}\n', ":4:1: an object has from 0 to 1152921504606846976 bytes, not -1"),
    (lcs(9) + OBJECTS, "lcs has a header that ends as it begins, and version 1 to 8, not 9"),
]  # fmt: skip



@pytest.mark.parametrize(("content", "says"), WRONG)
def test_what_is_wrong_is_told_in_one_line_with_its_place(path: Path, content: str | bytes, says: str) -> None:
    assert says in told(path, content, "lcs" if isinstance(content, bytes) else "")


def test_columns_that_cannot_be_are_refused(path: Path) -> None:
    for columns, says in (
        ({"kye": "1"}, "unknown column 'kye': did you mean key"), ({"key": "0"}, "the first at least"),
        ({"key": "1", "time": "when"}, "all of them alike"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=says):
            with_columns(columns)
    assert "unknown column 'obj': did you mean b?" in told(path, "a,b\n1,2\n", with_columns({"key": "obj"}))
