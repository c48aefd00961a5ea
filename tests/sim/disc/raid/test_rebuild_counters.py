"""What a rebuild has to write and how long it has taken, of several drives and several rebuilds."""

import pytest
import simpy

from spindle.sim.disc.raid.array import Raid, Rebuilds
from spindle.sim.disc.raid.layout import RaidType
from tests.sim.disc.raid.test_raid import CHUNK, Watched


def test_rebuilds_add_up_whether_they_are_done_or_not(env: simpy.Environment) -> None:
    rebuilds = Rebuilds(env)
    assert rebuilds.reading() == {}
    rebuilds.begin(5)
    env.run(3.0)
    assert rebuilds.reading() == {"bytes_to_rebuild": 5.0, "rebuilding": 3.0}
    rebuilds.begin(7)
    env.run(4.0)
    assert rebuilds.reading() == {"bytes_to_rebuild": 12.0, "rebuilding": 4.0 + 1.0}
    rebuilds.end(0.0)
    env.run(6.0)
    assert rebuilds.reading()["rebuilding"] == 4.0 + 3.0
    rebuilds.end(3.0)
    env.run(9.0)
    assert rebuilds.reading() == {"bytes_to_rebuild": 12.0, "rebuilding": 4.0 + 3.0}


@pytest.mark.parametrize(("level", "drives", "failed"), [("6", 5, 2), ("5", 4, 1), ("10", 4, 2), ("1", 2, 1)])
def test_all_of_each_failed_drive_is_to_be_rebuilt_and_is_in_the_end(
    env: simpy.Environment, level: str, drives: int, failed: int
) -> None:
    array = Raid(env, RaidType(level, drives, CHUNK, failed=failed, rebuild=1000),
                 [Watched(env) for _ in range(drives)])  # fmt: skip
    assert array.reading()["rebuilt_bytes"] == 0.0
    env.run()
    found = array.reading()
    assert found["bytes_to_rebuild"] == failed * array.members.capacity == found["rebuilt_bytes"]
    assert found["rebuilding"] == env.now


def test_an_array_without_a_rebuild_has_nothing_to_rebuild(env: simpy.Environment) -> None:
    assert "bytes_to_rebuild" not in Raid(env, RaidType("5", 3, CHUNK), [Watched(env) for _ in range(3)]).reading()
