"""Tests logs of fio by hand, piece by piece: how far a first wait is looked for, what is passed over; and writers."""

from collections.abc import Iterator

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.formats import fio
from spindle.workloads.traces.formats.fio import FIO, FioLines, encode_2, encode_3
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.record import Record, TraceLimits

BEGIN, READ_LINE = b"fio version 2 iolog\n", b"a read 0 512\n"


def read(*pieces: bytes) -> Iterator[float | None]:
    for record in FIO.records("log", iter(pieces), Faults(0), TraceLimits()):
        yield record.time


@pytest.mark.parametrize(("most", "pieces", "found"), [
    (33, [BEGIN + READ_LINE, b"a wait 5 0\n", READ_LINE], False), (34, [BEGIN + READ_LINE, b"a wait 5 0\n"], True),
    (46, [BEGIN + READ_LINE, READ_LINE, b"a wait 5 0\n"], False), (47, [BEGIN, READ_LINE * 2, b"a wait 5\n"], True),
    (99, [BEGIN + READ_LINE + b"a wa", b"it 5 0\n"], True),
])  # fmt: skip
def test_a_first_wait_is_looked_for_so_far(
    most: int, pieces: list[bytes], found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line has 20 bytes, and each request 13."""
    monkeypatch.setattr(fio, "LOOKED_AT", most)
    if found:
        assert list(read(*pieces, READ_LINE))[-1] == 0.005
        return
    times = read(*pieces)
    assert next(times) is None
    with pytest.raises(UserError, match=r"^log:\d:1: the first wait stands"):
        list(times)


def test_what_stands_behind_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fio, "LOOKED_AT", 1)
    pieces = [BEGIN, READ_LINE, READ_LINE]
    assert list(read(*pieces)) == [None, None]
    parts = FIO.stretches("log", iter(pieces), Faults(0), TraceLimits())
    assert sum(len(list(part)) for part in parts) == 2
    with pytest.raises(UserError, match=r"^log:1:1: the first line must be"):
        list(FIO.stretches("log", iter([READ_LINE]), Faults(0), TraceLimits()))


def test_a_trim_moves_no_data_unless_a_caller_says_so() -> None:
    lines = FioLines(True)
    assert [lines.parse(line) for line in ("fio version 2 iolog", "a trim 0 512", "a sync")] == [None] * 3
    assert (lines.passed.idle, lines.passed.unknown) == ({"trim": 1, "sync": 1}, {})
    lines.given = {"trim": Meaning.WRITE}
    assert lines.parse("a trim 0 512") == Record(0.0, "a", WRITE, 0, 512)


def request(time: float | None) -> Record:
    return Record(time, "a", READ, 0, 512)


@pytest.mark.parametrize(("times", "lines"), [
    ([0.0, 0.0004, 0.003], ["a wait 0 0", "a read 0 512", "a read 0 512", "a wait 3 0", "a read 0 512"]),
    ([None, None], ["a read 0 512"] * 2),
])  # fmt: skip
def test_fio_waits_once_for_each_millisecond(times: list[float | None], lines: list[str]) -> None:
    written = b"".join(encode_2(map(request, times))).decode().splitlines()
    assert written == ["fio version 2 iolog", "a add", "a open", *lines, "a close"]


def test_a_trace_of_nothing_is_a_first_line() -> None:
    assert [list(encode([])) for encode in (encode_2, encode_3)] == [
        [b"fio version 2 iolog\n"], [b"fio version 3 iolog\n"]]  # fmt: skip
