"""Tests the page, the numbers and the table of a trace's character by hand: fifteen requests of two devices."""

from dataclasses import replace
from math import isnan

import pytest

from spindle.sim.request import READ, WRITE
from spindle.traces.character_page import bytes_of, numbers, page, spread, table
from spindle.traces.characterise import Characterisation, Histogram, TraceLocality, TraceShare

KIB = 1024
READS = TraceShare(Histogram((512, 4096, KIB * KIB), (1, 6, 3), 1e5), Histogram((1, 2, 1000), (2, 1, 1), 251.0))
WRITES = TraceShare(Histogram((512, 8192), (4, 1), 2048.0), Histogram((1,), (5,), 1.0))
LOCALITY = TraceLocality(1200, 300, 0.25, tuple(part / 10 for part in range(1, 11)),
                         Histogram((0, 5, 2000), (3, 2, 1), 335.0), 0.5)  # fmt: skip
CHARACTER = Characterisation(15, {READ: READS, WRITE: WRITES}, {"a": 10, "b": 5},
                             Histogram((1_000_000, 2_000_000), (10, 4), 9e6 / 7), 5 << 20, 4096, LOCALITY)  # fmt: skip
NO_TIMES = replace(CHARACTER, gaps=Histogram())
ONE = Characterisation(1, {WRITE: TraceShare(Histogram((150_000 * KIB,), (1,), 150_000.0 * KIB),
                                             Histogram((1,), (1,), 1.0))}, {"": 1}, Histogram(), 1 << 30, 512,
                       TraceLocality(1, 1, 1.0, (1.0,) * 10, Histogram(), 1.0))  # fmt: skip


def test_a_page_by_hand() -> None:
    """Gaps of 9/7 ms and fourteen of them; of the sizes 512 bytes has 5 of 15, and a bar of 34 letters is all."""
    assert page(CHARACTER) == [
        "15 requests of 2 devices in 0.018 s, 833.3 a second; 66.7% read",
        "",
        "                             requests      GiB    mean  median     p90      most",
        "size of reads, KiB                 10    0.001   97.66       4   1,024     1,024",
        "size of writes, KiB                 5    0.000       2     0.5       8         8",
        "run of reads, requests              4              251       1   1,000     1,000",
        "run of writes, requests             5                1       1       1         1",
        "40.0% of all requests begin where the one before them ended, and are of its kind",
        "",
        "the commonest sizes, and their share of the requests",
        "                 0.5 KiB   33.3%  ###########",
        "                   4 KiB   40.0%  ##############",
        "                   8 KiB    6.7%  ##",
        "               1,024 KiB   20.0%  #######",
        "",
        "between requests, ms                             1.286       1       2         2",
        "",
        "1,200 references to 300 blocks of 4 KiB, 0.001 GiB (of 50.000% of the blocks)",
        "25.0% of them are a block's first",
        "",
        "blocks used between a use and the next             335       0   2,000     2,000",
        "",
        "where the references go: the hottest blocks, and their share",
        "            hottest 0.1%   10.0%  ###",
        "            hottest 0.2%   20.0%  #######",
        "            hottest 0.5%   30.0%  ##########",
        "            hottest 1.0%   40.0%  ##############",
        "            hottest 2.0%   50.0%  #################",
        "            hottest 5.0%   60.0%  ####################",
        "           hottest 10.0%   70.0%  ########################",
        "           hottest 20.0%   80.0%  ###########################",
        "           hottest 50.0%   90.0%  ###############################",
        "          hottest 100.0%  100.0%  ##################################",
    ]


def test_what_is_not_there_is_not_on_the_page() -> None:
    lines = page(NO_TIMES)
    assert lines[0] == "15 requests of 2 devices without times; 66.7% read"
    assert lines[14:16] == ["", "1,200 references to 300 blocks of 4 KiB, 0.001 GiB (of 50.000% of the blocks)"]
    lines = page(ONE)
    assert lines[:5] == [
        "1 request of 1 device; 0.0% read", "",
        "                             requests      GiB    mean  median     p90      most",
        "size of writes, KiB                 1    0.143 150,000 150,000 150,000   150,000",
        "run of writes, requests             1                1       1       1         1"]  # fmt: skip
    assert lines[8:14] == [
        "             150,000 KiB  100.0%  ##################################", "",
        "1 reference to 1 block of 0.5 KiB, 0.000 GiB", "100.0% of them are a block's first", "",
        "where the references go: the hottest blocks, and their share"]  # fmt: skip


@pytest.mark.parametrize(("size", "text"), [
    (512, "0.5"), (1000, "0.976562"), (99_999 * KIB + 512, "99,999.5"), (100_000 * KIB, "100,000"),
    (100_000 * KIB + 512, "100,000"), (123_456_789 * KIB, "123,456,789"),
])  # fmt: skip
def test_a_size_in_kibibytes(size: int, text: str) -> None:
    one = replace(ONE, kinds={READ: TraceShare(Histogram((size,), (1,), float(size)), Histogram((1,), (1,), 1.0))})
    assert f"{text} KiB  100.0%" in " ".join(page(one)[8].split("   ")).replace("   ", "  ")


def test_the_six_commonest_sizes_are_listed_smallest_first() -> None:
    """Of two that are as common the smaller; reads and writes of one size are counted together."""
    sizes = Histogram(tuple(KIB * number for number in range(1, 9)), (1, 5, 2, 9, 2, 3, 4, 2), 1.0)
    many = replace(CHARACTER, requests=35, kinds={READ: TraceShare(sizes, READS.runs), WRITE: TraceShare(
        Histogram((KIB,), (7,), 1024.0), WRITES.runs)})  # fmt: skip
    at = page(many).index("the commonest sizes, and their share of the requests")
    assert [line.split()[:3] for line in page(many)[at + 1 : at + 7]] == [
        ["1", "KiB", "22.9%"], ["2", "KiB", "14.3%"], ["3", "KiB", "5.7%"], ["4", "KiB", "25.7%"],
        ["6", "KiB", "8.6%"], ["7", "KiB", "11.4%"]]  # fmt: skip
    assert page(many)[at + 7] == ""


def test_numbers_are_in_bytes_and_seconds() -> None:
    found = numbers(CHARACTER)
    reads, writes = found.pop("reads"), found.pop("writes")
    hot, gap, distance = found.pop("hot"), found.pop("gap"), found.pop("distance")
    assert found == {
        "requests": 15, "devices": {"a": 10, "b": 5}, "read_share": 10 / 15, "sequential_share": pytest.approx(0.4),
        "seconds": pytest.approx(0.018), "block": 4096, "references": 1200, "blocks": 300, "footprint": 300 * 4096,
        "first_uses": 0.25, "sample": 0.5}  # fmt: skip
    most = 1024.0 * KIB
    assert reads == {"requests": 10, "bytes": 1_000_000,
                     "size": {"mean": 1e5, "median": 4096, "p90": most, "p99": most, "most": most},
                     "run": {"mean": 251, "median": 1, "p90": 1000, "p99": 1000, "most": 1000}}  # fmt: skip
    assert (writes["requests"], writes["bytes"], writes["size"]["most"], writes["run"]["most"]) == (5, 10_240, 8192, 1)
    assert hot == {"0.001": 0.1, "0.002": 0.2, "0.005": 0.3, "0.01": 0.4, "0.02": 0.5, "0.05": 0.6, "0.1": 0.7,
                   "0.2": 0.8, "0.5": 0.9, "1": 1.0}  # fmt: skip
    assert gap == pytest.approx({"mean": 0.009 / 7, "median": 0.001, "p90": 0.002, "p99": 0.002, "most": 0.002})
    assert distance == {"mean": 335.0, "median": 0, "p90": 2000, "p99": 2000, "most": 2000}
    assert numbers(NO_TIMES)["seconds"] is None
    assert all(isnan(value) for value in numbers(NO_TIMES)["gap"].values())
    assert "reads" not in numbers(ONE)


def test_a_distribution_has_its_percentiles() -> None:
    hundred = Histogram(tuple(range(1, 101)), (1,) * 100, 50.5)
    assert spread(hundred, 2.0) == {"mean": 101.0, "median": 100, "p90": 180, "p99": 198, "most": 200}
    assert bytes_of(hundred) == 5050


def test_a_table_has_each_value_with_its_count() -> None:
    assert list(table(CHARACTER)) == [
        ("size of reads", 512, 1), ("size of reads", 4096, 6), ("size of reads", KIB * KIB, 3),
        ("run of reads", 1, 2), ("run of reads", 2, 1), ("run of reads", 1000, 1),
        ("size of writes", 512, 4), ("size of writes", 8192, 1), ("run of writes", 1, 5),
        ("gap", pytest.approx(0.001), 10), ("gap", pytest.approx(0.002), 4),
        ("reuse distance", 0, 3), ("reuse distance", 5, 2), ("reuse distance", 2000, 1)]  # fmt: skip
    assert [name for name, *_ in table(ONE)] == ["size of writes", "run of writes"]
