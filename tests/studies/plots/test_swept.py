"""Pictures of sweeps: lines, bars, maps and panels, in a file and in a terminal."""

from typing import Any

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.plots.swept import swept_picture
from spindle.studies.plots.terminal import SweptTable, TextLine, drawn_lines, text_picture

SIZES = (1 << 20, 4 << 20, 64 << 20)
TEXTS = {"memory": lambda value: f"{value >> 20} MiB"}


def swept(**axes: Any) -> SweptTable:
    rows: list[dict[str, Any]] = [{}]
    for name, values in axes.items():
        rows = [{**row, name: value} for row in rows for value in values]
    rows = [{**row, "seed": seed} for row in rows for seed in (1, 2, 3)]
    for place, row in enumerate(rows):
        row["response_mean"] = 1.0 + place % 7 / 10 + row["seed"] / 100
        row["hit_ratio"] = 0.5
        row["disc"] = "hp7933"
    return SweptTable(pd.DataFrame(rows), [*axes, "seed"], TEXTS)


def test_one_axis_is_a_line_with_the_values_that_were_typed() -> None:
    ax = swept_picture(swept(memory=SIZES), ["response_mean"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("memory", "mean response, s")
    assert ax.get_title(loc="left") == "Mean response against memory"
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1 MiB", "4 MiB", "64 MiB"]
    assert ax.get_xscale() == "log"
    assert (len(ax.lines), len(ax.collections)) == (1, 1)
    assert ax.get_ylim()[0] == 0


def test_a_second_axis_is_lines_or_a_map() -> None:
    assert len(swept_picture(swept(memory=SIZES, policy=("lru", "arc")), ["response_mean"]).lines) == 2
    many = swept_picture(swept(memory=SIZES, terminals=range(1, 10)), ["response_mean"])
    assert len(many.images) == 1


def test_words_are_bars_and_several_measures_panels() -> None:
    bars = swept_picture(swept(policy=("lru", "arc", "fifo")), ["response_mean", "hit_ratio"])
    assert len(bars.figure.axes) == 2
    assert [text.get_text() for text in bars.get_yticklabels()] == ["lru", "arc", "fifo"]


def test_a_third_axis_is_panels() -> None:
    ax = swept_picture(swept(memory=SIZES, policy=("lru", "arc"), drive=("a", "b", "c")), ["response_mean"])
    assert len(ax.figure.axes) == 3


@pytest.mark.parametrize(("table", "measures", "says"), [
    (swept(memory=SIZES[:1]), ["response_mean"], "nothing does"),
    (swept(memory=SIZES), ["disc"], "is no number"),
    (swept(memory=SIZES), ["nothing"], "is no number"),
    (swept(a=(1, 2), b=(1, 2), c=(1, 2), d=(1, 2)), ["response_mean"], "at most three axes"),
])  # fmt: skip
def test_what_has_no_picture_is_said(table: SweptTable, measures: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        swept_picture(table, measures)


def test_a_terminal_has_lines_with_ends_marks_and_a_legend() -> None:
    text = text_picture(swept(memory=SIZES, policy=("lru", "arc")), ["response_mean"], 60)
    lines = text.splitlines()
    assert lines[0] == "mean response, s"
    assert max(map(len, lines)) <= 60
    assert "1 MiB" in lines[-2]
    assert lines[-2].endswith("64 MiB")
    assert lines[-1].strip() == "policy: ● lru   ▲ arc"


def test_a_terminal_has_bars_and_maps() -> None:
    bars = text_picture(swept(policy=("lru", "arc")), ["hit_ratio"], 60).splitlines()
    assert bars[1].startswith("lru  █")
    assert bars[1].endswith("0.5")
    shown = text_picture(swept(memory=SIZES, terminals=range(1, 10)), ["response_mean"], 60)
    assert "64 MiB" in shown
    assert "█" in shown


def test_a_flat_line_and_a_single_point_are_drawn() -> None:
    assert drawn_lines([TextLine("", [(1.0, 0.0), (2.0, 0.0)])], 40, ("1", "2"), "x", "1")
    assert drawn_lines([TextLine("", [(1.0, 5.0)])], 40, ("1", "1"), "x", "s")
    with pytest.raises(UserError, match="nothing to draw"):
        drawn_lines([TextLine("", [(1.0, float("nan"))])], 40, ("1", "1"), "x", "s")


def spread(**axes: Any) -> SweptTable:
    """Responses that the last value of the first axis makes forty times as long."""
    table = swept(**axes)
    name = next(iter(axes))
    far = table.frame[name] == axes[name][-1]
    table.frame.loc[far, "response_mean"] *= 40.0
    return table


def test_what_lies_far_apart_is_drawn_on_a_logarithmic_axis() -> None:
    """Else the small ones lie on each other; so do the colours of a map, and all panels share one axis."""
    ax = swept_picture(spread(memory=SIZES, policy=("lru", "arc")), ["response_mean"])
    assert ax.get_yscale() == "log"
    assert swept_picture(swept(memory=SIZES), ["response_mean"]).get_yscale() == "linear"
    (image,) = swept_picture(spread(memory=SIZES, terminals=range(1, 10)), ["response_mean"]).images
    assert type(image.norm).__name__ == "LogNorm"
    panels = swept_picture(spread(memory=SIZES, policy=("lru",), drive=("a", "b")), ["response_mean"]).figure.axes
    assert {each.get_yscale() for each in panels} == {"log"}
    assert len({each.get_ylim() for each in panels}) == 1
