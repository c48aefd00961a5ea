"""Tests references in arrays by hand: those of each request, and the most that are kept."""

from math import isnan
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.traces import blocks as gathering
from spindle.traces.blocks import DEVICE_BLOCKS, collect_references
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, number_of
from tests.workloads.traces.ways import by_columns

BYTES = [Record(0.5, "x", READ, 0, 1024), Record(1.5, "y", READ, 512, 512), Record(2.5, "x", READ, 512, 1)]
OBJECTS = [Record(None, "", READ, 0, 7, keys=("a", "b")), Record(None, "", READ, 0, 8, keys=("a",))]


def test_bytes_of_devices_are_blocks() -> None:
    found = collect_references(BYTES, 512)
    assert found.blocks.tolist() == [0, 1, DEVICE_BLOCKS + 1, 1]
    assert (found.counts.tolist(), found.times.tolist()) == ([2, 1, 1], [0.5, 1.5, 2.5])
    assert (found.repeat_for_references(found.whose).tolist(), found.owners) == ([0, 0, 1, 0], ["x", "y"])
    assert not found.keyed


def test_objects_have_sizes() -> None:
    found = collect_references(OBJECTS, 512)
    assert found.blocks.tolist() == [number_of("a"), number_of("b"), number_of("a")]
    assert found.repeat_for_references(found.sizes).tolist() == [7, 7, 8]
    assert all(map(isnan, found.times))
    assert found.keyed


def test_no_more_than_fit_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MAX_REFERENCES", 3)
    assert len(collect_references(OBJECTS, 512).blocks) == 3
    with pytest.raises(UserError, match="the trace has more than 3 references, which are not held; --sample takes"):
        collect_references(BYTES, 512)


def test_a_few_requests_are_not_millions_of_blocks(tmp_path: Path) -> None:
    """Of a gibibyte each: 262,144 blocks, of which 4 are few enough and 5 are not, but behind a hundred small ones."""
    path = tmp_path / "large.csv"
    large, small = [f"1,R,0,{1 << 30}\n"] * 5, ["1,R,0,1\n"] * 100
    for rows, few in ((large[:4], True), (large, False), (large + small, False), (small + large, True)):
        path.write_text("time_s,op,offset,size\n" + "".join(rows))
        for requests in (Trace(path), list(Trace(path)), by_columns(Trace(path))):
            if few:
                assert len(collect_references(requests, 4096).counts) == len(rows)
                continue
            with pytest.raises(UserError, match="5 requests would be 1,310,720 references to blocks of 4,096 bytes:"):
                collect_references(requests, 4096)
