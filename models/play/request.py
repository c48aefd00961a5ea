"""What the page asks for: a machine, what is set, what is varied, how many seeds, and perhaps a script."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.play.playable import Playable, playable
from models.play.scripts import Files, check_files
from sim.error import UserError, unknown
from sim.parameter import changed

MOST_CHARACTERS = 1 << 20
MOST_VALUES, MOST_SEEDS = 40, 10


@dataclass(frozen=True)
class PlayRequest:
    """Runs of a *system*, *seeds* times: at every one of *values* of the setting *vary*, or one if nothing is varied.

    *given* are settings by name, as words of a command line; *files* are those of a script. Of one run alone, *seed* is
    that of it, and *window* the part of it that a moving picture shows, as 2min:30s.
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
        """The request in JSON; UserError where it is none, or names what there is not."""
        if len(text) > MOST_CHARACTERS:
            raise UserError(f"a request has at most {MOST_CHARACTERS} characters")
        try:
            content = json.loads(text)
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
            if not isinstance(count, int) or not 1 <= count <= MOST_SEEDS:
                raise UserError(f"{name} must be a whole number from 1 to {MOST_SEEDS}, not {count!r}")
        if self.vary and not 1 <= len(self.values) <= MOST_VALUES:
            raise UserError(f"{self.vary} must take 1 to {MOST_VALUES} values, not {len(self.values)}")
        if self.vary in self.given:
            raise UserError(f"{self.vary} is varied, and cannot be given as well")

    @property
    def machine(self) -> Playable:
        return playable(self.system)

    def points(self) -> list[dict[str, str]]:
        """What is given to each run, but its seed; UserError where a name or a value is wrong."""
        points = [{**self.given, self.vary: value} for value in self.values] if self.vary else [dict(self.given)]
        for point in points:
            self.check(point)
        return points

    def check(self, point: Mapping[str, str]) -> None:
        machine, ready = self.machine, self.arguments(point)
        known = [name for name in ready if hasattr(machine.parameters, name) and name not in machine.offered]
        changed(machine.parameters, **{name: ready[name] for name in known})

    def arguments(self, point: Mapping[str, str]) -> dict[str, Any]:
        """The keyword arguments of the run at *point*."""
        machine = self.machine
        ready: dict[str, Any] = {name: _value(machine, name, text) for name, text in point.items()}
        chosen = {name: ready.pop(name) for name in list(ready) if name in machine.parts}
        if chosen:
            ready["choices"] = machine.choose(**chosen)
        if not self.files:
            return ready
        if machine.scripts is None:
            raise UserError(f"{self.system} takes no scripts")
        check_files(self.files)
        return machine.scripts.arguments(self.files, ready)


def _value(machine: Playable, name: str, text: str) -> Any:
    if name not in machine.names:
        raise unknown("setting", name, machine.names)
    words = machine.words(name)
    if not words:
        return machine.settings[name].read(name, text)
    if text not in words:
        raise unknown(name, text, words)
    return words[text]
