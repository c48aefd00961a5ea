"""Lists of timed requests: as many as there may be, pieces of them, and what is refused in one line."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spindle.lab.drives import timed_requests as timed
from spindle.lab.drives.timed_requests import (
    TimedRequests,
    answer_times,
    answers,
    disksim_times,
    fio_log,
    timed_requests,
)
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.cli.test_drive_command import CLOSED
from tests.lab.drives.test_errors import DISC
from tests.traces.conftest import SHEET

LOG = "12, 2000000, 0, 512, 1024, 0\n30, 12500000, 1, 4096, 0\n45, 1400000, 0, 512, 0, 0x0\n"


def of_list(path: Path) -> TimedRequests:
    sheet = path.with_name("small.yaml")
    sheet.write_text(SHEET)
    return timed_requests(path, read_sheet(sheet))


def of_log(path: Path) -> TimedRequests:
    return fio_log(path, 512, 1 << 20)


@pytest.mark.parametrize(("read", "text"), [(of_list, CLOSED), (of_log, LOG)])
def test_as_many_as_there_may_be_are_read_and_no_more(
    read: Callable[[Path], TimedRequests], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "requests").write_text(text)
    monkeypatch.setattr(timed, "MAX_REQUESTS", 3)
    assert len(read(tmp_path / "requests")) == 3
    monkeypatch.setattr(timed, "MAX_REQUESTS", 2)
    with pytest.raises(UserError, match="it has more than 2 requests"):
        read(tmp_path / "requests")


def test_a_piece_has_the_same_requests(tmp_path: Path) -> None:
    (tmp_path / "requests.csv").write_text(CLOSED)
    piece = of_list(tmp_path / "requests.csv").part(slice(1, None))
    assert (piece.ops, piece.spans) == ([READ, WRITE], [Span(2560, 256), Span(0, 512)])
    assert (piece.gaps / MS, piece.measured / MS) == (pytest.approx([0.0, 4.5]), pytest.approx([6.0, 11.0]))


@pytest.mark.parametrize(("text", "says"), [
    ("gap_before_ms,lba,sectors,op\n0,0,1,R\n", "request 0 has no measured_ms"),
    ("arrival_s,lba,sectors,op,measured_ms\n0,0,1,R,5\n", "request 0 has no gap"),
    ("gap_before_ms,lba,sectors,op,measured_ms,device\n0,0,1,R,5,1\n0,0,1,R,5,2\n", "request 1 is to another disc"),
])  # fmt: skip
def test_what_is_not_one_disc_timed_is_refused(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "requests.csv").write_text(text)
    with pytest.raises(UserError, match=says):
        of_list(tmp_path / "requests.csv")


def test_the_arm_is_at_the_first_sector_at_first() -> None:
    """Sector 3 begins to pass at 1.5 ms, half a millisecond after the command; after any movement it is gone."""
    disc = replace(DISC, head_switch=3 * MS)
    requests = TimedRequests([READ], [Span(1536, 512)], np.zeros(1), np.zeros(1))
    assert answer_times(mechanism_of(disc), requests) / MS == pytest.approx([2.0])
    assert answers(disc, requests).times / MS == pytest.approx([2.0])


def test_disksims_answers_are_seconds_and_as_many(tmp_path: Path) -> None:
    assert disksim_times(tmp_path / "requests.csv", 2) is None
    (tmp_path / "disksim_predicted.csv").write_text("seq,disksim_ms\n0,10\n1,5\n")
    times = disksim_times(tmp_path / "requests.csv", 2)
    assert times is not None
    assert (times.dtype, times.tolist()) == (np.float64, pytest.approx([0.01, 0.005]))
    with pytest.raises(UserError, match="2 answers to 3 requests"):
        disksim_times(tmp_path / "requests.csv", 3)
