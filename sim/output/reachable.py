"""A digest of the source that a function can reach: what a kept result of it hangs on, and nothing else.

Comments, docstrings and layout do not count, and neither does the Python that reads the source. What is drawn or
printed of a result is not reached by the run that gives it, as long as the run's module does not import it. A run that
lies outside of Spindle, as that of a user's own system does, reaches what it imports of its own package, too.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

from sim.output.origin import PARTS, ROOT

DATA = ("workloads",)
"""Where scripts and grammars lie, which modules read by name."""
NO_DATA = (".py", ".pyc", ".so", ".md")


@cache
def reachable_source(module: str) -> str:
    """32 hexadecimal digits of *module*, all modules of Spindle and its own package in reach, and all scripts."""
    digest = blake2b(digest_size=16)
    for name in sorted(closure(module)):
        digest.update(f"{name}\0".encode() + _meaning(name))
    digest.update(_data())
    return digest.hexdigest()


def closure(module: str) -> set[str]:
    """*module* and all modules of Spindle and of its own package that it imports, directly or not."""
    packages = *PARTS, _package(module)
    reached: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        if _package(name) in packages and name not in reached and _path(name) is not None:
            reached.add(name)
            pending += _imports(name)
    return reached


def _package(module: str) -> str:
    return module.partition(".")[0]


@cache
def _path(module: str) -> Path | None:
    """The file of *module*; None where it has none, or, if it is not one of Spindle's, was not imported."""
    if _package(module) not in PARTS:
        file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
        return file if file.suffix == ".py" and file.is_file() else None
    stem = ROOT.joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@cache
def _imports(module: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [each if _path(each) is not None else node.module for each in inner]
    return tuple(names)


@cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    assert path is not None, f"{module} has no source"
    return ast.parse(path.read_text("utf-8"))


@cache
def _meaning(module: str) -> bytes:
    """The syntax of *module* without its strings that stand by themselves."""
    digest = blake2b(digest_size=16)
    for text in _texts(_tree(module)):
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.digest()


def _texts(node: object) -> Iterator[str]:
    """Empty fields are left out: a newer Python adds some to nodes that an older one has without."""
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for name, value in ast.iter_fields(node):
            if value is not None and value != [] and not (isinstance(node, ast.Constant) and name == "kind"):
                yield name
                yield from _texts(value)
    elif isinstance(node, list):
        yield "["
        for each in node:
            if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)):
                yield from _texts(each)
        yield "]"
    else:
        yield repr(node)


@cache
def _data() -> bytes:
    digest = blake2b(digest_size=16)
    for path in sorted(path for part in DATA for path in (ROOT / part).rglob("*.*")):
        if path.is_file() and path.suffix not in NO_DATA:
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.digest()
