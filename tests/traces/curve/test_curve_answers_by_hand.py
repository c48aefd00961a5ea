"""Tests an answer of ``spindle curve`` by hand: what its bars count, its sizes by shares, and what is refused."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

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
    limited = Bars(path)
    found = answer_curve(replace(asked, sizes="", source=TraceOptions(limit=1500)), path, limited.watch())
    assert limited.seen[:2] == [("reading", 1500, 0), ("reading", size, 0)]
    assert {row["refs"] for row in found.rows} == {1500}
