"""Tests files of fio and blktrace by hand: which have times, the records, and which files belong together."""

from pathlib import Path
from struct import Struct

import pytest

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.formats.blktrace import LAYOUT, LENGTH, BlktraceRecords, _own, encode
from spindle.workloads.traces.formats.fio import FioLines
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import files_of

VERSION_2, VERSION_3 = "fio version 2 iolog\n", "fio version 3 iolog\n"


@pytest.mark.parametrize(("text", "times"), [
    (f"{VERSION_2}a add\na open\na read 0 512\na write 512 512\na close\n", [None, None]),
    (f"{VERSION_2}a add\na read 0 512\na wait 5 0\na write 512 512\n", [0.0, 0.005]),
    (f"{VERSION_3}0 a add\n7 a read 0 512\n9 a write 512 512\n", [0.0, pytest.approx(2e-6)]),
])  # fmt: skip
def test_a_log_of_fio_has_times_where_it_waits_or_stamps(tmp_path: Path, text: str, times: list[float | None]) -> None:
    path = tmp_path / "x.fio"
    path.write_text(text)
    records = list(Trace(path))
    first = records[0].time
    assert [each.time if first is None or each.time is None else each.time - first for each in records] == times
    assert [(each.op, each.first) for each in records] == [(READ, 0), (WRITE, 512)]


def test_lines_without_waits_have_no_time_however_they_are_asked() -> None:
    for timed, time in ((True, 0.0), (False, None)):
        lines = FioLines(timed)
        assert [lines.parse(line) for line in (VERSION_2, "a add")] == [None, None]
        assert lines.parse("a read 0 512") == Record(time, "a", READ, 0, 512)


def test_a_record_of_blktrace_field_by_field() -> None:
    records = [Record(0.0, "8,16", READ, 1024, 512), Record(1.5, "8,16", WRITE, 0, 4096)]
    layout = Struct("<" + LAYOUT)
    read, write = (layout.unpack(each) for each in encode(records))
    device, queue = 8 << 20 | 16, 1 << 20
    assert read == (0x65617407, 1, 0, 2, 512, 1 | queue | 1 << 16, 1, device, 0, 0, 0)
    assert write == (0x65617407, 2, 1_500_000_000, 0, 4096, 1 | queue | 1 << 17, 1, device, 0, 0, 0)
    assert layout.size == LENGTH
    reader, content = BlktraceRecords(), b"".join(encode(records))
    assert [reader.decode(content, at) for at in (0, LENGTH)] == [(LENGTH, record) for record in records]


@pytest.mark.parametrize(("name", "number"), [
    ("8,16", 8 << 20 | 16), ("0,0", 0), ("4095,999999", 4095 << 20 | 999_999), ("4096,0", None), ("8,1048576", None),
    ("8,0000016", None), ("8,1,2", None), ("8", None), ("8,", None), ("x,1", None), ("sda", None), ("8,x", None),
])  # fmt: skip
def test_a_device_may_be_called_by_its_numbers(name: str, number: int | None) -> None:
    assert _own(name) == number


def test_the_next_record_is_looked_for_behind_the_place() -> None:
    reader = BlktraceRecords()
    assert reader.resume(b"abcd\x07tae", 0) == 4
    assert reader.resume(b"a\x07tae", 0) == 1
    assert reader.resume(b"abcdefgh", 0) == 5, "three bytes may be the begin of the mark"
    assert reader.resume(b"abcd", 3) == 4


def test_files_of_the_processors_of_one_trace_are_one(tmp_path: Path) -> None:
    for name in ("x.blktrace.0", "x.blktrace.1", "y.blktrace.0", "x.blktrace.old", "x.blktrace.10"):
        (tmp_path / name).write_bytes(b"")
    found = files_of(str(tmp_path / "x.blktrace.1"), TraceLimits())
    assert [each.name for each in found] == ["x.blktrace.0", "x.blktrace.1", "x.blktrace.10"]
