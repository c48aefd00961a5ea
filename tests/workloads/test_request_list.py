"""Lists of requests: what is read from them by hand, everything that can be wrong with one, and who asks when."""

from collections.abc import Iterable
from pathlib import Path

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from sim.clock import succeed_after
from sim.disc.drive import Drive
from sim.disc.layout import uniform
from sim.error import UserError
from sim.request import READ, WRITE, Access, Request, Service, Span
from workloads.request_list import lines
from workloads.request_list.asking import ClosedLoop, OpenLoop
from workloads.request_list.foretold import Foretold
from workloads.request_list.lines import LONGEST_LINE, PIECE, read_lines
from workloads.request_list.reader import ARRIVALS, GAPS, MOST_DISCS, Listed, RequestList, Timing

LAYOUT = uniform(cylinders=10, heads=1, sectors_per_track=10, sector_bytes=256)
CLOSED = "gap_before_ms,lba,sectors,op\n"
OPEN = "arrival_s,lba,sectors,op\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "requests.csv"


def read(path: Path, content: str | bytes, timing: Timing = GAPS) -> list[Listed]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(RequestList(path, LAYOUT, timing))


def error_of(path: Path, content: str | bytes, timing: Timing = GAPS) -> str:
    """The one line with which *content* is refused, without the name of its file."""
    with pytest.raises(UserError) as raised:
        read(path, content, timing)
    line = str(raised.value)
    assert "\n" not in line
    assert len(line) < 500 + len(str(path))
    assert line.startswith(f"{path}: ")
    return line.removeprefix(f"{path}: ")


# Reading ------------------------------------------------------------------------------------------


def test_requests_are_read_in_seconds_and_bytes(path: Path) -> None:
    assert read(path, CLOSED + "0,99,1,R\n2.5,3,4,W\n") == [
        Listed(0, "", READ, Span(99 * 256, 256), 0.0), Listed(1, "", WRITE, Span(768, 1024), 0.0025)]


def test_columns_may_stand_anywhere_among_others(path: Path) -> None:
    rows = read(path, "what,op,disc,sectors,seq,lba,measured_ms,gap_before_ms\n-,W,a b,1,77,5,12.5,1\n")
    assert rows == [Listed(77, "a b", WRITE, Span(1280, 256), 0.001, (0.0125,))]


def test_sectors_may_be_named_with_their_size(path: Path) -> None:
    assert read(path, "arrival_s,lba256,sectors256,op\n3,2,1,R\n", ARRIVALS) == [
        Listed(0, "", READ, Span(512, 256), 3.0)]
    assert "line 1: there is no column lba or lba256; is 'lba512' meant for it?" in error_of(
        path, "gap_before_ms,lba512,sectors512,op\n0,2,1,R\n")


def test_queue_and_service_make_a_response(path: Path) -> None:
    path.write_text("queue_ms,service_ms,arrival_s,lba,sectors,op\n2,10,0,0,1,R\n")
    requests = RequestList(path, LAYOUT, ARRIVALS)
    assert requests.measured == ("service", "response")
    assert [row.known for row in requests] == [(0.01, 0.012)]


@pytest.mark.parametrize("content", [
    "\ufeff" + CLOSED + "1,2,3,R\n",
    CLOSED.replace("\n", "\r\n") + "1,2,3,R\r\n",
    CLOSED + "1,2,3,R",
    "# drive: any\n# seeds: 1..5\n" + CLOSED + "1,2,3,R\n\n",
    ' gap_before_ms , "lba",sectors,op\n"1", 2, "3",R\n',
])  # fmt: skip
def test_what_editors_and_spreadsheets_do_to_a_file_does_not_matter(path: Path, content: str) -> None:
    assert read(path, content) == read(path, CLOSED + "1,2,3,R\n")


WRONG = [
    ("", "the file is empty"),
    ("\n\n", "the file is empty"),
    (CLOSED, "there is nothing below the header"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "line 1: byte 0x89 is not text in UTF-8"),
    (CLOSED.encode() + b"1,2,3,R\n1,\xff,3,R\n", "line 3: byte 0xff is not text in UTF-8"),
    (b"\x00\x00\x00\x00", "line 1: there is no column op"),
    ("x" * (PIECE + LONGEST_LINE + 1), f"line 1: a line has at most {LONGEST_LINE} bytes, and this has more"),
    (CLOSED + '1,"2,3,R\n' + "1,2,3,R\n" * 20_000, "not CSV: field larger than field limit"),
    (CLOSED + '1,"2"3,3,R\n', "line 2: not CSV: "),
    (CLOSED + '1,2,3,"R\n', "line 2: not CSV: unexpected end of data"),
    (CLOSED + "1,2\r3,3,R\n", "line 2: not CSV: new-line character seen in unquoted field"),
    (CLOSED + "1,2,3\n", "line 2: has 3 cells, and the header has 4"),
    (CLOSED + "1,2,3,R\n\n1,2,3,R,5\n", "line 4: has 5 cells, and the header has 4"),
    ("gap_before_ms,sectors,op\n1,2,R\n", "line 1: there is no column lba or lba256"),
    ("gap_before_ms,lba,sector,op\n", "line 1: there is no column sectors or sectors256; is 'sector' meant for it?"),
    ("gap_before_ms,lba,sectors\n", "line 1: there is no column op"),
    ("lba,sectors,op\n", "line 1: there is no column gap_before_ms"),
    (OPEN + "1,2,3,R\n", "line 1: there is no column gap_before_ms for a closed loop; there is arrival_s for an open"),
    ("lba," + CLOSED + "1,1,1,1,R\n", "line 1: column lba stands there twice"),
    ("measured_ms,measured_ms," + CLOSED, "line 1: column measured_ms stands there twice"),
    (CLOSED + "1,2,3,X\n", "line 2: op must be R or W, not 'X'"),
    (CLOSED + "1,2,3,\n", "line 2: op must be R or W, not ''"),
    (CLOSED + "1,100,1,R\n", "line 2: lba must be a whole number from 0 to 99, not '100'"),
    (CLOSED + "1,98,3,R\n", "line 2: 3 sectors from 98 on go beyond 99, the last of the disc"),
    (CLOSED + "1,2,0,R\n", "line 2: sectors must be a whole number from 1 to 1048576, not '0'"),
    (CLOSED + "1,2,1e3,R\n", "line 2: sectors must be a whole number from 1 to 1048576, not '1e3'"),
    ("disc," + CLOSED + ",1,2,3,R\n", "line 2: disc must be a name of 1 to 40 characters, not ''"),
    ("disc," + CLOSED + "a\tb,1,2,3,R\n", "line 2: disc must be a name of 1 to 40 characters, not 'a\\tb'"),
    ("disc," + CLOSED + "x" * 41 + ",1,2,3,R\n", "line 2: disc must be a name of 1 to 40 characters, not 'xxx"),
    (CLOSED.encode() + b"1,2,3,R\n" * PIECE + b"\xff\n", f"line {PIECE + 2}: byte 0xff is not text in UTF-8"),
    ("disc," + CLOSED + "".join(f"{n},1,2,3,R\n" for n in range(MOST_DISCS + 1)),
     f"line {MOST_DISCS + 2}: disc '64' is one more than the 64 that a list may name"),
    ("measured_ms," + CLOSED + ",1,2,3,R\n", "line 2: measured_ms must be a number from 0 to 1e+09, not ''"),
    ("queue_ms,service_ms," + CLOSED + "-1,1,1,2,3,R\n", "line 2: queue_ms must be a number from 0 to 1e+09, not '-1'"),
    ("seq," + CLOSED + "-1,1,2,3,R\n", "line 2: seq must be a whole number from 0"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "says"), WRONG)
def test_what_is_wrong_is_told_in_one_line(path: Path, content: str | bytes, says: str) -> None:
    assert says in error_of(path, content)


NO_NUMBERS = ["", " ", "x", "nan", "NaN", "inf", "-inf", "1e999", "-1", "-0.001", "1_0", "0x10", "1,5", "1e10",
              "9" * 5000, "\N{ARABIC-INDIC DIGIT ONE}\x00", "\N{SUPERSCRIPT TWO}", "'1", "=1", "None"]  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_cells_that_are_no_number_in_range_are_refused(path: Path, text: str, column: int) -> None:
    cells = ["1", "2", "3", "R"]
    cells[column] = f'"{text}"'
    name = CLOSED.split(",")[column]
    assert error_of(path, CLOSED + "1,2,3,R\n" + ",".join(cells) + "\n").startswith(f"line 3: {name} must be a ")


def test_arrivals_must_not_fall(path: Path) -> None:
    assert len(read(path, OPEN + "1,2,3,R\n1,2,3,R\n1.5,2,3,R\n", ARRIVALS)) == 3
    assert error_of(path, OPEN + "1,2,3,R\n1.25,2,3,R\n1,2,3,R\n", ARRIVALS) == (
        "line 4: arrival_s 1 must not be before 1.25, where the request before it arrives")
    assert "there is no column arrival_s for an open loop; there is gap_before_ms for a closed loop" in error_of(
        path, CLOSED, ARRIVALS)


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing", Path("/dev/zero"), tmp_path / ("x" * 300)):
        with pytest.raises(UserError, match=r"there is no such file|File name too long"):
            RequestList(place, LAYOUT, GAPS)


def test_a_long_list_is_read_as_it_is_asked(path: Path) -> None:
    path.write_text(CLOSED + "1,2,3,R\n" * 100_000)
    pieces: list[int] = []
    rows = iter(RequestList(path, LAYOUT, GAPS, pieces.append))
    assert next(rows).seq == 0
    assert pieces == [PIECE]
    assert sum(1 for _ in rows) == 99_999
    assert sum(pieces) == path.stat().st_size


@given(st.text(st.sampled_from("a\u00e9\u2028\x0b\n\r")), st.integers(1, 7))
def test_lines_are_the_same_whatever_pieces_they_come_in(text: str, piece: int) -> None:
    class InMemory(type(Path())):  # type: ignore[misc]
        def is_file(self) -> bool:
            return True

        def open(self, mode: str = "r") -> object:
            from io import BytesIO

            return BytesIO(text.encode())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "PIECE", piece)
        found = list(read_lines(InMemory("x"), lambda _: None))
    assert found == (text.removesuffix("\n").split("\n") if text else [])


# What another simulator says ----------------------------------------------------------------------


def beside(path: Path, requests: str, answers: str) -> list[Listed]:
    path.write_text(requests)
    other = path.with_name("disksim_predicted.csv")
    other.write_text(answers)
    return list(Foretold(other).beside(RequestList(path, LAYOUT, GAPS)))


def test_answers_are_put_beside_their_requests(path: Path) -> None:
    rows = beside(path, "measured_ms," + CLOSED + "5,0,0,1,R\n6,0,0,1,R\n", "seq,disksim_ms\n0,7\n1,8\n2,9\n")
    assert [row.known for row in rows] == [(0.005, 0.007), (0.006, 0.008)]


@pytest.mark.parametrize(("answers", "says"), [
    ("seq,disksim_ms\n0,7\n", "line 2: is the last, and there is no answer for request 1"),
    ("seq,disksim_ms\n0,7\n2,8\n", "line 3: seq 2 must be 1, that of the request in this place"),
    ("seq,disksim_ms\n0,nan\n", "line 2: disksim_ms must be a number from 0 to 1e+09, not 'nan'"),
    ("seq,disksim\n", "line 1: there is no column disksim_ms; is 'disksim' meant for it?"),
    ("", "the file is empty"),
])  # fmt: skip
def test_answers_to_other_requests_are_refused(path: Path, answers: str, says: str) -> None:
    with pytest.raises(UserError) as raised:
        beside(path, CLOSED + "0,0,1,R\n0,0,1,R\n", answers)
    assert str(raised.value) == f"{path.with_name('disksim_predicted.csv')}: {says}"


# Asking -------------------------------------------------------------------------------------------


class Tape(Drive):
    """Takes 10 s for anything, any number at once, and writes down what it was asked when."""

    def __init__(self, env: simpy.Environment, log: list[object]) -> None:
        self.env = env
        self.log = log

    def start(self, access: Access) -> Request:
        self.log.append((self.env.now, access.op, access.span.first))
        request = Request(self.env, access)
        succeed_after(request, 10.0, Service(0.0, 10.0, 0.0, 0.0, 0.0, 0.0))
        return request


def listed(*whens: float) -> Iterable[Listed]:
    return iter([Listed(number, "", READ, Span(number, 1), when) for number, when in enumerate(whens)])


@pytest.mark.parametrize(("loop", "whens", "asked"), [
    (ClosedLoop, (0.0, 1.0, 0.0, 2.5), [0.0, 11.0, 21.0, 33.5]),
    (OpenLoop, (0.5, 1.0, 1.0, 2.5), [0.5, 1.0, 1.0, 2.5]),
])  # fmt: skip
def test_a_closed_loop_asks_after_its_gaps_and_an_open_one_at_arrivals(
    env: simpy.Environment, log: list[object], loop: type[ClosedLoop | OpenLoop], whens: tuple[float, ...],
    asked: list[float],
) -> None:  # fmt: skip
    done: list[tuple[int, float]] = []
    loop(env, listed(*whens), {"": Tape(env, log)}, lambda row, service: done.append((row.seq, env.now)))
    env.run()
    assert log == [(when, READ, number) for number, when in enumerate(asked)]
    assert done == [(number, when + 10.0) for number, when in enumerate(asked)]


@pytest.mark.parametrize("loop", [ClosedLoop, OpenLoop])
def test_a_request_costs_two_events(env: simpy.Environment, loop: type[ClosedLoop | OpenLoop]) -> None:
    loop(env, listed(0.0, 1.0, 2.0), {"": Tape(env, [])}, lambda row, service: None)
    events = 0
    while env.peek() < float("inf"):
        env.step()
        events += 1
    assert events == 6


@given(st.lists(st.floats(0.0, 1e6), max_size=20).map(sorted))
def test_arrivals_keep_their_order_and_their_instants(whens: list[float]) -> None:
    env = simpy.Environment()
    log: list[object] = []
    OpenLoop(env, listed(*whens), {"": Tape(env, log)}, lambda row, service: None)
    env.run()
    assert [entry[2] for entry in log] == list(range(len(whens)))  # type: ignore[index]
    assert [entry[0] for entry in log] == pytest.approx(whens, abs=1e-9)  # type: ignore[index]
