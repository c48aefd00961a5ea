"""Tests files of lines by hand: blocks of whole lines, which are read by columns, and whose bad lines have a remedy."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from spindle.sim.error import UserError
from spindle.workloads.traces import text
from spindle.workloads.traces.batch import Batch, Stretch
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.formats import FORMATS
from spindle.workloads.traces.formats.plain import PLAIN
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.text import TextFormat, _blocks, whole_lines

REMEDY = "; --skip-bad 1 passes over one such line"


def test_whole_lines_are_a_hundred() -> None:
    assert whole_lines(b"a b c\n" * 150) == b"a b c\n" * 100
    assert whole_lines(b"a b c\n" * 3 + b"d") == b"a b c\n" * 3 + b"d"


@pytest.mark.parametrize(("pieces", "enough", "blocks"), [
    ([b"abcd", b"\nx\n"], 0, [b"abcd\nx"]), ([b"abcd", b"e\nx\n"], 0, [b"abcde\nx"]),
    ([b"toolong!", b"!\nab\n", b"c\n"], 4, [b"toolo", b"ab\nc"]),
    ([b"ab\ncdefg", b"hi", b"\nx"], 0, [b"ab", b"cdefg", b"x"]),
    ([b"ab\n", b"c\n", b"d\n"], 3, [b"ab", b"c\nd"]), ([b"a", b"b", b"c"], 0, [b"abc"]),
])  # fmt: skip
def test_blocks_are_whole_lines_and_of_a_long_one_its_begin(
    pieces: list[bytes], enough: int, blocks: list[bytes]
) -> None:
    """A line has four bytes at most; a fifth tells that it is too long."""
    assert list(_blocks(iter(pieces), 4, lambda: enough)) == blocks


def parts(format: object, *pieces: bytes) -> Iterator[Stretch]:
    assert isinstance(format, TextFormat)
    return format.stretches("file", iter(pieces), Faults(0), TraceLimits())


def said(act: Callable[[], object]) -> str:
    with pytest.raises(UserError) as error:
        act()
    return str(error.value)


@pytest.mark.parametrize(("pieces", "remedy"), [
    ([b"op,offset,size\nx\n"], False), ([b"op,offset,size\nR,0,8\nx\n"], True),
    ([b"op,offset,size\n", b"R,0,8\n", b"x\n"], True), ([b"op,offset,size\n", b"trim,0,8\n", b"x\n"], False),
    ([b"op,offset,size\n", b"R,0,8\n", b"trim,0,8\n", b"x\n"], True),
])  # fmt: skip
def test_a_bad_line_among_good_ones_may_be_passed_over(
    pieces: list[bytes], remedy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "READ_AT_ONCE", 1)
    assert said(lambda: list(parts(PLAIN, *pieces))).endswith(REMEDY) is remedy


def test_the_first_block_is_read_line_by_line_and_all_are_without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "READ_AT_ONCE", 1)
    pieces = [b"0,20,512,w,0.5\n", b"0,21,512,w,0.5\n"]
    assert [isinstance(part, Batch) for part in parts(FORMATS["spc"], *pieces)] == [False, text.HAS_ARROW]
    monkeypatch.setattr(text, "HAS_ARROW", False)
    assert [isinstance(part, Batch) for part in parts(FORMATS["spc"], *pieces)] == [False, False]


def test_a_format_is_chosen_by_head_and_name_and_notes_its_guess() -> None:
    chosen = replace(PLAIN, choose=lambda head, name: replace(PLAIN, note=f"{name} has {len(head)} bytes"))
    faults = Faults(0)
    list(chosen.variant(b"abc", "x").stretches("file", iter([b"offset,size\n0,8\n"]), faults, TraceLimits()))
    assert faults.notes == ["x has 3 bytes"]
    assert replace(PLAIN, choose=None).variant(b"abc", "x") == replace(PLAIN, choose=None)
