"""Machines for the page of ``spindle play``: Playable, a run with settings, menus, a tour and a language of scripts.

``shipped_system`` makes the System of a shipped machine from its Playable.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

from spindle.questions.settings import Setting, settings_of_parameters, settings_of_run
from spindle.sim.error import unknown
from spindle.sim.measure.result import Result
from spindle.studies.system import LazyStudies, System
from spindle.systems import MACHINE, MODELS, read_card, system_names

Files = Mapping[str, str]
"""The text of each file by its name; the first is the script."""


class ScriptLanguage(Protocol):
    """A language of scripts for a machine's users; *option* is that of ``spindle run``."""

    option: str

    def shipped_files(self) -> Mapping[str, Files]:
        """Return the files of each script that comes with Spindle, by its name."""

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a run of the script in *files* with *given*; UserError with file, line and column."""


SYSTEMS = (*system_names(), MACHINE)
"""The systems on the page: the shipped ones, and the machine from parts."""


WORD = Setting(str)
"""The setting of an argument that is a part, by its name."""


@dataclass(frozen=True)
class Offered:
    """An argument of a run that the page offers, described by *says*, with either *values* for a command line, or
    words.

    The *values* are places of a slider; *words* stand for the values of a menu. True and false need neither. One that
    *is_part* of the machine stands among its parts.
    """

    says: str
    values: Sequence[str] = ()
    words: Mapping[str, Any] = field(default_factory=dict)
    is_part: bool = False


def words_of(names: Iterable[str]) -> dict[str, str]:
    """The words of a menu that stand for themselves."""
    return {name: name for name in names}


@dataclass(frozen=True)
class Playable:
    """The part of a system that the page needs, and a browser's Python can import: neither studies nor pictures.

    *offered* are arguments of the *run*, *begin* the first settings that differ from its defaults, *vary* the setting
    that is varied at first, with its values, *curves* the measures of the two curves, and *window* the part of a run
    that a moving picture shows at first. *tour* has questions of the paper: what is varied, its values with commas, and
    what else is set. *text* writes a machine with the settings given as a file of Python.
    """

    run: Callable[..., Result]
    parameters: Any
    offered: Mapping[str, Offered]
    begin: Mapping[str, str]
    vary: tuple[str, Sequence[str]]
    curves: tuple[str, str]
    window: str
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choose: Callable[..., Any] = dict
    scripts: ScriptLanguage | None = None
    tour: Mapping[str, tuple[str, str, Mapping[str, str]]] = field(default_factory=dict)
    text: Callable[[Mapping[str, Any]], str] | None = None

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """The arguments that are offered, and all parameters."""
        arguments = settings_of_run(self.run)
        offered = {name: arguments.get(name, WORD) for name in self.offered}
        return {**offered, **settings_of_parameters(self.parameters)}

    @property
    def names(self) -> list[str]:
        """All that may be set."""
        return [*self.settings, *self.parts]

    def words(self, name: str) -> Mapping[str, Any]:
        """The words that *name* may be, with what they stand for; none where it is a number."""
        return self.parts[name] if name in self.parts else self.offered[name].words if name in self.offered else {}


def shipped_system(
    name: str, model: int, machine: Playable, says: Mapping[str, str] | None = None, **others: Any,
) -> System:  # fmt: skip
    """The system of the folder *name* below models: its card, claims and studies, and the run and parts of *machine*.

    *says* has the help texts of arguments that the page does not offer, or offers in other words; *others* are the
    remaining fields of the System.
    """
    card = read_card(name)
    helps = {each: offered.says for each, offered in machine.offered.items()}
    return System(
        name, card.title, machine.run, machine.parameters, card.paper, card.question,
        LazyStudies(f"spindle.models.{name}.studies"), MODELS / name / "claims.toml", machine.parts, machine.choose,
        model=model, says={**helps, **(says or {})}, **others,
    )  # fmt: skip


def playable(system: str) -> Playable:
    """Return the Playable of *system*, which is imported only now."""
    if system not in SYSTEMS:
        raise unknown("machine", system, SYSTEMS)
    module = "spindle.machine.play" if system == MACHINE else f"spindle.models.{system}.system"
    machine = import_module(module).PLAYABLE
    assert isinstance(machine, Playable)
    return machine
