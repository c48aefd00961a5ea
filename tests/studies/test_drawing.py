"""Pictures for a report: in the order in which they were asked for, as PNG and SVG, each with its caption."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import matplotlib.axes
import pandas as pd
import pytest

from spindle.output.progress import ProgressBar
from spindle.sim.error import UserError
from spindle.studies.drawing import Gallery, Sketch, draw_all
from spindle.studies.plots.axes import drawing
from spindle.studies.study import Figure, Runs
from spindle.studies.sweep.executor import Lost, Workers
from tests.studies.toys import LENGTH, counted, study


def titled(table: pd.DataFrame) -> matplotlib.axes.Axes:
    with drawing(1.0, 1.0) as ax:
        ax.set(title=table["title"].iloc[0], xticks=[], yticks=[])
    return ax


FIGURE = Figure(lambda rows: rows, titled, lambda table: f"{table['share'].iloc[0]:.0%} of 7 %.")


def sketch(title: str) -> Sketch:
    return Sketch(FIGURE, pd.DataFrame({"title": [title], "share": [0.25]}))


def test_pictures_come_in_their_order_as_png_and_svg(capsys: pytest.CaptureFixture[str]) -> None:
    titles: list[str] = []

    def noted(table: pd.DataFrame) -> matplotlib.axes.Axes:
        titles.append(table["title"].iloc[0])
        return titled(table)

    sketches = [replace(each, figure=replace(FIGURE, picture=noted)) for each in (sketch("Second"), sketch("First"))]
    drawn = draw_all(sketches, workers=1, progress=False)
    assert titles == ["Second", "First"]  # each once
    assert [("Second" in each.svg, "First" in each.svg) for each in drawn] == [(True, False), (False, True)]
    assert all(each.png.startswith(b"\x89PNG") and each.svg.startswith("<svg") for each in drawn)
    assert drawn[0].png != drawn[1].png
    assert capsys.readouterr() == ("", "")


class Dying:
    """An executor whose workers die."""

    workers = 2

    def run_each(self, do: object, tasks: Iterable[Sketch]) -> Iterator[tuple[Sketch, Lost]]:
        yield from ((each, Lost(1)) for each in reversed([*tasks]))


@pytest.mark.parametrize(("workers", "chosen"), [(3, 3), (None, None), (Dying(), None)])
def test_what_a_dead_worker_or_a_cluster_should_have_drawn_is_drawn_here(
    workers: Workers, chosen: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    class Shown(ProgressBar):
        def update(self, count: int) -> None:
            asked.append(("update", count))

    def bar(*given: object) -> ProgressBar:
        asked.append(given)
        return Shown()

    def executor(*given: object) -> Dying:
        asked.append(given)
        return Dying()

    monkeypatch.setattr("spindle.studies.drawing.bar", bar)
    monkeypatch.setattr("spindle.studies.drawing.executor", executor)
    monkeypatch.setattr("spindle.studies.drawing.draw", lambda sketch: sketch.table["title"].iloc[0])
    assert draw_all([sketch("a"), sketch("b")], workers) == ["a", "b"]
    assert asked == [(2, 0, True, "picture"), (chosen, 2), ("update", 1), ("update", 1)]


def test_a_percent_sign_in_a_caption_has_a_space_before_it() -> None:
    assert sketch("x").caption() == "25 % of 7 %."
    assert Sketch(Figure(FIGURE.table, titled), pd.DataFrame()).caption() == ""


def test_a_gallery_runs_once_with_as_many_seeds_as_tell_something(tmp_path: Path) -> None:
    log = tmp_path / "log"
    runs = [Runs(counted, LENGTH, base=[1, 3], log=str(log))]
    gallery = Gallery([study(runs=runs, replications=1), study(name="other", runs=runs, figure=FIGURE)], seeds=2)
    assert gallery.rows("growing")["seed"].tolist() == [1, 1]
    assert gallery.rows("other")["seed"].tolist() == [1, 2, 1, 2]
    assert sorted(log.read_text().splitlines()) == ["1 1", "1 2", "3 1", "3 2"]
    with pytest.raises(UserError, match=r"^the study growing has no figure$"):
        gallery.caption("growing")
