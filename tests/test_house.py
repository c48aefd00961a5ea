"""House rules that a machine can check: files say what they are and stay small, notebooks are thin, data is packed."""

import ast
import json
import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.imports import statements

ROOT = Path(__file__).parents[1]
LIBRARY = ("sim", "workloads", "models", "spindle")
PYTHON_FILES = sorted(p for top in (*LIBRARY, "benchmarks", "tests") for p in (ROOT / top).rglob("*.py"))
LIBRARY_FILES = [path for path in PYTHON_FILES if path.relative_to(ROOT).parts[0] in LIBRARY]
NOTEBOOKS = [p for p in sorted((ROOT / "notebooks").rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]
MAX_LINES = 600
MAX_FUNCTION_LINES = 50


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Outline:
    """What house rules ask of a file: each name that it defines, and its docstrings, its own first."""

    functions: list[tuple[str, int]]
    """Names and numbers of lines."""
    classes: list[str]
    docstrings: list[str]


@cache
def outline(path: Path) -> Outline:
    """Parse *path* once for all rules."""
    tree = ast.parse(path.read_text("utf-8"))
    found = Outline([], [], [ast.get_docstring(tree) or ""])
    for node in statements(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.functions.append((node.name, (node.end_lineno or node.lineno) - node.lineno + 1))
            case ast.ClassDef():
                found.classes.append(node.name)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.docstrings.append(ast.get_docstring(node) or "")
    return found


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(notebook.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_every_file_opens_by_saying_what_it_is() -> None:
    assert PYTHON_FILES
    assert [place(path) for path in PYTHON_FILES if not outline(path).docstrings[0]] == []


def test_files_and_functions_stay_small() -> None:
    files = {place(path): len(path.read_text("utf-8").splitlines()) for path in LIBRARY_FILES}
    assert [(name, lines) for name, lines in files.items() if lines > MAX_LINES] == []
    assert [(place(path), name, lines) for path in LIBRARY_FILES for name, lines in outline(path).functions
            if lines > MAX_FUNCTION_LINES] == []  # fmt: skip


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for path in LIBRARY_FILES:
        for name in outline(path).classes:
            if not name.startswith("_"):
                places.setdefault(name, []).append(place(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=place)
def test_notebooks_carry_no_outputs(notebook: Path) -> None:
    """But tables of measured drives, which who has no measurements could not make."""
    kept = [n for n, cell in enumerate(code_cells(notebook), 1)
            if cell["execution_count"] or (cell["outputs"] and notebook.stem != "drives")]  # fmt: skip
    assert kept == [], "code cells with outputs; remove them with: .venv/bin/nbstripout notebooks/*.ipynb"
    shown = {kind for cell in code_cells(notebook) for each in cell["outputs"] for kind in each.get("data", {})}
    assert shown <= {"text/plain"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=place)
def test_notebooks_define_nothing(notebook: Path) -> None:
    tree = ast.parse("\n".join("".join(cell["source"]) for cell in code_cells(notebook)))
    assert [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)] == []


def test_everything_beside_the_modules_is_packed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["*"]
    files = [p for top in LIBRARY for p in (ROOT / top).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    data = [path for path in files if path.suffix != ".py" and path.parent.name != "notebooks"]
    assert [place(p) for p in data if not any(p.match(pattern) for pattern in patterns)] == []


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in LIBRARY_FILES}
    assert sorted(place(folder) for folder in folders if not (folder / "__init__.py").is_file()) == []


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_what_it_can_do() -> None:
    listing = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True)
    targets = {line.split()[1] for line in listing.stdout.splitlines() if line.startswith("make ")}
    assert targets == {"report", "play", "site", "test", "bench", "claims", "notebook", "lint", "clean", "soak", "fuzz",
                       "guided", "audit", "mutants", "numbers", "docs", "verify"}


def test_the_check_before_landing_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
