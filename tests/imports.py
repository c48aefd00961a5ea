"""The import statements of Spindle's modules, read from their source."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUTER = ("sim", "models", "workloads")
"""Folders at the top of a checkout that are packages of spindle."""


def _modules() -> Iterator[tuple[str, Path]]:
    for top in (*OUTER, "spindle"):
        for path in sorted((ROOT / top).rglob("*.py")):
            inner = path.relative_to(ROOT).parts
            parts = inner if top == "spindle" else ("spindle", *inner)
            yield ".".join(parts)[: -len(".py")].removesuffix(".__init__"), path


MODULES: dict[str, Path] = dict(_modules())


def imports(module: str) -> tuple[str, ...]:
    """The modules that *module* names in import statements, anywhere in it."""
    return _found(module)[0]


def imports_at_once(module: str) -> tuple[str, ...]:
    """Those that importing *module* imports: neither in a function, nor where it may fail."""
    return _found(module)[1]


@cache
def _found(module: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    return tuple(_imports(module, statements(tree))), tuple(_imports(module, tree.body))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements within *node*, at any depth."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, name, ()):
            yield inner
            yield from statements(inner)


def _imports(module: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: imports are written out from the top"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else str(node.module) for name in inner)
