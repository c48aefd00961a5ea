"""Tests mean responses behind caches of a few sizes, by hand: the storage that is built, and a mean of three reads."""

from collections.abc import Callable

import pytest

from spindle.questions.array import ArrayOptions
from spindle.questions.storage import DriveOptions
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.request import READ
from spindle.sim.units import Bytes
from spindle.traces.curve.question import CurveQuestion
from spindle.traces.curve_responses import MAX_SIMULATED, mean_responses, storage_below
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.storage import CachePlan, write_back, write_through
from spindle.workloads.traces.record import Record

BLOCK = 4096


def test_the_storage_below_and_the_cache_are_those_that_are_asked_for() -> None:
    asked = CurveQuestion(response=True, block=Bytes(512), device=DriveOptions("hp7933", head=3),
                          array=ArrayOptions("1", 2), write="through")  # fmt: skip
    below, cache = storage_below(asked)
    assert (below.sheet, below.head, below.raid) == (DriveSheet(HP7933, None), 3, RaidType("1", 2))
    assert cache(7, Lru) == CachePlan(7 * 512, 512, Lru, write_through)
    assert storage_below(CurveQuestion(block=Bytes(512)))[1](7, Lru).writing is write_back


def cached(blocks: int, kind: Callable[..., EvictionPolicy]) -> CachePlan:
    return CachePlan(blocks * BLOCK, BLOCK, kind, write_back)


def responses(below: StoragePlan, policies: list[str], sizes: list[int]) -> list[tuple[str, int, float]]:
    """Of two blocks in turn, of which a cache of one hits none and a cache of two hits half."""
    def records() -> list[Record]:
        return [Record(None, "", READ, BLOCK * block, BLOCK) for block in (0, 1, 0, 1)]

    return list(mean_responses(records, below, cached, policies, sizes))


def test_means_are_told_by_policy_and_size() -> None:
    below = StoragePlan(DriveSheet(HP7933, None), Fcfs)
    found = responses(below, ["lru", "belady", "fifo"], [1, 2])
    assert [each[:2] for each in found] == [("lru", 1), ("lru", 2), ("fifo", 1), ("fifo", 2)], "a bound has no time"
    means = {each[:2]: each[2] for each in found}
    assert 0.0 < means["lru", 2] < 0.6 * means["lru", 1]
    assert means["fifo", 2] == pytest.approx(means["lru", 2])
    many = responses(below, ["lru"], list(range(1, 40)))
    assert (len(many), many[0][1], many[-1][1]) == (MAX_SIMULATED, 1, 39)


def test_drives_that_would_idle_are_refused() -> None:
    with pytest.raises(UserError, match="leaves 1 idle"):
        responses(StoragePlan(DriveSheet(HP7933, None), Fcfs, count=2), ["lru"], [1])
