"""What the reference says of each public name, read from its docstring and its signature."""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import Parameter
from itertools import pairwise
from pathlib import Path
from typing import Any

import spindle
from sim.compiled_parts import PURE, are_compiled
from sim.error import UserError
from sim.output.label import label

GROUPS: Mapping[str, Sequence[str]] = {
    "Computers and runs": ("sim.computer", "sim.machine", "sim.measure", "sim.error"),
    "Loads": ("sim.script", "sim.terminal", "sim.streams"),
    "Drives": ("sim.disc",),
    "Caches and files": ("sim.cache", "sim.memory", "sim.request", "sim.file"),
    "Eviction policies": ("sim.eviction",),
    "Processors and locks": ("sim.cpu", "sim.lock", "sim.account"),
    "Units and theory": ("sim.units", "sim.theory"),
}
"""The pages, and the modules whose names stand on each."""
MODULE = re.compile(r"\b(?:[a-z_]\w*\.)+(?=\w)")
SENTENCE = re.compile(r"(?<=[.!?:]) (?=[A-Z0-9*`])")
PLAIN = (int, float, str)


@dataclass(frozen=True)
class Argument:
    """One argument of a class or function: its type, and its default as it is written."""

    name: str
    kind: str
    default: str


@dataclass(frozen=True)
class Member:
    """A method, property or member of a public class."""

    name: str
    signature: str
    says: str


@dataclass(frozen=True)
class ReferenceEntry:
    """A public *name*: how it is called, what it is for, and what it has."""

    name: str
    module: str
    signature: str
    paragraphs: Sequence[str]
    arguments: Sequence[Argument]
    members: Sequence[Member]

    @property
    def says(self) -> str:
        """The sentence that says what it is for."""
        return SENTENCE.split(self.paragraphs[0])[0] if self.paragraphs else ""


def entries() -> dict[str, list[ReferenceEntry]]:
    """The entries of each group; KeyError for a public name of a module that is in none."""
    if are_compiled():
        raise UserError(f"what is compiled has no descriptions to show: make pure, or set {PURE}=1 for this command")
    grouped: dict[str, list[ReferenceEntry]] = {group: [] for group in GROUPS}
    group_of = {module: group for group, modules in GROUPS.items() for module in modules}
    for name, module in sorted(import_module("sim").modules().items(), key=lambda each: each[0].lower()):
        grouped[group_of[".".join(module.split(".")[:2])]].append(_entry(name, module))
    return grouped


def _entry(name: str, module: str) -> ReferenceEntry:
    value = getattr(spindle, name)
    if not callable(value):
        says = _beside(module).get(name) or getattr(value, "notes", "") or import_module(module).__doc__ or ""
        written = f"{name} = {value}" if isinstance(value, PLAIN) else f"{name}: {type(value).__name__}"
        return ReferenceEntry(name, module, written, _paragraphs(says), (), ())
    says = _beside(module).get(name) or value.__doc__ or ""
    own = "" if says.startswith(f"{name}(") else says  # what a dataclass makes up
    arguments = () if isinstance(value, type) and issubclass(value, Enum) else tuple(_arguments(value))
    signature = f"{name}({', '.join(each.name for each in arguments)})"
    return ReferenceEntry(name, module, signature, _paragraphs(own), arguments, tuple(_members(value)))


@cache
def _beside(module: str) -> Mapping[str, str]:
    """The strings that stand below what is assigned in *module*, by its name."""
    body = ast.parse(Path(str(import_module(module).__file__)).read_text("utf-8")).body
    says: dict[str, str] = {}
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and isinstance(after.value, ast.Constant):
                says[target.id] = str(after.value.value)
    return says


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(each.split()) for each in inspect.cleandoc(text).split("\n\n") if each.strip())


def _arguments(value: Any) -> Iterator[Argument]:
    for each in _signature(value):
        stars = "*" * (each.kind is Parameter.VAR_POSITIONAL) + "**" * (each.kind is Parameter.VAR_KEYWORD)
        default = "" if each.default is Parameter.empty else _default(each.default)
        yield Argument(stars + each.name, _kind(each.annotation), default)


def _signature(value: Any) -> list[Parameter]:
    try:
        return list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return []


def _kind(annotation: Any) -> str:
    if annotation is Parameter.empty:
        return ""
    return MODULE.sub("", annotation.__name__ if isinstance(annotation, type) else str(annotation))


def _default(value: object) -> str:
    return repr(value) if isinstance(value, PLAIN) else str(label(value))


def _members(value: Any) -> Iterator[Member]:
    """The public methods and properties that say what they are for, and the members of an enumeration."""
    if not isinstance(value, type):
        return
    if issubclass(value, Enum):
        yield from (Member(each.name, "", "") for each in value)
        return
    for name, each in vars(value).items():
        says = inspect.getdoc(each) if inspect.isfunction(each) or isinstance(each, property) else None
        if says and not name.startswith("_"):
            given = [every.name for every in _signature(each)[1:]] if inspect.isfunction(each) else None
            yield Member(name, "" if given is None else f"({', '.join(given)})", " ".join(_paragraphs(says)))
