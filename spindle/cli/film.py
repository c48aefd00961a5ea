"""Adds options to commands that can write a moving picture of a run: the file, and which part of the run it shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.output.files import write_whole
from spindle.questions.field import ask

if TYPE_CHECKING:
    from spindle.web.moving.film import FilmTrace
    from spindle.web.moving.filming import Filmed

OPENED_BY_BROWSER = "a browser opens it"
"""What opens the file of a moving picture, as the list of written files says."""


@dataclass(frozen=True)
class FilmOptions:
    """Options for a moving picture of the run: the file *html*, none where that is empty, and the *window* shown."""

    html: str = ask("", "a moving picture of it, as one page for a browser", metavar="FILE.html")
    window: str = ask("0:20", "which part of the run --html shows: 2min:30s", metavar="BEGIN:SECONDS", needs=("html",),
                      because="{}")  # fmt: skip

    def film(self) -> "Filmed | None":
        """Return the observer that records a run for the moving picture; None where none is asked for."""
        if not self.html:
            return None
        from spindle.web.moving.filming import Filmed, read_window

        return Filmed(*read_window("--window", self.window))

    def trace(self) -> "FilmTrace | None":
        """Return the trace that records a replay for the moving picture; None where none is asked for."""
        if not self.html:
            return None
        from spindle.sim.measure.tracing.trace import nanoseconds
        from spindle.web.moving.film import FilmTrace
        from spindle.web.moving.filming import read_window

        begin, seconds = read_window("--window", self.window)
        return FilmTrace(nanoseconds(begin), nanoseconds(begin + seconds))


def write_film(path: Path | None, film: Mapping[str, Any]) -> None:
    """Write the page of *film* to *path*, if there is one."""
    if path is not None:
        from spindle.web.moving.film import moving_page

        write_whole(path, moving_page(film).encode("utf-8", "replace"))
