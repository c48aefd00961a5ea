"""An open trace of an unknown host: intervals over readings of it, by hand, and the readings of a small drive."""

from pathlib import Path

import numpy as np
import pytest

from spindle.lab.drives.unknown_host import DayLoad, ReadingAnswers, page, readings, rows
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.error import UserError
from spindle.sim.units import DAY, MS
from tests.traces.conftest import SHEET


def answers(arrived: list[float], measured: list[float], **predicted: list[float]) -> ReadingAnswers:
    reads = np.full(len(arrived), True)
    return ReadingAnswers(np.array(arrived), reads, np.array(measured),
                          {name: np.array(times) for name, times in predicted.items()})  # fmt: skip


QUIET, BUSY = [0.0, 10.0], [DAY, DAY + 1.0, DAY + 2.0, DAY + 10.0]


def test_a_day_is_outside_by_its_load_or_its_queue() -> None:
    """Of the busy day's four requests the second and the third meet one and two others; of the quiet day's none."""
    found = answers([*QUIET, *BUSY], [1.0] * 6, look=[1.0, 1.0, 5.0, 5.0, 1.0, 1.0])
    assert found.loads == {0: DayLoad(0.2, 0.0), 1: DayLoad(0.4, 0.75)}
    assert [found.outside(day) for day in (0, 1)] == [0.0, 1.0]
    longer = answers([*BUSY, *(at + DAY for at in BUSY)], [1.0] * 8, look=[5.0, 5.0, 1.0, 1.0, 9.0, 9.0, 9.0, 1.0])
    assert [each.met for each in longer.loads.values()] == [0.75, 1.0]
    assert [longer.outside(day) for day in (0, 1)] == [0.0, pytest.approx(4 / 3)]
    assert answers(QUIET, [1.0] * 2, look=[1.0] * 2).outside(0) == 0.0
    assert answers([*QUIET, *BUSY], [1.0] * 6, look=[0.1] * 6).outside(1) == 1.0, "by its load alone"


def test_an_interval_has_what_readings_were_off_on_other_days() -> None:
    found = answers([*QUIET, *BUSY], [3.0, 3.0, 1.0, 1.0, 1.0, 1.0], look=[1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
                    fcfs=[9.0] * 6)  # fmt: skip
    quiet, busy = found.days == 0, found.days == 1
    assert found.expected(busy, quiet, 0.0) == pytest.approx((1.5, 3.0))
    assert found.expected(quiet, busy, 0.0) == pytest.approx((1.0, 1.5))
    assert found.expected(busy, quiet, 2.0) == pytest.approx((1.5 / 9.0, 81.0))
    assert found.expected(busy, busy & quiet, 0.0) == pytest.approx((1.5, 1.5))
    assert found.expected(busy, busy & quiet, 2.0) == pytest.approx((1.5, 9.0)), "fcfs too"
    assert found.best(quiet) == "look"


TWO_DAYS = ReadingAnswers(
    np.array([0.0, 10.0, DAY, DAY + 10.0]), np.array([True, False, True, False]), np.array([10, 20, 12, 30]) * MS,
    {"look": np.array([10, 20, 10, 20]) * MS, "sstf, chains": np.array([8, 10, 12, 10]) * MS, "fcfs": np.full(4, 9.0)},
)  # fmt: skip
"""Two days alike, with a read and a write each; fcfs is for days of more load than others, and far off."""
PAGE = """\
day  group    requests  measured, ms      expected, ms  best on other days  demerit
1    reads           1          10.0       8.0 to 12.0  sstf, chains          20.0%
1    writes          1          20.0      10.0 to 60.0  look                   0.0%
2    reads           1          12.0      10.0 to 15.0  look                  16.7%
2    writes          1          30.0      10.0 to 40.0  look                  33.3%
all  reads           2          11.0    10.0 to 10.0 !
all  writes          2          25.0    10.0 to 20.0 !

Readings: look; sstf, chains
"""


def test_the_page_of_two_days_by_hand() -> None:
    """The reads of day 2 took up to 1.2 times what was predicted, and those of day 1 up to 1.25 times; writes 3 and 2.

    No other day tells by how much the readings are off on all days together.
    """
    lines = list(page(TWO_DAYS))
    assert lines[:9] == PAGE.splitlines()
    assert lines[10:] == ["! is not as expected."]


def test_the_numbers_of_two_days_and_of_one() -> None:
    first, *_, last = rows(TWO_DAYS)
    assert first == {"day": "1", "group": "reads", "requests": 1, "measured_ms": 10.0, "low_ms": pytest.approx(8.0),
                     "high_ms": pytest.approx(12.0), "inside": True, "best_on_other_days": "sstf, chains",
                     "demerit": pytest.approx(0.2), "outside": 0.0}  # fmt: skip
    assert last == {"day": "all", "group": "writes", "requests": 2, "measured_ms": pytest.approx(25.0),
                    "low_ms": pytest.approx(10.0), "high_ms": pytest.approx(20.0), "inside": False}  # fmt: skip
    (only,) = rows(answers(QUIET, [1.0] * 2, look=[1.0] * 2))
    assert (only["day"], only["group"], only["inside"], "demerit" in only) == ("1", "reads", True, False)
    assert answers([5.0], [1.0], look=[1.0]).loads == {0: DayLoad(1.0, 0.0)}


def test_a_day_outside_is_told_with_its_load() -> None:
    busy = answers([*QUIET, *BUSY], [1.0] * 6, look=[1.0, 1.0, 5.0, 5.0, 1.0, 1.0], fcfs=[1.0] * 6)
    assert [line for line in page(busy) if line.startswith("Day")] == [
        "Day 2 is outside what the others show: 0.4 requests a second, each of which meets 0.75 others."]
    assert [row.get("outside") for row in rows(busy)] == [0.0, 1.0, None]
    assert [row["low_ms"] for row in rows(busy)] == pytest.approx([1000 / 3, 1000, 14000 / 6]), "fcfs on day 2"


def read_list(folder: Path, text: str, max_gap: float = 5 * MS) -> ReadingAnswers:
    (folder / "small.yaml").write_text(SHEET)
    (folder / "requests.csv").write_text(text)
    return readings(read_sheet(folder / "small.yaml"), folder / "requests.csv", max_gap)


def test_a_request_waits_for_the_read_before_it_where_there_are_chains(tmp_path: Path) -> None:
    """The read was done after 5 ms, and the next request made 1 ms later: so it is, after the 10.5 ms of the model.

    Sector 10 passes at 15: 9.5 ms after 6, when it was made, and 3.5 after 11.5.
    """
    text = "arrival_s,op,lba,sectors,measured_ms\n0,R,0,1,5\n0.006,W,10,1,4\n"
    found = read_list(tmp_path, text)
    orders = ("c-look", "look", "sstf", "reads-first", "fcfs")
    assert list(found.predicted) == [name for order in orders for name in (order, f"{order}, chains")]
    assert (found.arrived.tolist(), found.reads.dtype, found.reads.tolist()) == ([0.0, 0.006], bool, [True, False])
    assert found.measured / MS == pytest.approx([5.0, 4.0])
    for name, times in found.predicted.items():
        assert times / MS == pytest.approx([10.5, 4.0 if "chains" in name else 9.5])
    assert read_list(tmp_path, text, 0.5 * MS).predicted["look, chains"][1] / MS == pytest.approx(9.5)


def test_each_order_of_the_queue_is_a_reading(tmp_path: Path) -> None:
    """Behind the first, on cylinder 0, wait two: one far off that came before one near."""
    text = "arrival_s,op,lba,sectors,measured_ms\n0,R,0,1,5\n0,R,3600,1,5\n0,R,200,1,5\n"
    found = read_list(tmp_path, text).predicted
    assert found["sstf"][2] < found["fcfs"][2]
    assert found["sstf"][1] > found["fcfs"][1]


def test_a_request_that_was_not_measured_is_no_reading(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="request 0 has no measured response, which --readings compares"):
        read_list(tmp_path, "arrival_s,op,lba,sectors\n0,R,0,1\n")
