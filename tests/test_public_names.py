"""The public names: ``from spindle import ...`` gives them, and costs nothing until one is asked for."""

import ast
import doctest
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from types import FunctionType

import pytest
import simpy

import spindle
from spindle import MODULES
from spindle.cli.main import main
from tests.imports import MODULES as SOURCES
from tests.test_house import ROOT


@pytest.mark.parametrize("name", MODULES)
def test_a_public_name_is_there_and_says_what_it_is_for(name: str) -> None:
    value = getattr(spindle, name)
    assert value is getattr(import_module(MODULES[name]), name)
    assert name in dir(spindle)
    assert value.__doc__ or not callable(value)


@pytest.mark.parametrize("name", [name for name in MODULES if isinstance(getattr(spindle, name), type | FunctionType)])
def test_a_public_name_has_an_example_that_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names = {each: getattr(spindle, each) for each in MODULES} | {"simpy": simpy, "Random": Random}
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(getattr(spindle, name)) or "", names, name, None, None)
    assert example.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


def test_every_public_constant_is_used_in_an_example() -> None:
    texts = [inspect.getdoc(getattr(spindle, name)) or "" for name in MODULES]
    shown = "".join(text.partition(">>>")[2] for text in texts) + (ROOT / "examples" / "machine.py").read_text("utf-8")
    assert [name for name in MODULES if name not in shown] == []


def test_a_type_checker_sees_the_same_names() -> None:
    tree = ast.parse(Path(spindle.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert {name.asname: node.module for node in imports for name in node.names} == MODULES


def test_no_name_is_that_of_a_module() -> None:
    """Whether ``spindle.name`` is the one or the other would depend on what was imported before."""
    assert {name.split(".")[1] for name in SOURCES if "." in name}.isdisjoint(MODULES)


def test_what_is_not_public_is_not_there() -> None:
    with pytest.raises(AttributeError, match="'spindle' has no attribute 'Computor'"):
        spindle.Computor  # noqa: B018


def test_importing_the_package_imports_nothing_of_it() -> None:
    text = "import spindle, sys; print(sorted(name for name in sys.modules if name.startswith(('spindle', 'simpy'))))"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "['spindle']\n"


def test_the_command_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"Spindle {spindle.__version__}, commit ")
