"""What a machine does to its processes: stops them, sets its clock, and lets two of them want the same."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from tests.faults.faulty import ROOT, perform
from tests.studies.sweep.test_kill import POINTS, Sweep, end

pytestmark = [pytest.mark.timeout(600),
              pytest.mark.skipif(not sys.platform.startswith("linux"), reason="stops processes as Linux does")]


def begun(sweep: Sweep, number: int) -> int:
    """A worker, once *number* points were begun."""
    while len(sweep.begun()) < number:
        assert sweep.at_work()
    return sweep.begun()[-1][1]


def whole(sweep: Sweep) -> bool:
    """Whether its table has every point, and no point was begun twice but those that were under way at a kill."""
    frame = pd.read_parquet(sweep.folder / "table.parquet")
    return len(frame) == POINTS and len(sweep.begun()) <= POINTS + 2


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """*process* does nothing meanwhile, and cannot end either."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_worker_that_is_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    sweep = Sweep(tmp_path / "sweep")
    with stopped(begun(sweep, 100)):
        begun(sweep, len(sweep.begun()) + 50)  # the other one works meanwhile
    sweep.finish()
    assert whole(sweep)
    assert len(sweep.begun()) == POINTS


def test_a_worker_that_is_stopped_while_its_driver_dies_is_waited_for(tmp_path: Path) -> None:
    """Its journal is its own until it ends, for it may go on at any time; the next driver says what it waits for."""
    sweep = Sweep(tmp_path / "sweep")
    with stopped(begun(sweep, 100)):
        end(sweep.driver.pid)
        sweep.driver.wait()
        sweep.start()
        assert sweep.driver.stderr is not None
        said = sweep.driver.stderr.readline()
        assert "waiting for a worker of an earlier run, which still writes" in said
        assert sweep.driver.poll() is None
    sweep.driver.communicate(timeout=60)
    assert sweep.driver.returncode == 0
    assert whole(sweep)


ONE = """
import sys
from spindle.sim.error import UserError
from spindle.studies.sweep import stored_sweep as stored
from spindle.studies.sweep.sweep import sweep
from tests.studies.sweep.points import noted

stored.source = lambda: "as it was"
sys.stdin.read()
try:
    sweep(noted, workers=1, store=sys.argv[1], point=range(40), log=sys.argv[2], progress=False)
except UserError as error:
    sys.exit(str(error))
"""


def test_of_two_drivers_started_together_one_works_and_the_other_says_so(tmp_path: Path) -> None:
    store, log = tmp_path / "store", tmp_path / "log"
    drivers = [subprocess.Popen([sys.executable, "-c", ONE, store, log], cwd=ROOT, stdin=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for _ in range(2)]  # fmt: skip
    for driver in drivers:
        assert driver.stdin is not None
        driver.stdin.close()
    said = sorted(driver.stderr.read() for driver in drivers if driver.stderr is not None)
    assert 0 in [driver.wait() for driver in drivers]
    assert said in (["", ""], ["", f"{store} is in use by another sweep, which is still running\n"])
    assert sorted(map(int, log.read_text().split())) == list(range(40)), "every point once, whoever did it"
    assert [path.name for path in store.iterdir()] == ["points.sqlite"]


CLOCK = """
import sys, time
from spindle.studies.sweep.sweep import sweep
from tests.studies.sweep.points import waits

looks = [time.time() for _ in range(4)]
assert min(abs(after - before) for before, after in zip(looks, looks[1:])) > 1e8
frame = sweep(waits, workers=2, store=sys.argv[1], out=sys.argv[1] + ".csv", point=range(60), progress=False)
print(frame["square"].sum())
"""


def test_a_clock_that_jumps_by_years_costs_nothing(shim: Path, tmp_path: Path) -> None:
    (tmp_path / "clock.py").write_text(CLOCK)
    summed = perform(shim, "clock", tmp_path / "store", CLOCK_JUMPS="1", PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert int(summed) == sum(point * point for point in range(60))
