"""Tests damaged, truncated and hostile files: each gives records within the limits, or an error of one line."""

import gzip
import tracemalloc
from collections.abc import Callable
from itertools import islice, repeat
from pathlib import Path
from struct import pack

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces.writer import WRITERS
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.formats.published import SPC
from spindle.workloads.traces.reader import FORMATS, Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import PIECE
from tests.samples import sample

ROW = "0,8,512,R,{}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def told(path: Path, content: bytes, limits: TraceLimits | None = None, name: str = "spc") -> str:
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        list(Trace(path, name, limits))
    return str(raised.value).removeprefix(str(path))


def rows(*times: float) -> bytes:
    return "".join(ROW.format(time) for time in times).encode()


PASSED = "; --skip-bad 1 passes over one such line"


def test_a_line_has_an_end(path: Path) -> None:
    long = rows(1, 2) + b"x" * (3 * PIECE) + b"\n" + rows(3)
    assert told(path, long) == f":3:65537: a line has at most 65536 bytes, and this has more{PASSED}"
    trace = Trace(path, "spc", TraceLimits(skip_bad=1))
    assert [record.time for record in trace] == [1, 2, 3]
    assert told(path, rows(1) + bytes(3 * PIECE)) == (
        f":2:65537: a line has at most 65536 bytes, and this has more{PASSED}")


def test_text_is_utf_8(path: Path) -> None:
    assert told(path, rows(1, 2) + b"0,8,5\xff2,R,3\n" + rows(4)) == (
        f":3:6: byte 0xff is not text in UTF-8{PASSED}")
    assert [record.time for record in Trace(path, "spc", TraceLimits(skip_bad=1))] == [1, 2, 4]


def test_times_may_run_back_by_the_slack(path: Path) -> None:
    path.write_bytes(rows(5, 100, 95, 99))
    assert [record.time for record in Trace(path, limits=TraceLimits(slack=5.0))] == [5, 95, 99, 100]
    assert told(path, rows(5, 100, 95, 99), TraceLimits(slack=4.0)) == (
        ":3:11: the time runs back from 100 to 95 s, by more than 4 s: sort the file by time, or read files of two "
        "clocks apart")


def test_devices_are_counted(path: Path) -> None:
    content = b"".join(b"%d,8,512,R,1\n" % number for number in (0, 1, 0, 2))
    assert (
        told(path, content, TraceLimits(devices=2)) == ":4:1: device '2' is one more than the 2 that a trace may name"
    )


def test_bad_lines_are_passed_over_and_counted_up_to_a_limit(path: Path) -> None:
    content = rows(1) + b"bad\n" + rows(2) + b"worse\n" + rows(3)
    path.write_bytes(content)
    trace = Trace(path, "spc", TraceLimits(skip_bad=2))
    assert [record.time for record in trace] == [1, 2, 3]
    assert trace.faults.bad == 2
    assert trace.faults.kept == [f"{path}:{line}:1: ASU must be a whole number of at most 19 digits, not '{word}'"
                                 for line, word in ((2, "bad"), (4, "worse"))]
    assert told(path, content, TraceLimits(skip_bad=1)).endswith("not 'worse' (and 1 bad before it)")


def test_a_file_without_a_request_is_told(path: Path) -> None:
    assert told(path, b"bad\n", TraceLimits(skip_bad=1)) == (
        ": there is no request in it: a request is a line of at least five cells")


def test_memory_does_not_grow_with_what_a_file_promises(path: Path) -> None:
    """65,535 bytes are said to follow each record; they are never there."""
    record = b"\x07tae" + bytes(42) + b"\xff\xff"
    assert "the file ends 48 bytes after it begins" in told(path, record, name="blktrace")


def test_memory_does_not_grow_with_the_trace() -> None:
    piece = b"".join(b"0,%d,512,R,1\n" % number for number in range(1000))
    records = SPC.records("endless", repeat(piece), Faults(0), TraceLimits())
    tracemalloc.start()
    try:
        assert len(list(islice(records, 1000))) == 1000
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        assert sum(1 for _ in islice(records, 20_000)) == 20_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most - before < 4 * len(piece) + 150_000


HEADS = (b"fio version 3 iolog\n", b"fio version 2 iolog\n", b"time_s,lba_512,sectors,op\n", b"\x07tae",
         b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf", b"", b"\x01\x00\x00\x00")  # fmt: skip
BITS = (b"0,", b"1 ", b"8,0 ", b"Read,", b"R", b"W", b"a ", b"read ", b"wait ", b"1.5 ", b"1e9", b"nan", b"\n", b"\r",
        b"\0", b"\xff", b"-1", b"9" * 30, b"\x00\x01" * 6, b"Q ", b"+ ", b"[x]", b"CPU0 (",
        b"\x07tae" + bytes(44))  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "trace"


def only_records_or_an_error(file: Path, content: bytes, name: str, limits: TraceLimits) -> None:
    file.write_bytes(content)
    errors = []
    try:
        for record in Trace(file, name, limits):
            assert isinstance(record, Record)
            assert 0 < record.length <= (limits.end if record.keys else limits.length)
            assert 0 <= record.first < record.first + record.length <= limits.end
            assert record.time is None or record.time <= limits.latest
    except UserError as error:
        errors.append(str(error))
    assert all("\n" not in error and len(error) < 700 for error in errors)


@settings(max_examples=sample(60, 150))
@given(head=st.sampled_from(HEADS), bits=st.lists(st.sampled_from(BITS) | st.binary(max_size=50), max_size=30),
       name=st.sampled_from(["", *FORMATS]), skip=st.integers(0, 20))  # fmt: skip
def test_any_bytes(file: Path, head: bytes, bits: list[bytes], name: str, skip: int) -> None:
    only_records_or_an_error(file, head + b"".join(bits), name, TraceLimits(skip_bad=skip))


RECORDS = [Record(number / 8, "8,0", READ if number % 3 else WRITE, number % 7 * 512, 1024) for number in range(12)]
GOOD = {name.rstrip("23"): b"".join(WRITERS[name](RECORDS)) for name in ("fio2", "fio3", "blktrace")}
GOOD |= {
    "disksim": b"".join(b"%d.5 0 %d 8 1\n" % (number, number * 8) for number in range(12)),
    "msr": b"".join(b"%d,usr,0,Read,%d,512,9\n" % (10**17 + number, number * 512) for number in range(12)),
    "blkparse": b"".join(b"8,0 1 %d 0.%09d 9 Q RA %d + 8 [x]\n" % (number, number, number) for number in range(12)),
    "vscsi1": b"".join(pack("<IIIHHQQ", 1, 512, 1, 0x28, 0x100, number, number) for number in range(12)),
    "vscsi2": b"".join(pack("<HHIIIQQQ", 0x2A, 0x200, 1, 512, 1, number, number, 9) for number in range(12)),
    "oracleGeneral": b"".join(pack("<IQIq", number, number, 512, -1) for number in range(12)),
    "twitter": b"".join(b"%d,k:%d,3,%d,7,get,0\n" % (number, number % 5, number) for number in range(12)),
    "tencent": b"".join(b"%d,%d,8,1,7\n" % (1538323199 + number, number) for number in range(12)),
    "jsonl": b"".join(b'{"timestamp": %d, "hash_ids": [%d, "x"]}\n' % (number, number) for number in range(12)),
    "csv": b"time_s,lba_512,sectors,op\n" + b"".join(b"%d,%d,8,W\n" % (number, number) for number in range(12)),
}


@settings(max_examples=sample(60, 150))
@given(kind=st.sampled_from(list(GOOD)), compress=st.sampled_from([bytes, gzip.compress, zstandard.compress]),
       damage=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 9), st.sampled_from(BITS) | st.binary(max_size=9)),
                       max_size=4), after=st.booleans(), skip=st.integers(0, 20))  # fmt: skip
def test_damaged_files(
    file: Path, kind: str, compress: Callable[[bytes], bytes], damage: list[tuple[int, int, bytes]], after: bool,
    skip: int,
) -> None:
    """Damaged before they were compressed, or after."""
    content = compress(GOOD[kind]) if after else GOOD[kind]
    for at, gone, instead in damage:
        content = content[: at % len(content)] + instead + content[at % len(content) + gone :]
    only_records_or_an_error(file, content if after else compress(content), kind, TraceLimits(skip_bad=skip))


@pytest.mark.parametrize("kind", GOOD)
def test_what_is_damaged_there_is_good(file: Path, kind: str) -> None:
    file.write_bytes(GOOD[kind])
    assert len(list(Trace(file))) == 12
    assert Trace(file).format.name == kind


@pytest.mark.parametrize("kind", ["csv", "msr", "spc", "blkparse", "fio", "disksim"])
def test_a_long_line_is_read_once(file: Path, kind: str) -> None:
    """A pattern that went back to try each place of so much white space would take minutes."""
    good = b"0,8,512,R,1" if kind == "spc" else GOOD[kind].rstrip().split(b"\n")[-1]
    space = b" " * 60_000
    lines = [good + space + b"!", space + good + b"!", good.replace(b",", space + b",", 1) + b"!"]
    file.write_bytes(GOOD.get(kind, good) + b"\n" + b"\n".join(lines * 5))
    trace = Trace(file, kind, TraceLimits(skip_bad=15))
    assert len(list(trace)) + trace.faults.bad >= 12
