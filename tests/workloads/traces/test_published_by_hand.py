"""Tests published traces cell by cell: fixed fields, headers, hints, and lines that are not theirs."""

from collections.abc import Sequence

import pytest

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.published import (
    FIVE,
    MSR,
    PUBLISHED,
    SPC,
    SPC_IN_BYTES,
    TENCENT_BLOCKS,
    TENCENT_IN_BYTES,
    HeadedRows,
    _has_dates,
    _letters,
    _may_be_bytes,
    _spc_with_hint,
    _tencent_with_hint,
)
from spindle.workloads.traces.operations import Meaning, Operations
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import Separator, integer, separated_by, word
from spindle.workloads.traces.text import LineParser, TextFormat

BY_NAME = {each.name: each for each in (*PUBLISHED, MSR, SPC)}


def parsed(name: str, *lines: str) -> list[Record | None]:
    parser = BY_NAME[name].parser()
    return [parser.parse(line) for line in lines]


@pytest.mark.parametrize(("name", "lines", "found"), [
    ("msr", ["128166372003061629,hm,1,Read,383496192,32768,10000000", "128166372013061629,hm,0,W,0,512,5"],
     [Record(0.0, "hm.1", READ, 383496192, 32768, 1.0), Record(1.0, "hm.0", WRITE, 0, 512, 5e-7)]),
    ("twitter", ["7,a,k,9,100,clu,get,0", "9,b,1,50,clu,set,3600"],
     [Record(0.0, "clu", READ, 0, 109, keys=("a,k",)), Record(2.0, "clu", WRITE, 0, 51, keys=("b",), ttl=3600.0)]),
    ("alibaba", ["3,R,4096,512,2000000", "4,W,0,1024,2500000"],
     [Record(0.0, "3", READ, 4096, 512), Record(0.5, "4", WRITE, 0, 1024)]),
    ("tencent", ["5,8,16,0,1283", "6,0,1,1,7"],
     [Record(0.0, "1283", READ, 4096, 8192), Record(1.0, "7", WRITE, 0, 512)]),
    ("spc", ["0,20,512,w,0.5", "1,0,1024,R,0.75,more"],
     [Record(0.5, "0", WRITE, 10240, 512), Record(0.75, "1", READ, 0, 1024)]),
])  # fmt: skip
def test_lines_of_fixed_fields(name: str, lines: Sequence[str], found: Sequence[Record]) -> None:
    made = parsed(name, *lines)
    assert [each and each._replace(response=None) for each in made] == [each._replace(response=None) for each in found]
    assert [each and each.response for each in made] == [
        None if each.response is None else pytest.approx(each.response) for each in found]  # fmt: skip


def test_a_header_of_fixed_fields_is_passed_over_and_quotes_too() -> None:
    """Names of a header are those of the fields, or parts of them, or have them as parts."""
    assert parsed("alibaba", "device,op,off,len,time") == [None]
    assert parsed("alibaba", "my_device_id,opcodes,offset_b,length,timestamp_us") == [None]
    assert parsed("alibaba", '"3","R","4096","512","2000000"') == [Record(0.0, "3", READ, 4096, 512)]
    for line in ("device,op,off,len", "device,op,off,len,cheese", "device,op,,len,time", "3,R,4096,512"):
        with pytest.raises(Wrong):
            parsed("alibaba", line)


def test_letters_of_a_name_are_small_ones_alone() -> None:
    assert _letters("Time Stamp (microseconds) 2") == "timestampmicroseconds"


# Headers.

KNOWN = {"at": integer("at", "first"), "size": integer("size", "length"), "op": word("op", "op")}


def headed(*lines: str, separator: Separator | None = None) -> tuple[LineParser, list[Record | None]]:
    parser = HeadedRows(KNOWN, [{"at", "size"}, {"at", "op"}], *([] if separator is None else [separator]),
                        ops=Operations(False, {"r": Meaning.READ, "w": Meaning.WRITE}))  # fmt: skip
    return parser, [parser.parse(line) for line in lines]


def test_a_header_names_the_columns_in_any_order_among_others() -> None:
    parser, found = headed("# what this is", "#other, size ,op,at", "x,512,w,4096", "y,7,r,1")
    assert found == [None, None, Record(None, "", WRITE, 4096, 512), Record(None, "", READ, 1, 7)]
    assert parser.columns is not None
    assert parser.shape is parser.columns.shape
    assert parser.began is None


def test_a_header_may_stand_in_a_comment_and_a_clock_begins_below_it() -> None:
    parser = BY_NAME["meta"].parser()
    assert [field.name for field in parser.shape.fields][:2] == ["key", "op"]
    assert parser.parse("#key,op,size,op_count,op_time") is None
    assert parser.parse("a,GET,100,2,7") == Record(0.0, "", READ, 0, 100, keys=("a", "a"))
    assert parser.began == 7


def test_cells_may_stand_between_tabs() -> None:
    _, found = headed("at\tsize\top", "4096\t512\tr", separator=separated_by("\t"))
    assert found[1] == Record(None, "", READ, 4096, 512)


def test_a_header_that_lacks_a_column_is_refused_with_those_that_it_needs() -> None:
    with pytest.raises(Wrong, match="the header must have the columns at,size or at,op"):
        headed("size,op")
    assert headed("# nothing yet")[0].columns is None
    with pytest.raises(Wrong, match=r"^other is missing$"):
        headed("at,size,other,more", "1,2")


@pytest.mark.parametrize(("name", "lines", "found"), [
    ("meta", ["op_time,key,key_size,op,op_count,size,usecase", "7,a,9,GET,1,100,u", "9,b,1,SET,1,50,u"],
     [None, Record(0.0, "u", READ, 0, 109, keys=("a",)), Record(2.0, "u", WRITE, 0, 51, keys=("b",))]),
    ("systor17", ["Timestamp,Response,IOType,LUN,Offset,Size", "7.5,0.25,W,3,4096,512", "8,,,3,0,1"],
     [None, Record(0.0, "3", WRITE, 4096, 512, 0.25), None]),
    ("wikimedia", ["relative_unix\thashed_path_query\timage_type\tresponse_size", "3\t77\tjpeg\t100"],
     [None, Record(0.0, "", READ, 0, 100, keys=("77",))]),
    ("vscsi-text", ["IO Data Length,Command Type,LBN,Time Stamp (microseconds)", "4096,write,8,1000000"],
     [None, Record(0.0, "", WRITE, 4096, 4096)]),
])  # fmt: skip
def test_traces_with_a_header(name: str, lines: Sequence[str], found: Sequence[Record | None]) -> None:
    assert parsed(name, *lines) == found


# Hints.

@pytest.mark.parametrize(("head", "hints"), [
    (b"0,512,8\n0,1024,8\n", True), (b"0,512,8\n0,1025,8\n", False), (b"0,0,8\n0,0,8\n", False), (b"0,512,8\n", False),
    (b"0,x,8\n0,1024,8\n", True), (b"0\n0,1024,8\n", True),
])  # fmt: skip
def test_whole_sectors_hint_at_bytes(head: bytes, hints: bool) -> None:
    assert _may_be_bytes(head, 1) is hints


@pytest.mark.parametrize(("head", "dated"), [
    (b"a,5\n", True), (b"a,4.9\n", False), (b"a,b\n", True), (b"a,b\nc,4\nd,5\n", False), (b"5\na, 5 \n", True),
])  # fmt: skip
def test_the_first_number_of_a_clock_is_a_date_or_none(head: bytes, dated: bool) -> None:
    assert _has_dates(head, 1, 5.0) is dated


def test_hints_are_notes_of_the_format() -> None:
    def note(made: TextFormat) -> str:
        return made.note

    assert note(_spc_with_hint(b"0,512,8,R,0\n0,512,8,R,0\n", "x")) == SPC_IN_BYTES
    assert note(_spc_with_hint(b"0,513,8,R,0\n0,512,8,R,0\n", "x")) == ""
    assert note(_tencent_with_hint(b"5,512,512,0,1\n5,512,1024,0,1\n", "x")) == FIVE + TENCENT_IN_BYTES
    assert note(_tencent_with_hint(b"5,512,8,0,1\n5,512,1024,0,1\n", "x")) == FIVE
    assert note(_tencent_with_hint(b"5,7,512,0,1\n5,512,1024,0,1\n", "x")) == FIVE
    assert TENCENT_BLOCKS.name == "tencent"
