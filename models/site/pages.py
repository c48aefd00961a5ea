"""The site as a folder: a front page that leads to the report, notebooks, reference and the page to play with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from pygments.formatters import HtmlFormatter

from models.reference.pages import write_reference
from models.site.lessons import Lesson
from sim.output.files import write_whole
from sim.report import report
from sim.study.system import System

COLOURS = HtmlFormatter(style="default").get_style_defs(".highlight")
COURSE = "course"
HERO = Path("hp3000/response_vs_terminals.png")


@dataclass(frozen=True)
class Made:
    """What the front page leads to: pages by title, in the order of the site."""

    lessons: Sequence[Lesson]
    systems: Sequence[System]
    playable: bool
    hero: bool


def write_results(folder: Path, results: Path) -> bool:
    """Copy the report and its tables from *results*; whether the picture of the front page is among them."""
    for path in (results / "report.html", *sorted(results.glob("*/*.csv")), results / "claims.csv", results / HERO):
        if path.is_file():
            write_whole(folder / path.relative_to(results), path.read_bytes())
    return (folder / HERO).is_file()


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
    _write(path, title="Spindle", made=made, notebooks=other, course=taught, hero=HERO.as_posix() if made.hero else "",
           up="")  # fmt: skip
    return path


def write_names(folder: Path, systems: Sequence[System]) -> None:
    write_reference(folder / "reference", systems)


def _write(path: Path, **given: Any) -> None:
    write_whole(path, _template().render(**given).encode("utf-8"))


def _template() -> jinja2.Template:
    folders = [Path(__file__).parent, Path(report.__file__).parent]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folders), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True)  # fmt: skip
    return environment.get_template("site.html")


