"""Tests the counters of rebuilds: bytes to write and seconds taken, for several drives and several rebuilds."""

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.raid import array as arrays
from spindle.sim.disc.raid.array import Raid, Rebuilds, rebuild
from spindle.sim.disc.raid.layout import PAGE, RaidType
from spindle.sim.disc.sheets import HP7933
from spindle.sim.request import Op, access
from tests.sim.watched_arrays import CHUNK, WatchedRaid
from tests.sim.watched_drives import Watched


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
    env.run(env.now + 7.0)
    assert array.reading() == found


def test_an_array_without_a_rebuild_has_nothing_to_rebuild(env: simpy.Environment) -> None:
    assert "bytes_to_rebuild" not in Raid(env, RaidType("5", 3, CHUNK), [Watched(env) for _ in range(3)]).reading()


@pytest.mark.parametrize(("speed", "lengths"), [(1.0, {5}), (1.5, {1}), (3.0, {1})])
def test_a_rebuild_gives_way_from_its_least_speed_on(
    env: simpy.Environment, monkeypatch: pytest.MonkeyPatch, speed: float, lengths: set[int]
) -> None:
    """At one byte a second or less it asks for five chunks at a time, above that for one, while the host waits."""
    monkeypatch.setattr(arrays, "SYNC_WINDOW", CHUNK)
    monkeypatch.setattr(arrays._Progress, "speed", lambda progress: speed)
    array, spare = WatchedRaid(env, "5", 3), Watched(env)
    array.fail(1)
    array.under_way.enter()
    env.process(rebuild(array, 1, spare, 1.0, 1e9, unit=5 * CHUNK))
    env.run()
    assert {span.length // CHUNK for span, _ in spare.written} == lengths


def test_a_row_that_is_larger_than_the_stripe_cache_is_written_all_the_same(env: simpy.Environment) -> None:
    """Two chunks of four pages each, and a cache of one row of pages."""
    kind = RaidType("5", 3, 4 * PAGE, 1, delayed=True)
    array = Raid(env, kind, [Watched(env, disc=HP7933) for _ in range(3)])
    request = array.start(access(Op.WRITE, 0, 8 * PAGE, Account("host")))
    env.run(100.0)
    assert request.processed
