"""``spindle play``: makes a page whose simulated machines run in a browser, and serves it to this machine alone."""

import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.fields import take_fields
from spindle.cli.named_files import folder
from spindle.cli.printing import finish
from spindle.folders import RESULTS
from spindle.questions.field import ask

if TYPE_CHECKING:
    from spindle.system import System

USUAL_FOLDER = RESULTS / "play"
"""The folder in which the page is made, unless --out names another."""
USUAL_PORT = 8047
"""The TCP port on which the page is served, unless --port names another."""
FIRST_MACHINE = "hp3000"
"""The system that the page shows first."""

@dataclass(frozen=True)
class PlayOptions:
    """Options of ``spindle play``: the folder of the page, and the port on which it is served."""

    out: str = ask(str(USUAL_FOLDER), "folder, made if absent, in which the page is written anew", metavar="DIR")
    port: int = ask(USUAL_PORT, "0 is any that is free", least=0, most=65_535)
    browser: bool = ask(True, "open a browser, and do not only print the address")
    only_make: bool = ask(False, "make the page, and do not serve it")


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("play", PlayOptions, arguments)
    place = folder("--out", asked.out)
    make_page(place)
    if asked.only_make:
        return finish(f"{place}: made; any file server shows it")
    return _serve(place, asked.port, asked.browser)


def make_page(place: Path) -> None:
    """Write the page into the folder *place*, with results of the system that it shows first."""
    from spindle.systems import PLAYED, find_system
    from spindle.web.play.described import describe
    from spindle.web.play.first import first_results
    from spindle.web.play.pages import write_packages, write_pages

    every = [find_system(name) for name in (FIRST_MACHINE, *(each for each in PLAYED if each != FIRST_MACHINE))]
    write_packages(place)
    described = describe(every, {each.name: _order(each) for each in every})
    write_pages(place, {**described, "first": {FIRST_MACHINE: first_results(place, every[0])}})


def _order(system: "System") -> list[str]:
    """Return the parameters of *system*, the largest effects first; none without a kept table of effects."""
    from spindle.cli.judged import last_kept
    from spindle.studies.claims.sensitivity import read_sensitivity
    from spindle.web.play.described import by_importance

    last = last_kept(RESULTS, system, read_sensitivity, "sensitivity.csv")
    return [] if last is None else by_importance(last.frame)


def _serve(place: Path, port: int, browser: bool) -> int:
    from spindle.web.play.server import address, server

    with server(place, RESULTS, port) as serving:
        print(f"{address(serving)}: open it in a browser; Ctrl-C ends it", flush=True)
        if browser:
            webbrowser.open(address(serving))
        with suppress(KeyboardInterrupt):
            serving.serve_forever()
    return finish("")
