"""Every notebook runs from its first cell to its last, and shows what it computes.

Its windows are a sixteenth as long here, its studies are drawn from what is kept of them, and cells with the tag "long"
are left out; as they stand they are run by ``make soak`` and ``make site``. And here is no kernel of its own, which
would import everything anew; ``make site`` starts them.
"""

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.display import display

from spindle.studies import drawing
from spindle.systems import system_names
from tests.kept import kept_book

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
FEWER = ("iter(requests)", "iter(list(requests)[:600])")
COUNTED = ("requests", "steps")
WINDOW = re.compile(r"""\b(minutes|warm_up|requests|seconds|steps)( = |=|": )([\d.]+)""")


def cells(path: Path) -> Iterator[dict[str, Any]]:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield cell


def whole(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def short(cell: dict[str, Any]) -> str:
    """The same with a sixteenth of each window, and the first of the requests; nothing of what takes long."""
    if "long" in cell["metadata"].get("tags", ()):
        return "None"

    def shorter(found: re.Match[str]) -> str:
        name, sign, number = found.groups()
        return f"{name}{sign}{int(number) // 16 if name in COUNTED else float(number) / 16}"

    return WINDOW.sub(shorter, whole(cell)).replace(*FEWER)


def perform(source: str, names: dict[str, object]) -> None:
    """A cell: its statements, and what it ends with shown in every form that it has."""
    *statements, last = ast.parse(source).body
    exec(compile(ast.Module(statements, []), source, "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), source, "exec"), names)
        return
    shown, _ = DisplayFormatter().format(eval(compile(ast.Expression(last.value), source, "eval"), names))
    assert shown["text/plain"]


def in_quick_suite(path: Path) -> bool:
    """Tell if *path* is a tutorial, or the notebook of a system."""
    return path.stem in system_names() or path.stem[0].isdigit()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("length", [short, pytest.param(whole, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=[pytest.mark.always] * in_quick_suite(path)) for path in NOTEBOOKS]
)
def test_a_notebook_runs(path: Path, length: Callable[[dict[str, Any]], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    if length is short:
        monkeypatch.setattr(drawing, "RunBook", lambda **_: kept_book(path.stem))
    # As of a main program, so that what a cell defines can be sent to other processes.
    names: dict[str, object] = {"__name__": "__main__", "display": display}
    for number, cell in enumerate(cells(path), 1):
        source = length(cell)
        try:
            perform(source, names)
        except Exception as error:
            error.add_note(f"in cell {number} of {path.name}:\n{source}")
            raise
    assert plt.get_fignums() == [], "a picture that nobody closes"


AXES = re.compile(r"\b(?:curve|drive_picture)\(")
"""Calls that return the axes of a picture, which a page does not show: it shows their figure."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda each: each.stem)
def test_a_cell_that_draws_shows_its_picture(path: Path) -> None:
    for number, cell in enumerate(cells(path), 1):
        *_, last = ast.parse(whole(cell)).body or [None]
        if isinstance(last, ast.Expr) and AXES.match(text := ast.unparse(last)):
            assert text.endswith(".figure"), f"cell {number} of {path.name}"
            assert not whole(cell).rstrip().endswith(";"), f"cell {number} of {path.name}"


NUMERAL = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
GIVEN = tomllib.loads((Path(__file__).parent / "notebook_numbers.toml").read_text("utf-8"))


def numerals(text: str) -> set[str]:
    return {each.rstrip(",") for each in NUMERAL.findall(text)}


def unsourced(path: Path) -> set[str]:
    """Numbers of the text that are in no cell of code or output, and not listed as published or worked out."""
    notebook = json.loads(path.read_text("utf-8"))["cells"]
    told = "".join(re.sub(r"`[^`]*`", "", whole(cell)) for cell in notebook if cell["cell_type"] == "markdown")
    shown = json.dumps([[cell["source"], cell["outputs"]] for cell in notebook if cell["cell_type"] == "code"])
    return numerals(told) - numerals(shown) - {each for some in GIVEN.get(path.stem, {}).values() for each in some}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda each: each.stem)
def test_what_a_notebook_says_of_a_number_stands_in_a_cell_or_has_a_source(path: Path) -> None:
    """A result that a sentence repeats is out of date with the next change of a model: let the cell print it."""
    assert unsourced(path) == set()


def test_a_number_is_listed_where_it_is_used() -> None:
    for path in NOTEBOOKS:
        told = "".join(whole(cell) for cell in json.loads(path.read_text("utf-8"))["cells"])
        listed = {each for some in GIVEN.get(path.stem, {}).values() for each in some}
        assert listed <= numerals(told), path.stem
