"""Tests small files as tools and people write them: each gets the right answer, a guess that is said, or help.

Right answers are worked out by hand; a file is a few lines, written where its case is.
"""

from pathlib import Path

import pytest

from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.record import Record
from tests.workloads.traces.ways import by_columns


def read(folder: Path, lines: str, name: str = "t.csv", **options: str) -> tuple[list[Record], list[str]]:
    """The requests in a file of *lines*, read one by one and in blocks, and what is said of it."""
    path = folder / name
    path.write_text(lines)
    trace = TraceOptions(**options).open(path)
    found = list(trace)
    assert list(by_columns(trace)) == list(by_columns(trace, 16)) == found
    return found, trace.faults.sentences


def blocks(found: list[Record]) -> list[tuple[float | None, str, int, int]]:
    return [(record.time, record.device, record.first, record.length) for record in found]


@pytest.mark.parametrize(("lines", "requests"), [
    ("time_s;op;offset;size\n0,5;R;1,048,576;4,096\n2;W;0;512,0\n", [(0.5, "", 1048576, 4096), (2.0, "", 0, 512)]),
    ("time\top\toffset\tsize\n0\tR\t8,000\t512\n1,5\tW\t4096\t8\n", [(0.0, "", 8000, 512), (1.5, "", 4096, 8)]),
    ("time_s;device;offset;size\n0,5;8,0;0;8\n1;8,16;8;8\n", [(0.5, "8,0", 0, 8), (1.0, "8,16", 8, 8)]),
])  # fmt: skip
def test_commas_are_decimal_or_between_thousands_or_in_a_name(
    tmp_path: Path, lines: str, requests: list[tuple[float, str, int, int]]
) -> None:
    assert blocks(read(tmp_path, lines)[0]) == requests


@pytest.mark.parametrize("late", ["8;8,0;8,000;8", "8;8;8,000;8", "8,5;a,b;8000;8"])
def test_blocks_of_lines_have_the_same_commas(tmp_path: Path, late: str) -> None:
    rows = "".join(f"{n},25;8;{n * 8};8\n" for n in range(8))
    found, _ = read(tmp_path, f"time_s;device;offset;size\n{rows}{late}\n")
    assert blocks(found)[:2] == [(0.25, "8", 0, 8), (1.25, "8", 8, 8)]
    assert (found[-1].first, found[-1].device) == (8000, late.split(";")[1])


def test_keys_have_commas_beside_decimal_ones(tmp_path: Path) -> None:
    found, _ = read(tmp_path, "time;key;size;ttl\n0,5;a,b;10;1,5\n2,75;a.b;1,000;\n")
    assert [(record.time, record.keys, record.length, record.ttl) for record in found] == [
        (0.0, ("a,b",), 10, 1.5), (2.25, ("a.b",), 1000, None)]  # fmt: skip


def test_points_in_a_whole_number_are_said_to_be_decimal(tmp_path: Path) -> None:
    found, said = read(tmp_path, "time_s;op;offset;size\n0,5;R;8.000;4096\n1;R;4.000;4096\n")
    assert [record.first for record in found] == [8, 4]
    assert said == ["8.000 is taken for 8: points are decimal, and do not stand between thousands"]
    assert read(tmp_path, "time_s,op,offset,size\n0.5,R,8.000,4096\n")[1] == []
