"""Tests an answer of ``spindle curve`` by hand: what its bars count, its sizes by shares, and what is refused."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from spindle.questions.storage import TierOptions
from spindle.sim.error import UserError
from spindle.sim.units import Bytes
from spindle.traces.curve.answer import CurveWatch, Shown, answer_curve
from spindle.traces.curve.question import CurveQuestion
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record
from tests.traces.conftest import trace_of

FIVE = trace_of(("R", 0, 1), ("R", 1, 1), ("W", 0, 1), ("R", 2, 2), ("R", 0, 1), head="op,lba_512,sectors")
"""The references 0 1 0 2 3 0."""
ASKED = CurveQuestion(block=Bytes(512), policy="lru,fifo,belady", sizes="1,2")
Told = tuple[str, str, int]


class Bars:
    """Progress bars that are kept: for each what it is of, its whole, and what it has come to."""

    def __init__(self, path: Path) -> None:
        self.seen: list[tuple[str, object, int]] = []
        self._path = path

    def watch(self) -> CurveWatch:
        return CurveWatch(self._reading, lambda total: self._bar("replaying", total), self._records)

    @contextmanager
    def _bar(self, what: str, whole: object) -> Iterator[Shown]:
        counts: list[int] = []
        yield Shown(counts.append)
        self.seen.append((what, whole, sum(counts)))

    def _reading(self, trace: Trace, what: str) -> Any:
        assert isinstance(trace, Trace)
        return self._bar(what, self._path.stat().st_size)

    def _records(self, trace: Trace, limit: int, what: str) -> Iterable[Record]:
        self.seen.append((what, limit, 0))
        return islice(trace, limit or None)


@pytest.mark.parametrize(("changes", "bars"), [
    ({}, [("reading", 49, 49), ("replaying", 18, 18)]),
    ({"bytes": True, "sizes": "512,1024", "policy": "lru,fifo"}, [("reading", 49, 49), ("replaying", 12, 12)]),
    ({"admit": "bloom", "policy": "lru"}, [("reading", 49, 49), ("replaying", 6, 6)]),
    ({"policy": "lru,fifo", "response": True},
     [("reading", 49, 49), ("replaying", 12, 12), *[("simulating", 0, 0)] * 4]),
    ({"policy": "lru", "response": True, "source": TraceOptions(limit=3), "sizes": "1"},
     [("reading", 49, 49), ("replaying", 3, 3), ("simulating", 3, 0)]),
])  # fmt: skip
def test_bars_count_bytes_read_and_references_replayed(
    tmp_path: Path, changes: dict[str, Any], bars: list[Told]
) -> None:
    path = tmp_path / "five.csv"
    path.write_text(FIVE)
    kept = Bars(path)
    answer_curve(replace(ASKED, **changes), path, kept.watch())
    assert kept.seen == bars


def test_a_sample_has_bars_and_sizes_by_shares_of_what_it_finds(tmp_path: Path) -> None:
    """About 374 of the 400 blocks, by the blocks of the samples; a limit is read by records, and not by bytes."""
    path = tmp_path / "many.csv"
    path.write_text("op,lba_512,sectors\n" + "".join(f"R,{number * 7 % 400},1\n" for number in range(2000)))
    asked, kept = replace(ASKED, policy="lru,fifo", sample=0.5, sizes="50%,100%"), Bars(path)
    found = answer_curve(asked, path, kept.watch())
    assert [(row["policy"], row["cache_blocks"]) for row in found.rows] == [
        ("lru", 187), ("lru", 374), ("fifo", 187), ("fifo", 374)]  # fmt: skip
    size = path.stat().st_size
    assert kept.seen[0] == ("reading", size, size)
    what, whole, done = kept.seen[1]
    assert (what, whole) == ("replaying", done)
    assert 2 * 900 < done < 2 * 1100
    assert any(line.split()[:2] == ["blocks", "MiB"] for line in found.lines)
    limited = Bars(path)
    found = answer_curve(replace(asked, sizes="", source=TraceOptions(limit=1500)), path, limited.watch())
    assert limited.seen[:2] == [("reading", 1500, 0), ("reading", size, 0)]
    assert {row["refs"] for row in found.rows} == {1500}


@pytest.mark.parametrize(("changes", "sizes"), [
    ({"sizes": "100%,50%,50%"}, [2, 4]), ({"sizes": " 1% , 75%"}, [1, 3]), ({"sizes": "3,1-2,3"}, [1, 2, 3]),
    ({"sizes": "1K,512", "bytes": True}, [512, 1024]), ({"sizes": "50%,100%", "bytes": True}, [1024, 2048]),
    ({"sizes": "50%", "admit": "bloom"}, [2]), ({"sizes": "1-1000"}, [*range(1, 1001)]),
])  # fmt: skip
def test_sizes_are_counts_bytes_or_shares(tmp_path: Path, changes: dict[str, Any], sizes: list[int]) -> None:
    """Of four blocks, or of objects of 512 bytes each."""
    path = tmp_path / "five.csv"
    path.write_text(FIVE)
    rows = answer_curve(replace(ASKED, policy="lru", **changes), path).rows
    (column,) = {name for name in rows[0] if name.startswith("cache_")}
    assert [row[column] for row in rows] == sizes


IN_BYTES = ("sizes counts blocks or objects, and {} are bytes: {} blocks of 512 B; bytes takes bytes, of objects "
            "with sizes")  # fmt: skip
def test_the_usual_sizes_of_objects_end_with_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "five.csv"
    path.write_text(FIVE)
    for changes, column, most in (({"bytes": True}, "cache_bytes", 2048), ({"admit": "bloom"}, "cache_objects", 4)):
        rows = answer_curve(replace(ASKED, policy="lru", sizes="", **changes), path).rows
        assert (rows[0][column], rows[-1][column]) == (1, most)


SHARES = "sizes takes sizes, or shares of the working set above 0% and up to 100%, not "


@pytest.mark.parametrize(("changes", "says"), [
    ({"sizes": "10%,5"}, SHARES + "10%,5"), ({"sizes": "0%"}, SHARES + "0%"), ({"sizes": "100.5%"}, SHARES + "100.5%"),
    ({"sizes": "-1%"}, SHARES + "-1%"), ({"sizes": "x%"}, "sizes must be a number, not 'x'"),
    ({"sizes": "1-1001"}, "sizes names 1001 sizes, and 1000 are the most"),
    ({"sizes": "1,64M"}, IN_BYTES.format("64M", 131072)), ({"sizes": "1B"}, IN_BYTES.format("1B", 1)),
    ({"warm_up": "1"}, "warm_up must be a share of the references from 0 up to 1, not 1.0"),
    ({"warm_up": "-0.1"}, "warm_up must be a share of the references from 0 up to 1, not -0.1"),
    ({"warm_up": "half"}, "warm_up must be a number, not 'half'"),
    ({"policy": "lru,arc,lru"}, "policy names lru twice"),
    ({"layers": TierOptions("4K:1us"), "policy": "belady"},
     "tiers: belady is a bound of one cache, and no policy of tiers"),
    ({"bytes": True, "policy": "belady-size,lru,belady-size"}, "policy names belady-size twice"),
    ({"ttl": "honour", "over_time": True}, "bytes, ttl, admit go without response, tiers, over_time, by_device"),
    ({"sample": 0.5, "response": True},
     "response needs the whole trace, and not a sample of it: a sample keeps hit ratios, but not queues"),
    ({"sample": 0.5, "warm_up": "0.1", "response": True}, "warm_up needs the whole trace, and not a sample of it"),
])  # fmt: skip
def test_what_cannot_be_asked_names_the_option(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    path = tmp_path / "five.csv"
    path.write_text(FIVE)
    with pytest.raises(UserError) as refused:
        answer_curve(replace(ASKED, **{"policy": "lru", **changes}), path)
    assert str(refused.value) == says


@pytest.mark.parametrize(("warm_up", "refs", "hits"), [("0", 6, 2), ("0.5", 3, 1), ("0.34", 4, 2), ("0.99", 0, 0)])
def test_a_warm_up_is_a_share_of_the_references(tmp_path: Path, warm_up: str, refs: int, hits: int) -> None:
    path = tmp_path / "five.csv"
    path.write_text(FIVE)
    for more in ({}, {"admit": "size(most=600)"}):
        (row,) = answer_curve(replace(ASKED, policy="lru", sizes="4", warm_up=warm_up, **more), path).rows
        assert (row["refs"], row["hits"]) == (refs, hits)
