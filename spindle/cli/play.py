"""``spindle play``: a page where the machines run in a browser, made and served on this machine alone."""

import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, folder
from spindle.cli.printing import finish
from spindle.cli.results import RESULTS, last_kept
from spindle.playable import SYSTEMS
from spindle.questions.words import count
from spindle.studies.claims.sensitivity import read_sensitivity
from spindle.studies.system import System
from spindle.systems import find_system
from spindle.web.play.pages import address, by_importance, describe, server, write_pages

EXAMPLES = """\
  spindle play
  spindle play --port 8100 --no-browser
  spindle play --out site/play --only-make"""
PLACE = RESULTS / "play"
PORT = 8047
MAX_PORT = 65_535
ABOUT = """\
A page on which the machines run, to play with: the same runs as of spindle run, in a browser and offline.
It is made with Pyodide and uPlot, which npm fetches once."""


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("play", ABOUT, EXAMPLES)
    parser.add_argument("--out", metavar="DIR", help="folder, made if absent, in which the page is written anew; "
                        f"default {PLACE}")
    parser.add_argument("--port", metavar="N", default=str(PORT), help=f"default {PORT}; 0 is any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    parser.add_argument("--only-make", action="store_true", help="make the page, and do not serve it")
    options = parser.take(arguments)
    port = count("--port", options.port, 0, MAX_PORT)
    place = folder("--out", PLACE if options.out is None else options.out)
    make_page(place)
    if options.only_make:
        return finish(f"{place}: made; any file server shows it")
    return _serve(place, port, not options.no_browser)


def make_page(place: Path) -> None:
    """Make the page in the folder *place*."""
    every = [find_system(name) for name in SYSTEMS]
    write_pages(place, describe(every, {each.name: _order(each) for each in every}))


def _order(system: System) -> list[str]:
    """Return the parameters of *system* by their effect; none without a table of sensitivity."""
    last = last_kept(RESULTS, system, read_sensitivity, "sensitivity.csv")
    return [] if last is None else by_importance(last.frame)


def _serve(place: Path, port: int, browser: bool) -> int:
    with server(place, RESULTS, port) as serving:
        print(f"{address(serving)}: open it in a browser; Ctrl-C ends it", flush=True)
        if browser:
            webbrowser.open(address(serving))
        with suppress(KeyboardInterrupt):
            serving.serve_forever()
    return finish("")
