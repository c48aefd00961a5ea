"""Whether a server keeps up, by numbers worked out by hand, and the live line of an idle one."""

from io import StringIO

import pytest
import simpy

from spindle.serve.lateness import Lateness, Tap
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.registry import DRIVES
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.storage import Storage


def test_it_complains_of_the_time_since_it_was_last_asked() -> None:
    late = Lateness()
    assert (late.complaint(0.0), late.page(0.0), late.mean()) == ("", [], 0.0)
    for seconds in (0.001, 0.003):
        late.add(seconds)
    assert late.complaint(0.2) == "", "2 ms of 100 ms are 2 %"
    late.add(0.004)
    assert "replies come 4 ms late on average, where the drives took 100 ms" in late.complaint(0.3)
    late.add(0.0009)
    assert "replies come 0.9 ms late on average, where the drives took 1 ms" in late.complaint(0.301), "of a fast run"
    assert late.complaint(0.301) == ""


def test_early_replies_count_as_late_by_as_much() -> None:
    late = Lateness()
    for seconds in (0.002, -0.002):
        late.add(seconds)
    assert late.numbers(0.1) == pytest.approx(
        {"replies": 2, "mean_ms": 2.0, "p99_ms": 2.0, "max_ms": 2.0, "share": 0.04}, rel=1e-3)
    assert late.page(0.1)[-1] == "that is more than 2%: this server could not keep up with its drives"
    assert len(late.page(1.0)) == 1


@pytest.mark.parametrize(("sheet", "arm"), [(DRIVES["hp7933"], " arm      0"), (INTEL_S3700, "")])
def test_the_live_line_shows_queue_arm_rate_and_lateness(sheet: DriveType, arm: str) -> None:
    storage = Storage(simpy.Environment(), StoragePlan(DriveSheet(sheet, None), Fcfs))
    storage.drives["disc0"].counts.issued = 3
    times, stream = iter((0.0, 2.0)), StringIO()
    tap = Tap(storage, Lateness(), lambda: next(times), stream)
    storage.drives["disc0"].counts.completed = 2
    tap.show()
    tap.show()
    tap.close()
    assert stream.getvalue() == f"disc0 queue   1{arm} |      1.0 accesses/s | late 0.000 ms\n"
