"""Every notebook runs from its first cell to its last, and shows what it computes.

Here, and not in a kernel of its own, which would import everything anew; of kernels tests/models/site has some.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.display import display

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path) -> Iterator[str]:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"])


def perform(source: str, names: dict[str, object]) -> None:
    """A cell: its statements, and what it ends with shown in every form that it has."""
    *statements, last = ast.parse(source).body
    exec(compile(ast.Module(statements, []), source, "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), source, "exec"), names)
        return
    shown, _ = DisplayFormatter().format(eval(compile(ast.Expression(last.value), source, "eval"), names))
    assert shown["text/plain"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    # As of a main program, so that what a cell defines can be sent to other processes.
    names: dict[str, object] = {"__name__": "__main__", "display": display}
    for number, source in enumerate(cells(path), 1):
        try:
            perform(source, names)
        except Exception as error:
            error.add_note(f"in cell {number} of {path.name}:\n{source}")
            raise
    assert plt.get_fignums() == [], "a picture that nobody closes"
