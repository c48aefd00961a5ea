"""Tests lines of blkparse one by one, in its own format and in those of -f, and how the format is told by lines."""

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats import blkparse
from spindle.workloads.traces.formats.blkparse import EARLIEST, WRAPPED, BlkparseLines, form_of, with_form
from spindle.workloads.traces.formats.events import Event, Reading
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.record import Record

LINE = "8,0 1 5 0.000000100 77 Q R 64 + 8 [fio]"


def test_a_request_of_blkparse() -> None:
    lines = BlkparseLines("Q")
    for letters, op in (("R", READ), ("RA", READ), ("WS", WRITE), ("FWFS", WRITE), ("RW", WRITE)):
        assert lines.parse(LINE.replace(" R ", f" {letters} ")) == Record(1e-7, "8,0", op, 64 * 512, 8 * 512)
    for line in (LINE.replace(" R ", " N "), LINE.replace(" R ", " D "), LINE.replace(" R ", " XS ")):
        assert lines.parse(line) is None
    assert lines.passed.idle == {"N": 1, "D": 1, "XS": 1}
    assert lines.parse(LINE.replace("+ 8", "+ 0")) is None
    lines.given = {"n": Meaning.WRITE}
    assert lines.parse(LINE.replace(" R ", " N ")) == Record(1e-7, "8,0", WRITE, 64 * 512, 8 * 512)


@pytest.mark.parametrize(("line", "good"), [
    (LINE.replace(" Q ", " G "), True), (LINE.replace(" Q ", " UT "), True), ("8,0 1 5 0.000000100 77 m N cfq", True),
    ("8,0 1 5 0.000000100 77 Q R [fio]", True), ("8,0 1 5 0.000000100 77 Q R 36 (12 00) [fio]", True),
    ("Input file a.blktrace.0 added", True), (LINE.replace(" Q ", " QQQ "), False),
    (LINE.replace("77", "\u0667\u0667"), False),
    (LINE.replace(" Q ", " G ").replace("77", "\u0667\u0667"), False), ("what is this", False),
])  # fmt: skip
def test_other_lines_of_blkparse(line: str, good: bool) -> None:
    lines = BlkparseLines("Q")
    if good:
        assert lines.parse(line) is None
        return
    with pytest.raises(Wrong):
        lines.parse(line)
    for summary in ("CPU0 (8,0):", "Total (8,0):"):
        lines = BlkparseLines("Q")
        assert lines.parse(summary) is None
        assert lines.parse(line) is None


def test_what_a_request_lacks_is_pointed_at() -> None:
    shape = BlkparseLines("Q").shape
    line = f"  {LINE}"
    assert [shape.column(line, part) for part in ("device", "time", "first", "length")] == \
        [line.index(cell) + 1 for cell in ("8,0", "0.0", "64", "8 [")]
    with pytest.raises(Wrong, match=r"^action must be Q, not 'QQQ'"):
        BlkparseLines("Q").parse(LINE.replace(" Q ", " QQQ "))


def test_a_completed_request_came_when_it_was_issued() -> None:
    def line(kind: str, time: int, sector: int, device: str = "8,0") -> str:
        return f"{device} 1 5 {time}.000000000 77 {kind} R {sector} + 8 [fio]"

    lines = BlkparseLines("C")
    assert lines.parse(line("C", 1, 64)) == Record(1.0, "8,0", READ, 64 * 512, 8 * 512)
    assert [lines.parse(line("D", *each)) for each in ((2, 64), (3, 72), (4, 64, "8,16"))] == [None] * 3
    assert lines.parse(line("C", 7, 64)) == Record(2.0, "8,0", READ, 64 * 512, 8 * 512, 5.0)
    assert lines.parse(line("C", 7, 80)) is None  # it was issued before the trace
    assert lines.parse(line("C", 8, 64, "8,16")) == Record(4.0, "8,16", READ, 64 * 512, 8 * 512, 4.0)
    queued = BlkparseLines("Q")
    assert queued.parse(line("D", 2, 64)) is None
    assert queued.parse(line("Q", 3, 64)) == Record(3.0, "8,0", READ, 64 * 512, 8 * 512)


@pytest.mark.parametrize(("time", "seconds"), [
    ("5.000000001", 5.000000001), (f"{WRAPPED[0]}.{WRAPPED[1]:09}", 0.0), (f"{WRAPPED[0] - 2}.{WRAPPED[1]:09}", -2.0),
    (f"{WRAPPED[0] + 1}.000000000", WRAPPED[0] + 1.0), (f"{WRAPPED[0] + 1}.500000000", WRAPPED[0] + 1.5),
    (f"{WRAPPED[0] + 1 - EARLIEST}.000000000", WRAPPED[0] + 1.0 - EARLIEST),
    (f"{WRAPPED[0] + 2 - EARLIEST}.{WRAPPED[1]:09}", 2.0 - EARLIEST),
])  # fmt: skip
def test_times_before_the_first_wrap(time: str, seconds: float) -> None:
    assert blkparse._since_first(time) == seconds


# Formats of -f.

def reading(form: str) -> Reading:
    return with_form(form).parser()._read  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(("form", "line", "event"), [
    ("%S %n", "8 1", Event("R", "", "8", "1", sectors=512)),
    ("%S %n\\n", " 8  1\r", Event("R", "", "8", "1", sectors=512)),
    ("%S %N X", "8 512 X", Event("R", "", "8", "512")), (" %S %n ", " 8 1 ", Event("R", "", "8", "1", sectors=512)),
    ("%M %m %d %S + %n", "8 16 WS 8 + 1", Event("WS", "8,16", "8", "1", sectors=512)),
    ("%M %S %n", "8 7 1", Event("R", "8", "7", "1", sectors=512)),
    ("%D %a %S %n", "8,0 Q 7 1", Event("R", "8,0", "7", "1", sectors=512)),
    ("%5T.%9t,%S,%n", "  5.        7,8,1", Event("R", "", "8", "1", "5.000000007", sectors=512)),
    ("%T %S %n %N", "5 8 1 512", Event("R", "", "8", "1", "5.000000000", sectors=512)),
    ("%z %S %n", "01:02:03.5 8 1", Event("R", "", "8", "1", "3723.5", sectors=512)),
    ("%S %n", "8 0", None), ("%S %n", "Input file a.blktrace.0 added", None),
])  # fmt: skip
def test_a_line_of_a_format_of_its_own(form: str, line: str, event: Event | None) -> None:
    assert reading(form)(line) == event


@pytest.mark.parametrize(("form", "line"), [("%S %n", "81"), ("%S %n", "x 1"), ("%S,%n", "8 1"), ("%S %n", "\u0667 1")])
def test_what_is_no_line_of_a_format(form: str, line: str) -> None:
    read = reading(form)
    with pytest.raises(ValueError):  # noqa: PT011 - it says nothing
        read(line)
    assert read("Total (8,0):") is None
    assert read(line) is None


def test_the_first_kind_of_events_that_may_be_requests_is_read() -> None:
    read = reading("%a %S %n")
    assert [read(f"{kind} 8 1") is not None for kind in ("G", "I", "Q", "I", "D")] == [False, True, False, True, False]


@pytest.mark.parametrize("form", ["%S", "%n", "%S %n %y", "%S %n %S", "%S %n %", "%S %d"])
def test_what_is_no_format(form: str) -> None:
    with pytest.raises(UserError, match="is no format of blkparse"):
        with_form(form)


def test_a_format_by_name() -> None:
    format = with_form("%S %n")
    assert (format.name, format.suffixes, format.needs) == ("blkparse -f", (), blkparse.NEEDS)


@pytest.mark.parametrize(("lines", "form"), [
    (("0.000000000 R 8 + 1", "0.100000000 WS 16 + 2"), "%T.%t %d %S + %n"),
    (("0.000000000,R,8,1,512,9", "0.100000000,W,16,2,1024,9"), "%T.%t, %d, %S, %n, %N, %p"),
    (("0.000000000,8,1,512", "0.100000000,16,2,1024"), "%T.%t, %S, %n, %N"),
    (("8 + 1,0.000000000 , 7,9", "8 + 1,0.000000000 , 7,9"), ""),
    (("0.000000000 + 8 + 1 x", "0.100000000 + 16 + 2 yy"), "%T.%t + %S + %n %C"),
    (("0.000000000 8,0 Q 8 + 1", "0.100000000 8,16 D 16 + 2", "CPU0 (a):", "x"), "%T.%t %D %a %S + %n"),
    (("0.000000000 8 + 1 1 2 3 4 5 6 7", "0.000000000 8 + 1 1 2 3 4 5 6 7"), "%T.%t %S + %n %p %s %c %e %U %m %M"),
    (("0.000000000 8 + 1 1 2 3 4 5 6 7 8", "0.000000000 8 + 1 1 2 3 4 5 6 7 8"), ""),
    (("0.000000000 8 + 1 \u0667", "0.100000000 8 + 1 \u0667"), "%T.%t %S + %n %C"),
    (("0.000000000 8 1 513", "0.100000000 8 1 512"), ""), (("0.000000000 R 8 + 1",), ""), ((), ""),
    (("R 8 + 1", "W 8 + 1"), ""), (("0.000000000 R 8 + 1", "0.1 R 8 +"), ""),
    (("0.000000000 0.000000000 8 + 1", "0.000000000 0.000000000 8 + 1"), ""),
])  # fmt: skip
def test_a_format_is_told_by_lines(lines: tuple[str, ...], form: str) -> None:
    assert form_of(lines) == form
