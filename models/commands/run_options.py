"""What may be given to a run of a system: the arguments of its ``run``, its parameters, and its parts, by name."""

import argparse
import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import own
from models.commands.arguments import ArgumentParser
from models.settings import Setting, settings_of_parameters, settings_of_run
from sim.disc.sheet_file.sheet import read_sheet
from sim.error import UserError, unknown
from sim.units import Bytes

if TYPE_CHECKING:
    from sim.study.system import System  # which imports pandas and matplotlib, and takes a second

METAVARS = {str: "NAME", Bytes: "BYTES", Path: "FILE"}
SHEET = ".yaml"
"""How the name of a file ends that is the sheet of a drive."""


def settings_of(system: "System") -> dict[str, Setting]:
    """All that ``--set`` takes, but parts by name."""
    return arguments_of(system) | parameters_of(system)


def arguments_of(system: "System") -> dict[str, Setting]:
    """The simple arguments of the system's run."""
    return settings_of_run(system.run)


def parameters_of(system: "System") -> dict[str, Setting]:
    """The system's parameters."""
    return settings_of_parameters(system.parameters)


def add_options(parser: ArgumentParser, system: "System") -> None:
    """An option for each argument of the run and for each part; ``--set NAME=VALUE`` for parameters."""
    signature = inspect.signature(system.run).parameters
    for name, setting in arguments_of(system).items():
        option = "--" + name.replace("_", "-")
        default = signature[name].default
        if setting.kind is bool:
            parser.add_argument(option, action=argparse.BooleanOptionalAction, default=default)
        else:
            auto = ", or auto: MSER-5 finds it" if name == "warm_up" else ""
            usual = "" if default is None else f"default {setting.text(default)}{auto}"
            parser.add_argument(option, metavar=METAVARS.get(setting.kind, "N"), help=usual)
    for part, choices in system.parts.items():
        names = [*choices, *own.installed(part), *([f"FILE{SHEET}"] if part == "drive" else [])]
        names += ["FILE.py:NAME"] if part in own.GROUPS else []
        parser.add_argument("--" + part.replace("_", "-"), metavar="NAME", help=" | ".join(names))
    parser.add_argument("--seed", default="1", help="default 1; the same seed gives the same run")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, see: spindle parameters"
    )


def run_arguments(system: "System", options: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments of a run from *options*."""
    arguments: dict[str, Any] = {"seed": options.seed}
    for name, setting in arguments_of(system).items():
        text = getattr(options, name)
        if text is not None:
            arguments[name] = text if isinstance(text, bool) else setting.read(name, text)
    return arguments | parts(system, vars(options)) | settings(system, options.set)


def parts(system: "System", names: Mapping[str, Any]) -> dict[str, Any]:
    """The ``choices`` of a run with the parts that are *names* by name; nothing where none is."""
    choice = {part: named(part, names[part], choices) for part, choices in system.parts.items()
              if names.get(part) is not None}
    return {"choices": system.choose(**choice)} if choice else {}


def part_names(system: "System", options: argparse.Namespace) -> dict[str, str]:
    """The names of the parts in *options*, for the parameters of a result."""
    return {part: name for part in system.parts if (name := getattr(options, part)) is not None}


def named(part: str, name: str, choices: Mapping[str, Any]) -> Any:
    """The choice called *name*, one of a user's own, or the drive whose sheet is the file of that name."""
    if part == "drive" and name.endswith(SHEET):
        return read_sheet(Path(name)).disc
    return own.part(part, name, choices)


def settings(system: "System", pairs: Sequence[str]) -> dict[str, Any]:
    """``NAME=VALUE`` pairs as values of the types that the parameters have."""
    known = parameters_of(system)
    values: dict[str, Any] = {}
    for name, text in map(split, pairs):
        if name not in known:
            raise unknown("parameter", name, known)
        if name in values:
            raise UserError(f"--set {name} is given twice")
        values[name] = known[name].read(name, text)
    return values


def split(pair: str) -> tuple[str, str]:
    name, equals, text = pair.partition("=")
    if not equals or not name or not text:
        raise UserError(f"--set takes NAME=VALUE, not {pair!r}")
    return name, text
