"""What a sweep costs beside its points: time a point, what two cores gain, and the memory of the driver."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spindle.studies.sweep.sweep import sweep

SCALE = 1024 * (1024 if sys.platform == "darwin" else 1)
"""Units of ``ru_maxrss`` in a MiB."""


def spin(point: int, seconds: float = 0.0) -> dict[str, float]:
    """A run that takes *seconds*, with as many results as a small simulation has."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass
    return {f"measure_{number}": point / (number + 1) for number in range(15)}


def seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def overhead(points: int, workers: int, kept: bool) -> float:
    """Milliseconds a point of nothing, by workers who are there already."""
    sweep(spin, point=range(8), workers=workers, progress=False)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "table.parquet" if kept else None
        taken = seconds(lambda: sweep(spin, point=range(points), workers=workers, progress=False, out=out))
    return 1000.0 * taken / points


def gain(points: int, workers: int, each: float = 0.2) -> float:
    """Return the factor by which *workers* are faster than one, with points of *each* seconds, all of them kept."""
    sweep(spin, point=range(8), workers=workers, progress=False)
    with tempfile.TemporaryDirectory() as folder:

        def kept(count: int) -> None:
            store = Path(folder) / str(count)
            sweep(spin, point=range(points), seconds=each, workers=count, progress=False, store=store)

        return seconds(lambda: kept(1)) / seconds(lambda: kept(workers))


def memory(points: int) -> dict[str, float]:
    """The driver's memory in MiB and the seconds of a sweep of *points* points that do nothing, table included."""
    command = [sys.executable, "-m", "benchmarks.sweeps", str(points)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said: dict[str, float] = json.loads(done.stdout)
    return said


def show(quick: bool) -> None:
    print("\nSweeps on two workers; a point has 15 results. Kept: journals, store and Parquet file.")
    for kept in (False, True):
        print(f"{'kept' if kept else 'held':<32}{overhead(1000, 2, kept):8.3f} ms a point of nothing, of 1000")
    points = 40 if quick else 200
    print(f"{f'{points} points of 0.2 s':<32}{gain(points, 2):8.2f} times one worker")
    for points in (10_000, 100_000):
        found = memory(points)
        print(f"{f'kept, {points} points':<32}{found['mib']:8.0f} MiB in the driver, {found['seconds']:.1f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "table.parquet"
        count = range(int(sys.argv[1]))
        took = seconds(lambda: sweep(spin, point=count, workers=2, progress=False, out=file))
    print(json.dumps({"mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / SCALE, "seconds": took}))
