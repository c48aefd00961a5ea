"""The site as a folder: a front page that leads to the report, notebooks, reference and the page to play with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from pygments.formatters import HtmlFormatter

from models.moving.page import within
from models.site.front import CAPTION, WATCH, front_film
from models.site.lessons import Lesson
from sim.output.files import write_whole
from sim.report import report
from sim.study.system import System

COLOURS = HtmlFormatter(style="default").get_style_defs(".highlight")
COURSE = "course"


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
            write_whole(folder / path.relative_to(results), path.read_bytes())


def write_lessons(folder: Path, lessons: Iterable[Lesson]) -> list[Lesson]:
    """Write each as a page, and return them."""
    written = []
    for lesson in lessons:
        up = "../" * (len(lesson.path.parts))
        _write(folder / lesson.page, title=lesson.title, body=lesson.body, colours=COLOURS, up=up)
        written.append(lesson)
    return written


def write_front(folder: Path, made: Made) -> Path:
    path = folder / "index.html"
    taught = [each for each in made.lessons if each.path.parent.name == COURSE]
    other = [each for each in made.lessons if each not in taught]
    _write(path, title="Spindle", made=made, notebooks=other, course=taught, moving=within(front_film()),
           caption=CAPTION, watch=WATCH, up="")  # fmt: skip
    return path


def _write(path: Path, **given: Any) -> None:
    write_whole(path, _template().render(**given).encode("utf-8"))


def _template() -> jinja2.Template:
    folders = [Path(__file__).parent, Path(report.__file__).parent]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folders), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True)  # fmt: skip
    return environment.get_template("site.html")


