"""Draws the picture that ``--plot`` asks for, of a sweep or a search: into a file, or with ``-`` in the terminal."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from spindle.questions.field import ask
from spindle.questions.settings import Setting
from spindle.sim.error import UserError
from spindle.studies.settings import settings_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spindle.studies.plots.terminal import SweptTable
    from spindle.studies.sweep.find import FindAnswer
    from spindle.system import System

USUAL_WIDTH = 90
"""Columns of a terminal whose size is unknown."""


def plot_field(what: str = "a picture of what is shown") -> Any:
    """Return the option ``--plot`` as a field of a question."""
    return ask("", f"{what}; - draws it in the terminal; default none", metavar="FILE.png")


def swept_table(system: "System", frame: "pd.DataFrame", axes: Sequence[str]) -> "SweptTable":
    """Return the runs of *frame* as a table to draw, whose *axes* are settings of *system*."""
    from spindle.studies.plots.terminal import SweptTable

    known = settings_of(system)
    return SweptTable(frame, axes, {name: known[name].text for name in axes if name in known})


def plot_or_save(
    path: Path | None, picture: "Callable[[], Axes | Figure]", text: Callable[[int], str], what: str
) -> list[str]:
    """Return *text* for a terminal where *path* is None; else save *picture* there, and return a line on the file."""
    if path is None:
        return ["", text(get_terminal_size((USUAL_WIDTH, 24)).columns)]
    from spindle.studies.plots.files import save

    save(picture(), path)
    return ["", f"{path}: a picture of {what}"]


def plot_sweep(table: "SweptTable", measures: Sequence[str], path: Path | None) -> list[str]:
    """Draw the *measures* of a sweep into *path*, or as text for the terminal where that is None."""
    from spindle.studies.plots.terminal import text_picture

    def picture() -> "Axes":
        from spindle.studies.plots.swept import swept_picture

        return swept_picture(table, measures)

    return plot_or_save(path, picture, partial(text_picture, table, measures), ", ".join(measures))


def plot_found(answer: "FindAnswer", setting: Setting, path: Path | None) -> list[str]:
    """Draw a search: the values that were tried, and where the condition is met."""
    from spindle.studies.plots.terminal import found_text

    def picture() -> "Axes":
        from spindle.studies.plots.swept import found_picture

        return found_picture(answer, setting.text)

    return plot_or_save(path, picture, partial(found_text, answer, setting.text), "what was probed")


def numbers_of(frame: "pd.DataFrame", measures: Sequence[str]) -> list[str]:
    """Return the *measures* that are numbers; UserError where none is."""
    from pandas.api.types import is_numeric_dtype

    numbers = [name for name in measures if is_numeric_dtype(frame[name]) and not frame[name].isna().all()]
    if not numbers:
        raise UserError(f"--plot: {', '.join(measures) or 'what is shown'} is no number; name one by --columns")
    return numbers


