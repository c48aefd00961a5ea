"""The site as a folder: a front page that leads to the report, notebooks, reference and the page to play with."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import nbformat
from markupsafe import Markup
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

from spindle.output.files import write_within
from spindle.sim.error import UserError
from spindle.studies.report import report
from spindle.studies.system import System
from spindle.systems import find_system
from spindle.web.moving.film import within
from spindle.web.moving.filming import filmed

# Notebooks as pages for a browser: every cell executed, its output below it, its pictures inside the page.

LESSON_SECONDS = 600
"""A cell may take so long."""


@dataclass(frozen=True)
class Lesson:
    """A notebook in *folder*: its *path* there, its first heading, and its cells as HTML."""

    folder: Path
    path: Path
    title: str
    body: Markup

    @property
    def page(self) -> str:
        """Where it stands in the site."""
        return (Path("notebooks") / self.path.with_suffix(".html")).as_posix()


def lessons(folder: Path, paths: list[Path]) -> Iterator[Lesson]:
    """The notebooks *paths* below *folder*, each as soon as it has run. UserError where a cell fails."""
    exporter = HTMLExporter(template_name="basic", embed_images=True, anchor_link_text="")
    for path in paths:
        notebook = nbformat.read(folder / path, as_version=4)
        resources = {"metadata": {"path": str(folder / path.parent)}}
        client = NotebookClient(notebook, timeout=LESSON_SECONDS, resources=resources,
                                extra_arguments=["--log-level=ERROR"])  # fmt: skip
        try:
            client.execute()
        except CellExecutionError as error:
            raise UserError(f"{folder / path}: a cell fails: {str(error).strip().splitlines()[-1]}") from error
        with warnings.catch_warnings(action="ignore"):  # pictures without alternative text: titles are in them
            body, _ = exporter.from_notebook_node(notebook)
        yield Lesson(folder, path, title(notebook), Markup(body))


def title(notebook: nbformat.NotebookNode) -> str:
    """The heading with which a notebook begins."""
    return str(notebook.cells[0].source).splitlines()[0].lstrip("# ")


def every(folder: Path) -> list[Path]:
    """All notebooks below *folder*, those at its top first."""
    paths = [path.relative_to(folder) for path in folder.rglob("*.ipynb") if path.parent.name != ".ipynb_checkpoints"]
    return sorted(paths, key=lambda path: (len(path.parts), path))


COLOURS = HtmlFormatter(style="default").get_style_defs(".highlight")
COURSE = "course"
TERMINALS = 63
BEGIN, SECONDS = 123.0, 5.0
"""Two minutes after all begin to work, at once, so that the cache still grows: seconds in which all drives are busy."""
CAPTION = (
    f"{SECONDS:g} seconds of {TERMINALS} clerks at an HP3000 of 1983, slowed down: six drives, whose arms move and "
    "whose discs turn; the CPU; the lock of the data base; each terminal, by what its user does or waits for; and main "
    "memory, of which the disc cache takes what programs leave."
)
WATCH = f"hp3000?terminals={TERMINALS}&minutes=10&warm_up=0&window={BEGIN:g}s:{SECONDS:g}s"
"""The same on the page to play with."""

INDEX = "index.html"


@dataclass(frozen=True)
class Made:
    """What the front page leads to: pages by title, in the order of the site."""

    lessons: Sequence[Lesson]
    systems: Sequence[System]
    playable: bool


def write_results(folder: Path, results: Path) -> None:
    """Copy the report and its tables from *results*."""
    for path in (results / "report.html", *sorted(results.glob("*/*.csv")), results / "claims.csv"):
        if path.is_file():
            write_within(folder, path.relative_to(results), path.read_bytes())


def write_lessons(folder: Path, lessons: Iterable[Lesson]) -> list[Lesson]:
    """Write each as a page, and return them."""
    written = []
    for lesson in lessons:
        up = "../" * (len(lesson.path.parts))
        _write(folder, lesson.page, title=lesson.title, body=lesson.body, colours=COLOURS, up=up)
        written.append(lesson)
    return written


def write_front(folder: Path, made: Made) -> Path:
    taught = [each for each in made.lessons if each.path.parent.name == COURSE]
    other = [each for each in made.lessons if each not in taught]
    _write(folder, INDEX, title="Spindle", made=made, notebooks=other, course=taught, moving=within(front_film()),
           caption=CAPTION, watch=WATCH, up="")  # fmt: skip
    return folder / INDEX


def _write(folder: Path, name: str | Path, **given: Any) -> None:
    write_within(folder, name, _template().render(**given).encode("utf-8"))


def _template() -> jinja2.Template:
    folders = [Path(__file__).parent, Path(report.__file__).parent]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folders), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True)  # fmt: skip
    return environment.get_template("site.html")


def front_film() -> dict[str, Any]:
    title = f"An HP3000 with {TERMINALS} terminals and disc caching"
    run = find_system("hp3000").run
    return filmed(lambda watch: run(TERMINALS, minutes=10.0, warm_up=0.0, watch=watch), title, BEGIN, SECONDS)
