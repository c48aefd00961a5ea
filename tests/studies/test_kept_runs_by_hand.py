"""Kept runs by hand: which are found, which are drawn to be made again, and what is counted as equal or identical."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies import kept_runs as kept_module
from spindle.studies.kept_runs import KeptRuns, agree, function, key
from spindle.studies.run_book import ABSENT, RunBook, Task, make_together, perform
from spindle.studies.study import Point, Runs
from tests.studies.toys import LENGTH, counted, double, study

ONE, TWO = (study(name=name, runs=[Runs(double, LENGTH, base=bases)])
            for name, bases in (("one", [1, 3]), ("two", [5])))
ROW = {"answer": 0.1, "series": [1, 2]}


@pytest.fixture
def kept(tmp_path: Path) -> KeptRuns:
    (tmp_path / "runs").mkdir()
    return KeptRuns(tmp_path / "runs", "toy 1")


def add(kept: KeptRuns, point: Point, *seeds: int) -> None:
    for seed in seeds:
        kept.add(point, seed, kept_module.dump(ROW))


def test_a_run_is_found_by_its_arguments_and_its_seed(kept: KeptRuns) -> None:
    first, second = ONE.points()
    add(kept, first, 1)
    assert kept.find(first, 1) == ROW
    assert [kept.find(first, 2), kept.find(second, 1)] == [None, None]
    assert function(first) == "double"
    shared = partial(double, slope=3.0)
    assert function(replace(first, run=shared)) == repr(shared)
    assert len({key(first, 1), key(first, 2), key(second, 1)}) == 3
    assert all(len(each) == 32 for each in (key(first, 1), key(second, 1)))


def test_one_run_of_each_study_is_drawn_of_those_that_are_kept(kept: KeptRuns) -> None:
    assert kept.draw([ONE, TWO], "lot") == []
    _, second = ONE.points()
    add(kept, second, 2)
    assert kept.draw([ONE, TWO], "lot") == [(second, 2)]
    add(kept, TWO.points()[0], 1)
    both = kept.draw([ONE, TWO], "lot")
    assert {key(*run) for run in both} == {key(second, 2), key(TWO.points()[0], 1)}
    assert kept.draw([TWO, ONE], "lot") == both
    assert kept.draw([ONE, TWO], "lot", 1) == both[:1]
    assert kept.draw([ONE, TWO], "lot", 0) == []


def test_another_lot_draws_another_run_and_every_seed_has_its_chance(kept: KeptRuns) -> None:
    for point in ONE.points():
        add(kept, point, 1, 2, 3, 4, 5)
    drawn = {key(*kept.draw([ONE], f"lot {number}")[0]) for number in range(60)}
    few = {key(point, seed) for point in ONE.points() for seed in ONE.seeds(kept_module.DRAWN_SEEDS)}
    assert drawn == few


def book(kept: KeptRuns, **more: bool) -> RunBook:
    return RunBook(kept, workers=1, progress=False, **more)


def test_equal_and_identical_rows_are_told_apart(kept: KeptRuns) -> None:
    point, other = ONE.points()
    kept.add(point, 1, '{"a":1.0,"b":0.1}')
    kept.add(other, 1, '{"a":1.0}')
    made = book(kept, anew=True)
    made.enter(key(point, 1), (point, 1), '{"a":1.0,"b":0.1}', "")
    assert (made.computed, made.equal, made.identical, made.differing) == (1, 1, 1, [])
    made.enter(key(other, 1), (other, 1), '{"a":1.0000000000000002}', "")
    assert (made.computed, made.equal, made.identical, made.differing) == (2, 2, 1, [])
    assert made.row(other, 1)["a"] == 1.0, "the kept row stays"
    third = replace(point)
    made.enter(key(third, 2), (third, 2), '{"a":3.0}', "")
    assert (made.computed, made.equal, made.differing) == (3, 2, [])
    made.enter(key(point, 1), (point, 1), '{"a":2.0,"b":0.1}', "")
    assert made.differing == [Task(point, 1).name]
    assert kept.find(point, 1) == {"a": 2.0, "b": 0.1}


def test_a_run_without_its_input_takes_what_is_kept(kept: KeptRuns) -> None:
    point, other = ONE.points()
    add(kept, point, 1)
    made = book(kept)
    for each in (point, other):
        made.enter(key(each, 1), (each, 1), ABSENT, "")
    assert (made.computed, made.taken) == (0, 1)
    assert made._rows[key(point, 1)] == ROW
    assert made._rows[key(other, 1)] == {}


def test_seeds_that_are_kept_of_all_points(kept: KeptRuns) -> None:
    first, second = ONE.points()
    add(kept, first, 1, 2, 3)
    add(kept, second, 1, 2, 4)
    assert [book(kept).kept_seeds(points, 9) for points in ([first], [second], [first, second])] == [3, 2, 2]
    assert [book(kept).kept_seeds([first], most) for most in (2, 3, 4)] == [2, 3, 3]
    assert book(kept, anew=True).kept_seeds([first], 9) == 0
    add(kept, TWO.points()[0], 2, 3)
    assert book(kept).kept_seeds(TWO.points(), 9) == 0
    assert RunBook(workers=1, progress=False).kept_seeds([first], 9) == 0


def test_what_measures_read_is_found_out_by_the_first_seed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one = study(runs=[Runs(counted, LENGTH, base=[1, 2, 3], log=str(log))])
    assert RunBook(workers=1, progress=False).read_by(one, one.points()) == [0, 2]
    assert sorted(log.read_text().splitlines()) == ["1 1", "3 1"]
    log.unlink()
    later = RunBook(workers=1, progress=False)
    assert [(row["base"], row["seed"]) for row in later.rows(one.points(), 4)] == [(1, 4), (2, 4), (3, 4)]
    assert later.computed == 0  # what is asked for is known before any run


def test_a_platform_is_a_processor_and_a_library_of_c_whatever_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, told in (("system", "Linux"), ("machine", "x86_64"), ("libc_ver", ("glibc", "2.36"))):
        monkeypatch.setattr(kept_module, name, lambda told=told: told)
    assert kept_module.platform() == "Linux x86_64 glibc"
    monkeypatch.setattr(kept_module, "libc_ver", lambda: ("", ""))
    assert kept_module.platform() == "Linux x86_64"
    assert KeptRuns(Path("none")).model == ""


def test_books_sweep_as_they_were_told(kept: KeptRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the first of them, and into the store."""
    told: dict[str, object] = {}

    def sweep(run: object, *, task: list[Task], **options: object) -> pd.DataFrame:
        told.update(options, run=run)
        return pd.DataFrame([perform(each) for each in task])

    monkeypatch.setattr("spindle.studies.run_book.sweep", sweep)
    point = ONE.points()[0]
    made = RunBook(kept, 3, store=tmp_path)
    made.make([(point, 1)])
    assert told == {"run": perform, "workers": 3, "progress": True, "store": tmp_path}
    assert (made.computed, "answer" in made.row(point, 1)) == (1, True)
    make_together({RunBook(workers=2, progress=False): [(point, 2)], RunBook(workers=5): [(point, 2)]}, store=tmp_path)
    assert told == {"run": perform, "workers": 2, "progress": False, "store": tmp_path}
    RunBook(kept, 7, False).make([(point, 3)])
    assert told == {"run": perform, "workers": 7, "progress": False, "store": None}


def test_a_result_of_the_name_of_an_argument_is_refused_unless_it_is_the_same(kept: KeptRuns) -> None:
    point, other = ONE.points()
    made = book(kept)
    made.enter(key(point, 1), (point, 1), '{"a":1,"base":1,"seed":1}', "")
    assert made.row(point, 1) == {"base": 1, "seed": 1, "a": 1}
    made.enter(key(other, 1), (other, 1), '{"seed":1,"base":7}', "")
    with pytest.raises(UserError, match=r"^double gives a 'base' of its own beside the argument of that name$"):
        made.row(other, 1)


def test_a_machine_that_cannot_be_built_says_why_when_it_is_read() -> None:
    point = study(runs=[Runs(double, LENGTH, base=[1], slope=-1.0)]).points()[0]
    assert perform(Task(point, 1)) == {"row": "", "why": "slope must be positive, not -1.0"}
    made = RunBook(workers=1, progress=False)
    made.enter(key(point, 1), (point, 1), "", "no")
    assert (made.refusal([point], [1, 2]), made.refusal([point], [2])) == ("no", "")
    assert made.missing([(point, 1), (point, 2), (point, 2)], False) == {key(point, 2): (point, 2)}


@pytest.mark.parametrize(("one", "other", "same"), [
    (1.0, 1.0 + 1e-12, True), (1.0, 1.0 + 1e-10, False), (0.0, 1e-12, True), (nan, nan, True), (nan, 1.0, False),
    (1, 1.0, True), ({"a": 1}, {"b": 1}, False), ([1], [1, 2], False), ("a", "a", True),
    ({"a": 1}, 1, False), (1, {"a": 1}, False), ([1], 1, False), (1.0, [1.0], False),
    ({"a": [1.0]}, {"a": [1.0]}, True),
    (1.0, "1.0", False), ({}, {}, True), ({"a": 1}, {"a": 1, "b": 1}, False), (1.0, nan, False),
])  # fmt: skip
def test_values_agree_apart_from_rounding(one: object, other: object, same: bool) -> None:
    assert agree(one, other) is same


def test_what_is_dumped_is_short_and_exact() -> None:
    row: Mapping[str, object] = {"a": 0.1 + 0.2, "b": [1, None]}
    assert kept_module.dump(row) == '{"a":0.30000000000000004,"b":[1,null]}'
    assert json.loads(kept_module.dump(row)) == row


def test_a_row_has_numbers_and_lists_of_python() -> None:
    def arrays(seed: int) -> Mapping[str, object]:
        return {"curve": np.array([[1.0, 2.5], [3.0, 4.0]]), "ends": [np.float64(0.1), (np.int64(7), None)], "of": "x"}

    row = perform(Task(Point(arrays, {}, {}), 1))["row"]
    assert json.loads(str(row)) == {"curve": [[1.0, 2.5], [3.0, 4.0]], "ends": [0.1, [7, None]], "of": "x"}
