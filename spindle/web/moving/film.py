"""Keeps the trace of some seconds of a run in memory (FilmTrace), and makes the page that plays it (moving_page)."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from spindle.sim.measure.tracing.trace import Notes

MAX_VALUES = 200_000
"""Most slices and values of a film, some 15 MB, which a browser shows without a pause."""
MOVE_SLICE = "move"
"""The name of a slice in which an arm moves; afterwards the arm stays where it is."""


class FilmEnds(Exception):
    """Raised in a run when the film has all that it is to show."""


class FilmTrace:
    """Records a run as a TimelineTrace: slices and values between the instants *begin* and *end*, in nanoseconds.

    With *stops*, FilmEnds is raised once, when the clock *now* reaches the end; open slices may still be closed. After
    *most* slices and values the film is *full*, and ends.
    """

    def __init__(self, begin: int, end: int, stops: bool = False, most: int = MAX_VALUES) -> None:
        self.begin_at, self.end_at, self.most = begin, end, most
        self.now: Callable[[], int] = lambda: 0
        self.full = self.over = False
        self._stops = stops
        self._count = 0
        self._tracks: list[dict[str, Any]] = []
        self._open: list[list[tuple[str, int, Notes]]] = []
        self._last_move: dict[int, list[Any]] = {}
        self._last_value: dict[int, int] = {}

    def track(self, name: str, parent: int = 0) -> int:
        self._tracks.append({"name": name, "parent": parent, "rows": []})
        self._open.append([])
        return len(self._tracks)

    def counter(self, name: str, unit: str, parent: int = 0) -> int:
        track = self.track(name, parent)
        self._tracks[track - 1] |= {"unit": unit}
        return track

    def begin(self, track: int, name: str, instant: int, notes: Notes = ()) -> None:
        self._open[track - 1].append((name, instant, notes))

    def end(self, track: int, instant: int) -> None:
        stack = self._open[track - 1]
        name, begin, notes = stack.pop()
        row = [begin, instant, len(stack), name, *([dict(notes)] if notes else [])]
        if instant > self.begin_at and begin < self.end_at:
            self._keep(track, row)
        elif name == MOVE_SLICE and instant <= self.begin_at:
            self._last_move[track] = row
        self._look()

    def value(self, counter: int, instant: int, value: int) -> None:
        if instant <= self.begin_at:
            self._last_value[counter] = value
        elif instant <= self.end_at:
            self._keep(counter, [instant, value])
        self._look()

    def _keep(self, track: int, row: list[Any]) -> None:
        self._tracks[track - 1]["rows"].append(row)
        self._count += 1

    def _look(self) -> None:
        if self._count >= self.most and not self.full:
            self.full, self.end_at = True, min(self.end_at, self.now())
        if self._stops and not self.over and self.now() >= self.end_at:
            self.over = True
            raise FilmEnds

    def finish(self) -> None:
        """Do nothing: the film is complete."""

    def film(self, title: str, end: int, note: str = "") -> dict[str, Any]:
        """Return the film up to the instant *end* as data for the page."""
        for track, row in self._last_move.items():
            self._tracks[track - 1]["rows"].insert(0, row)
        for counter, value in self._last_value.items():
            self._tracks[counter - 1]["rows"].insert(0, [self.begin_at, value])
        return {"title": title, "note": note, "begin": self.begin_at, "end": end, "tracks": self._tracks}


# A film as one page: a moving picture with its style, script and data in one file.

PAGE_FOLDER = Path(__file__).parent / "page"
"""The folder with the script and the style of the page."""
PAGE_SCRIPTS = ("state.js", "draw.js", "panel.js", "view.js", "start.js")
"""Scripts of the page, each after the scripts that it imports."""
SHARED = ("state.js", "draw.js", "panel.js", "view.js", "moving.css")
"""Files of the moving picture that the page of ``spindle play`` needs as well."""
_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
"""Matches the words of a script that are dropped where all scripts are joined into one."""


def moving_page(film: Mapping[str, Any]) -> str:
    """Return the page of *film*. It fetches nothing, runs no other script, and shows words of a trace as text."""
    style = (PAGE_FOLDER / "alone.css").read_text("utf-8") + (PAGE_FOLDER / "moving.css").read_text("utf-8")
    script = "".join(_as_part(PAGE_FOLDER / name) for name in PAGE_SCRIPTS)
    text = json.dumps(film, separators=(",", ":")).replace("<", r"\u003c")
    hashes = {"style_hash": _digest(style), "script_hash": _digest(script)}
    words = {"style": style, "script": script, "film": text, **hashes}
    template = (PAGE_FOLDER / "moving.html").read_text("utf-8")
    return re.sub(r"{{ (\w+) }}", lambda match: words[match[1]], template)


def _as_part(module: Path) -> str:
    """Return the source of *module* without imports and exports, to be joined with others into one script."""
    return _EXPORT.sub("", _IMPORT.sub("", module.read_text("utf-8")))


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
