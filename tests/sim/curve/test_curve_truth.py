"""Hit counts on real traces, to the integer, against counts that others computed."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.cache.eviction.arc import Arc
from sim.cache.eviction.clock import Clock
from sim.cache.eviction.fifo import Fifo
from sim.cache.eviction.lfu import Lfu
from sim.cache.eviction.lru import Lru
from sim.curve.lru import lru_curve
from sim.curve.replay import block_references, replay

SECTOR = 512
References = NDArray[np.int64]


def references_of(traces: Path, name: str, block_bytes: int) -> References:
    with gzip.open(traces / f"{name}.csv.gz", "rt") as lines:
        next(lines)
        fields = (line.split(",") for line in lines)
        requests = [(int(lba), int(sectors)) for _, lba, sectors, _ in fields]
    return block_references(SECTOR * np.array(requests), block_bytes)


def true_hits(traces: Path, name: str, block_bytes: int, column: str) -> dict[int, int]:
    """The true hits by cache size in blocks."""
    with (traces / f"truth_{name}.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if int(row["block_bytes"]) == block_bytes]
    return {int(row["cache_blocks"]): int(row[f"{column}_hits"]) for row in rows}


@pytest.fixture(scope="module")
def traces(shared: Path) -> Path:
    return shared / "data" / "traces"


@pytest.fixture(scope="module")
def oltp(traces: Path) -> References:
    return references_of(traces, "arc_oltp", SECTOR)


@pytest.fixture(scope="module")
def cloudphysics(traces: Path) -> References:
    return references_of(traces, "cloudphysics", 4096)


@pytest.mark.parametrize(
    ("kind", "column", "capacity"),
    [
        (Lru, "LRU", 1000),
        (Lru, "LRU", 20000),
        (Fifo, "FIFO", 1000),
        (Fifo, "FIFO", 20000),
        (Clock, "Clock", 1000),
        (Clock, "Clock", 5000),
        (Lfu, "LFU", 1000),
        (Lfu, "LFU", 5000),
        (Arc, "ARC", 1000),
        (Arc, "ARC", 5000),
    ],
)
def test_hits_on_oltp(oltp: References, traces: Path, kind: type, column: str, capacity: int) -> None:
    assert len(oltp) == 914145
    assert replay(kind, oltp, capacity) == true_hits(traces, "arc_oltp", SECTOR, column)[capacity]


def test_the_whole_lru_curve_of_oltp(oltp: References, traces: Path) -> None:
    with (traces / "truth_lru_curves.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["trace"] == "arc_oltp"]
    curve = lru_curve(oltp)
    assert len(rows) == 106
    assert len(curve.hits) - 1 == 186880
    assert [curve.hits_at(int(row["cache_blocks"])) for row in rows] == [int(row["lru_hits"]) for row in rows]


def test_fifo_beats_lru_on_cloudphysics(cloudphysics: References) -> None:
    """The trap: LRU is not always the better one."""
    assert len(cloudphysics) == 1141869
    assert replay(Lru, cloudphysics, 131072) == 534702  # 0.468
    assert replay(Fifo, cloudphysics, 131072) == 618172  # 0.541
    assert lru_curve(cloudphysics).hits_at(131072) == 534702
