"""Compiled parts: found while they are those of the source, open to subclasses, and no other in what they compute."""

import ast
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from fast.opened import opened
from fast.parts import PARTS
from sim import compiled_parts
from sim.account import Account
from sim.compiled_parts import NAMES, PURE, ROOT, CompiledParts, are_compiled, digest, find_compiled
from sim.output.modules import path_of
from sim.output.reachable import Definition, reachable_source

needs_compiled = pytest.mark.skipif(not are_compiled(), reason="nothing is compiled: make fast")
KEPT = "from sim.output.reachable import *; print(reachable_source(Definition('models.hp3000.run', 'run')))"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that says that part.py was compiled into it."""
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if not isinstance(each, CompiledParts)])
    monkeypatch.delenv(PURE, raising=False)
    (tmp_path / "part.py").write_text("COST = 4\n")
    names = {"modules": ["part"], "sources": ["part.py"], "digest": digest(["part.py"], tmp_path)}
    (tmp_path / NAMES).write_text(json.dumps(names))
    return tmp_path


def source_of(part: str) -> str:
    file = path_of(part)
    assert file is not None, f"there is no module {part}"
    return file.read_text("utf-8")


def test_what_was_compiled_is_found(built: Path) -> None:
    assert not are_compiled()
    find_compiled(built, built)
    assert are_compiled()
    finder = sys.meta_path[0]
    assert isinstance(finder, CompiledParts)
    spec = finder.find_spec("part")
    assert spec is not None
    assert Path(str(spec.origin)).name.startswith("part.")
    assert Path(str(spec.origin)).suffix in (".so", ".pyd")
    assert finder.find_spec("another") is None


def test_an_edit_leaves_it_aside_and_says_so(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (built / "part.py").write_text("COST = 5\n")
    find_compiled(built, built)
    assert not are_compiled()
    assert capsys.readouterr().err == (
        "spindle: compiled parts are older than their source and left aside: make fast, or make pure\n")


def test_a_source_that_is_gone_leaves_it_aside(built: Path) -> None:
    (built / "part.py").unlink()
    find_compiled(built, built)
    assert not are_compiled()


def test_pure_python_may_be_asked_for(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PURE, "1")
    find_compiled(built, built)
    assert not are_compiled()


@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_compiled_that_behaves_in_another_way(part: str) -> None:
    """What `fast/parts.py` says is left out is not used by what is not."""
    text = source_of(part)
    assert [word for word in ("runtime_checkable", "cached_property", "register(", "__file__") if word in text] == []


@pytest.mark.parametrize("part", PARTS)
def test_its_classes_are_opened_and_its_lines_stay(part: str) -> None:
    text = source_of(part)
    made = opened(text)
    lines = {node.name: node.lineno for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    assert {node.name: node.lineno for node in ast.parse(made).body if isinstance(node, ast.ClassDef)} == lines
    assert len(made.splitlines()) == len(text.splitlines())


@needs_compiled
def test_what_is_compiled_is_taken() -> None:
    file = Path(str(sys.modules[Account.__module__].__file__))
    assert file.is_relative_to(compiled_parts.BUILT)


@needs_compiled
def test_kept_rows_hang_on_the_source_compiled_or_not() -> None:
    ran = subprocess.run([sys.executable, "-c", KEPT], env={**os.environ, PURE: "1"}, cwd=ROOT, capture_output=True,
                         text=True, check=True)  # fmt: skip
    assert ran.stdout.strip() == reachable_source(Definition("models.hp3000.run", "run"))


class OwnAccount(Account):
    """A subclass of one's own, with something to remember."""

    note = "mine"


def test_one_may_derive_from_it_and_send_it_elsewhere() -> None:
    again = pickle.loads(pickle.dumps(OwnAccount("a")))
    assert (type(again), again.name, again.note) == (OwnAccount, "a", "mine")
