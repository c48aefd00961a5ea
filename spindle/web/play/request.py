"""Reads and checks a request of the page (PlayRequest): a system, settings, varied values, seeds and scripts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spindle.sim.error import UserError, check_known, known_choice
from spindle.sim.json_text import read_json
from spindle.sim.parameter import change
from spindle.studies.idle import idle_notes
from spindle.system import Files, System
from spindle.systems import played_system

MAX_REQUEST_CHARACTERS = 1 << 20
"""Most characters of a request in JSON."""
MAX_VALUES, MAX_SEEDS = 40, 10
"""Most values of the varied setting, and most seeds."""
FIRST_SEEDS = 3
"""Seeds of the question that a system opens with."""


@dataclass(frozen=True)
class PlayRequest:
    """A request for runs of a *system*, *seeds* at each of *values* of the setting *vary*, or at one point without it.

    *given* are settings by name, as words of a command line; *files* are those of a script. For a single run, *seed* is
    its seed, and *window* the part that a moving picture shows, as 2min:30s.
    """

    system: str
    given: Mapping[str, str] = field(default_factory=dict)
    vary: str = ""
    values: Sequence[str] = ()
    seeds: int = 1
    seed: int = 1
    files: Files = field(default_factory=dict)
    window: str = ""

    @classmethod
    def read(cls, text: str) -> "PlayRequest":
        """Read the request in JSON; UserError if it is invalid, or has an unknown name."""
        if len(text) > MAX_REQUEST_CHARACTERS:
            raise UserError(f"a request has at most {MAX_REQUEST_CHARACTERS} characters")
        try:
            content = read_json(text)
        except UserError:
            raise
        except (ValueError, RecursionError):
            raise UserError("a request is JSON") from None
        if not isinstance(content, dict) or not set(content) <= set(cls.__dataclass_fields__):
            raise UserError(f"a request has {', '.join(cls.__dataclass_fields__)}, and nothing else")
        request = cls(**{"system": "", **content})
        request._check()
        return request

    def _check(self) -> None:
        if not all(isinstance(each, str) for each in (self.system, self.vary, self.window)):
            raise UserError("system, vary and window are texts")
        for texts in (self.given, self.files):
            if not isinstance(texts, dict) or not all(isinstance(each, str) for each in texts.values()):
                raise UserError("given and files are texts by name")
        if not isinstance(self.values, list | tuple) or not all(isinstance(each, str) for each in self.values):
            raise UserError("values are a list of texts")
        for name, count in (("seeds", self.seeds), ("seed", self.seed)):
            if not isinstance(count, int) or not 1 <= count <= MAX_SEEDS:
                raise UserError(f"{name} must be a whole number from 1 to {MAX_SEEDS}, not {count!r}")
        if self.vary and not 1 <= len(self.values) <= MAX_VALUES:
            raise UserError(f"{self.vary} must take 1 to {MAX_VALUES} values, not {len(self.values)}")
        if self.vary in self.given:
            raise UserError(f"{self.vary} is varied, and cannot be given as well")

    @property
    def machine(self) -> System:
        return played_system(self.system)

    def points(self) -> list[dict[str, str]]:
        """Return the settings of each run, without its seed; UserError for a wrong name or value."""
        points = [{**self.given, self.vary: value} for value in self.values] if self.vary else [dict(self.given)]
        for point in points:
            self.check(point)
        return points

    def notes(self) -> list[str]:
        """Return a sentence on each setting that changes nothing at any point."""
        given = {name: [text] for name, text in self.given.items()}
        texts = {**given, **({self.vary: self.values} if self.vary else {})}
        machine = self.machine
        axes = {name: [_value(machine, name, each) for each in some] for name, some in texts.items()}
        return idle_notes(machine, axes)

    def check(self, point: Mapping[str, str]) -> None:
        machine, ready = self.machine, self.arguments(point)
        known = [name for name in ready if hasattr(machine.parameters, name) and name not in machine.offer.places]
        change(machine.parameters, **{name: ready[name] for name in known})

    def arguments(self, point: Mapping[str, str]) -> dict[str, Any]:
        """Return the keyword arguments of the run at *point*."""
        machine = self.machine
        ready: dict[str, Any] = {name: _value(machine, name, text) for name, text in point.items()}
        chosen = {name: ready.pop(name) for name in list(ready) if name in machine.parts}
        if chosen:
            ready["choices"] = machine.choose(**chosen)
        if not self.files:
            return ready
        if machine.language is None:
            raise UserError(f"{self.system} takes no scripts")
        check_files(self.files)
        return machine.language.arguments(self.files, ready)


def _value(machine: System, name: str, text: str) -> Any:
    check_known("setting", machine.names, name)
    words = machine.menu(name)
    if not words:
        return machine.settings[name].read(name, text)
    return known_choice(name, words, text)


MAX_SCRIPT_FILES, MAX_SCRIPT_CHARACTERS = 20, 64 * 1024
"""Most files of a script, and most characters of each."""
FILE_NAME = re.compile(r"\w[\w.-]{0,60}")
"""Matches a name that a file of a script may have."""


def check_files(files: Files) -> None:
    """Raise UserError for a wrong name, for too many *files*, or for one that is too long."""
    if not 1 <= len(files) <= MAX_SCRIPT_FILES:
        raise UserError(f"a script has 1 to {MAX_SCRIPT_FILES} files, not {len(files)}")
    for name, text in files.items():
        if not FILE_NAME.fullmatch(name):
            raise UserError(f"{name[:60]!r} is no name of a script's file")
        if len(text) > MAX_SCRIPT_CHARACTERS:
            raise UserError(f"{name}: a script on the page has at most {MAX_SCRIPT_CHARACTERS} characters")
