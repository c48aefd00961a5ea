"""Every study of every system: its runs are made, and what is kept of them becomes a table, a picture and measures."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spindle.output.tables import table_in, write_table
from spindle.studies.claims.claims import read_claims
from spindle.studies.claims.verdicts import check_studies, samples_of
from spindle.studies.plots.claim_points import CLAIM_GID, WithPoints
from spindle.studies.run_book import Task, perform
from spindle.studies.study import Figure, Point
from spindle.systems import systems
from tests.kept import kept_book

SYSTEMS = systems(None)
STUDIES = {f"{system.name}/{study.name}": study for system in SYSTEMS for study in system.studies}
CLAIMS = {system.name: read_claims(system.claims) for system in SYSTEMS if system.claims is not None}
SHORT: Mapping[str, float] = {"minutes": 0.1, "warm_up": 0.05, "seconds": 2.0, "requests": 120, "share": 0.05}
"""Windows in which a run is made, but says nothing."""
OTHERS: Mapping[str, Mapping[str, float]] = {
    "buffer_pool": {"minutes": 0.0002, "warm_up": 0.0002},  # thousands of transactions a second
    "max_iv/lost_characters": {"minutes": 2.0}, "max_iv/who": {"minutes": 2.0},  # until somebody has typed
}  # fmt: skip


def system_of(name: str) -> str:
    return name.partition("/")[0]


def last_points(name: str) -> Iterator[Point]:
    """The last point of each function that a study runs, in a short window."""
    short = {**SHORT, **OTHERS.get(system_of(name), {}), **OTHERS.get(name, {})}
    for point in {point.run: point for point in STUDIES[name].points(quick=True)}.values():
        window: Mapping[str, Any] = point.window
        yield replace(point, window={name: min(short.get(name, value), value) for name, value in window.items()})


@pytest.mark.parametrize("name", STUDIES)
def test_its_runs_are_made_and_give_what_is_kept(name: str) -> None:
    book = kept_book(system_of(name))
    for point in last_points(name):
        made = perform(Task(point, 1))
        assert not made["why"]
        row = json.loads(str(made["row"]))
        kept = [book.row(each, 1).keys() for each in STUDIES[name].points() if each.run is point.run]
        assert not row or {*point.columns(), "seed", *row} in kept, "a row that is empty needs other people's files"


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if study.figure is not None])
def test_it_is_drawn_from_its_table_as_it_is_written(name: str, tmp_path: Path) -> None:
    """Of all its points, and where a quick look has fewer, of those."""
    study, path = STUDIES[name], tmp_path / "table.csv"
    fewer = [replace(point, window=runs.window.usual) for runs in study.runs for point in runs.points(quick=True)]
    whole = study.points()
    assert study.figure is not None
    for points in [whole, fewer] if len(fewer) < len(whole) else [whole]:
        write_table(study.figure.table(kept_book(system_of(name)).frame(points, [1])), path)
        table = table_in(path.read_text("utf-8"), path)
        assert len(table) > 1
        caption = study.figure.caption(table)
        assert caption == "" or (caption.endswith(".") and "nan" not in caption)
        check_picture(study.figure, study.figure.picture(table).figure)


def check_picture(figure: Figure, drawn: Any) -> None:
    """It has a title and data; the numbers of the paper lie within its axes, by one mark that is explained once."""
    assert any(ax.get_title(loc="left") for ax in drawn.axes)
    assert any(ax.has_data() for ax in drawn.axes)
    if not isinstance(figure.picture, WithPoints):
        return
    lines = [(ax, line) for ax in drawn.axes for line in ax.lines if line.get_gid() == CLAIM_GID]
    count = sum(len(line.get_xdata()) for _, line in lines)
    assert 0 < count <= len(figure.picture.points(figure.picture.numbers()))  # some bars may be missing
    for ax, line in lines:
        for value, limits in ((line.get_xdata(), ax.get_xlim()), (line.get_ydata(), ax.get_ylim())):
            assert min(limits) <= min(value) <= max(value) <= max(limits)
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.texts].count(figure.picture.kind.word) == 1


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if study.measures is not None])
def test_it_measures_what_claims_ask(name: str) -> None:
    assert samples_of(STUDIES[name], CLAIMS[system_of(name)], kept_book(system_of(name)), 1)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_claims_name_studies_that_measure(system: Any) -> None:
    check_studies(CLAIMS.get(system.name, []), system.studies)
    assert all(study.shows.endswith(".") for study in system.studies)
