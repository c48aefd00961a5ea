"""Tests other loads of Max-IV: the shot sequence of the site NBS, and habits of tools by which 256 sectors hit 30 %."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from spindle.models.max_iv.eligibility import FpiFilter
from spindle.models.max_iv.habits import Habit, LibraryLoop, PathLoop, PrivateLoops, SeveralHabits
from spindle.models.max_iv.machine import MaxIvOptions
from spindle.models.max_iv.run import run
from spindle.models.max_iv.shot import Partition, shots


def test_a_shot_is_shorter_with_the_cache_and_then_the_cpu_is_saturated() -> None:
    plain, cached = shots(0, count=2), shots(512, count=2)
    assert plain.hit_ratio == 0.0
    assert cached.seconds < 0.9 * plain.seconds
    assert cached.cpu_busy > 0.95 > plain.cpu_busy


def test_one_task_alone_waits_for_every_access() -> None:
    alone = shots(0, count=2, shot_tasks=1)
    assert alone.cpu_busy + alone.disc_busy == pytest.approx(1.0, abs=1e-6)


def test_the_filter_keeps_the_tables_of_a_big_partition_out() -> None:
    filtered = shots(512, count=2, choices=MaxIvOptions(rules=FpiFilter(64)))
    assert filtered.hit_ratio < 0.02
    assert filtered.seconds > 1.1 * shots(512, count=2).seconds


def test_a_partition_has_its_tables_the_first_of_them_most_in_use() -> None:
    partition = Partition(100, 10_000, 20, Random("partition"))
    asked = [partition.table() for _ in range(4000)]
    assert set(asked) == set(partition.tables)
    assert asked.count(partition.tables[0]) > 3 * asked.count(partition.tables[-1])
    assert partition.result() + 1 == partition.result()
    assert all(100 <= partition.draw_sector() < 10_000 for _ in range(100))


SHORT: dict[str, Any] = {"minutes": 5.0, "warm_up": 3.0, "sectors": 200}


@pytest.fixture(scope="module")
def usual() -> Mapping[str, float]:
    return run(**SHORT).extras


@pytest.mark.parametrize("habit", [PathLoop(), PrivateLoops(), SeveralHabits((LibraryLoop(),))],
                         ids=lambda habit: type(habit).__name__)
def test_a_loop_takes_hits_from_a_small_cache(habit: Habit, usual: Mapping[str, float]) -> None:
    looping = run(choices=MaxIvOptions(habit=habit), **SHORT).extras
    assert looping["hit_ratio"] < usual["hit_ratio"] - 0.15
    assert looping["requests_per_command"] > 1.3 * usual["requests_per_command"]
