"""A digest of the source that a run can reach: what a kept result of it hangs on, and nothing else.

It goes from name to name: a function or class reaches every definition whose name stands in it. What runs as a module
is imported counts, too, and all data files of the workloads. Comments, docstrings and layout do not count, and neither
does the Python that reads the source. A run outside of Spindle reaches what it names of its own package.
"""

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

from sim.output.modules import Import, closure, imports, tree
from sim.output.origin import PARTS, ROOT

DATA = ("workloads",)
"""Where scripts and grammars lie, which modules read by name."""
NO_DATA = (".py", ".pyc", ".so", ".md")
WHOLE = "*"
"""The name that stands for all of a module."""
AT_IMPORT = "!"
"""The name that stands for what a module does as it is imported, but for its definitions."""
BARE = ""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SILENT = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Pass)


class Definition(NamedTuple):
    """A function, class or number at the top of a module."""

    module: str
    name: str


@cache
def reachable_source(*roots: Definition) -> str:
    """32 hexadecimal digits of all definitions of Spindle and of the roots' own packages in reach, and all data."""
    digest = blake2b(digest_size=16)
    for each in sorted(reach(*roots)):
        digest.update(f"{each.module}\0{each.name}\0".encode() + _meaning(each))
    digest.update(_data())
    return digest.hexdigest()


def reach(*roots: Definition) -> set[Definition]:
    """The definitions that *roots* name, directly or not; a root that its module does not define is all of it."""
    reached: set[Definition] = set()
    modules = set().union(*(closure(module) for module in {root.module for root in roots}))
    pending = [*roots, *(Definition(module, AT_IMPORT) for module in modules if AT_IMPORT in _defined(module))]
    while pending:
        each = pending.pop()
        if each.module not in modules:
            continue
        if each.name not in _names(each.module):
            each = Definition(each.module, WHOLE)
        if each not in reached:
            reached.add(each)
            pending += _named(each)
    return reached


def _names(module: str) -> set[str]:
    return {WHOLE, AT_IMPORT, *_defined(module), *_bound(module)}


@cache
def _bound(module: str) -> dict[str, list[Import]]:
    bound: dict[str, list[Import]] = {}
    for each in imports(module):
        bound.setdefault(each.name, []).append(each)
    return bound


@cache
def _defined(module: str) -> dict[str, list[ast.stmt]]:
    """The statements at the top of *module* by the names that they define."""
    defined: dict[str, list[ast.stmt]] = {}
    for node in tree(module).body:
        names = {node.name} if isinstance(node, DEFINITIONS) else set(_stored(node))
        for name in names | ({AT_IMPORT} if _acts(node, module) else set()):
            defined.setdefault(name, []).append(node)
    return defined


def _stored(node: ast.stmt) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, DEFINITIONS):
            yield each.name


def _acts(node: ast.stmt, module: str) -> bool:
    """Whether *node* may do more than define: a branch, a call by itself, a decorator that is not Python's."""
    if isinstance(node, DEFINITIONS):
        own = {*_bound(module), *(each.name for each in tree(module).body if isinstance(each, DEFINITIONS))}
        named = {each.id for part in node.decorator_list for each in ast.walk(part) if isinstance(each, ast.Name)}
        return any(not _is_foreign(name, module) for name in named & own)
    if isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
        return False
    return not isinstance(node, SILENT) and not _is_text(node)


def _is_foreign(name: str, module: str) -> bool:
    """Whether *name* comes from another package than Spindle's or *module*'s own."""
    sources = {each.module.partition(".")[0] for each in _bound(module).get(name, [])}
    return bool(sources) and not sources & {*PARTS, module.partition(".")[0]}


@cache
def _named(definition: Definition) -> tuple[Definition, ...]:
    return tuple(_standing_in(definition))


def _standing_in(definition: Definition) -> Iterator[Definition]:
    """What stands in *definition*, and by what name its own module has it."""
    module, name = definition
    if name == WHOLE:
        yield from (Definition(module, each) for each in _names(module) - {WHOLE})
    for each in _bound(module).get(name, []):
        yield Definition(each.module, WHOLE if each.attribute is None else each.attribute)
    for node in _defined(module).get(name, []):
        for written, attributes in _words(node).items():
            yield from _meant(module, written, attributes)


def _meant(module: str, written: str, attributes: frozenset[str]) -> Iterator[Definition]:
    """A word *written* in *module*; of another module that it names only the *attributes* that are asked of it."""
    if written in _defined(module):
        yield Definition(module, written)
    for each in _bound(module).get(written, []):
        if each.attribute is None and attributes and BARE not in attributes:
            yield from (Definition(each.module, attribute) for attribute in attributes)
        else:
            yield Definition(module, written)


def _words(node: ast.stmt) -> dict[str, frozenset[str]]:
    """Names in *node*, also where a text is one, each with the attributes that are asked of it, BARE for none."""
    words: dict[str, set[str]] = {}
    inner = {id(each.value): each.attr for each in _read(node) if isinstance(each, ast.Attribute)}
    for each in _read(node):
        if isinstance(each, ast.Name):
            words.setdefault(each.id, set()).add(inner.get(id(each), BARE))
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            words.setdefault(each.value, set()).add(BARE)
    return {word: frozenset(attributes) for word, attributes in words.items()}


def _read(node: ast.AST) -> Iterator[ast.AST]:
    """All that stands in *node* but for the types of arguments and answers, which no call reads."""
    yield node
    for name, value in ast.iter_fields(node):
        if name != "returns" and not (name == "annotation" and isinstance(node, ast.arg)):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from _read(each)


@cache
def _meaning(definition: Definition) -> bytes:
    """Where *definition* is imported from, or its syntax without strings that stand by themselves."""
    digest = blake2b(repr(_bound(definition.module).get(definition.name)).encode(), digest_size=16)
    for node in _defined(definition.module).get(definition.name, []):
        for text in _texts(node):
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.digest()


def _texts(node: object) -> Iterator[str]:
    """Empty fields are left out: a newer Python adds some to nodes that an older one has without."""
    if isinstance(node, ast.JoinedStr):  # some pieces of which are empty in Python 3.12 alone
        node = ast.JoinedStr([each for each in node.values if not isinstance(each, ast.Constant) or each.value])
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for name, value in ast.iter_fields(node):
            if value is not None and value != [] and not (isinstance(node, ast.Constant) and name == "kind"):
                yield name
                yield from _texts(value)
    elif isinstance(node, list):
        yield "["
        for each in node:
            if not _is_text(each):
                yield from _texts(each)
        yield "]"
    else:
        yield repr(node)


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def _data() -> bytes:
    digest = blake2b(digest_size=16)
    for path in sorted(path for part in DATA for path in (ROOT / part).rglob("*.*")):
        if path.is_file() and path.suffix not in NO_DATA:
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.digest()
