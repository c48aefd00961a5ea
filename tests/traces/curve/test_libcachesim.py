"""Tests hits to the integer against libCacheSim's, for three formats and every policy that is the same in both.

The counts are those of libcachesim 0.3.5, computed once from the same three files (``python -m benchmarks.peer`` does
it again where that is installed). Others of its policies do something else than ours: SLRU has four segments, LIRS
another bound of ghosts, 2Q rounds the sizes of its queues otherwise, LRU-K forgets uses with the entry, W-TinyLFU
estimates uses by a sketch, GDSF decides otherwise between equals, and Hyperbolic and LeCaR draw numbers of their own.
"""

from pathlib import Path
from struct import pack

import numpy as np
import pytest

from spindle.traces.blocks import collect_references
from spindle.traces.curves import hit_curves
from spindle.workloads.traces.block_uses import next_uses
from spindle.workloads.traces.reader import Trace

CAPACITIES = (20, 50, 200)
KNOWN = {
    "lru": [554, 769, 1378], "fifo": [494, 719, 1345], "clock": [558, 771, 1385], "lfu": [628, 875, 1594],
    "arc": [584, 858, 1598], "s3-fifo": [615, 897, 1597], "sieve": [611, 888, 1594], "belady-min": [1005, 1341, 1841],
}  # fmt: skip
"""Hits at each of CAPACITIES; of s3-fifo below 20 libcachesim has none at all."""


def _string() -> list[int]:
    """3000 references, by a generator that any language has: some blocks are hot, and a scan comes by at times."""
    state, keys = 12345, []
    for place in range(3000):
        state = (1103515245 * state + 12345) % 2**31
        hot = (state >> 16) % 100
        keys.append(1000 + place % 700 if place % 1000 > 750 else 1 + hot * hot * (state >> 8 & 7) // 60)
    return keys


STRING = _string()


def write_formats(folder: Path) -> dict[str, Path]:
    """STRING as a file of each of three formats, with objects of a byte."""
    after = [then if then < len(STRING) else -1 for then in next_uses(np.array(STRING)).tolist()]
    records = b"".join(pack("<IQIq", place // 100, key, 1, then)
                       for place, (key, then) in enumerate(zip(STRING, after, strict=True)))  # fmt: skip
    mark = 0x123456789ABCDEF0
    head = pack("<QQ", mark, 1) + pack("<QQ", 1, len(STRING)) + bytes(8152) + pack("<Q", mark)
    lines = [f"{place // 100},{key},1\n" for place, key in enumerate(STRING)]
    contents = {"csv": ("time,key,size\n" + "".join(lines)).encode(), "oracleGeneral-objects": records,
                "lcs": head + records}
    files = {name: folder / f"trace.{name}" for name in contents}
    for name, content in contents.items():
        files[name].write_bytes(content)
    return files


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_formats(tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", ["csv", "oracleGeneral-objects", "lcs"])
def test_hits_are_those_of_libcachesim(files: dict[str, Path], name: str) -> None:
    trace = Trace(files[name], name)
    string = collect_references(trace, 512)
    hits = {policy: [row.hits for row in hit_curves(string.blocks, [policy], CAPACITIES)] for policy in KNOWN}
    assert hits == KNOWN
