"""Tests by hand which drives a replay takes, and when blocks that its caches keep dirty are cleaned."""

from typing import Any

import pytest
import simpy

from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import BARRACUDA_4LP, HP7933
from spindle.sim.error import UserError
from spindle.traces.replay.drives import Drives
from spindle.traces.replay.storage import WRITING, flash_write_back, write_back


@pytest.mark.parametrize(("sheet", "others", "says"), [
    (DriveSheet(HP7933, "HP-IB"), {"hindrance": Hindrance(stall_every=2, stall=1.0)},
     "HP 7933 shares a bus, where no drive sleeps or stalls"),
    (DriveSheet(HP7933, None), {"head": 1321}, "head: there is no cylinder 1321; HP 7933 has 0 to 1320"),
    (DriveSheet(BARRACUDA_4LP, "HP-IB"), {}, "has a buffer, and is to share a bus, HP-IB: together they are not"),
    (DriveSheet(HP7933, "HPIB"), {}, "unknown kind of bus in the sheet 'HPIB'"),
])  # fmt: skip
def test_drives_that_cannot_be(env: simpy.Environment, sheet: DriveSheet, others: Any, says: str) -> None:
    with pytest.raises(UserError, match=says):
        Drives(env, sheet, Fcfs, **others)


def test_dirty_blocks_are_cleaned_as_linux_and_bcache_do() -> None:
    """Of a cache half may stay dirty for thirty seconds; of a flash tier a tenth for ever, and seven tenths at most."""
    known = {"_period": 5.0, "_expiry": 30.0, "_background": 500, "_limit": 1000}
    assert vars(write_back(1000)) == vars(WRITING["back"](1000)) == known
    tier = vars(flash_write_back(1000))
    assert tier == {"_period": 5.0, "_expiry": float("inf"), "_background": 100, "_limit": 700}
