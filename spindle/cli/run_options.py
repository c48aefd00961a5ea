"""Reads the options of runs for run, sweep, find and the Python interface, and builds runs from them."""

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob
from hashlib import file_digest
from itertools import product
from os.path import exists, isdir, isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, add_setting, help_of, read_fields
from spindle.questions.field import ask, check_needs, option_of, spell
from spindle.questions.settings import AnySetting, FilesSetting, PartSetting, Setting, Words, read_one
from spindle.sim import user_parts
from spindle.sim.error import UserError, check_known, quote
from spindle.sim.part_forms import SHEET
from spindle.studies.idle import idle_notes
from spindle.studies.settings import (
    OF_SCRIPT,
    PROGRAM,
    SCRIPT,
    TOGETHER,
    parameters_of,
    parts_of,
    settings_of,
    usual,
    usual_part,
)
from spindle.systems import CURVE, LOAD, find_system, system_names

if TYPE_CHECKING:
    import pandas as pd

    from spindle.sim.script import Script
    from spindle.studies.sweep.grid import Run
    from spindle.system import System

# Runs put together from values by name, as a command line, a design or a search has them.

Q = TypeVar("Q")
Loads = Mapping[tuple[str, str], Sequence["Script"]]
"""The scripts that were read, by the names of the file of scripts and of the file of programs."""


def loads(system: "System", axes: Mapping[str, Sequence[Any]]) -> Loads:
    """Read all files of scripts that *axes* name; UserError for a mistake in one."""
    scripting = system.scripting
    if scripting is None:
        return {}
    check_needs({PROGRAM: OF_SCRIPT}, [*axes])
    files_and_programs = product(axes.get(SCRIPT, ()), axes.get(PROGRAM, [""]))
    return {
        (files, programs):
            scripting.read(*files.split(TOGETHER), programs=programs.split(TOGETHER) if programs else ())
        for files, programs in files_and_programs
    }  # fmt: skip


def arguments(system: "System", point: Mapping[str, Any], read: Loads) -> dict[str, Any]:
    """Return the keyword arguments of the run at *point*, with its parts made and its scripts as *read*."""
    exchanged = parts_of(system)
    values = {name: value for name, value in point.items() if name not in exchanged}
    if system.scripting is not None and SCRIPT in values:
        from spindle.workloads import tepe  # and a parser of its language

        load = tuple(read[values.pop(SCRIPT), values.pop(PROGRAM, "")])
        if "clerks" in values:
            raise UserError(f"{spell('clerks')} counts Spindle's own people; a script says who sits at its terminals")
        values["scripts"] = list(tepe.with_terminals(load, values["terminals"]) if "terminals" in values else load)
    return values | parts(system, point)


def parts(system: "System", names: Mapping[str, Any]) -> dict[str, Any]:
    """Make the parts that *names* gives by name, as arguments of a run or as its ``choices``; none for other names."""
    from spindle.sim.disc.flash.drive import DriveType
    from spindle.sim.forms import check_kind, choose  # and drives

    settings = {name: each for name, each in parts_of(system).items() if names.get(name) not in (None, "")}
    for name, each in settings.items():
        if isinstance(drive := names[name], DriveType):
            if each.part != "drive":
                raise UserError(f"{spell(name)} takes a {each.part}, and {drive.name} is a drive")
            check_kind(drive.name, drive, each.choices)
    made = {name: choose(each.part, value, each.choices) if isinstance(value := names[name], str) else value
            for name, each in settings.items()}  # fmt: skip
    given = {name: part for name, part in made.items() if settings[name].argument}
    choice = {name: part for name, part in made.items() if name not in given}
    return given | ({"choices": system.choose(**choice)} if choice else {})


KINDS_BY_SETTING = {"policy": "policy", "format": "trace format"}
"""Kinds of part that a user may add, by the settings that name them in text."""


def run_of(name: str, system: "System", axes: Mapping[str, Sequence[Any]]) -> "Run":
    """Return a run of the *system* called *name* that takes points of *axes*, as a sweep calls it.

    The source of a part from a file or a package, the scripts, and a digest of each file that is read belong to the key
    of the run, and are passed to the workers. A worker that makes no parts by name starts without the modules of their
    names: pandas, matplotlib.
    """
    exchanged = parts_of(system)
    read = loads(system, axes)
    given = [*([Path(name)] if is_trace(name) else []), *(each for values in axes.values() for each in values)]
    files = {str(each) for each in given if isinstance(each, Path) or str(each).endswith((SHEET, ".toml"))}
    if not (exchanged.keys() & axes.keys() or read or files) and name in system_names():
        return system.run
    digests = {each: _digest(each) for each in sorted(filter(isfile, files))}
    texts = user_parts.sources("system", [name])
    for setting, values in axes.items():
        kind = exchanged[setting].part if setting in exchanged else KINDS_BY_SETTING.get(setting, "")
        texts |= user_parts.sources(kind, [each for each in values if isinstance(each, str)]) if kind else {}
    return partial(_run_point, name, digests, texts, read)


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _run_point(name: str, _digests: Mapping[str, str], texts: Mapping[str, str], read: Loads, **point: Any) -> Any:
    """Build a run of the system *name* with the parts and scripts that *point* names.

    User code that hangs is aborted, except on Dask, whose workers are threads.
    """
    with user_parts.use_texts(texts):
        system = system_called(name)
        given = arguments(system, point, read)
    from spindle.cli.patience import patience_with_events  # and SimPy

    with patience_with_events():
        return system.run(**given)


WRITTEN_FILES = ("log",)
"""Arguments of runs that name a file to write; only a single run may have one."""
FILE_METAVARS = {SCRIPT: "FILE.tepe", PROGRAM: "FILE.toml"}
"""What stands for the value of an option for files, in its help."""
FILE_HELP = {
    SCRIPT: "TEPE script, in place of the system's own users; several run at once; repeatable",
    PROGRAM: "your own programs, which a --script may RUN: spindle tepe programs shows how; repeatable",
}
"""The help of the options for files of scripts and of programs."""

SYSTEM_PREFIX = "of_system_"
"""Prefix of the attribute in which a parser keeps the text that was given for a setting of its system."""


@dataclass(frozen=True)
class SystemOptions:
    """Options that name a system, and set values by name (``--set``)."""

    system: str = ask("", "see: spindle list; its own options: name it before --help", first="1", metavar="system")
    set_: Words = ask((), "the same as --NAME VALUE, for any name that may be set; repeatable; default none",
                      metavar="NAME=VALUE")


AS_IT_IS = SystemOptions()
"""A system without any value set."""


def system_of(parser: ArgumentParser, arguments: Sequence[str]) -> "System":
    """Return the system that *arguments* begin with; without one, print the help or raise UserError."""
    if not arguments or arguments[0] in ("-h", "--help", "--"):
        parser.take(arguments)
    if arguments[0].startswith("-") and arguments[0] != "-":
        raise UserError(f"{parser.command}: first comes the system, then options such as {arguments[0]}: "
                        f"spindle {parser.command} SYSTEM ...")  # fmt: skip
    parser.system = arguments[0]
    if is_trace(arguments[0]) and parser.command == "run":
        raise UserError(f"{arguments[0]} is a trace: spindle replay replays it once, spindle sweep and find many times")
    if arguments[0] in SINGLE_RUN_COMMANDS and parser.command == "run":
        raise UserError(f"{SINGLE_RUN_COMMANDS[arguments[0]]}, and many times by spindle sweep and find")
    return system_called(arguments[0])


@dataclass(frozen=True)
class AskedRuns(Generic[Q]):
    """A command on runs, as read: its *question*, the *system*, the *texts* given for settings, and all *options*."""

    question: Q
    system: "System"
    texts: Mapping[str, str]
    options: argparse.Namespace


def take_runs(
    command: str, asked: Callable[..., Q], arguments: Sequence[str], without: Collection[str] = (), **words: str
) -> AskedRuns[Q]:
    """Read the fields of *asked*, which has SystemOptions as ``named``, and settings of its system not in *without*."""
    parser = ArgumentParser(command, **words)
    add_fields(parser, asked)
    system = system_of(parser, arguments)
    add_options(parser, system, without)
    if command != "run":
        refuse_repeated_axes(parser, arguments)
    options = parser.take(arguments)
    question = read_fields(asked, options)
    named: SystemOptions = question.named  # type: ignore[attr-defined]
    return AskedRuns(question, system, given_texts(system, options, named.set_, without), options)


def refuse_repeated_axes(parser: ArgumentParser, arguments: Sequence[str]) -> None:
    """Raise UserError for a setting that is given twice: argparse would drop the values given first."""
    named = Counter(word.partition("=")[0] for word in arguments)
    if named["--where"] > 1:
        raise UserError("--where is given twice, and a search has one condition: search for each, and take the least")
    for action in parser._actions:
        if action.dest.startswith(SYSTEM_PREFIX) and not isinstance(action, argparse._AppendAction):
            for option in action.option_strings:
                if named[option] > 1:
                    raise UserError(f"{option} is given twice; give its values with commas between")


SINGLE_RUN_COMMANDS = {LOAD: "a load is put on drives once by spindle load",
        CURVE: "hits against sizes are computed once by spindle curve"}  # fmt: skip
"""Systems for sweeps and searches alone, and the command that makes one run of each."""


def is_certain(name: str) -> bool:
    """Tell if runs of *name* draw no random numbers, except errors of an array: replays of a trace, and its curves."""
    return name == CURVE or is_trace(name)


def is_trace(word: str) -> bool:
    """Tell if *word* names a file that is not the user's Python code."""
    return user_parts.FILE not in word and not word.endswith(".py") and isfile(word)


def warn_of_guesses(name: str, axes: Mapping[str, Sequence[Any]]) -> None:
    """Read the traces whose runs are asked for, and warn of guesses about their format, which a table does not show.

    *name* is that of a trace, or of the system of curves, whose traces are an axis.
    """
    paths = axes.get("trace", ()) if name == CURVE else [name] if is_trace(name) else ()
    if not paths:
        return
    from spindle.cli.trace_file import passed_over
    from spindle.traces.opening import MANY_DEVICES, TRACE_FIELDS, TraceOptions

    asked = TraceOptions(**{each: axes[each][0] for each in TRACE_FIELDS if each in axes})
    for path in paths:
        trace = asked.open(path, MANY_DEVICES)
        for _ in asked.records(trace) if asked.limit else trace.batches():
            pass
        for sentence in passed_over(trace):
            warnings.warn(f"{path}: {sentence}", stacklevel=4)


def warn_of_idle(system: "System", axes: Mapping[str, Sequence[Any]]) -> None:
    """Warn of options that change nothing at any point of *axes*, which a table does not show."""
    for sentence in idle_notes(system, axes):
        warnings.warn(sentence, stacklevel=4)


def warn_of_idle_axes(frame: "pd.DataFrame", axes: Sequence[str]) -> None:
    """Warn of each of *axes* all of whose values gave the same runs, in the table *frame*."""
    from spindle.studies.sweep.sweep import idle_axes

    for axis in idle_axes(frame, axes):
        warnings.warn(f"{spell(axis)} changes nothing in these runs", stacklevel=4)


def system_called(name: str) -> "System":
    """Return the system called *name*; where that is the file of a trace, the system that replays it."""
    if not is_trace(name):
        try:
            return find_system(name)
        except UserError:
            _refuse_pipes_and_folders(name)
            raise
    from spindle.traces.system import trace_system  # a fifth of a second, where there is a trace only

    return trace_system(name)


def _refuse_pipes_and_folders(name: str) -> None:
    """Raise UserError where *name* is a pipe, a folder or several files, and not one file that each run can read."""
    if name == "-" or (exists(name) and Path(name).is_fifo()):
        said = "standard input" if name == "-" else name
        raise UserError(f"{said}: each run reads the trace anew, and a pipe can be read once: write it to a file, and "
                        "name that")
    if isdir(name) or ("," in name and all(map(isfile, name.split(",")))) or (set(name) & {*"*?"} and glob(name)):
        raise UserError(f"{name}: each run reads the trace anew, from one file: spindle convert {quote(name)} all.csv "
                        "--to csv makes one of several")


def add_options(parser: ArgumentParser, system: "System", without: Collection[str] = ()) -> None:
    """Add an option for each setting of *system* not in *without*; the help leaves out the options of parameters."""
    parameters = parameters_of(system)
    known = {name: each for name, each in settings_of(system).items() if name not in without}
    taken = [each for action in parser._actions for each in action.option_strings]
    own_words = {name: each for name, each in known.items() if name not in parameters and option_of(name) not in taken}
    for name, setting in sorted(own_words.items(), key=lambda each: not isinstance(each[1], Setting)):
        _add(parser, name, setting, _help(system, name, setting))
    options = [name for name in parameters if option_of(name) not in taken]
    for name in options:
        _add(parser, name, parameters[name], argparse.SUPPRESS)
    if options:
        parser.description = (f"{parser.description}\nEach parameter is an option, too, such as "
                              f"{option_of(options[0])}: "
                              f"spindle parameters {parser.system} lists them.")  # fmt: skip


def _add(parser: ArgumentParser, name: str, setting: AnySetting, says: str) -> None:
    if name in FILE_METAVARS and isinstance(setting, FilesSetting):
        parser.add_argument(option_of(name), dest=SYSTEM_PREFIX + name, action="append", metavar=FILE_METAVARS[name],
                            help=says)  # fmt: skip
    else:
        add_setting(parser, name, setting, says, SYSTEM_PREFIX)


def _help(system: "System", name: str, setting: AnySetting) -> str:
    if isinstance(setting, PartSetting):
        return help_of(setting, usual_part(system, name) or "as the machine has it", says_of(system, name, setting))
    if not isinstance(setting, Setting):
        return FILE_HELP[name]
    default, says = usual(system, name), says_of(system, name, setting)
    if setting.kind is bool:
        says = f"{says}; --no-{option_of(name)[2:]} for false".removeprefix("; ")
    if default is None:
        return says
    there = f"default {setting.text(default)}"
    return "; ".join(filter(None, (says, there, "auto: MSER-5 finds it" if name == "warm_up" else "")))


def says_of(system: "System", name: str, setting: AnySetting) -> str:
    """Return the help of the setting *name*: the system's own, or that of the field."""
    return system.says.get(name, "") or setting.asked.says.replace("%", "%%")


def given_texts(
    system: "System", options: argparse.Namespace, pairs_set: Words, without: Collection[str] = ()
) -> dict[str, str]:
    """Return the texts that *options* and pairs of ``--set`` give, by name; UserError for a bad or repeated name."""
    found = {name: getattr(options, SYSTEM_PREFIX + name, None) for name in settings_of(system)}
    texts = {name: TOGETHER.join(each) if isinstance(each, list) else each for name, each in found.items()
             if each is not None}  # fmt: skip
    texts |= pairs(system, "--set", pairs_set, texts, without)
    refuse_both(system, texts)
    return texts


def refuse_both(system: "System", names: Collection[str]) -> None:
    """Raise UserError where *names* has both of two arguments of which a run takes only one."""
    if system.instead and {*system.instead} <= {*names}:
        both = " and ".join(f"--{name}" for name in system.instead)
        raise UserError(f"{both} exclude each other; leave out one of them")


def pairs(
    system: "System", option: str, words: Sequence[str], others: Collection[str] = (),
    without: Collection[str] = WRITTEN_FILES,
) -> dict[str, str]:
    """Read ``NAME=VALUE`` *words* of an *option*; UserError for a name in *others* or *without*."""
    known = [name for name in settings_of(system) if name not in without]
    texts: dict[str, str] = {}
    for pair in words:
        name, equals, text = pair.partition("=")
        name = name.replace("-", "_")
        if not equals or not name or not text:
            raise UserError(f"{option} takes NAME=VALUE, not {pair!r}")
        check_known("name to set", known, name)
        if name in texts:
            raise UserError(f"{option} {name} is given twice; list all its values in one")
        if name in others:
            raise UserError(f"{name} is given twice, by {option_of(name)} and by {option}; leave out one of them")
        texts[name] = text
    return texts


def values(system: "System", texts: Mapping[str, str]) -> dict[str, Any]:
    """Read one value of each name, for one run."""
    known = settings_of(system)
    return {name: read_one(known[name], name, text, f"spindle sweep {system.name}") for name, text in texts.items()}


def axes(system: "System", texts: Mapping[str, str]) -> dict[str, list[Any]]:
    """Read the values of each name, for many runs."""
    known = settings_of(system)
    return {name: [known[name].read(name, each) for each in known[name].split(text)] for name, text in texts.items()}
