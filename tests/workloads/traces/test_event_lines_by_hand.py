"""Tests what becomes of an event in a tool's line, its numbers, headers of tools, and formats made of a reading."""

from typing import Any

import pytest

from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS, US
from spindle.workloads.traces.formats import events
from spindle.workloads.traces.formats.events import (
    ASKED,
    Event,
    EventLines,
    Reading,
    biosnoop,
    diskmon,
    ftrace,
    ibm_cos,
    iosnoop,
    line_format,
    tencent_photo,
    tool_format,
    xperf,
)
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.record import Record


def lines(event: Event) -> EventLines:
    """Return lines each of which has *event*."""
    return EventLines(lambda: lambda _: event)


def is_refused(read: Reading, line: str) -> bool:
    try:
        read(line)
    except (ValueError, LookupError):
        return True
    return False


# Events.

@pytest.mark.parametrize(("event", "record"), [
    (Event("R", "a", "8", "512"), Record(None, "a", READ, 4096, 512)),
    (Event("W", "a" * 256, "0x8", "1", sector=1, sectors=512), Record(None, "a" * 255, WRITE, 8, 512)),
    (Event("R", "a", "8", "0"), None), (Event("R", "a", "8", "512", skip=True), None),
    (Event("get", "", "8", "7", keys=("k",)), Record(None, "", READ, 0, 7, keys=("k",))),
    (Event("get", "", "x", "", keys=("k",)), Record(None, "", READ, 0, 1, keys=("k",), unsized=True)),
    (Event("delete", "", "8", "0", keys=("k",)), Record(None, "", READ, 0, 0, keys=("k",), delete=True)),
    (Event("R", "a", "8", "512", "5", "2", response_unit=MS), Record(0.0, "a", READ, 4096, 512, 2 * MS)),
    (Event("R", "a", "8", "512", "5", "2", ended=True), Record(-2.0, "a", READ, 4096, 512, 2.0)),
])  # fmt: skip
def test_the_request_of_an_event(event: Event, record: Record | None) -> None:
    assert lines(event).parse("") == record


@pytest.mark.parametrize(("event", "idle", "unknown"), [
    (Event("zap", "a", "8", "512"), {"zap": 1}, {}),
    (Event("get", "", "0", "1", keys=("k",), skip=True), {"get": 1}, {}),
    (Event("zap", "", "0", "1", keys=("k",)), {}, {"zap": 1}), (Event("trim", "a", "0", "1"), {"trim": 1}, {}),
])  # fmt: skip
def test_what_is_no_request_is_counted_by_its_word(event: Event, idle: dict[str, int], unknown: dict[str, int]) -> None:
    passing = lines(event)
    assert passing.parse("") is None
    assert (passing.passed.idle, passing.passed.unknown) == (idle, unknown)
    passing.given = {event.op: Meaning.WRITE}
    assert passing.parse("") is not None


def test_numbers_of_events() -> None:
    assert [events._number(text) for text in ("1700000000123456789", ".5", "1.", "1" * 36)] == \
        [1700000000123456789, 0.5, 1.0, int("1" * 36)]
    assert [events._whole_number(text) for text in ("010", "0x10", "0X1f", "1" * 20, "0x" + "f" * 18)] == \
        [10, 16, 31, int("1" * 20), 16**18 - 1]
    for text in ("1" * 21, "-1", "1.5", "x", ""):
        with pytest.raises(ValueError):  # noqa: PT011 - it says nothing
            events._whole_number(text)


# Lines of tools.

def test_biosnoop_has_the_columns_of_its_header() -> None:
    read = biosnoop()
    assert is_refused(read, "1.0 7 sda R 8 512 0.7")  # without the name of its command
    assert read("PID DISK T SECTOR BYTES") is None
    assert read("sql 7 sda R 8 512") == Event("R", "sda", "8", "512", response_unit=MS)
    assert is_refused(read, "7 sda R 8 512")


def test_iosnoop_has_the_columns_of_its_header() -> None:
    read = iosnoop()
    assert is_refused(read, "0 12 R 8 4096")  # without the name of its command
    assert read("UID PID D BLOCK SIZE") is None
    found = Event("R", "", "8", "4096", unit=US, response_unit=US, ended=True)
    assert read("0 12 R 8 4096") == found
    assert read("UID PID D BLOCK SIZE COMM PATHNAME") is None
    assert read("0 12 R 8 4096 sh") == found


def test_xperf_has_the_columns_of_its_header() -> None:
    read = xperf()
    row = "DiskRead, 5, a ( 7), 1, 0x1, 0x200, 512, 9, 3"
    found = Event("Read", "3", "0x200", "512", "5", "9", US, US, sector=1, ended=True)
    assert read(row) == found
    assert read("DiskRead, TimeStamp, IOSize, ElapsedTime, DiskNum") is None  # no header: it lacks a column
    assert read(row) == found
    assert read("DiskRead, TimeStamp, IOSize, ByteOffset, ElapsedTime, DiskNum") is None
    assert read("DiskRead, 5, 512, 0x200, 9, 3") == found


@pytest.mark.parametrize(("line", "good"), [
    ("FileIo, 5", True), ("Io, 5", True), ("CSwitch, 5", True), ("BeginHeader", True), ("EndHeader", True),
    ("CSwitch, TimeStamp, CPU", True), ("OS Version: 10", True), ("Q, 5", False), ("Read, 5", False),
    ("fileio, 5", False), ("q, a, TimeStamp", False), ("CSwitch, x", False),
])  # fmt: skip
def test_other_rows_of_xperf(line: str, good: bool) -> None:
    assert is_refused(xperf(), line) != good


TRACED = "5.25: {}: 8,0 R 512 () 8 + 1"


def test_ftrace_has_its_best_kind_of_event() -> None:
    read = ftrace()
    kinds = ("block_getrq", "block_rq_issue", "block_rq_complete", "block_rq_issue")
    assert [read(TRACED.format(kind)) is not None for kind in kinds] == [False, True, False, True]
    for place, best in enumerate(ASKED[::2]):
        head = "".join(TRACED.format(kind) + "\n" for kind in reversed(ASKED[::2][place:]))
        chosen = events._of_best_events(head.encode(), "").parser()
        assert [kind for kind in ASKED[::2] if chosen.parse(TRACED.format(kind)) is not None] == [best]


def test_ftrace_looks_at_4096_characters() -> None:
    line = TRACED.format("block_rq_issue")
    assert ftrace()(line.rjust(4096)) == Event("R", "8,0", "8", "1", "5.25", sectors=512)
    assert ftrace()(line.rjust(4097)) is None
    assert ftrace()("5: block_a: ".rjust(4096)) is None
    assert is_refused(ftrace(), "5: block_a: ".rjust(4097))


def test_cells_between_tabs_may_have_blanks() -> None:
    assert diskmon("1\t2\t3\tmy disc\tRead\t5\t8\n") == Event("Read", "my disc", "5", "8", "2", "3", sectors=512)


def test_a_key_of_ibm_has_4096_characters_at_most() -> None:
    line = "5 REST.GET.OBJECT {} 7"
    assert ibm_cos(line.format("k" * 4096)) == Event("REST.GET.OBJECT", "", "0", "7", "5", unit=MS, keys=("k" * 4096,))
    assert is_refused(ibm_cos, line.format("k" * 4097))


def test_a_photo_of_tencent_was_hit_or_not() -> None:
    line = "20160201000000 photo 5 m 7 {} PC 30"
    found = Event("", "", "0", "7", "1454284800", "30", response_unit=MS, keys=("photo.5.m",))
    assert [tencent_photo(line.format(hit)) for hit in "01"] == [found] * 2
    assert is_refused(tencent_photo, line.format("X"))


# Formats.

def test_a_format_of_a_tool() -> None:
    def choose(head: bytes, name: str) -> Any:
        return name + head.decode()

    format = tool_format("a", biosnoop)
    assert (format.name, format.suffixes, format.needs, format.note, format.slack, format.choose) == \
        ("a", (), "a request is a line of a", "", 0.0, None)
    assert format.parser().parse("1.0 sql 7 sda R 8 512 0.7") == Record(-0.7 * MS, "sda", READ, 4096, 512, 0.7 * MS)
    format = tool_format("a", biosnoop, 5.0, "b", choose)
    assert (format.slack, format.note, format.choose) == (5.0, "b", choose)


def test_a_format_of_a_tool_whose_lines_stand_alone() -> None:
    line = "1\t2\t3\t0\tRead\t5\t8"
    format = line_format("a", diskmon)
    assert (format.name, format.note, format.slack) == ("a", "", 0.0)
    assert format.parser().parse(line) == Record(0.0, "0", READ, 2560, 4096, 3.0)
    assert (line_format("a", diskmon, 5.0, "b").slack, line_format("a", diskmon, 5.0, "b").note) == (5.0, "b")
