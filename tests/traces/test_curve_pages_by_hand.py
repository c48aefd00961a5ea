"""Tests by hand what is said of a curve: what is enough, the causes of misses, parts of the trace, devices, tables."""

import numpy as np
import pytest
from numpy.typing import NDArray

from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS
from spindle.traces import curve_answers
from spindle.traces import curves as curves_of_traces
from spindle.traces.blocks import Drops, TraceReferences, collect_references
from spindle.traces.curve.fastest import MissSplit
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve_answers import by_device, curve_answer, over_time, part_lines, sentences, settling_end
from spindle.traces.curves import (
    ONE_BY_ONE,
    CurveRow,
    Curves,
    che,
    curve_page,
    curve_rows,
    hit_curves,
    rows_within_bounds,
    usual_sizes,
)
from spindle.workloads.traces.record import Record


def keyed(keys: str, whose: str = "", timed: bool = False) -> TraceReferences:
    """A reference each quarter of a second; those to a capital write."""
    return collect_references([
        Record(number / 4 if timed else None, device, WRITE if key.isupper() else READ, 0, 1, keys=(key.lower(),))
        for number, (key, device) in enumerate(zip(keys, whose or "x" * len(keys), strict=True))], 512)  # fmt: skip


def plain_distances(blocks: NDArray[np.int64], drops: Drops) -> NDArray[np.int32]:
    """Stack distances by a list, of which what is deleted leaves; as good here as compiled loops, which take long."""
    stack, gone, found = list[int](), drops.by_reference(), list[int]()
    for number, block in enumerate(blocks.tolist()):
        stack = [each for each in stack if each not in gone.get(number, ())]
        found.append(stack.index(block) if block in stack else -1)
        stack = [block, *(each for each in stack if each != block)]
    return np.array(found, dtype=np.int32)


CYCLE = keyed("abCabcAbcabC", "xyyxyyxyyxyy", timed=True)
"""a b c again and again, of which the first three warm up: two objects never hit, three always."""
ANSWER = curve_answer(CYCLE, [2, 3], 3)


def test_what_is_said_of_objects() -> None:
    """Of nine the best of two objects misses three; LRU of two misses all."""
    assert sentences(ANSWER, None) == [
        "", "at most 100.0% can hit: the rest are first uses", "lru has 90% of that with 3 objects",
        "its knee is at 3 objects, where 100.0% hit", "working set: 1 in 1 reference", "",
        "of all references            hit  compulsory    capacity      policy",
        "                   2       0.00%       0.00%      33.33%      66.67%",
        "                   3     100.00%       0.00%       0.00%       0.00%",
        "at 2, lru can win 33.3% by more memory, and at most 66.7% by a better policy"]  # fmt: skip


def test_what_is_said_of_blocks() -> None:
    """Three blocks three times, then one of a MiB two thousand times; without sizes at the knee."""
    numbers = [0, 1, 2] * 3 + [5] * 2000
    string = collect_references([Record(None, "", READ, block << 20, 1 << 20) for block in numbers], 1 << 20)
    found = curve_answer(string, [])
    lines = sentences(found, 1 << 20)
    assert lines[1:4] == ["at most 99.8% can hit: the rest are first uses", "lru has 90% of that with 1 block (1 MiB)",
                          "its knee is at 1 block (1 MiB), where 99.5% hit"]  # fmt: skip
    assert lines[4] == "working set: 1 in 20 references, 1 in 201 references"
    assert lines[-2:] == ["                   1      99.50%       0.20%       0.20%       0.10%",
                          "at 1, lru can win 0.2% by more memory, and at most 0.1% by a better policy"]  # fmt: skip
    assert list(found.sets) == [20, 201]
    assert sentences(curve_answer(string, [7], len(numbers)), 512) == []
    assert curve_answer(string, range(1, 9)).sizes == [1, 2, 3, 4, 5]


def test_a_warm_up_hits_nothing_and_belongs_to_the_windows() -> None:
    """Of a a b a b the first two are early: b comes, and then both hit."""
    assert curve_answer(keyed("aabab"), [2], 2).splits == {2: MissSplit(3, 2, 1, 0, 0)}
    assert list(curve_answer(keyed("ab" * 50), [2], 50).sets) == [1, 10]


def test_a_part_begins_at_the_time_of_its_request() -> None:
    """The first request has three blocks, and the other comes five seconds later."""
    string = collect_references([Record(time, "", READ, 0, blocks * 512) for time, blocks in ((0, 3), (5, 1))], 512)
    assert [part.told["time"] for part in over_time(curve_answer(string, [2]), string)] == [0, 0, 0, 5]


def test_deletes_are_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """a a, a is deleted, a a: two of four hit."""
    monkeypatch.setattr(curve_answers, "distances_with", plain_distances)
    steps = [("a", False), ("a", False), ("a", True), ("a", False), ("a", False)]
    string = collect_references([Record(None, "", READ, 0, 1, keys=(key,), delete=gone) for key, gone in steps], 512)
    assert curve_answer(string, [1]).curve.hits.tolist() == [0, 2, 2]


def test_a_trace_in_ten_parts() -> None:
    assert part_lines("lru over time", over_time(ANSWER, CYCLE)) == [
        "", "lru over time         references        2        3",
        "from 0 s                       1    0.00%    0.00%", "from 0.25 s                    1    0.00%    0.00%",
        "from 0.5 s                     2    0.00%   50.00%", "from 1 s                       1    0.00%  100.00%",
        "from 1.25 s                    1    0.00%  100.00%", "from 1.5 s                     1    0.00%  100.00%",
        "from 1.75 s                    1    0.00%  100.00%", "from 2 s                       2    0.00%  100.00%",
        "from 2.5 s                     1    0.00%  100.00%", "from 2.75 s                    1    0.00%  100.00%"]
    untimed = keyed("ab" * 5_000)
    lines = part_lines("lru over time", over_time(curve_answer(untimed, [2]), untimed))
    assert lines[2:4] == ["from 0                     1,000   99.80%", "from 1,000                 1,000  100.00%"]
    assert len(lines) == 12


def test_devices_with_the_most_references_come_first() -> None:
    assert part_lines("lru by device", by_device(ANSWER, CYCLE)) == [
        "", "lru by device         references        2        3",
        "y                              6    0.00%  100.00%", "x                              3    0.00%  100.00%",
        "reads                          7    0.00%  100.00%", "writes                         2    0.00%  100.00%"]


def test_the_rest_of_many_devices_is_one_line() -> None:
    """Thirty devices with one reference each, in their order; the last has more, and a name of 25 letters."""
    names = [f"d{number}" for number in range(29)] + ["n" * 25] * 3 + [""]
    string = collect_references([Record(None, name, READ, 0, 1, keys=("k",)) for name in names], 512)
    lines = part_lines("lru by device", by_device(curve_answer(string, [1]), string))
    assert [line.split()[0] for line in lines[2:]] == ["n" * 20, *(f"d{number}" for number in range(19)), "11"]
    assert lines[2] == f"{'n' * 20}           3  100.00%"
    assert lines[-1] == "11 others                     11  100.00%"
    assert by_device(curve_answer(string, [1]), string)[-1].told == {"others": 11}
    assert lines[3] == "d0                             1    0.00%"
    alone = collect_references([Record(None, "", WRITE, 0, 1, keys=("k",))], 512)
    parts = by_device(curve_answer(alone, [1]), alone)
    assert part_lines("", parts)[2:] == ["(no name)                      1    0.00%"]
    assert parts[0].rows() == [{"device": "", "references": 1, "size": 1, "hit_ratio": 0.0}]


def test_parts_are_rows_for_machines() -> None:
    """Of a b c again and again two objects never hit, three always, once they are there."""
    first, *_, last = (row for part in over_time(ANSWER, CYCLE) for row in part.rows())
    assert first == {"first": 0, "time": 0.0, "references": 1, "size": 2, "hit_ratio": 0.0}
    assert last == {"first": 11, "time": 2.75, "references": 1, "size": 3, "hit_ratio": 1.0}
    untimed = keyed("ab" * 10)
    assert {row["time"] for part in over_time(curve_answer(untimed, [2]), untimed) for row in part.rows()} == {None}
    rows = [row for part in by_device(ANSWER, CYCLE) for row in part.rows() if row["size"] == 3]
    assert rows == [{"device": "y", "references": 6, "size": 3, "hit_ratio": 1.0},
                    {"device": "x", "references": 3, "size": 3, "hit_ratio": 1.0},
                    {"op": "read", "references": 7, "size": 3, "hit_ratio": 1.0},
                    {"op": "write", "references": 2, "size": 3, "hit_ratio": 1.0}]  # fmt: skip


def test_what_is_said_is_data_too() -> None:
    """Of nine the best of two objects misses three; LRU of two misses all."""
    assert ANSWER.data() == {
        "most_hits": 1.0, "enough": 3, "knee": 3, "working_sets": [{"references": 1, "size": 1.0}],
        "causes": [{"size": 2, "hits": 0.0, "compulsory": 0.0, "capacity": 3 / 9, "policy": 6 / 9},
                   {"size": 3, "hits": 1.0, "compulsory": 0.0, "capacity": 0.0, "policy": 0.0}]}  # fmt: skip


def test_when_hits_have_settled() -> None:
    """Three hundred first uses, and then hits; too few are none."""
    cold = np.array([*range(300), *[1, 2, 3] * 300])
    assert 295 <= settling_end(cold) <= 310
    assert settling_end(np.array([1, 2, 1])) == 0
    few = [*range(10), *[1, 2, 3] * 14]
    assert [settling_end(np.array(few[:count])) for count in (49, 50)] == [0, 15]
    with pytest.raises(UserError, match="have not settled within the first half of the 100 references: --warm-up take"):
        settling_end(np.array([*range(70), *[1, 2, 3] * 10]))
    long = np.array([*range(600), *[1, 2, 3] * 600])
    found = settling_end(long)
    assert found % 2 == 0, "of 2,400 two at a time"
    assert 595 <= found <= 615


# Tables.

def rows(*each: tuple[str, int, int]) -> list[CurveRow]:
    return [CurveRow(policy, size, 8, hits) for policy, size, hits in each]


def test_a_page_of_blocks_and_their_responses() -> None:
    """Of 8 references to blocks of 512 KiB; a policy without responses has no column of them."""
    curves = Curves(rows(("lru", 2, 2), ("lru", 4, 4), ("opt", 2, 3), ("opt", 4, 5)), [2, 4], {2: 0.125, 4: 0.5})
    page = curve_page(curves, 512 << 10, {("lru", 2): 12.5 * MS, ("lru", 4): 3.0 * MS})
    assert [line.rstrip() for line in page] == [
        "8 references to blocks of 512 KiB", "",
        "hit ratio                    lru         opt    lru, Che", "    blocks       MiB",
        "         2         1      25.00%      37.50%      12.50%",
        "         4         2      50.00%      62.50%      50.00%", "",
        "mean response, ms            lru", "    blocks       MiB", "         2         1      12.500",
        "         4         2       3.000", ONE_BY_ONE]  # fmt: skip


def test_a_page_of_a_sample_of_objects() -> None:
    """Half of the interval from 20 to 40 %."""
    page = curve_page(Curves([CurveRow("lru", 4, 1, 0, 0.2, 0.4)], [4], {}), None, {})
    assert [line.rstrip() for line in page] == [
        "1 reference to objects", "", "hit ratio                    lru", "             objects",
        "                   4   0.0 ±10.0", "",
        "of samples of the objects, with half of the 95 % interval; samples keep hit ratios, not queues"]  # fmt: skip


def test_five_policies_stand_side_by_side_and_sixteen_sizes_below_each_other() -> None:
    names, sizes = ("a", "b", "c", "d", "e", "f"), list(range(1, 41))
    page = curve_page(Curves(rows(*((name, size, 1) for name in names for size in sizes)), sizes, {}), None, {})
    heads = [line.split()[2:] for line in page if line.startswith("hit ratio")]
    assert heads == [["a", "b", "c", "d", "e"], ["f"]]
    shown = [line.split()[0] for line in page if "%" in line]
    assert (len(shown), shown[0], shown[15], shown[16]) == (32, "1", "40", "1")


def test_rows_of_a_table() -> None:
    plain = Curves(rows(("lru", 2, 2), ("fifo", 2, 1)), [2], {})
    first = {"policy": "lru", "cache_blocks": 2, "refs": 8, "hits": 2, "hit_ratio": 0.25}
    assert curve_rows(plain, {})[0] == first
    told = curve_rows(plain, {("lru", 2): 0.5}, "cache_objects")
    assert told[0] == {
        "policy": "lru", "cache_objects": 2, "refs": 8, "hits": 2, "hit_ratio": 0.25, "response_mean": 0.5}
    assert told[1]["response_mean"] is None
    bounded = Curves([CurveRow("lru", 2, 8, 2, 0.125, 0.375)], [2], {})
    assert curve_rows(bounded, {})[0] == {**first, "hit_ratio_low": 0.125, "hit_ratio_high": 0.375}


STRING = np.array([1, 2, 1, 3, 2, 1])


def test_curves_of_each_kind_of_policy() -> None:
    """After the first: 2 3, 1 hits of 2 and so on; the bound may leave 3 out."""
    done: list[int] = []
    found = list(hit_curves(STRING, ["lru", "fifo", "belady", "opt"], [1, 2, 3], done.append, 1))
    assert {(row.policy, row.cache_blocks): (row.refs, row.hits) for row in found} == {
        ("lru", 1): (5, 0), ("lru", 2): (5, 1), ("lru", 3): (5, 3), ("fifo", 1): (5, 0), ("fifo", 2): (5, 2),
        ("fifo", 3): (5, 3), ("belady", 1): (5, 2), ("belady", 2): (5, 3), ("belady", 3): (5, 3), ("opt", 1): (5, 0),
        ("opt", 2): (5, 2), ("opt", 3): (5, 3)}  # fmt: skip
    assert sum(done) == 4 * len(STRING)
    given = list(hit_curves(STRING, ["lru"], [2], done.append, 1, lru=lru_curve(np.array([7] * 9), 3)))
    assert given == [CurveRow("lru", 2, 5, 6)], "a curve that is there is taken"
    assert sum(done) == 5 * len(STRING)


def test_curves_with_deletes(monkeypatch: pytest.MonkeyPatch) -> None:
    """a b, a is deleted, c b a c: in two, b hits under LRU, and c as well under FIFO; the bound has both."""
    monkeypatch.setattr(curves_of_traces, "distances_with", plain_distances)
    steps = [*(("a", False), ("b", False), ("a", True)), *((key, False) for key in "cbac")]
    string = collect_references([Record(None, "", READ, 0, 1, keys=(key,), delete=gone) for key, gone in steps], 512)
    done: list[int] = []
    found = hit_curves(string.blocks, ["lru", "fifo", "belady"], [2], done.append, drops=string.drops)
    assert [(row.policy, row.refs, row.hits) for row in found] == [("lru", 6, 1), ("fifo", 6, 2), ("belady", 6, 2)]
    assert sum(done) == 3 * 6
    assert [row.hits for row in hit_curves(string.blocks, ["fifo"], [2], early=4, drops=string.drops)] == [1]


def test_usual_sizes_are_spread_to_all_blocks() -> None:
    one, other = usual_sizes(["lru"], 100_000), usual_sizes(["lru", "arc"], 100_000)
    assert (one[0], one[-1], other[0], other[-1]) == (49, 100_000, 49, 100_000)
    assert (len(one), len(other)) == (120, 12)
    assert usual_sizes(["lru"], 3) == [1, 2, 3]
    assert usual_sizes(["lru"], 0) == [1]


def test_rows_that_break_a_law_are_refused() -> None:
    assert rows_within_bounds(iter(rows(("lru", 2, 2), ("lru", 4, 2)))) == rows(("lru", 2, 2), ("lru", 4, 2))
    assert len(rows_within_bounds(rows(("fifo", 2, 3), ("fifo", 4, 2)))) == 2, "Belady's anomaly"
    for policy in ("lru", "belady", "opt"):
        with pytest.raises(LawBroken, match=f"{policy}: 3 hits of 2 blocks, and 2 of 4"):
            rows_within_bounds(rows((policy, 4, 2), (policy, 2, 3)))
    for hits in (-1, 9):
        with pytest.raises(LawBroken):
            rows_within_bounds(rows(("fifo", 2, hits)))


def test_che_after_a_warm_up() -> None:
    references = np.tile(np.arange(4), 500)
    assert che(references, [2, 4], 1000) == {2: pytest.approx(0.5, abs=0.01), 4: pytest.approx(1.0)}
    assert che(references, [2], 2000) == {}
    assert che(np.zeros(0, np.int64), [2]) == {}
