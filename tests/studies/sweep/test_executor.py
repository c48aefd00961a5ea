"""One battery for all executors: equal results, failures, killed workers, and going on where a sweep stopped."""

import filecmp
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.sim.error import PointFailed, UserError
from spindle.studies.sweep.executor import Executor, Inline, Lost, Pool
from spindle.studies.sweep.sweep import sweep
from tests.studies.sweep.points import begun, deadly, kill, moody, shout, strict, tidy

HERE = "this process"
EXECUTORS = (HERE, "pool", "cluster")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a scheduler of two workers."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed, so that no cluster is tested")
    dask = pytest.importorskip("dask")
    # A local cluster closes whoever happens to be dead a while after a death; here that is somebody very often.
    settings = {"distributed.deploy.lost-worker-timeout": "1h", "distributed.scheduler.allowed-failures": 1,
                "distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s",
                "distributed.admin.system-monitor.interval": "10s"}  # fmt: skip
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
    ):
        yield local.scheduler_address


def made(request: pytest.FixtureRequest) -> Executor:
    if request.param == HERE:
        return Inline()
    if request.param == "pool":
        return Pool(2)
    address = request.getfixturevalue("cluster")
    from spindle.studies.sweep.cluster import Dask

    return Dask(address)


@pytest.fixture(params=EXECUTORS)
def who(request: pytest.FixtureRequest) -> Executor:
    return made(request)


@pytest.fixture(params=EXECUTORS[1:])
def apart(request: pytest.FixtureRequest) -> Executor:
    """Only those whose workers may die without the test; this process is killed in test_kill.py."""
    return made(request)


@pytest.fixture(autouse=True)
def unedited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spindle may be edited while it is tested."""
    for module in ("store", "cluster"):
        monkeypatch.setattr(f"spindle.studies.sweep.{module}.source", lambda: "as it was", raising=False)


def test_each_task_once_and_lazily(who: Executor) -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(40):
            taken.append(task)
            yield task

    done = []
    for task, gave in who.run_each(shout, tasks()):
        done.append((task, gave))
        assert len(taken) <= len(done) + 2 * who.workers
    assert sorted(done) == [(task, f"{task}!") for task in range(40)]


def test_a_task_that_ends_its_worker_is_lost(apart: Executor) -> None:
    done = dict(apart.run_each(kill, range(6)))
    assert isinstance(done[2], Lost)
    others = [done[task] for task in (0, 1, 3, 4, 5)]
    if isinstance(apart, Pool):
        assert others == [0, 1, 3, 4, 5]
    else:  # Dask blames all that its worker had before it
        assert {gave for gave in others if not isinstance(gave, Lost)} <= {0, 1, 3, 4, 5}


def test_what_is_raised_ends_everything(who: Executor, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="lost"):
        list(who.run_each(partial(moody, tmp_path), range(6)))
    assert dict(who.run_each(shout, range(2))) == {0: "0!", 1: "1!"}  # and it may be used again


def test_results_are_equal_held_or_kept(who: Executor, tmp_path: Path) -> None:
    grid: dict[str, Any] = {"point": range(12), "seed": [1, 2], "progress": False}
    expected = sweep(tidy, workers=Inline(), **grid)
    pd.testing.assert_frame_equal(sweep(tidy, workers=who, **grid).drop(columns="late"), expected.drop(columns="late"))
    kept = sweep(tidy, workers=who, store=tmp_path / "store", out=tmp_path / "kept.csv", **grid)
    pd.testing.assert_frame_equal(kept.drop(columns="late"), expected.drop(columns="late"))
    assert kept["late"][23] == "{'only': 2}"
    sweep(tidy, workers=Inline(), out=tmp_path / "expected.csv", **grid)
    assert filecmp.cmp(tmp_path / "kept.csv", tmp_path / "expected.csv", shallow=False)


def test_an_exception_in_one_point_of_a_sweep_that_is_held_ends_it(who: Executor, tmp_path: Path) -> None:
    with pytest.raises(PointFailed, match=r"^the point point=3 failed: KeyError: 'lost' \(.+points\.py, line \d+\)$"):
        sweep(partial(moody, tmp_path), workers=who, point=range(12))


def test_an_exception_in_one_point_leaves_all_others_kept(who: Executor, tmp_path: Path) -> None:
    again = partial(sweep, partial(moody, tmp_path), workers=who, store=tmp_path / "store", point=range(12))
    said = r"^the point point=3 failed: KeyError: 'lost' \(.+points\.py, line \d+\)"
    with pytest.raises(PointFailed, match=rf"{said}; all else is kept in {tmp_path}/store$"):
        again()
    assert begun(tmp_path) == list(range(12))
    (tmp_path / "mended").touch()
    assert again()["square"].tolist() == [point * point for point in range(12)]
    assert begun(tmp_path) == sorted([*range(12), 3])


def test_a_mistake_ends_it_and_the_same_sweep_goes_on(who: Executor, tmp_path: Path) -> None:
    again = partial(sweep, partial(strict, tmp_path), workers=who, out=tmp_path / "x.parquet", point=range(40))
    with pytest.raises(UserError, match=r"^a drive has at least one sector \(at point=20\)$"):
        again()
    assert not (tmp_path / "x.parquet").exists()
    before = begun(tmp_path)
    (tmp_path / "mended").touch()
    again()
    after = begun(tmp_path)
    assert set(after) == set(range(40))
    # Those that were being computed when it ended.
    twice = [point for point in range(40) if after.count(point) > 1]
    assert 20 in twice
    assert len(before) - 20 <= 40
    assert not (tmp_path / "x.parquet.sweep").exists()
    (tmp_path / "straight").mkdir()
    (tmp_path / "straight" / "mended").touch()
    sweep(partial(strict, tmp_path / "straight"), workers=Inline(), out=tmp_path / "y.parquet", point=range(40))
    assert filecmp.cmp(tmp_path / "x.parquet", tmp_path / "y.parquet", shallow=False)


@pytest.mark.parametrize("kept", [False, True], ids=["held", "kept"])
def test_a_killed_worker_costs_one_point(apart: Executor, tmp_path: Path, kept: bool) -> None:
    store = tmp_path / "store" if kept else None
    frame = sweep(partial(deadly, tmp_path), workers=apart, store=store, point=range(200), always=False)
    assert frame["square"].tolist() == [point * point for point in range(200)]
    if kept:
        assert begun(tmp_path) == sorted([*range(200), 11])


def test_a_point_that_always_kills_is_a_failure_and_the_others_are_kept(tmp_path: Path) -> None:
    apart = Pool(2)
    with pytest.raises(PointFailed, match=r"^the point point=11 failed: it has ended \d+ workers; all else is kept"):
        sweep(partial(deadly, tmp_path), workers=apart, store=tmp_path / "store", point=range(40), always=True)
    assert sorted(set(begun(tmp_path))) == list(range(40))
    assert len(begun(tmp_path)) == 39 + begun(tmp_path).count(11)
    begun_before = len(begun(tmp_path))
    frame = sweep(partial(deadly, tmp_path), workers=apart, store=tmp_path / "store", point=range(11), always=True)
    assert len(frame) == 11
    assert len(begun(tmp_path)) == begun_before


def test_a_point_that_always_kills_ends_a_sweep_that_is_held(tmp_path: Path) -> None:
    with pytest.raises(PointFailed, match=r"^the point point=11 failed: it has ended \d+ workers$"):
        sweep(partial(deadly, tmp_path), workers=Pool(2), point=range(40), always=True)


def test_a_longer_sweep_computes_only_what_is_new(who: Executor, tmp_path: Path) -> None:
    (tmp_path / "mended").touch()
    for points in (10, 30):
        frame = sweep(partial(moody, tmp_path), workers=who, store=tmp_path / "store", point=range(points))
    assert frame["square"].tolist() == [point * point for point in range(30)]
    assert begun(tmp_path) == list(range(30))


def test_a_worker_works_where_its_driver_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    monkeypatch.chdir(tmp_path / "first")
    assert list(Pool(1).run_each(os.path.abspath, ["a"])) == [("a", str(tmp_path / "first" / "a"))]
    monkeypatch.chdir(tmp_path / "second")
    (tmp_path / "first").rmdir()
    assert list(Pool(1).run_each(os.path.abspath, ["a"])) == [("a", str(tmp_path / "second" / "a"))]
