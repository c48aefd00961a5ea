"""Options of a command that can write a moving picture of its run: the file, and which part of the run it shows."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli.arguments import ArgumentParser, or_default
from spindle.output.files import write_whole
from spindle.sim.error import UserError

if TYPE_CHECKING:
    from spindle.web.moving.film import FilmTrace
    from spindle.web.moving.filming import Filmed

HTML = "html"
OPENS = "a browser opens it"
USUAL_WINDOW = "0:20"
"""Begin and seconds."""


def add_window(parser: ArgumentParser) -> None:
    parser.add_argument(f"--{HTML}", metavar="FILE.html", help="a moving picture of it, as one page for a browser")
    parser.add_argument("--window", metavar="BEGIN:SECONDS", help=f"which part of the run --{HTML} shows: 2min:30s; "
                        f"default {USUAL_WINDOW}")  # fmt: skip


def film_of(options: Namespace) -> "Filmed | None":
    """The observer of a run for the moving picture that is wanted, if one is."""
    if (seen := _window(options)) is None:
        return None
    from spindle.web.moving.filming import Filmed

    return Filmed(*seen)


def trace_of(options: Namespace) -> "FilmTrace | None":
    """The trace of a replay for the moving picture that is wanted, if one is."""
    if (seen := _window(options)) is None:
        return None
    from spindle.sim.measure.tracing.drives import nanoseconds
    from spindle.web.moving.film import FilmTrace

    return FilmTrace(nanoseconds(seen[0]), nanoseconds(sum(seen)))


def _window(options: Namespace) -> tuple[float, float] | None:
    if options.html is None:
        if options.window is not None:
            raise UserError(f"--window is for --{HTML}")
        return None
    from spindle.web.moving.filming import read_window

    return read_window("--window", or_default(options.window, USUAL_WINDOW))


def write_film(path: Path | None, film: Mapping[str, Any]) -> None:
    if path is not None:
        from spindle.web.moving.film import moving_page

        write_whole(path, moving_page(film).encode("utf-8", "replace"))
