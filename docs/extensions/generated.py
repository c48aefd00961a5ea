"""Directives for what Spindle says of itself: commands, parameters, parts, measures, public names, pages, notebooks.

They read the program when the pages are built, so that no list is written twice.
"""

import contextlib
import inspect
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path, PurePosixPath
from shlex import split

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

import spindle
from spindle import MODULES
from spindle.cli.main import COMMAND_GROUPS, main
from spindle.measures import SHORT_NAMES, find_measure, names
from spindle.questions.settings import SHOWN_DIGITS
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.parameter import describe
from spindle.sim.quantity import quantity
from spindle.systems import find_system

ROOT = Path(__file__).parents[2]
RELATIVE_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")
PICTURE = re.compile(r"(!\[[^\]]*\])\((?!https?:)([^)]*)\)")
NAME_GROUPS: Mapping[str, Sequence[str]] = {
    "Ask a question": ("spindle.ask", "spindle.citation", "spindle.studies.plots"),
    "Build and run a computer": (
        "spindle.sim.computer", "spindle.sim.machine", "spindle.sim.measure", "spindle.sim.error"),
    "Say what users do": ("spindle.sim.script", "spindle.sim.terminal", "spindle.sim.streams"),
    "Choose or describe a drive": ("spindle.sim.disc", "spindle.sim.part_forms"),
    "Add caches and files": ("spindle.sim.cache", "spindle.sim.memory", "spindle.sim.request"),
    "Choose what leaves a cache": ("spindle.sim.eviction",),
    "Add processors and locks": ("spindle.sim.cpu", "spindle.sim.lock", "spindle.sim.clock"),
    "Units and theory": ("spindle.sim.units", "spindle.studies.theory"),
}
"""The groups of public names, and the modules whose names stand in each."""
FIRST = ("simulate", "sweep", "find", "replay", "curve", "Computer", "Drive")
"""Names that stand first in their groups."""
SHOWN = {
    "list": "", "run": "hp3000 --terminals 5 --minutes 1", "explain": "response_p99", "cite": "sieve",
    "curve": "examples/trace.csv --policy lru,belady --sizes 16,64", "replay": "examples/trace.csv --drive hp7933",
    "load": "--iops 20 --requests 200", "characterise": "examples/trace.csv",
    "kv": "examples/prompts.jsonl --model llama-3.1-8b --gpus 1 --hbm 1G --dram 16G",
    "sweep": "hp3000 --terminals 10,40 --minutes 1 --seeds 2 --workers 1",
}
"""What follows a command whose output stands below its help."""
OPTION = re.compile(r"^(  (?:-\w, )?)(--[\w-]+)", re.MULTILINE)
FILM = ("run", "hp3000", "--terminals", "63", "--minutes", "2.2", "--warm-up", "0", "--window", "123s:5s", "--html")
"""The moving picture of the first page: all work at once, so that the cache still grows, and all drives are busy."""


def generated(lines: Callable[[SphinxDirective], Iterator[str]]) -> type[SphinxDirective]:
    """Return a directive that stands for the text of *lines*."""

    class Generated(SphinxDirective):
        optional_arguments = 1
        final_argument_whitespace = True

        def run(self) -> list[nodes.Node]:
            self.env.note_reread()  # the program may have changed where the page has not
            return self.parse_text_to_nodes("\n".join(lines(self)), allow_section_headings=True)

    return Generated


def command_help(_: SphinxDirective) -> Iterator[str]:
    """The help of every command, in its groups."""
    for group, commands in COMMAND_GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for name in commands:
            yield f"### spindle {name}\n\n```{{raw}} html\n{linked_help(name)}\n```\n"
            if name in SHOWN:
                yield f"```text\n$ spindle {name} {SHOWN[name]}\n{printed(name, *split(SHOWN[name]))}\n```\n"


def linked_help(command: str) -> str:
    """The help of *command*, in which each option has an address: #curve--policy."""
    text = escape(printed(command, "--help"), quote=False)

    def link(found: re.Match[str]) -> str:
        name = f"{command}{found[2]}"
        return f'{found[1]}<a id="{name}" href="#{name}">{found[2]}</a>'

    return f'<div class="highlight"><pre>{OPTION.sub(link, text)}</pre></div>'


def command_output(directive: SphinxDirective) -> Iterator[str]:
    """Output of the command that is the argument."""
    yield f"```text\n{printed(*directive.arguments[0].split())}\n```"


def printed(*words: str) -> str:
    """The text that ``spindle`` prints for *words*; RuntimeError where it fails."""
    page = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(page):
        if main(words):
            raise RuntimeError(f"spindle {' '.join(words)} failed")
    return page.getvalue().rstrip()


def part_table(directive: SphinxDirective) -> Iterator[str]:
    """The policies or schedulers that have names, and the first paragraph of what each is."""
    yield "| name | class | |\n|---|---|---|"
    for name, each in {"policies": POLICIES, "schedulers": SCHEDULERS}[directive.arguments[0]].items():
        yield f"| `{name}` | `{each.__name__}` | {escaped(inspect.cleandoc(each.__doc__).split(chr(10) * 2)[0])} |"


def parameter_table(directive: SphinxDirective) -> Iterator[str]:
    """The parameters of the system that the argument names."""
    yield "| parameter | value | source | |\n|---|---|---|---|"
    for each in describe(find_system(directive.arguments[0]).parameters):
        value = quantity(each.value, each.unit, SHOWN_DIGITS) if isinstance(each.value, int | float) else each.value
        yield f"| `{each.name}` | {escaped(value)} | {each.kind} | {escaped(each.note)} |"


def drive_sources(_: SphinxDirective) -> Iterator[str]:
    """Sources of the numbers of every drive that has a name."""
    for name, sheet in STORES.items():
        yield f"### `{name}`: {sheet.name}\n\n{sheet.notes}\n\n| number | source | |\n|---|---|---|"
        for number, source in sheet.sources.items():
            yield f"| `{number}` | {source.kind} | {escaped(source.note)} |"
        yield ""


def measure_table(_: SphinxDirective) -> Iterator[str]:
    """Every measure of a run, as ``spindle explain`` defines it."""
    yield "| measure | unit | definition |\n|---|---|---|"
    for name in names():
        measure = find_measure(name.replace("*", "NAME"))
        assert measure is not None
        unit = "" if measure.unit == "1" else measure.unit
        # Words as people call them, too, for the search looks for whole words.
        short = ", ".join(f"`{each}`" for each, full in SHORT_NAMES.items() if full == name)
        yield f"| `{name}`{short and f', {short}'} | {escaped(unit)} | {escaped(measure.says)} |"


def escaped(value: object) -> str:
    """*value* as the cell of a table."""
    return " ".join(str(value).split()).replace("|", r"\|").replace("*", r"\*").replace("<", r"\<")


def public_names(_: SphinxDirective) -> Iterator[str]:
    """The public names by task, each with the first paragraph of its page; for a page in reStructuredText."""
    for group, found in grouped_names().items():
        yield from (group, "=" * len(group), "", ".. list-table::", "   :widths: 25 75", "")
        for name in found:
            says = inspect.getdoc(getattr(spindle, name)) if callable(getattr(spindle, name)) else ""
            first = " ".join((says or "").split("\n\n")[0].split())
            yield from (f"   * - :doc:`api/{name}`", f"     - {first}")
        yield ""
    yield from (".. toctree::", "   :hidden:", "", *(f"   api/{name}" for name in MODULES))


def grouped_names() -> Mapping[str, Sequence[str]]:
    group_of = {module: group for group, modules in NAME_GROUPS.items() for module in modules}
    grouped: dict[str, list[str]] = {group: [] for group in NAME_GROUPS}
    for name in (*FIRST, *sorted(MODULES.keys() - {*FIRST}, key=str.lower)):
        grouped[group_of[".".join(MODULES[name].split(".")[:3])]].append(name)
    return grouped


def write_names(app: Sphinx) -> None:
    """Write a page for each public name; those that are as they should be stay, so that they are not read again."""
    folder = Path(app.srcdir) / "reference" / "api"
    folder.mkdir(exist_ok=True)
    for name in MODULES:
        text, path = "\n".join([name, "=" * len(name), "", *autodoc(name), ""]), folder / f"{name}.rst"
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def autodoc(name: str) -> Sequence[str]:
    """The directive for a public name; a constant has the string that stands below it."""
    value = getattr(spindle, name)
    if not callable(value):
        says = ModuleAnalyzer.for_module(MODULES[name]).find_attr_docs().get(("", name), [getattr(value, "notes", "")])
        return f".. py:data:: spindle.{name}", "", *(f"   {line}" for line in says), ""
    if isinstance(value, type):
        return f".. autoclass:: spindle.{name}", "   :members:", ""
    return f".. autofunction:: spindle.{name}", ""


def checkout_page(directive: SphinxDirective) -> Iterator[str]:
    """A page of the checkout with its pictures, and its links to other files as plain text."""
    page = ROOT / directive.arguments[0]
    here = Path(directive.env.doc2path(directive.env.docname)).parent

    def picture(found: re.Match[str]) -> str:
        return f"{found[1]}({os.path.relpath(page.parent / found[2], here)})"

    yield RELATIVE_LINK.sub(r"\1", PICTURE.sub(picture, page.read_text("utf-8")))


def notebook_tree(directive: SphinxDirective) -> Iterator[str]:
    """The notebooks of the pattern that the argument is, as a table of contents; a sentence where none is built."""
    names = sorted(name for name in directive.env.found_docs if PurePosixPath(name).match(directive.arguments[0]))
    shown = ("```{toctree}", ":maxdepth: 1", *(f"/{name}" for name in names), "```")
    yield from shown if names else ("`make site` shows these, executed, which takes some minutes.",)


def write_film(app: Sphinx) -> None:
    """Make the moving picture of the first page, beside it."""
    path = Path(app.outdir) / "hp3000.html"
    if not path.is_file():
        printed(*app.config.film.split(), str(path))


def setup(app: Sphinx) -> dict[str, bool]:
    for lines in (command_help, command_output, part_table, drive_sources, parameter_table, measure_table, public_names,
                  checkout_page, notebook_tree):  # fmt: skip
        app.add_directive(lines.__name__.replace("_", "-"), generated(lines))
    app.add_config_value("film", " ".join(FILM), "html")
    app.connect("builder-inited", write_names)
    app.connect("builder-inited", write_film)
    return {"parallel_read_safe": False}
