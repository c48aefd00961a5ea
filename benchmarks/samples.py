"""``python -m benchmarks.samples [REFERENCES or TRACE ...]``: the cost of ``curve --sample``, its error against LRU.

A million references are a file of 24 MB.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer import blocks_of
from benchmarks.sweeps import SCALE
from benchmarks.unit import unit
from spindle.traces.curve.fastest import stack_distances
from spindle.traces.curve.lru import curve_of
from spindle.traces.curve.samples import sampled_curves, sampled_sizes, take_samples
from spindle.workloads.traces.formats.oracle import ORACLE
from spindle.workloads.traces.record import SECTOR

SHARE = 0.01
SKEW = 0.8
"""The k-th block is about as likely as 1 / k**SKEW."""
TOGETHER = 1 << 20
COMPARED = 10_000_000
"""Most references for which samples are compared with exact LRU."""
HASHES = 20
RENUMBER = 1 << 40
"""Blocks whose numbers are raised by this fall into other samples."""


class Cost(NamedTuple):
    """Cost of the command; *units* are bare timeouts a reference, the start of the process among them."""

    references: int
    units: float
    mib: float


class Errors(NamedTuple):
    """Of hit ratios at twelve sizes by HASHES: mean and largest, and in which share of them the bounds hold."""

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


def cost(count: int) -> Cost:
    """Of *count* references by way of a file."""
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.oracleGeneral"
        _write(trace, count)
        seconds, mib = _run(["curve", str(trace), f"--block={SECTOR}", f"--sample={SHARE}"])
    return Cost(count, seconds / count / unit(), mib)


def errors(blocks: NDArray[np.int64]) -> Errors:
    curve = curve_of(stack_distances(blocks))
    sizes = sampled_sizes(take_samples([blocks], SHARE), 12)
    exact = {size: curve.ratio_at(size) for size in sizes}
    rows = [row for shift in range(HASHES)
            for row in sampled_curves(take_samples([blocks + shift * RENUMBER], SHARE), ["lru"], sizes)]  # fmt: skip
    far = [abs(row.hit_ratio - exact[row.cache_blocks]) for row in rows]
    inside = [(row.low or 0.0) <= exact[row.cache_blocks] <= (row.high or 0.0) for row in rows]
    return Errors(float(np.mean(far)), max(far), float(np.mean(inside)))


def _write(trace: Path, count: int) -> None:
    with trace.open("wb") as file:
        for blocks in independent(count):
            rows = np.zeros(len(blocks), dtype=ORACLE)
            rows["item"], rows["size"], rows["next"] = blocks, SECTOR, -1
            file.write(rows.tobytes())


def _run(arguments: list[str]) -> tuple[float, float]:
    """Seconds of processors and largest memory in MiB of the command in a process of its own."""
    null = os.open(os.devnull, os.O_WRONLY)
    process = os.posix_spawn(sys.executable, [sys.executable, "-m", "spindle", *arguments], os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])  # fmt: skip
    os.close(null)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"spindle {' '.join(arguments)} has failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / SCALE


def show(names: list[str]) -> None:
    """Print a line for each of *names*: a number of independent references, or a trace, with errors alone."""
    print(f"\nLRU from {SHARE:.0%} of the blocks, of independent references or a trace; error of the hit ratio")
    print(f"{'':<40}{'bare timeouts':>15}{'MiB':>6}{'mean':>9}{'largest':>9}{'in bounds':>11}")
    for name in names:
        count = int(name) if name.isdecimal() else 0
        costs = "{1:15.2f}{2:6.0f}".format(*cost(count)) if count else " " * 21
        print(f"{name[-40:]:<40}{costs}", end="", flush=True)
        if count <= COMPARED:
            blocks = np.concatenate(list(independent(count))) if count else blocks_of(name)
            print("{:9.4f}{:9.4f}{:11.2f}".format(*errors(blocks)), end="")
        print(flush=True)


if __name__ == "__main__":
    show(sys.argv[1:] or ["1000000", "10000000"])
