"""``python -m benchmarks.samples [REFERENCES ...]``: what ``spindle curve --sample`` costs, and how far it is from LRU.

A trace of oracleGeneral has 24 bytes a reference, so that 1000000000 take 24 GB of the folder for temporary files.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.sweeps import SCALE
from benchmarks.unit import unit
from sim.curve.fastest import lru_curve
from workloads.traces.formats.oracle_general import SECTOR
from workloads.traces.quick.records import ORACLE

SHARE = 0.01
SKEW = 0.8
"""The k-th block is about as likely as 1 / k**SKEW."""
TOGETHER = 1 << 20
COMPARED = 100_000_000
"""References of which exact LRU is held: some 3 GB."""


class Sampled(NamedTuple):
    """What the command took, and at *sizes* how far its hit ratios are from exact ones, nan where these are unknown.

    *units* are bare timeouts a reference, the start of the process among them; *inside* is the share of the sizes at
    which the exact hit ratio is within the bounds.
    """

    references: int
    units: float
    mib: float
    sizes: int
    mean: float
    largest: float
    inside: float


def independent(count: int) -> Iterator[NDArray[np.int64]]:
    """*count* references in pieces, each drawn from a tenth as many blocks whatever came before."""
    random, power = np.random.default_rng(7), 1.0 - SKEW
    most = (count // 10 + 1) ** power
    for begin in range(0, count, TOGETHER):
        drawn = random.random(min(TOGETHER, count - begin))
        yield ((1.0 + drawn * (most - 1.0)) ** (1.0 / power)).astype(np.int64)


def sampled(count: int) -> Sampled:
    """*count* references by way of a file."""
    with TemporaryDirectory() as folder:
        trace, table = Path(folder) / "trace.oracleGeneral", Path(folder) / "hits.csv"
        _write(trace, count)
        seconds, mib = _run(["curve", str(trace), f"--block={SECTOR}", f"--sample={SHARE}", f"--out={table}"])
        rows = pd.read_csv(table)
    errors, inside = np.full(len(rows), np.nan), float("nan")
    if count <= COMPARED:
        curve = lru_curve(np.concatenate(list(independent(count))))
        exact = np.array([curve.ratio_at(size) for size in rows["cache_blocks"]])
        errors = np.abs(rows["hit_ratio"].to_numpy() - exact)
        inside = float(((rows["hit_ratio_low"] <= exact) & (exact <= rows["hit_ratio_high"])).mean())
    return Sampled(count, seconds / count / unit(), mib, len(rows), errors.mean(), errors.max(), inside)


def _write(trace: Path, count: int) -> None:
    with trace.open("wb") as file:
        for blocks in independent(count):
            rows = np.zeros(len(blocks), dtype=ORACLE)
            rows["item"], rows["size"], rows["next"] = blocks, SECTOR, -1
            file.write(rows.tobytes())


def _run(arguments: list[str]) -> tuple[float, float]:
    """Seconds of processors and largest memory in MiB of the command in a process of its own."""
    null = os.open(os.devnull, os.O_WRONLY)
    process = os.posix_spawn(sys.executable, [sys.executable, "-m", "models", *arguments], os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])  # fmt: skip
    os.close(null)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"spindle {' '.join(arguments)} has failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / SCALE


def show(counts: list[int]) -> None:
    print(f"\nLRU from {SHARE:.0%} of the blocks of independent references, oracleGeneral; error of the hit ratio")
    print(f"{'references':>14}{'bare timeouts':>15}{'MiB':>6}{'sizes':>7}{'mean':>9}{'largest':>9}{'in bounds':>11}")
    for count in counts:
        each = sampled(count)
        print(f"{each.references:>14,}{each.units:>15.2f}{each.mib:>6.0f}{each.sizes:>7}{each.mean:>9.4f}"
              f"{each.largest:>9.4f}{each.inside:>11.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    show([int(count) for count in sys.argv[1:]] or [1_000_000, 10_000_000])
