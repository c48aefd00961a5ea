"""``python -m benchmarks.peer [TRACE [POLICY ...]]``: hits and seconds beside libcachesim's, if installed, in one run.

libcachesim (GPL-3) is no part of Spindle: install it into an environment of its own, and name its packages, as
``PYTHONPATH=/tmp/lcs/lib/python3.11/site-packages``.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from struct import pack
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spindle.traces.blocks import collect_references
from spindle.traces.curve.fastest import belady_hits, replay_at, stack_distances
from spindle.traces.curve.lru import curve_of
from spindle.traces.curve.question import BELADY
from spindle.traces.curves import policy_of
from spindle.workloads.traces.block_uses import next_uses
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import MIN_BLOCK

PEERS = {"lru": "LRU", "fifo": "FIFO", "clock": "Clock", "lfu": "LFU", "arc": "ARC", "s3-fifo": "S3FIFO",
         "sieve": "Sieve", BELADY: "Belady", "2q": "TwoQ", "slru": "SLRU", "lirs": "LIRS", "w-tinylfu": "WTinyLFU",
         "lru-k": "LRUK", "gdsf": "GDSF", "hyperbolic": "Hyperbolic", "lecar": "LeCaR"}  # fmt: skip
"""What libcachesim calls them; from 2q on its rules are others."""
SIZES_OF_CURVE = 16
USUAL = "1000000"
"""References, where no trace is named."""


def references(count: int) -> NDArray[np.int64]:
    """Runs of blocks, of which some are much hotter than others."""
    random = np.random.default_rng(11)
    first = (random.zipf(1.15, count // 8 + 1) * 7919) % (count // 2)
    return (first[:, None] * 8 + np.arange(8)).reshape(-1)[:count]


def written(blocks: NDArray[np.int64], path: Path) -> None:
    """As oracleGeneral, objects of a byte."""
    after = next_uses(blocks)
    rows = np.zeros(len(blocks), dtype=[("time", "<u4"), ("item", "<u8"), ("size", "<u4"), ("next", "<i8")])
    assert rows.dtype.itemsize == len(pack("<IQIq", 0, 0, 0, 0))
    rows["item"], rows["size"] = blocks + 1, 1
    rows["next"] = np.where(after < len(blocks), after, -1)
    rows.tofile(path)


def seconds_of(act: Callable[[], Any]) -> tuple[float, Any]:
    began = process_time()
    answer = act()
    return process_time() - began, answer


def ours(policy: str, blocks: NDArray[np.int64], sizes: list[int]) -> list[int]:
    if policy == "lru":
        curve = curve_of(stack_distances(blocks))
        return [curve.hits_at(size) for size in sizes]
    counted = (belady_hits(blocks, sizes, bypass=False) if policy == BELADY else
               replay_at(policy_of(policy), blocks, sizes))  # fmt: skip
    return [counted[size] for size in sizes]


def theirs(peer: Any, policy: str, path: Path, count: int, sizes: list[int]) -> list[int]:
    def misses(size: int) -> float:
        reader = peer.TraceReader(str(path), trace_type=peer.TraceType.ORACLE_GENERAL_TRACE)
        return float(getattr(peer, PEERS[policy])(size).process_trace(reader)[0])

    return [round((1.0 - misses(size)) * count) for size in sizes]


def blocks_of(name: str) -> NDArray[np.int64]:
    """The references of the trace in the file *name*, or made-up ones, as many as *name* is where it is a number."""
    if name.isdecimal():
        return references(int(name))
    trace = Trace(Path(name))
    return collect_references(trace, MIN_BLOCK).blocks


def show(blocks: NDArray[np.int64], policies: list[str]) -> None:
    """Print a line for each policy: seconds, theirs and ours, their ratio, and at how many sizes hits are equal.

    Seconds are those of processors: ours are spent on all cores at once.
    """
    import libcachesim as peer  # type: ignore[import-not-found]

    count, unique = len(blocks), len(np.unique(blocks))
    sizes = sorted({round(size) for size in np.geomspace(max(20, unique / 2048), unique, SIZES_OF_CURVE)})
    print(f"{count:,} references to {unique:,} blocks, {len(sizes)} sizes\n{'':<12}{'theirs, s':>10}{'ours, s':>10}"
          f"{'ratio':>8}{'equal at':>10}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.bin"
        written(blocks, path)
        for policy in policies:
            ours(policy, blocks, sizes[:1])  # compiles
            their_seconds, their_hits = seconds_of(lambda policy=policy: theirs(peer, policy, path, count, sizes))
            our_seconds, our_hits = seconds_of(lambda policy=policy: ours(policy, blocks, sizes))
            equal = sum(map(int.__eq__, their_hits, our_hits))
            print(f"{policy:<12}{their_seconds:>10.3f}{our_seconds:>10.3f}{their_seconds / our_seconds:>8.1f}"
                  f"{equal:>7}/{len(sizes)}", flush=True)


def main(arguments: list[str]) -> int:
    try:
        import libcachesim  # noqa: F401
    except ImportError:
        print("libcachesim is not installed; nothing to compare with")
        return 0
    show(blocks_of(arguments[0] if arguments else USUAL), arguments[1:] or list(PEERS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
