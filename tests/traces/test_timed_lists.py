"""Tests plain CSV as a list of requests that were timed on a drive: columns and units by hand, and refusals."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.formats.plain import plain
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import PIECE

CLOSED = "gap_before_ms,lba,sectors,op\n"
LATER = 2 * PIECE // 8
"""Lines, of eight bytes each, in two pieces."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "requests.csv"


def read(path: Path, content: str | bytes, sector: int = 256, end: int = 25_600) -> list[Record]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(Trace(path, plain(sector), TraceLimits(end=end)))


def test_requests_are_read_in_seconds_and_bytes(path: Path) -> None:
    assert read(path, CLOSED + "0,99,1,R\n2.5,3,4,W\n") == [
        Record(None, "", READ, 99 * 256, 256, gap=0.0), Record(None, "", WRITE, 768, 1024, gap=0.0025)]


def test_columns_may_stand_anywhere_among_others(path: Path) -> None:
    rows = read(path, "what,op,disc,sectors,seq,lba,measured_ms,gap_before_ms\n-,W,a,1,77,5,12.5,1\n")
    assert rows == [Record(None, "a", WRITE, 1280, 256, 0.0125, 0.001, number=77)]


@pytest.mark.parametrize(("head", "bytes_a_sector"), [
    ("lba,sectors", 4096), ("lba256,sectors256", 256), ("lba256,sectors", 256), ("lba512,sectors512", 512),
    ("lba_512,sectors", 512), ("lba,sectors512", 512)])  # fmt: skip
def test_sectors_are_the_drives_own_unless_their_name_says_their_size(
    path: Path, head: str, bytes_a_sector: int
) -> None:
    assert read(path, f"op,{head}\nR,2,1\n", sector=4096) == [
        Record(None, "", READ, 2 * bytes_a_sector, bytes_a_sector)]


def test_queue_and_service_make_a_response(path: Path) -> None:
    (row,) = read(path, "queue_ms,service_ms,arrival_s,lba,sectors,op\n2,10,3.5,0,1,R\n")
    assert (row.time, row.service, row.response) == (3.5, 0.01, 0.012)


def test_service_alone_is_no_response(path: Path) -> None:
    (row,) = read(path, "service_ms,arrival_s,lba,sectors,op\n10,3.5,0,1,R\n")
    assert (row.service, row.response) == (None, None)


@pytest.mark.parametrize("content", [
    "\ufeff" + CLOSED + "1,2,3,R\n",
    CLOSED.replace("\n", "\r\n") + "1,2,3,R\r\n",
    CLOSED + "1,2,3,R",
    "# drive: any\n# seeds: 1..5\n" + CLOSED + "1,2,3,R\n\n",
    " gap_before_ms , lba,sectors,op\n1 , 2, 3,R\n",
])  # fmt: skip
def test_what_editors_and_spreadsheets_do_to_a_file_does_not_matter(path: Path, content: str) -> None:
    assert read(path, content) == read(path, CLOSED + "1,2,3,R\n")


WRONG = [
    ("", "there is no request in it"),
    (CLOSED, "there is no request in it"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", ":1:1: byte 0x89 is not text in UTF-8"),
    (CLOSED + "1,2,3\n", ":2:6: op is missing"),
    (CLOSED + "1,2,3,R\n\n1,2,3,R,5\n", ":4:9: '5' stands behind op, which is the last"),
    ("gap_before_ms,sectors,op\n1,2,R\n", ":1:1: there is no column offset or lba_512, nor key"),
    ("gap_before_ms,lba,sector,op\n", ":1:1: there is no column size or sectors, nor key"),
    ("gap_before_ms,lba,sectors\n", ":1:1: there is no column op"),
    ("lba," + CLOSED + "1,1,1,1,R\n", ":1:1: column lba stands there twice"),
    ("lba256,sectors512,op\n1,1,R\n", ":1:1: lba256 and sectors512 count in different sectors"),
    (CLOSED + "1,2,3,X\n", ":2:7: op must be R or W, not 'X'"),
    (CLOSED + "1,98,3,R\n", ":2:3: 768 bytes from 25088 on go beyond 25600, where no device has any"),
    (CLOSED + "1,2,0,R\n", ":2:5: a request has from 1 to 1073741824 bytes, not 0"),
    (CLOSED + "1,2,1e3,R\n", ":2:5: sectors must be a whole number of at most 19 digits, not '1e3'"),
    (CLOSED + "1e99,2,1,R\n", ":2:1: a gap time of 1e+96 s is beyond 1e+10 s"),
    ("measured_ms," + CLOSED + ",1,2,3,R\n", ":2:1: measured_ms must be a number that is not negative, not ''"),
    ("queue_ms,service_ms," + CLOSED + "-1,1,1,2,3,R\n", ":2:1: queue_ms must be a number that is not negative"),
    ("seq," + CLOSED + "-1,1,2,3,R\n", ":2:1: seq must be a whole number"),
    (CLOSED.encode() + b"1,2,3,R\n" * LATER + b"\xff\n", f":{LATER + 2}:1: byte 0xff is not text in UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "says"), WRONG)
def test_what_is_wrong_is_told_in_one_line(path: Path, content: str | bytes, says: str) -> None:
    with pytest.raises(UserError) as raised:
        read(path, content)
    assert str(raised.value).startswith(str(path))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


NO_NUMBERS = ["x", "nan", "NaN", "inf", "-inf", "-1", "-0.001", "1_0", "0x10", "1;5", "9" * 5000, "=1", "None",
              "\N{ARABIC-INDIC DIGIT ONE}\x00", "\N{SUPERSCRIPT TWO}", "'1"]  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_cells_that_are_no_number_are_refused(path: Path, text: str, column: int) -> None:
    cells = ["1", "2", "3", "R"]
    cells[column] = text
    with pytest.raises(UserError, match=f":3:{2 * column + 1}: {CLOSED.split(',')[column]} must be a "):
        read(path, CLOSED + "1,2,3,R\n" + ",".join(cells) + "\n")


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 10), st.sampled_from("RW"), st.integers(0, 10**6))))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, str, int]]
) -> None:
    path = tmp_path_factory.mktemp("lists") / "requests.csv"
    lines = [f"{us / 1000:.3f},{first},{count},{op}\n" for first, count, op, us in rows]
    found = read(path, CLOSED + "".join(lines) + "0,0,1,R\n")
    assert [(each.first, each.length, each.op.name[0]) for each in found[:-1]] == [
        (first * 256, count * 256, op) for first, count, op, _ in rows]
    assert [each.gap for each in found[:-1]] == pytest.approx([us / 1e6 for *_, us in rows])
