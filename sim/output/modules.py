"""Which modules of Spindle, and of a user's own package, a module imports."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sim.output.origin import PARTS, ROOT


class Import(NamedTuple):
    """A module, or the *attribute* of one, under the name that an import gives it."""

    name: str
    module: str
    attribute: str | None


def closure(module: str) -> set[str]:
    """*module* and all modules of Spindle and of its own package that it imports, directly or not."""
    packages = *PARTS, _package(module)
    reached: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        if _package(name) in packages and name not in reached and path_of(name) is not None:
            reached.add(name)
            pending += [each.module for each in imports(name)]
    return reached


def _package(module: str) -> str:
    return module.partition(".")[0]


@cache
def path_of(module: str) -> Path | None:
    """The file of *module*; None where it has none, or, if it is not one of Spindle's, was not imported."""
    if _package(module) not in PARTS:
        file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
        return file if file.suffix == ".py" and file.is_file() else None
    stem = ROOT.joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@cache
def tree(module: str) -> ast.Module:
    path = path_of(module)
    assert path is not None, f"{module} has no source"
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Every import in *module*, also those within a function."""
    return tuple(each for node in ast.walk(tree(module)) for each in _imported(node, module))


def _imported(node: ast.AST, module: str) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.asname or _package(alias.name), alias.name, None)
    elif isinstance(node, ast.ImportFrom):
        source = _absolute(node, module)
        own = _package(source) in (*PARTS, _package(module))  # of others it would hang on what was imported before
        for alias in node.names:
            inner = f"{source}.{alias.name}"
            name = alias.asname or alias.name
            yield Import(name, inner, None) if own and path_of(inner) else Import(name, source, alias.name)


def _absolute(node: ast.ImportFrom, module: str) -> str:
    """What ``from ..part`` is called from the top."""
    if not node.level:
        return node.module or ""
    path = path_of(module)
    up = node.level - (path is not None and path.name == "__init__.py")
    names = module.split(".")
    return ".".join([*names[: len(names) - up], *([node.module] if node.module else [])])
