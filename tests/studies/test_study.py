"""What a study runs, how long, and what its measures may look at."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.run_book import RunBook
from spindle.studies.study import (
    MIN_REQUESTS,
    UNTIMED,
    Point,
    Runs,
    SeedRows,
    Study,
    StudyWindow,
    means,
    requests,
    seconds,
)
from tests.studies.toys import LENGTH, double, growth, study


def test_points_are_the_grid_each_with_its_window() -> None:
    made = study(runs=[Runs(double, LENGTH, base=[1, 3]), Runs(double, LENGTH, {"of": "one"}, base=2, slope=[1.0])])
    assert made.points() == [
        Point(double, {"base": 1}, {"length": 10}), Point(double, {"base": 3}, {"length": 10}),
        Point(double, {"base": 2, "slope": 1.0}, {"length": 10}, {"of": "one"}),
    ]  # fmt: skip
    assert [point.window for point in made.points(quick=True)] == [{"length": 1}] * 3


def test_a_quick_look_has_coarser_axes_where_its_window_says_so() -> None:
    window = replace(LENGTH, coarse={"base": [3]})
    made = study(runs=[Runs(double, window, base=[1, 2, 3], slope=1.0)])
    assert [point.arguments["base"] for point in made.points()] == [1, 2, 3]
    assert made.points(quick=True) == [Point(double, {"base": 3, "slope": 1.0}, {"length": 1})]


def test_what_the_study_sets_stays_as_it_sets_it() -> None:
    point = Point(double, {"base": 1, "slope": 3.0}, {"length": 10})
    changed = point.change({"slope": 5.0, "other": 1})
    assert changed.keywords() == {"base": 1, "slope": 3.0, "other": 1, "length": 10}
    assert changed.columns() == {"base": 1, "slope": 3.0}


def test_windows() -> None:
    assert seconds(120.0) == StudyWindow({"seconds": 120.0}, {"seconds": 12.0})
    assert seconds(120.0, 4.0).quick == {"seconds": 30.0}
    assert requests(40_009) == StudyWindow({"requests": 40_009}, {"requests": 4_000})
    assert requests(4_000).quick == {"requests": MIN_REQUESTS}
    assert requests(300).quick == {"requests": 300}
    assert UNTIMED.usual == UNTIMED.quick == {}


@pytest.mark.parametrize(("name", "length", "factor", "short"), [
    ("length", 10, 4.0, 2), ("length", 10, 3.0, 3), ("length", 3, 9.0, 1), ("minutes", 3.0, 2.0, 1.5),
    ("minutes", 3.0, 12.0, 0.25), ("requests", 5000, 2.0, 2500), ("requests", 5000, 20.0, 500),
])  # fmt: skip
def test_a_length_is_shortened_and_a_whole_one_stays_whole(
    name: str, length: float, factor: float, short: float
) -> None:
    found = Point(double, {}, {name: length}).shorten({name: factor}).window[name]
    assert (found, type(found)) == (short, type(short))


def test_parameters_of_the_machine_give_way_to_what_the_study_sets() -> None:
    point = Point(double, {"base": 1}, {"length": 9}, {"of": "one"}).change({"base": 7, "length": 8, "slope": 2.0})
    assert point.keywords() == {"base": 1, "length": 9, "slope": 2.0}
    assert (point.columns(), point.marks) == ({"base": 1, "of": "one"}, {"of": "one"})


@means(pool=lambda mebibytes: {"pool": mebibytes << 20}, shape=lambda name: size_and_kind(name))
def pooled(pool: int, shape: str, length: int, seed: int, **others: object) -> Mapping[str, object]:
    """A run whose arguments mean settings of a machine."""
    return {}


def test_settings_are_what_arguments_mean_of_which_several_keep_their_last() -> None:
    runs = Runs(pooled, LENGTH, pool=[1, 2], shape=("ab", "abc"), policy="lru", sizes=range(2), none=[])
    assert runs.settings() == {
        "length": [10], "pool": [1 << 20, 2 << 20], "users": [3], "kind": ["abc"], "policy": ["lru"], "sizes": [0, 1],
    }  # fmt: skip
    assert Runs(double, StudyWindow({"length": 3}, {}), base=4).settings() == {"length": [3], "base": [4]}
    assert Runs(double, LENGTH, base=4).marks == {}

    def shaped(shape: str) -> None:
        """A run of an argument that means two settings."""

    assert means(shape=size_and_kind)(shaped) is shaped
    assert Runs(shaped, LENGTH, shape=["a", "ab", "abc"]).settings() == {"length": [10], "users": [3], "kind": ["abc"]}


def size_and_kind(name: str) -> Mapping[str, object]:
    return {"users": len(name), "kind": name}


def test_a_measure_sees_the_rows_of_one_seed() -> None:
    book, made = RunBook(workers=1, progress=False), study()
    book.make((point, seed) for point in made.points() for seed in (1, 2))
    # 2 * base + 10 + seed / 8
    assert [row["answer"] for row in book.rows(made.points(), 2)] == [12.25, 16.25]
    assert growth(book.rows(made.points(), 2)) == {"growth": 4.0, "seed": 2.0}
    frame = book.frame(made.points(), [1, 2])
    pd.testing.assert_frame_equal(
        frame, pd.DataFrame({"base": [1, 1, 3, 3], "seed": [1, 2, 1, 2], "answer": [12.125, 12.25, 16.125, 16.25],
                             "series": [[1, 10], [1, 10], [3, 10], [3, 10]]})
    )  # fmt: skip


def test_a_run_is_made_when_its_results_are_read() -> None:
    book, made = RunBook(workers=1, progress=False), study()
    rows = book.rows(made.points(), 1)
    assert (rows.one(base=3)["base"], book.computed) == (3, 0)
    assert (rows.one(base=3)["answer"], book.computed) == (16.125, 1)
    assert (len(rows.select(answer=12.125)), book.computed) == (1, 2)


def test_which_runs_the_measures_read() -> None:
    def last(rows: SeedRows) -> Mapping[str, float]:
        return rows.one(base=3)

    book, made = RunBook(workers=1, progress=False), study(measures=last)
    assert book.read_by(made, made.points()) == [1]
    assert book.computed == 1


def test_one_row_is_meant() -> None:
    rows = SeedRows([{"base": 1, "a": 5}, {"base": 2, "a": 5}, {"base": 2, "a": 6}])
    assert rows.one(base=2, a=6) == {"base": 2, "a": 6}
    assert len(rows.select(a=5)) == 2
    with pytest.raises(UserError, match=r"^2 runs of a seed have base=2, where one is meant$"):
        rows.one(base=2)
    with pytest.raises(UserError, match=r"^0 runs of a seed have c=1, where one is meant$"):
        rows.one(c=1)
    with pytest.raises(UserError, match=r"^0 runs of a seed have base=2, a=7, where one is meant$"):
        rows.one(base=2, a=7)
    with pytest.raises(UserError, match=r"^3 runs of a seed have no columns asked for, where one is meant$"):
        rows.one()


@pytest.mark.parametrize(("changes", "says"), [
    ({"runs": []}, "the study growing runs nothing"),
    ({"runs": [Runs(double, None, base=1)]}, "the study growing has no window: how long is a run of double?"),  # type: ignore[arg-type]
    ({"measures": None}, "the study growing has neither a figure nor measures"),
])  # fmt: skip
def test_what_is_no_study(changes: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=f"^{says.replace('?', '[?]')}$"):
        study(**changes)


def test_seeds_that_tell_nothing_are_not_run() -> None:
    assert list(study().seeds(3)) == [1, 2, 3]
    assert list(study(replications=1).seeds(3)) == [1]


def test_a_machine_that_cannot_be_built_is_told_where_it_is_asked_for() -> None:
    book, made = RunBook(workers=1, progress=False), study(runs=[Runs(double, LENGTH, base=1, slope=[2.0, -1.0])])
    book.make((point, 1) for point in made.points())
    good, bad = made.points()
    assert book.row(good, 1)["answer"] == 12.125
    with pytest.raises(UserError, match=r"^slope must be positive, not -1.0 \(at base=1, slope=-1.0, seed=1\)$"):
        book.row(bad, 1)


def test_a_study_is_frozen_and_says_what_it_runs() -> None:
    assert isinstance(study(), Study)
    with pytest.raises(AttributeError):
        study().name = "another"  # type: ignore[misc]


def test_a_shorter_window_has_shorter_lengths_and_nothing_else() -> None:
    (point,) = Runs(double, StudyWindow({"minutes": 16.0, "requests": 40_000, "base": 3}, {}), slope=2.0).points()
    shorter = point.shorten({"minutes": 8.0, "requests": 8.0, "share": 4.0})
    assert shorter.keywords() == {"minutes": 2.0, "requests": 5000, "base": 3, "slope": 2.0}
    assert point.shorten({"requests": 1000.0}).window["requests"] == 500  # a cache has to fill
    assert point.window["minutes"] == 16.0
