"""The import statements of Spindle's modules, read from their source."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINKED = ("sim", "models", "workloads")
"""Folders of the checkout that the package has as links."""


def _modules() -> Iterator[tuple[str, Path]]:
    for top in (*LINKED, "spindle"):
        for path in sorted((ROOT / top).rglob("*.py")):
            inner = path.relative_to(ROOT)
            if top != "spindle" or inner.parts[1] not in LINKED:
                parts = inner.parts if top == "spindle" else ("spindle", *inner.parts)
                yield ".".join(parts)[: -len(".py")].removesuffix(".__init__"), path


MODULES: dict[str, Path] = dict(_modules())


@cache
def imports(module: str) -> tuple[str, ...]:
    """The modules that *module* names in import statements, anywhere in it."""
    return tuple(_imports(module, ast.walk(_tree(module))))


def imports_at_once(module: str) -> tuple[str, ...]:
    """Those that importing *module* imports: neither in a function, nor where it may fail."""
    return tuple(_imports(module, _tree(module).body))


def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text("utf-8"))


def _imports(module: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: imports are written out from the top"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else str(node.module) for name in inner)
