"""Tests lines of a file by hand: blocks of whole lines, text or not, numbers in messages, the first that counts."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from spindle.sim.error import UserError
from spindle.workloads.traces import record as records
from spindle.workloads.traces import text
from spindle.workloads.traces.batch import Batch, NotSimpleError
from spindle.workloads.traces.faults import Faults, Wrong
from spindle.workloads.traces.record import Record, TraceLimits, number_of, small_enough
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import clock, integer, word
from spindle.workloads.traces.text import TextFormat

FIELDS = [word("op", "op"), clock("time"), integer("first", "first"), integer("length", "length")]
FORMAT = TextFormat("x", (), "lines", lambda: Rows(FIELDS))


@pytest.mark.parametrize(("head", "lines"), [
    (b"a\nb", b"a\nb"), (b"a\nb\n", b"a\nb\n"), (b"a\nb\nc\nd", b"a\nb\n"), (b"a\nbcdefghi", b"a\nbcdefghi"),
    (b"a\nbcdefghij", b"a\n"), (b"abcdefghijkl", b"abcdefghij"), (b"", b""),
])  # fmt: skip
def test_a_head_is_of_whole_lines(monkeypatch: pytest.MonkeyPatch, head: bytes, lines: bytes) -> None:
    """Of two at most, in ten bytes."""
    monkeypatch.setattr(text, "HEAD", 10)
    monkeypatch.setattr(text, "HEAD_LINES", 2)
    assert text.whole_lines(head) == lines


@pytest.mark.parametrize(("pieces", "enough", "blocks"), [
    ([b"ab\ncd", b"e\nf"], 0, [b"ab", b"cde", b"f"]), ([b"ab\n", b"cd\n", b"ef\n", b"g"], 6, [b"ab\ncd", b"ef", b"g"]),
    ([b"ab\n", b"c\n", b"hi\n", b"k\n"], 6, [b"ab\nc\nhi", b"k"]),
    ([b"ab\n", b"cd\n", b"ef\n", b"g\n", b"hi\n"], 6, [b"ab\ncd", b"ef\ng\nhi"]),
    ([b"ab\ncd", b"e\n", b"f\n"], 8, [b"ab\ncde", b"f"]),
    # Of a line longer than 4 bytes 5 are kept, and come before its end is known.
    ([b"abcdefgh", b"ijk", b"l\nx\n"], 0, [b"abcde", b"x"]), ([b"ab", b"cdefg"], 0, [b"abcde"]),
    ([b"a\nb\n", b"abcdefgh", b"ijk", b"\n", b"c\n"], 9, [b"a\nb\nabcde", b"c"]),
    ([b"abcdefgh", b"ijk"], 0, [b"abcde"]),
    ([b"a\nbcdefgh"], 0, [b"a", b"bcdef"]),
])  # fmt: skip
def test_blocks_are_whole_lines_and_large_enough(pieces: list[bytes], enough: int, blocks: list[bytes]) -> None:
    assert list(text._blocks(iter(pieces), 4, lambda: enough)) == blocks


def test_a_line_without_end_is_refused_before_it_is_read_to_the_end() -> None:
    endless = (b"\0" * 10 for _ in count())
    assert next(text._blocks(endless, 25, lambda: 0)) == b"\0" * 26


def shown(lines: object) -> list[object]:
    assert isinstance(lines, list | Iterator)
    return [(str(line), line.column) if isinstance(line, Wrong) else line for line in lines]


def test_lines_are_text_or_say_why_not() -> None:
    no_text = ("byte 0xff is not text in UTF-8", 2)
    assert shown(text._lines(b"a b\nx\xff", 4, "")) == ["a b", no_text]
    assert shown(text._lines(b"abcd\nx\xff", 4, "latin-1")) == ["abcd", "x\xff"]
    assert shown(text._lines(b"abcd\nabcde", 4, "")) == ["abcd", ("a line has at most 4 bytes, and this has more", 5)]
    assert shown(text.each_line(iter([b"x\xff\na", b"b\n"]), 9)) == [no_text, "ab"]


@pytest.mark.parametrize(("block", "simple"), [
    (b"abc\nabc\n", True), (b"abcd\n", False), (b"a\nabcd\na", False), (b"a\nabcd", False), (b"a\nabc", True),
    (b"a\0\n", False), (b"a\rb", False), (b"a\r\n", True), (b"a\r\nb\r", True), ("é\n".encode(), True),
    (b"\xff\n", False), (b"ab\n", True),
])  # fmt: skip
def test_text_that_columns_read(block: bytes, simple: bool) -> None:
    if simple:
        text._check_text(block, 4)
        return
    with pytest.raises(NotSimpleError):
        text._check_text(block, 4)


def test_records_come_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "SLICE", 2)
    whole = [Record(None, "", None, number, 1) for number in range(3)]  # type: ignore[arg-type]
    assert list(text.in_batches(iter(whole))) == [whole[:2], whole[2:]]


def parts(*pieces: bytes, faults: Faults | None = None) -> list[object]:
    found = FORMAT.stretches("f", iter(pieces), Faults(0) if faults is None else faults, TraceLimits())
    return [("columns" if isinstance(part, Batch) else "lines", part.requests if isinstance(part, Batch) else len(part))
            for part in found]  # fmt: skip


@pytest.mark.parametrize("piece", [b"what,9,1,1\n", b"R,9,1\n"])
def test_a_bad_line_has_its_number_whatever_was_read_by_columns(monkeypatch: pytest.MonkeyPatch, piece: bytes) -> None:
    monkeypatch.setattr(text, "READ_AT_ONCE", 1)
    before = b"R,5,1,1\n", b"R,6,1,1\nR,7,1,1\n", b"R,8,1,1\n"
    assert parts(*before) == [("lines", 1), ("columns", 2), ("columns", 1)]
    with pytest.raises(UserError, match=r"^f:5:"):
        parts(*before, piece)


def test_what_is_no_request_is_counted_and_a_clock_begins_with_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = Faults(0)
    found = FORMAT.records("f", iter([b"trim,3,1,1\ntrim,4,1,1\nR,5,1,1\nR,7,1,1\n"]), faults, TraceLimits())
    assert next(found).time == 2.0
    assert (faults.began, faults.others) == (3.0, 2)
    assert next(found).time == 4.0
    monkeypatch.setattr(text, "READ_AT_ONCE", 1)
    later = Faults(0, began=1.0)
    assert parts(b"R,5,1,1\n", b"R,6,1,1\n", faults=later) == [("lines", 1), ("columns", 1)]
    assert later.began == 1.0


def test_a_mark_of_the_byte_order_stands_at_the_beginning_alone() -> None:
    marked = "\ufeffR,5,1,1\n".encode()
    assert len(list(FORMAT.records("f", iter([marked]), Faults(0), TraceLimits()))) == 1
    with pytest.raises(UserError, match=r"^f:2:"):
        list(FORMAT.records("f", iter([marked + marked]), Faults(0), TraceLimits()))


# References, and numbers of keys.

def test_a_few_requests_have_few_references(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 10 no more than 4 for each request."""
    monkeypatch.setattr(records, "ALLOWED_REFERENCES", 10)
    monkeypatch.setattr(records, "MAX_MEAN_BLOCKS", 4)
    small_enough(10, 2, 512)
    small_enough(12, 3, 512)
    for references, requests, named in ((11, 1, "1 request"), (11, 2, "2 requests"), (4001, 1000, "1,000 requests")):
        with pytest.raises(UserError) as caught:
            small_enough(references, requests, 512)
        said = f"{named} would be {references:,} references to blocks of 512 bytes: give a larger --block"
        assert str(caught.value) == said


def test_a_key_has_one_number_on_every_machine() -> None:
    """Blake's digest of 8 bytes, the lowest first, without its last two bits; also of bytes that are no text."""
    assert [number_of(key) for key in ("7", "\udcff")] == [2351967744037344313, number_of("\udcff")]
    assert 0 <= number_of("\udcff") < 1 << 62


def test_a_format_may_have_an_encoding_and_times_out_of_order() -> None:
    text = "R,5,1,1\nR,9,1,1\nR,7,1,1\n\xe9,8,1,1\n".encode("latin-1")
    limits, faults = TraceLimits(slack=1.0), Faults(9)
    own = replace(FORMAT, slack=2.0, encoding="latin-1")
    assert len(list(own.records("f", iter([text]), faults, limits))) == 3
    assert [fault.split(": ")[1] for fault in faults.kept] == ["op must be R or W, not '\xe9'; --ops says what other "
                                                               "words mean"]  # fmt: skip
    with pytest.raises(UserError, match="the time runs back from 4 to 2 s"):
        list(FORMAT.records("f", iter([text]), Faults(0), limits))
