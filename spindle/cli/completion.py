"""Completes words of a ``spindle`` line in a shell, by argcomplete: commands, options, systems, studies, settings."""

import argparse
import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spindle.cli.arguments import ArgumentParser
    from spindle.system import System

FIELD_PREFIX, SYSTEM_PREFIX = "of_run_", "of_system_"
"""Prefixes of the attributes in which a parser keeps the text of an option: of a command's field, of a system's."""
COMMANDS_ON_SYSTEMS = ("list", "run", "experiment", "sweep", "find", "claims", "sensitivity", "ensemble", "parameters")
"""Commands whose first word names a system."""


def complete(commands: Mapping[str, Sequence[str]]) -> int:
    """Print the words that may follow for the shell; none if the words so far are wrong.

    The module of a command is imported only if neither a command nor a system is asked for.
    """
    from argcomplete.lexers import split_line

    line, point = os.environ.get("COMP_LINE", ""), os.environ.get("COMP_POINT", "0")
    _, _, _, words, _ = split_line(line, int(point))
    try:
        if len(words) == 1:
            _first(commands, ("--help", "--version"))
        elif words[1] in commands:
            os.environ["_ARGCOMPLETE"] = "2"  # the word of the line with which the program begins
            if len(words) == 2 and words[1] in COMMANDS_ON_SYSTEMS:
                _first(_systems())
            from spindle.cli.arguments import ArgumentParser

            ArgumentParser.read_first = _offer
            module, function, _ = commands[words[1]]
            getattr(import_module(f"spindle.cli.{module}"), function)(words[2:])  # ArgumentParser.take ends it
    except (Exception, SystemExit):
        pass  # what is wrong is said when the line is entered
    return 1


def _offer(parser: "ArgumentParser") -> None:
    """End the process with the words that may follow in the line of *parser*."""
    import argcomplete

    command = parser.command
    completers: dict[str, Callable[[Namespace], Iterable[str]]] = {
        "system": lambda given: _systems(), "name": _numbers if command == "find" else _studies,
        **dict.fromkeys(("set", "against", "latin", "sobol"), _settable),
        **{kind: partial(_parts, kind) for kind in ("drive", "scheduler", "policy", "bus")},
        "orders": partial(_parts, "scheduler"),
    }  # fmt: skip
    for action in parser._actions:
        of_system = action.dest.startswith(SYSTEM_PREFIX)
        words = _values(action) if of_system else completers.get(action.dest.removeprefix(FIELD_PREFIX).rstrip("_"))
        if words is not None:
            vars(action)["completer"] = partial(_complete_list, words)
    argcomplete.autocomplete(parser, always_complete_options="long", print_suppressed=True)


def _complete_list(
    words: Callable[[Namespace], Iterable[str]], prefix: str, parsed_args: Namespace, **_: Any
) -> list[str]:
    """Return the *words* of an option, each after those that a list already has."""
    before = prefix.rpartition(",")[0]
    return [f"{before},{word}" if before else word for word in words(parsed_args)]


def _values(action: argparse.Action) -> Callable[[Namespace], Iterable[str]] | None:
    """Return a function that lists the words a setting of a run may be; None for a number or a file."""

    def words(given: Namespace) -> list[str]:
        from spindle.questions.settings import PartSetting
        from spindle.studies.settings import settings_of

        setting = settings_of(_system_in(given))[action.dest.removeprefix(SYSTEM_PREFIX)]
        return [*setting.choices, *_own_parts(setting.part)] if isinstance(setting, PartSetting) else []

    if action.metavar == "BOOL":
        return lambda given: ["true", "false"]
    return words if action.metavar == "NAME" else None


def _parts(kind: str, _: Namespace) -> list[str]:
    """List the parts of a *kind* by name; for drives, the drive files in the working directory as well."""
    from spindle.sim.disc.registry import BUSES, SCHEDULERS, STORES
    from spindle.sim.eviction.registry import POLICIES

    known: dict[str, Iterable[str]] = {"drive": STORES, "scheduler": SCHEDULERS, "policy": POLICIES, "bus": BUSES}
    return [*known[kind], *_own_parts(kind)]


def _own_parts(kind: str) -> list[str]:
    """List the parts of a *kind* that installed packages offer, and for drives the drive files in this folder."""
    from spindle.sim.offers import installed_parts

    sheets = sorted(path.name for path in Path().glob("*.yaml")) if kind == "drive" else []
    return [*installed_parts(kind), *sheets]


def _first(words: Iterable[str], options: Sequence[str] = ()) -> None:
    """Complete a word, which must be one of *words* or of *options*."""
    import argcomplete

    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("word", choices=list(words))
    for option in options:
        parser.add_argument(option)
    argcomplete.autocomplete(parser)


def _systems() -> list[str]:
    from spindle.systems import MACHINE, installed_systems, system_names

    return [*system_names(), MACHINE, *installed_systems()]


def _system_in(given: Namespace) -> "System":
    """Return the system that the line names so far."""
    from spindle.systems import find_system

    return find_system(getattr(given, f"{FIELD_PREFIX}system"))


def _studies(given: Namespace) -> list[str]:
    return [study.name for study in _system_in(given).studies if study.figure is not None]


def _numbers(given: Namespace) -> list[str]:
    from spindle.studies.settings import settings_of

    return [name for name, setting in settings_of(_system_in(given)).items() if setting.is_number]


def _settable(given: Namespace) -> Iterator[str]:
    """Return NAME= for every setting of the system, for options such as --set."""
    from spindle.studies.settings import settings_of

    return (f"{name}=" for name in settings_of(_system_in(given)))
