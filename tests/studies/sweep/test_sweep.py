"""Sweeps: every combination once, in grid order whatever the workers, and a failure that says where it was."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from spindle.sim.error import PointFailed, UserError
from spindle.studies.sweep import executor
from spindle.studies.sweep.sweep import idle_axes, is_same_run, sweep
from tests.studies.sweep.points import late_first, nested, product, touchy

ROOT = Path(__file__).parents[3]


class Pair(NamedTuple):
    left: int
    right: int


class Named:
    name = "a drive"


def test_every_combination_once_the_last_axis_fastest() -> None:
    frame = sweep(product, a=[2, 3], b=(5, 7), seed=range(2), workers=1).drop(columns="process")
    expected = [
        (2, 5, 0, 10), (2, 5, 1, 10), (2, 7, 0, 14), (2, 7, 1, 14),
        (3, 5, 0, 15), (3, 5, 1, 15), (3, 7, 0, 21), (3, 7, 1, 21),
    ]  # fmt: skip
    assert list(frame.columns) == ["a", "b", "seed", "product"]
    assert list(frame.itertuples(index=False, name=None)) == expected


def test_rows_are_the_same_whatever_the_workers() -> None:
    alone, two = (sweep(late_first, point=range(8), workers=workers) for workers in (1, 2))
    assert alone["square"].tolist() == [0, 1, 4, 9, 16, 25, 36, 49]
    pd.testing.assert_frame_equal(alone, two, check_exact=True)


def test_a_pool_is_used_and_few_points_go_without_until_one_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "_idle_workers", [])
    assert set(sweep(product, a=range(3), workers=2)["process"]) == {os.getpid()}
    assert os.getpid() not in set(sweep(product, a=range(4), workers=2)["process"])
    assert os.getpid() not in set(sweep(product, a=range(3), workers=2)["process"])


def test_a_sweep_inside_a_sweep_opens_no_pool_of_its_own() -> None:
    frame = sweep(nested, point=range(4), workers=2)
    assert frame["processes"].tolist() == [1, 1, 1, 1]
    assert frame["here"].tolist() == [1, 1, 1, 1]


def test_constants_and_axes() -> None:
    frame = sweep(product, a=4, text="abc", pair=Pair(1, 2), axis=np.array([1, 2]), listed=[[1, 2]], workers=1)
    assert frame[["a", "text", "pair", "axis", "listed"]].values.tolist() == [
        [4, "abc", "Pair(left=1, right=2)", 1, "[1, 2]"],
        [4, "abc", "Pair(left=1, right=2)", 2, "[1, 2]"],
    ]


def test_objects_are_shown_by_a_readable_name() -> None:
    frame = sweep(product, thing=[Named, Named(), product, None, object()], workers=1)
    assert frame["thing"].tolist() == ["Named", "a drive", "product", "None", "<object object>"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_mistake_says_at_which_point(workers: int) -> None:
    with pytest.raises(UserError, match=r"^a drive has at least one sector \(at point=3\)$"):
        sweep(touchy, point=range(4), workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_any_other_failure_says_so_too(workers: int) -> None:
    with pytest.raises(PointFailed, match=r"the point point=5 failed: KeyError: 'lost' \(.+points\.py, line \d+\)$"):
        sweep(touchy, point=[4, 5, 6, 7], workers=workers)


def refusing(point: int) -> dict[str, int]:
    if point > 2:
        raise UserError(f"{point} is too many")
    return {"square": point * point}


def test_points_that_cannot_be_run_have_a_reason_and_only_where_none_can_is_there_no_table() -> None:
    with pytest.warns(UserWarning, match=r"^n/a: 3 is too many \(at point=3\)$"):
        frame = sweep(refusing, point=[2, 3], lenient=True, workers=1)
    assert frame["square"].tolist() == [4.0, pytest.approx(float("nan"), nan_ok=True)]
    assert frame.loc[1, "refused"] == "3 is too many (at point=3)"
    with pytest.warns(UserWarning, match=r"^n/a: 3 is too many \(at point=3\), and 1 more of 3 points$"):
        sweep(refusing, point=[2, 3, 4], lenient=True, workers=1)
    for lenient, points in ((True, [3, 4]), (False, [2, 3])):
        with pytest.raises(UserError, match=r"^3 is too many \(at point=3\)$"):
            sweep(refusing, point=points, lenient=lenient, workers=1)


def test_an_empty_axis_no_workers_and_a_column_twice_are_refused() -> None:
    with pytest.raises(UserError, match="b has no values to sweep over"):
        sweep(product, a=[1], b=[])
    with pytest.raises(UserError, match="workers must be at least 1, not 0"):
        sweep(product, a=[1, 2], workers=0)
    with pytest.raises(UserError, match="gives a 'product' of its own"):
        sweep(product, a=[1, 2], product=3)


@pytest.mark.parametrize("twice", [[1, 1], np.array([2, 3, 2]), ["lru", "lru"], [10, 10.0], [True, 1]])
def test_a_value_that_is_there_twice_is_refused(twice: object) -> None:
    with pytest.raises(UserError, match="twice, and the same runs would count as several seeds"):
        sweep(lambda seed: {"seed": seed}, seed=twice)
    assert len(sweep(lambda seed: {"a": 0}, seed=[1, "1"])) == 2


def test_a_sweep_that_keeps_nothing_says_that_it_was_interrupted() -> None:
    def stopped(point: int) -> dict[str, int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"^interrupted$"):
        sweep(stopped, point=[1, 2], workers=1)


def test_nothing_is_drawn_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    sweep(product, a=range(3), workers=1)
    assert capsys.readouterr().err == ""


class Fatal:
    """An executor whose worker dies of each chunk that has the point 11, the first *times*."""

    workers = 2

    def __init__(self, times: int) -> None:
        self.left = times
        self.sent: list[list[int]] = []

    def run_each(self, do: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for chunk in tasks:
            self.sent.append([*chunk.indices])
            if 11 in chunk.indices and self.left:
                self.left -= 1
                yield chunk, executor.Lost(1)
            else:
                yield chunk, do(chunk)


def squared(point: int) -> dict[str, int]:
    return {"square": point * point}


@pytest.mark.parametrize("kept", [False, True], ids=["held", "kept"])
def test_what_kills_its_worker_is_tried_alone_and_is_a_failure_the_fourth_time(tmp_path: Path, kept: bool) -> None:
    store = tmp_path / "store" if kept else None
    who = Fatal(3)
    frame = sweep(squared, workers=who, store=store, point=range(20))
    assert frame["square"].tolist() == [point * point for point in range(20)]
    assert who.sent[-1] == [11]
    assert who.left == 0
    more = f"; all else is kept in {store}" if kept else ""
    with pytest.raises(PointFailed, match=rf"^the point point=31 failed: it has ended 4 workers{re.escape(more)}$"):
        sweep(squared, workers=Fatal(9), store=store, point=range(20, 40))
    if kept:
        done = Fatal(0)
        sweep(squared, workers=done, store=store, point=range(20, 40))
        assert done.sent == [[11]]


NAN = float("nan")


@pytest.mark.parametrize(("rows", "same"), [
    ({"seed": [1], "a": [2.0]}, None),
    ({"seed": [1, 2], "a": [2.0, 2.0]}, True),
    ({"a": [2.0, 2.0]}, True),
    ({"seed": [1, 2], "a": [2.0, 2.5], "b": [1, 1]}, False),
    ({"seed": [1, 2], "a": [NAN, NAN]}, True),
    ({"seed": [1, 2], "a": [NAN, 2.0]}, False),  # what one of them lacks is a difference
    ({"seed": [1, 2], "a": [2.0, 2.0], "responses": [0, 0]}, None),
    ({"seed": [1, 2], "a": [2.0, 2.5], "responses": [0, 3]}, False),
    ({"seed": [1, 2], "a": [2.0, 2.0], "responses": [3, 3]}, True),
    ({"seed": [1, 2], "refused": ["small", "small"]}, None),
    ({"seed": [1, 2], "refused": ["small", None]}, False),
])  # fmt: skip
def test_seeds_give_the_same_run_where_nothing_that_was_measured_differs(
    rows: dict[str, list[Any]], same: bool | None
) -> None:
    assert is_same_run(pd.DataFrame(rows)) is same


@pytest.mark.parametrize(("rows", "axes"), [
    ({"a": [1, 2], "y": [3.0, 3.0]}, ["a"]),
    ({"a": [1, 2], "y": [3.0, 4.0]}, []),
    ({"a": [1, 1], "y": [3.0, 3.0]}, []),  # one value
    ({"a": [1, 2], "y": [3.0, 3.0], "z": [NAN, 4.0]}, []),
    ({"a": [1, 2], "y": [NAN, NAN]}, ["a"]),
    ({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "y": [3, 4, 3, 4]}, ["a"]),
    ({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "y": [3, 4, 3, 5]}, []),
    ({"a": [1, 1, 2, 2], "seed": [1, 2, 1, 2], "y": [3, 4, 3, 4]}, ["a"]),
    ({"a": [1, 2], "b": [1, 2], "y": [3, 3]}, []),  # a design: no two points that differ in one axis
    ({"a": [1, 2, 3], "b": [1, 1, 2], "y": [3, 3, 4]}, ["a"]),
    ({"a": [1, 2], "y": [3, 3], "responses": [0, 0]}, []),
    ({"a": [1, 2], "y": [3, 3], "responses": [1, 1]}, ["a"]),
    ({"a": [1, 2, 3], "y": [3, 3, NAN], "refused": [None, None, "small"]}, ["a"]),
    ({"a": [1, 2], "y": [[3], [3]]}, ["a"]),
])  # fmt: skip
def test_an_axis_that_moves_nothing_is_found(rows: dict[str, list[Any]], axes: list[str]) -> None:
    assert idle_axes(pd.DataFrame(rows), [name for name in ("a", "b", "seed") if name in rows]) == axes


DRIVER = """
import time
from spindle.studies.sweep.sweep import is_same_run, sweep

def slow(point):
    time.sleep(60 if point else 0)
    return {}

if __name__ == "__main__":
    print("started", flush=True)
    sweep(slow, point=range(4), workers=2)
"""


def children(process: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout
    return [int(pid) for pid in listed.split()]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/status")
    return not status.exists() or "State:\tZ" not in status.read_text()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes as Linux shows them")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_driver(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "driver.py").write_text(DRIVER)
    driver = subprocess.Popen(
        [sys.executable, "driver.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert driver.stdout is not None
    driver.stdout.readline()
    while len(children(driver.pid)) < 4 and driver.poll() is None:
        time.sleep(0.05)
    time.sleep(0.5)  # by now two workers, beside two trackers of resources, sleep inside their points
    workers = children(driver.pid)
    assert len(workers) >= 4
    driver.send_signal(how)
    driver.communicate(timeout=20)
    deadline = time.monotonic() + 20
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [worker for worker in workers if alive(worker)] == []
