"""Studies shown by hand: each run once, and told where there is nothing to show."""

from dataclasses import replace
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.studies.drawing import Gallery
from spindle.studies.plots.curves import curve
from spindle.studies.study import Figure, Runs, no_caption
from tests.studies.toys import LENGTH, counted, study

FIGURE = Figure(lambda rows: rows[["base", "answer"]], lambda table: curve(table, "base", "answer", title="Growth"),
                lambda table: f"By {table['answer'].max():g}.")  # fmt: skip


def test_a_study_is_shown_and_its_runs_are_made_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    gallery = Gallery([study(runs=[Runs(counted, LENGTH, base=[1, 3], log=str(log))], figure=FIGURE)], seeds=2)
    # 2 * base + 10 + seed / 8
    assert gallery.table("growing")["answer"].tolist() == [12.125, 12.25, 16.125, 16.25]
    assert gallery.picture("growing").axes[0].get_title(loc="left") == "Growth"
    assert gallery.caption("growing") == "It grows. By 16.25."
    bare = [study(name="a", shows="", figure=FIGURE), study(name="b", figure=replace(FIGURE, caption=no_caption))]
    assert [Gallery(bare).caption(name) for name in "ab"] == ["By 16.125.", "It grows."]
    assert len(log.read_text().splitlines()) == 4


def test_a_quick_look_is_short() -> None:
    assert Gallery([study(figure=FIGURE)], quick=True).table("growing")["answer"].tolist() == [3.125, 7.125]


def test_what_is_not_there_is_told() -> None:
    with pytest.raises(UserError, match=r"unknown study 'groing': did you mean growing\?"):
        Gallery([study()]).rows("groing")
    with pytest.raises(UserError, match=r"^the study growing has no figure$"):
        Gallery([study()]).picture("growing")
