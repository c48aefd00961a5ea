"""Directives for what Spindle says of itself: commands, parameters, measures, public names, pages of the checkout.

They read the program when the pages are built, so that no list is written twice.
"""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import spindle
from spindle.cli.main import GROUPS, main
from spindle.measures import find_measure, names
from spindle.settings import DIGITS
from spindle.sim.parameter import describe
from spindle.sim.quantity import quantity
from spindle.systems import find_system
from spindle.web.reference import pages

ROOT = Path(__file__).parents[2]
RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n", re.MULTILINE)


class Generated(SphinxDirective):
    """A directive that stands for the text of ``lines``."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(self.lines()), allow_section_headings=True)

    def lines(self) -> Iterator[str]:
        raise NotImplementedError


class CommandHelp(Generated):
    """The help of every command, in its groups."""

    def lines(self) -> Iterator[str]:
        for group, commands in GROUPS.items():
            yield f"## {group.capitalize()}\n"
            for name in commands:
                yield f"### spindle {name}\n\n```text\n{help_of(name)}\n```\n"


def help_of(command: str) -> str:
    """The text of ``spindle COMMAND --help``."""
    page = io.StringIO()
    with contextlib.redirect_stdout(page):
        main([command, "--help"])
    return page.getvalue().rstrip()


class ParameterTable(Generated):
    """The parameters of the system that the argument names."""

    def lines(self) -> Iterator[str]:
        yield "| parameter | value | source | |\n|---|---|---|---|"
        for each in describe(find_system(self.arguments[0]).parameters):
            value = quantity(each.value, each.unit, DIGITS) if isinstance(each.value, int | float) else each.value
            yield f"| `{each.name}` | {escaped(value)} | {each.kind} | {escaped(each.note)} |"


class MeasureTable(Generated):
    """Every measure of a run, as ``spindle explain`` defines it."""

    def lines(self) -> Iterator[str]:
        yield "| measure | unit | definition |\n|---|---|---|"
        for name in names():
            measure = find_measure(name.replace("*", "NAME"))
            assert measure is not None
            unit = "" if measure.unit == "1" else measure.unit
            yield f"| `{name}` | {escaped(unit)} | {escaped(measure.says)} |"


def escaped(value: object) -> str:
    """*value* as the cell of a table."""
    return " ".join(str(value).split()).replace("|", r"\|").replace("*", r"\*").replace("<", r"\<")


class PublicNames(Generated):
    """The public names in their groups, by autodoc; for a page in reStructuredText."""

    def lines(self) -> Iterator[str]:
        for group, entries in pages.entries().items():
            yield from (group, "=" * len(group), "")
            for each in entries:
                yield from autodoc(each.name)


def autodoc(name: str) -> tuple[str, ...]:
    """The directive for a public name."""
    value = getattr(spindle, name)
    if not callable(value):
        return f".. autodata:: spindle.{name}", "   :no-value:", ""
    if isinstance(value, type):
        return f".. autoclass:: spindle.{name}", "   :members:", ""
    return f".. autofunction:: spindle.{name}", ""


class CheckoutPage(Generated):
    """A page of the checkout, its pictures left out and its links to other files as plain text."""

    def lines(self) -> Iterator[str]:
        text = (ROOT / self.arguments[0]).read_text("utf-8")
        yield RELATIVE_LINK.sub(r"\1", PICTURE.sub("", text))


def setup(app: Sphinx) -> dict[str, bool]:
    for name, directive in {
        "command-help": CommandHelp, "parameter-table": ParameterTable, "measure-table": MeasureTable,
        "public-names": PublicNames, "checkout-page": CheckoutPage,
    }.items():  # fmt: skip
        app.add_directive(name, directive)
    return {"parallel_read_safe": False}
