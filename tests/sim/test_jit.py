"""Tests that machine code of loops is kept apart for other sources, and that numba's settings are not changed."""

import ast
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spindle.sim import jit
from spindle.sim.jit import AVAILABLE, cache_folder, compile_loop, is_kept, let_loops_call
from tests.imports import ROOT

HERE = Path(__file__).parent
KERNEL = ROOT / "sim" / "disc" / "kernel"
LOOPS = sorted(KERNEL.glob("*.py")) + sorted((ROOT / "spindle" / "traces").rglob("compiled/*.py"))

needs_numba = pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")


def test_other_sources_have_another_folder(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    places = set()
    for text in ("LATEST = 1", "LATEST = 2", "LATEST = 1"):
        (tmp_path / "arm.py").write_text(text)
        (tmp_path / "other" / "arm.py").write_text(f"{len(places)}")
        cache_folder.cache_clear()
        places.add(cache_folder(tmp_path, ""))
    assert len(places) == 2
    assert {place.parent for place in places} == {tmp_path / "__pycache__"}


def test_a_folder_may_be_chosen(tmp_path: Path) -> None:
    assert cache_folder(HERE, str(tmp_path)).parent == tmp_path


def double(numbers: np.ndarray) -> float:
    return 2.0 * float(numbers.sum())


def doub(numbers: np.ndarray) -> float:
    return 2.0 * float(numbers.sum())


@needs_numba
def test_numba_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    assert not is_kept(double)
    loop: Any = compile_loop(double)
    assert loop(np.arange(4.0)) == 12.0
    assert str(tmp_path) == config.CACHE_DIR
    assert list(cache_folder(HERE, str(tmp_path)).rglob("*.nbi"))
    assert (is_kept(double), is_kept(loop), is_kept(doub)) == (True, True, False)
    options = loop.targetoptions
    assert options["nogil"] is options["no_cfunc_wrapper"] is True, "threads go on; no C function is made for nobody"


@needs_numba
def test_a_number_that_is_written_there_shares_machine_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A loop that calls it with 8 asks for its template; then another number needs no other code."""
    from numba import config, types

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    loop: Any = compile_loop(halved)
    assert loop.get_call_template((types.literal(8),), {}) is not None
    assert (loop(3), loop.signatures) == (1.5, [(types.int64,)])


def test_without_numba_loops_are_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "AVAILABLE", False)
    let_loops_call(double)
    assert compile_loop(double) is double
    assert is_kept(double), "nobody need wait for it"


def test_where_sources_may_not_be_written_machine_code_is_kept_at_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "sources").mkdir()
    assert cache_folder(tmp_path / "sources", "").parent == tmp_path / ".cache/spindle/__pycache__"


@pytest.mark.parametrize("file", LOOPS, ids=lambda file: file.stem)
def test_a_loop_names_nothing_from_elsewhere(file: Path) -> None:
    """What is kept of it would stay as it was when that changes."""
    body = ast.parse(file.read_text("utf-8")).body
    elsewhere = {name.asname or name.name for node in body if isinstance(node, ast.ImportFrom)
                 and str(node.module).startswith("spindle.")
                 and not {"compiled", "kernel"} & {*str(node.module).split(".")}
                 for name in node.names}  # fmt: skip
    loops = [node for node in body if isinstance(node, ast.FunctionDef)
             and any(ast.unparse(each) == "compiled" for each in node.decorator_list)]  # fmt: skip
    named = {each.id for loop in loops for each in ast.walk(loop) if isinstance(each, ast.Name)}
    assert named & elsewhere <= {"compiled"}


@pytest.mark.parametrize("name", ["arm", "buffer", "buffered"])
def test_what_loops_share_with_classes_knows_nothing_else(name: str) -> None:
    """Its plain functions become part of what is kept of loops; all that they name lies in the same folder."""
    body = ast.parse((KERNEL / f"{name}.py").read_text("utf-8")).body
    modules = {node.module for node in body if isinstance(node, ast.ImportFrom)}
    assert {each for each in modules if str(each).startswith("spindle.")} <= {
        "spindle.sim.disc.kernel.arm", "spindle.sim.disc.kernel.buffer"}


def halved(number: float) -> float:
    return number / 2.0


@needs_numba
def test_a_loop_calls_what_it_is_let_call() -> None:
    """The function itself stays as it is for others."""
    numba = pytest.importorskip("numba")

    def half_of(number: float) -> float:
        return number / 2.0

    def abs_of(number: float) -> float:
        return abs(number)

    let_loops_call(half_of)
    let_loops_call(abs_of, instead=half_of)
    assert numba.njit(lambda number: half_of(number) + abs_of(number))(8.0) == 8.0
    assert abs_of(-8.0) == 8.0
