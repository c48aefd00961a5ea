"""The site as a folder: a front page that leads to the report, notebooks, reference and the page to play with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from pygments.formatters import HtmlFormatter

from models.hp3000.run import run
from models.moving.filming import filmed
from models.moving.page import within
from models.site.lessons import Lesson
from sim.output.files import write_within
from sim.report import report
from sim.study.system import System

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
    return filmed(lambda watch: run(TERMINALS, minutes=10.0, warm_up=0.0, watch=watch), title, BEGIN, SECONDS)
