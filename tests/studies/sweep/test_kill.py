"""Sweeps whose worker, driver, or everything is killed at random moments, until they are done all the same."""

import filecmp
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("SPINDLE_KILLS", "4"))
POINTS = 600
WORKERS = 2

DRIVER = """
import os, sys, time
from functools import partial
from spindle.studies.sweep import stored_sweep as stored
from spindle.studies.sweep.sweep import sweep

stored.source = lambda: "as it was"  # Spindle may be edited while it is tested

def tiny(log, point, seed):
    os.write(log_of(log), f"{point} {seed} {os.getpid()}\\n".encode())
    time.sleep(0.002)
    return {"square": point * point / 7, "odd": bool(point % 2), "half": point / 2 if point % 3 else None}

def log_of(path, opened={}):
    if path not in opened:
        opened[path] = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    return opened[path]

if __name__ == "__main__":
    folder, points, workers, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    grid = dict(point=range(points // 3), seed=[1, 2, 3])
    if kind == "design":
        import pandas as pd
        grid = dict(design=pd.DataFrame({"point": [3 * n for n in range(points // 3)]}), seed=[1, 2, 3])
    sweep(partial(tiny, folder + "/log"), workers=workers, store=folder + "/store", out=folder + "/table.parquet",
          **grid)
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kills processes as Linux has them")


class Sweep:
    """A sweep in *folder*, by a driver that is a process of its own and may be killed and started again."""

    def __init__(self, folder: Path, kind: str = "grid") -> None:
        self.folder = folder
        self.kind = kind
        folder.mkdir()
        (folder / "driver.py").write_text(DRIVER)
        self.log.touch()
        self.start()

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def start(self) -> None:
        self.driver = subprocess.Popen(
            [sys.executable, "driver.py", str(self.folder), str(POINTS), str(WORKERS), self.kind], cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def begun(self) -> list[tuple[str, int]]:
        """(point, process) of each beginning."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [(f"{point} {seed}", int(process)) for point, seed, process in lines]

    def at_work(self) -> bool:
        """Wait until a point begins; False if the driver ends instead."""
        size = self.log.stat().st_size
        while self.log.stat().st_size == size and self.driver.poll() is None:
            time.sleep(0.01)
        return self.driver.poll() is None

    def kill(self, what: str) -> None:
        if what == "worker":
            end(self.begun()[-1][1])
        elif what == "driver":
            end(self.driver.pid)
        else:
            os.killpg(self.driver.pid, signal.SIGKILL)

    def finish(self) -> None:
        _, said = self.driver.communicate(timeout=60)
        assert (self.driver.returncode, said) == (0, "")


def end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def is_alive(process: int) -> bool:
    status = Path(f"/proc/{process}/status")
    try:
        return "State:\tZ" not in status.read_text()
    except OSError:
        return False


def harass(sweep: Sweep, kills: int, random: Random) -> Counter[str]:
    """Kill something again and again while *sweep* is at work, *kills* times at most; what was killed."""
    killed: Counter[str] = Counter()
    while killed.total() < kills and sweep.at_work():
        time.sleep(random.uniform(0.0, 0.25))
        what = random.choice(["worker", "worker", "driver", "everything"])
        sweep.kill(what)
        killed[what] += 1
        if what != "worker":
            _, warnings = sweep.driver.communicate()
            assert warnings == ""
            sweep.start()
    return killed


@pytest.mark.soak
def test_a_design_goes_on_after_a_kill(tmp_path: Path) -> None:
    straight = Sweep(tmp_path / "straight", "design")
    straight.finish()
    sweep = Sweep(tmp_path / "killed", "design")
    while len(sweep.begun()) < POINTS // 3:
        assert sweep.at_work()
    sweep.kill("everything")
    sweep.driver.communicate()
    sweep.start()
    sweep.finish()
    assert len(sweep.begun()) - POINTS <= WORKERS
    assert filecmp.cmp(sweep.folder / "table.parquet", straight.folder / "table.parquet", shallow=False)


@pytest.mark.timeout(120 + 10 * KILLS)
def test_nothing_finished_is_lost_whatever_is_killed(tmp_path: Path) -> None:
    straight = Sweep(tmp_path / "straight")
    straight.finish()
    assert len(straight.begun()) == POINTS
    random, left, number = Random(1991), KILLS, 0
    while left > 0:
        number += 1
        sweep = Sweep(tmp_path / str(number))
        killed = harass(sweep, left, random)
        left -= killed.total()
        sweep.finish()
        assert filecmp.cmp(sweep.folder / "table.parquet", straight.folder / "table.parquet", shallow=False)
        # A kill costs each worker no more than the point that it was at.
        begun = sweep.begun()
        assert len({point for point, _ in begun}) == POINTS
        assert len(begun) - POINTS <= killed["worker"] + WORKERS * (killed["driver"] + killed["everything"])
        assert [path.name for path in (sweep.folder / "store").iterdir()] == ["points.sqlite"]
        until = time.monotonic() + 5.0
        while (orphans := {pid for _, pid in begun if is_alive(pid)}) and time.monotonic() < until:
            time.sleep(0.05)
        assert orphans == set()
