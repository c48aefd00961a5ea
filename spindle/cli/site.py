"""``spindle site``: all that there is to read and to play with, as a folder for any file server."""

from collections.abc import Sequence
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, folder
from spindle.cli.notebooks import NOTEBOOKS
from spindle.cli.play import make_page
from spindle.cli.printing import finish
from spindle.cli.results import RESULTS
from spindle.sim.error import UserError, unknown
from spindle.systems import systems
from spindle.web.reference.pages import write_reference
from spindle.web.site.pages import Made, every, lessons, write_front, write_lessons, write_results

ABOUT = """\
A static site: the report, the notebooks with what they print and draw, the reference, the page to play with.
All notebooks together run for some minutes. The page to play with needs npm."""
EXAMPLES = "  spindle site site\n  spindle site site --notebooks hp3000,curves --no-play"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("site", ABOUT, EXAMPLES)
    parser.add_argument("folder", metavar="DIR", help="made where it is not there; pages in it are written anew")
    parser.add_argument("--notebooks", metavar="NAME,...", help="default all of them")
    parser.add_argument("--no-play", action="store_true", help="without the page to play with, which needs npm")
    parser.add_argument("--results", metavar="DIR", default=str(RESULTS), help=f"default {RESULTS}")
    options = parser.take(arguments)
    place, results = folder("DIR", options.folder), Path(options.results)
    if not (results / "report.html").is_file():
        raise UserError(f"there is no {results / 'report.html'} to show: spindle report makes it")
    paths, shown = _chosen(options.notebooks), systems(None)
    if not options.no_play:
        make_page(place / "play")
    write_results(place, results)
    write_reference(place / "reference", shown)
    written = write_lessons(place, lessons(NOTEBOOKS, paths))
    front = write_front(place, Made(written, shown, not options.no_play))
    return finish(f"{front}: open it in a browser, or put {place} on a file server")


def _chosen(names: str | None) -> list[Path]:
    by_name = {path.with_suffix("").as_posix(): path for path in every(NOTEBOOKS)}
    if names is None:
        return list(by_name.values())
    for name in names.split(","):
        if name not in by_name:
            raise unknown("notebook", name, by_name)
    return [by_name[name] for name in names.split(",")]
