"""The reference as pages for a browser: one for each group of public names, one for the parameters of each system."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from models.reference.entries import entries
from sim.output.files import write_within
from sim.parameter import Described, describe
from sim.quantity import quantity
from sim.report import report
from sim.study.system import System

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
