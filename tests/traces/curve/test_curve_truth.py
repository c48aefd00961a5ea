"""Tests hit counts on real traces, to the integer, against counts that others computed.

By default some rows of the truth files: tpcc's by the policies themselves, the longer trace's by compiled loops, where
there are any. With SPINDLE_ALL_TRUTH=1 all of them, by the policies, which takes some forty minutes.
"""

import csv
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.traces.curve import fastest
from spindle.traces.curve import replay as plain
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve.replay import block_references, replay, replay_at

ALL_TRUTH = os.environ.get("SPINDLE_ALL_TRUTH") == "1"
pytestmark = [pytest.mark.timeout(3600)] if ALL_TRUTH else []

SECTOR = 512
References = NDArray[np.int64]

EVERY_ROW = [
    ("tpcc", 4096), ("tpcc", 512), ("wsrch", 4096), ("wsrch", 512), ("arc_oltp", 512), ("cloudphysics", 4096),
    ("win_etw", 4096), ("arc_p3", 512), ("cloudphysics", 512),
]
STRINGS = EVERY_ROW if ALL_TRUTH else [("tpcc", 4096), ("arc_oltp", 512)]
CURVES = EVERY_ROW if ALL_TRUTH else [("arc_oltp", 512), ("arc_p3", 512)]
LARGEST = {name: 10**9 for name, _ in EVERY_ROW} if ALL_TRUTH else {"tpcc": 10**9, "arc_oltp": 1000}
"""Blocks of the largest cache whose row is compared, of each trace."""
POLICIES = {"LRU": Lru, "FIFO": Fifo, "Clock": Clock, "LFU": Lfu, "ARC": Arc, "S3FIFO": S3Fifo}


@lru_cache(maxsize=2)
def references_of(traces: Path, name: str, block_bytes: int) -> References:
    requests = pd.read_csv(traces / f"{name}.csv.gz").iloc[:, 1:3].to_numpy(np.int64)
    return block_references(SECTOR * requests, block_bytes)


def rows_of(traces: Path, file: str, name: str, block_bytes: int) -> list[dict[str, str]]:
    with (traces / file).open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["trace"] == name and int(row["block_bytes"]) == block_bytes]
    assert rows
    return rows


@pytest.fixture(scope="module")
def traces(shared: Path) -> Path:
    return shared / "data" / "traces"


def hits_of(column: str, references: References, capacities: Iterable[int]) -> dict[int, int]:
    if column == "Belady":
        return (plain if ALL_TRUTH else fastest).belady_hits(references, capacities, bypass=False)
    return (replay_at if ALL_TRUTH else fastest.replay_at)(POLICIES[column], references, capacities)


@pytest.mark.parametrize(("name", "block_bytes"), STRINGS)
@pytest.mark.parametrize("column", [*POLICIES, "Belady"])
def test_hits(traces: Path, name: str, block_bytes: int, column: str) -> None:
    rows = rows_of(traces, f"truth_{name}.csv", name, block_bytes)
    true = {int(row["cache_blocks"]): int(row[f"{column}_hits"]) for row in rows}
    true = {capacity: hits for capacity, hits in true.items() if capacity <= LARGEST[name]}
    references = references_of(traces, name, block_bytes)
    assert len(references) == int(rows[0]["refs"])
    assert hits_of(column, references, true) == true


@pytest.mark.parametrize(("name", "block_bytes"), CURVES)
def test_the_whole_lru_curve(traces: Path, name: str, block_bytes: int) -> None:
    rows = rows_of(traces, "truth_lru_curves.csv", name, block_bytes)
    curve = lru_curve(references_of(traces, name, block_bytes))
    assert len(curve.hits) - 1 == int(rows[0]["unique"])
    assert [curve.hits_at(int(row["cache_blocks"])) for row in rows] == [int(row["lru_hits"]) for row in rows]


def test_fifo_beats_lru_on_cloudphysics(traces: Path) -> None:
    """The trap: LRU is not always the better one."""
    cloudphysics = references_of(traces, "cloudphysics", 4096)
    assert len(cloudphysics) == 1141869
    assert replay(Lru, cloudphysics, 131072) == 534702  # 0.468
    assert replay(Fifo, cloudphysics, 131072) == 618172  # 0.541
