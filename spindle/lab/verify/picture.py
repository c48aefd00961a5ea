"""Draws the errors of all layers: a dot for each case, and a line for the published error of another simulator."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from spindle.lab.verify.answer import Verified
from spindle.lab.verify.form import IN_TURN, ROW_GROUPS, Goal
from spindle.lab.verify.point import EvidencePoint
from spindle.output.text import thin_out
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, GREEN, INK, VERMILION, WIDTH

COLOURS_OF_GROUPS = dict(zip((*ROW_GROUPS.values(), IN_TURN), (VERMILION, BLUE, GREEN, INK), strict=True))
ROW_INCHES = 0.28
SMALLEST_ERROR = 0.1
"""Percent; smaller errors are drawn here, for the axis is logarithmic."""
MAX_DOTS = 60
"""Largest number of dots for a row and a group; more points are thinned out evenly, from the best to the worst."""


def picture(answers: Sequence[Verified]) -> Axes:
    """Draw the error of each case, by layer and quantity."""
    rows: dict[str, list[tuple[str, Goal, list[EvidencePoint]]]] = {}
    for answer in answers:
        for group, goal, points in answer.rows():
            rows.setdefault(f"{answer.layer.name}: {goal.quantity}", []).append((group, goal, points))
    with drawing(WIDTH * 1.4, 1.0 + ROW_INCHES * len(rows)) as axes:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        for height, found in enumerate(reversed(rows.values())):
            for group, goal, points in found:
                _draw(axes, height, group, goal, points)
        axes.set_yticks(range(len(rows)), list(reversed(rows)))
        axes.set_xlabel("error, % of what was measured")
        handles, names = axes.get_legend_handles_labels()
        legend_below(axes, dict(zip(names, handles, strict=True)))
    return axes


def _draw(axes: Axes, height: int, group: str, goal: Goal, points: Sequence[EvidencePoint]) -> None:
    errors = sorted(max(error, SMALLEST_ERROR) for point in points if (error := point.error) is not None)
    dots = thin_out(errors, MAX_DOTS)
    axes.plot(dots, [height] * len(dots), "o", color=COLOURS_OF_GROUPS[group], alpha=0.6, label=group)
    if goal.anchor is not None:
        axes.plot([goal.anchor] * 2, [height - 0.35, height + 0.35], color=INK, label="published, or a base line")
