"""A machine as the page of ``spindle play`` has it: its run, and what may be set and varied there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import models
from models.play.scripts import ScriptLanguage
from models.settings import Setting, settings_of_parameters, settings_of_run
from sim.error import unknown
from sim.measure.result import Result

SYSTEMS = tuple(sorted(path.parent.name for path in Path(models.__file__).parent.glob("*/parts.py")))
"""Those that may be played with: whose folder says of which parts they are, and has a ``play.py``."""


@dataclass(frozen=True)
class Offered:
    """An argument of a run that the page offers: what it is, and either *values*, as a command line has them, or words.

    The *values* are places of a slider; *words* stand for the values of a menu. True and false need neither.
    """

    says: str
    values: Sequence[str] = ()
    words: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Playable:
    """What the page needs of a system, and a browser's Python can import: neither studies nor pictures.

    *offered* are arguments of the *run*, *begin* what differs at first from its defaults, *vary* the setting that is
    varied at first, with its values, *curves* the measures of the two curves, and *window* the part of a run that a
    moving picture shows at first. *users* are settings of which a command must name one: where it names none, it runs
    the paper's own case instead of these.
    """

    run: Callable[..., Result]
    parameters: Any
    parts: Mapping[str, Mapping[str, Any]]
    choose: Callable[..., Any]
    offered: Mapping[str, Offered]
    begin: Mapping[str, str]
    vary: tuple[str, Sequence[str]]
    curves: tuple[str, str]
    window: str
    scripts: ScriptLanguage | None = None
    users: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """The arguments that are offered, and all parameters."""
        arguments = settings_of_run(self.run)
        return {**{name: arguments[name] for name in self.offered}, **settings_of_parameters(self.parameters)}

    @property
    def names(self) -> list[str]:
        """All that may be set."""
        return [*self.settings, *self.parts]

    def words(self, name: str) -> Mapping[str, Any]:
        """The words that *name* may be, with what they stand for; none where it is a number."""
        return self.parts[name] if name in self.parts else self.offered[name].words if name in self.offered else {}


def playable(system: str) -> Playable:
    """That of *system*, imported only when it is asked for."""
    if system not in SYSTEMS:
        raise unknown("machine", system, SYSTEMS)
    machine = import_module(f"models.{system}.play").PLAYABLE
    assert isinstance(machine, Playable)
    return machine
