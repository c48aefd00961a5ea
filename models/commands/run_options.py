"""The options that run, sweep and find share: one for each name that may be given to a run, and ``--set``."""

import argparse
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from models import own
from models.commands.arguments import ArgumentParser, find_system
from models.commands.settings import (
    PROGRAM,
    SCRIPT,
    SHEET,
    TOGETHER,
    AnySetting,
    PartSetting,
    parameters_of,
    settings_of,
    usual,
    usual_part,
)
from models.settings import Setting
from sim.error import UserError, unknown
from sim.study.system import System
from sim.units import Bytes

METAVARS = {str: "NAME", Bytes: "BYTES", Path: "FILE", bool: "BOOL"}
WRITTEN = ("log",)
"""Arguments of runs that name a file to be written: one run writes it, of many the last would."""
OF = "of_run_"
"""Before the name of a setting, where a parser keeps what was given of it."""
FILES = {SCRIPT: "FILE.tepe", PROGRAM: "FILE.toml"}
FILES_SAY = {
    SCRIPT: "TEPE script, instead of the users that the system has; repeated, scripts run at once",
    PROGRAM: "programs of your own, which a --script may RUN: spindle tepe programs shows how; repeatable",
}


def system_of(parser: ArgumentParser, arguments: Sequence[str]) -> System:
    """The system that *arguments* begin with; without one the *parser* says what there is."""
    parser.add_argument("system", help="see: spindle list; its own options: spindle " f"{parser.command} SYSTEM --help")
    if not arguments or arguments[0] in ("-h", "--help", "--"):
        parser.take(arguments)
    if arguments[0].startswith("-"):
        raise UserError(f"{parser.command}: first comes the system, then options such as {arguments[0]}: "
                        f"spindle {parser.command} SYSTEM ...")  # fmt: skip
    return find_system(arguments[0])


def add_options(parser: ArgumentParser, system: System, without: Collection[str] = ()) -> None:
    """An option for each setting of *system* but those *without*; those of parameters are listed elsewhere."""
    parameters = parameters_of(system)
    known = {name: each for name, each in settings_of(system).items() if name not in without}
    own_words = {name: each for name, each in known.items() if name not in parameters}
    for name, setting in sorted(own_words.items(), key=lambda each: not isinstance(each[1], Setting)):
        _add(parser, name, setting, _help(system, name, setting))
    taken = [each for action in parser._actions for each in action.option_strings]
    options = [name for name in parameters if f"--{_dashed(name)}" not in taken]
    for name in options:
        _add(parser, name, parameters[name], argparse.SUPPRESS)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="the same as --NAME VALUE, for any name that may be set; repeatable")  # fmt: skip
    if options:
        parser.description = (f"{parser.description}\nEach parameter is an option, too, such as "
                              f"--{_dashed(options[0])}: spindle parameters {system.name} lists them.")  # fmt: skip


def _add(parser: ArgumentParser, name: str, setting: AnySetting, says: str) -> None:
    option, dest = f"--{_dashed(name)}", OF + name
    if name in FILES and not isinstance(setting, Setting):
        parser.add_argument(option, dest=dest, action="append", metavar=FILES[name], help=says)
    elif isinstance(setting, Setting) and setting.kind is bool:
        parser.add_argument(option, dest=dest, nargs="?", const="true", metavar="BOOL", help=says)
        parser.add_argument(option.replace("--", "--no-", 1), dest=dest, action="store_const", const="false",
                            help=argparse.SUPPRESS)  # fmt: skip
    else:
        metavar = METAVARS.get(setting.kind, "N") if isinstance(setting, Setting) else "NAME"
        parser.add_argument(option, dest=dest, metavar=metavar, help=says)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _help(system: System, name: str, setting: AnySetting) -> str:
    if isinstance(setting, PartSetting):
        names = [*setting.choices, *own.installed(name), *([f"FILE{SHEET}"] if name == "drive" else [])]
        names += ["FILE.py:NAME"] if name in own.GROUPS else []
        return f"{' | '.join(names)}; default {usual_part(system, name) or 'as the machine has it'}"
    if not isinstance(setting, Setting):
        return FILES_SAY[name]
    default, says = usual(system, name), system.says.get(name, "")
    if setting.kind is bool:
        says = f"{says}; --no-{_dashed(name)} for false".removeprefix("; ")
    if default is None:
        return says
    there = f"default {setting.text(default)}" if name not in system.users else _of_users(system, name, setting)
    return "; ".join(filter(None, (says, there, "auto: MSER-5 finds it" if name == "warm_up" else "")))


def _of_users(system: System, name: str, setting: Setting) -> str:
    """The default of one of those whom a run has where none of them is named."""
    default, case = usual(system, name), system.users[name]
    others = " or ".join(f"--{_dashed(each)}" for each in system.users if each != name)
    return f"default {setting.text(case)}" + (f", {setting.text(default)} with {others}" if case != default else "")


def given(system: System, options: argparse.Namespace, without: Collection[str] = ()) -> dict[str, str]:
    """What *options* and ``--set`` say, by name; UserError for a name that there is not, or that is given twice."""
    found = {name: getattr(options, OF + name, None) for name in settings_of(system)}
    texts = {name: TOGETHER.join(each) if isinstance(each, list) else each for name, each in found.items()
             if each is not None}  # fmt: skip
    texts |= pairs(system, "--set", options.set, texts, without)
    refuse_both(system, texts)
    return texts


def refuse_both(system: System, names: Collection[str]) -> None:
    """UserError where *names* have all arguments of which a run takes one."""
    if system.instead and {*system.instead} <= {*names}:
        both = " and ".join(f"--{name}" for name in system.instead)
        raise UserError(f"{both} stand for one another; leave out one of them")


def pairs(
    system: System, option: str, words: Sequence[str], others: Collection[str] = (), without: Collection[str] = WRITTEN
) -> dict[str, str]:
    """``NAME=VALUE`` *words* of an *option*; none of them may be among *others*, nor among those *without*."""
    known = [name for name in settings_of(system) if name not in without]
    texts: dict[str, str] = {}
    for pair in words:
        name, equals, text = pair.partition("=")
        name = name.replace("-", "_")
        if not equals or not name or not text:
            raise UserError(f"{option} takes NAME=VALUE, not {pair!r}")
        if name not in known:
            raise unknown("name to set", name, known)
        if name in texts:
            raise UserError(f"{option} {name} is given twice; list all its values in one")
        if name in others:
            raise UserError(f"{name} is given twice, by --{_dashed(name)} and by {option}; leave out one of them")
        texts[name] = text
    return texts


def values(system: System, texts: Mapping[str, str]) -> dict[str, Any]:
    """One value of each name, for one run."""
    known = settings_of(system)
    return {name: known[name].read(name, text) for name, text in texts.items()}


def axes(system: System, texts: Mapping[str, str]) -> dict[str, list[Any]]:
    """The values of each name, for many runs."""
    known = settings_of(system)
    return {name: [known[name].read(name, each) for each in known[name].split(text)] for name, text in texts.items()}
