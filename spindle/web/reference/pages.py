"""The reference as pages for a browser: one for each group of public names, one for the parameters of each system."""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import Parameter
from itertools import pairwise
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

import spindle
from spindle import MODULES
from spindle.output.files import write_within
from spindle.output.text import label
from spindle.sim.parameter import Described, describe
from spindle.sim.quantity import quantity
from spindle.studies.report import report
from spindle.studies.system import System

# What the reference says of each public name, read from its docstring and its signature.

GROUPS: Mapping[str, Sequence[str]] = {
    "Questions": ("spindle.ask", "spindle.studies.plots"),
    "Computers and runs": ("spindle.sim.computer", "spindle.sim.machine", "spindle.sim.measure", "spindle.sim.error"),
    "Loads": ("spindle.sim.script", "spindle.sim.terminal", "spindle.sim.streams"),
    "Drives": ("spindle.sim.disc", "spindle.sim.forms"),
    "Caches and files": ("spindle.sim.cache", "spindle.sim.memory", "spindle.sim.request", "spindle.sim.machine"),
    "Eviction policies": ("spindle.sim.eviction",),
    "Processors and locks": ("spindle.sim.cpu", "spindle.sim.lock", "spindle.sim.clock"),
    "Units and theory": ("spindle.sim.units", "spindle.studies.theory"),
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
    grouped: dict[str, list[ReferenceEntry]] = {group: [] for group in GROUPS}
    group_of = {module: group for group, modules in GROUPS.items() for module in modules}
    for name, module in sorted(MODULES.items(), key=lambda each: each[0].lower()):
        grouped[group_of[".".join(module.split(".")[:3])]].append(_entry(name, module))
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


INDEX = "index.html"
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
CODE = re.compile(r"``(.+?)``|\*(\w+)\*")
INNER = re.compile(r"\b(?:[A-Z][a-z0-9]+){2,}\b")
"""A name in running text that is no ordinary word."""
DIGITS = 6


def write_reference(folder: Path, systems: Sequence[System]) -> list[Path]:
    """Write all pages into *folder*, and return the first and then the others."""
    groups = entries()
    links = {each.name: f"{page_of(group)}#{each.name}" for group, found in groups.items() for each in found}
    contents = [(page_of(each), each) for each in groups] + [(f"{each.name}.html", each.name) for each in systems]
    template = _template(links)
    pages = {INDEX: template.render(title="Reference", contents=contents, groups=groups, page_of=page_of)}
    for group, found in groups.items():
        pages[page_of(group)] = template.render(title=group, contents=contents, entries=found)
    for each in systems:
        rows = _rows(describe(each.parameters))
        pages[f"{each.name}.html"] = template.render(title=each.name, contents=contents, lead=each.title, rows=rows)
    for name, text in pages.items():
        write_within(folder, name, text.encode("utf-8"))
    return [folder / name for name in pages]


def page_of(group: str) -> str:
    return f"{group.lower().replace(' ', '_')}.html"


def _rows(parameters: Iterable[Described]) -> list[tuple[str, str, str, str]]:
    """Name, value with its unit, kind of source, and source."""
    return [(row.name, quantity(row.value, row.unit, DIGITS) if isinstance(row.value, int | float) else str(row.value),
             row.kind, row.note) for row in parameters]  # fmt: skip


def _template(links: Mapping[str, str]) -> jinja2.Template:
    folders = [Path(__file__).parent, Path(report.__file__).parent]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders), autoescape=True, undefined=jinja2.ChainableUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["linked"] = lambda text: _linked(str(text), NAME, links)
    environment.filters["marked"] = lambda text: _marked(str(text), links)
    return environment.get_template("reference.html")


def _marked(text: str, links: Mapping[str, str]) -> Markup:
    """A docstring's paragraph: code in its own letters, arguments in italics, and links to other public names."""
    parts, end = [], 0
    for match in CODE.finditer(text):
        parts.append(_linked(text[end : match.start()], INNER, links))
        parts.append(Markup("<code>{}</code>").format(_linked(match[1], NAME, links)) if match[1]
                     else Markup("<em>{}</em>").format(match[2]))  # fmt: skip
        end = match.end()
    return Markup("").join([*parts, _linked(text[end:], INNER, links)])


def _linked(text: str, names: re.Pattern[str], links: Mapping[str, str]) -> Markup:
    parts, end = [], 0
    for match in names.finditer(text):
        if match[0] in links:
            parts += [escape(text[end : match.start()]),
                      Markup('<a href="{}">{}</a>').format(links[match[0]], match[0])]  # fmt: skip
            end = match.end()
    return Markup("").join([*parts, escape(text[end:])])
