"""The systems that there are, found by name: a folder of models each, or one in a file or package of the user's."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from spindle import own

if TYPE_CHECKING:
    from spindle.studies.system import System


def system_names() -> list[str]:
    """The systems there are: every folder of models that describes one."""
    return sorted(path.parent.name for path in (Path(__file__).parent / "models").glob("*/system.py"))


def find_system(name: str) -> "System":
    """The system *name*, or one of a user's own; imported only now, because pandas and matplotlib take a second."""
    from spindle.studies.system import System

    names = system_names()
    chosen = (import_module(f"spindle.models.{name}.system").SYSTEM if name in names else
              own.part("system", name, dict.fromkeys(names)))  # fmt: skip
    assert isinstance(chosen, System)
    return chosen


def systems(name: str | None) -> "list[System]":
    """The one named, or all."""
    return [find_system(each) for each in (system_names() if name is None else [name])]
