"""Reads users' programs from TOML files, a table for each program and a line for each act, and locates mistakes."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from math import fsum, isclose
from pathlib import Path
from typing import Any

from spindle.sim.error import UserError, quote, unknown
from spindle.sim.units import MIB
from spindle.workloads.program_files import values
from spindle.workloads.program_files.values import Keys, Misplaced, place
from spindle.workloads.programs import (
    Act,
    Compute,
    DataBaseCalls,
    Enter,
    Intrinsic,
    KeyedFile,
    Program,
    ReadFile,
    Reply,
    Subsystem,
    WriteFile,
)
from spindle.workloads.tepe_language.source import Source, load, take

INTRINSICS = {word: intrinsic for intrinsic in Intrinsic for word in intrinsic.value.split(", ")}
"""Calls of the data base IMAGE by their names; all calls that access no block are one intrinsic."""
ACTS: Mapping[str, tuple[str, ...]] = {
    "compute": (), "call": ("on", "times"), "read": ("record", "times", "sequential"),
    "write": ("record", "times", "sequential"), "keyed": ("times",), "reply": ("says",), "enter": (),
}  # fmt: skip
"""Kinds of act, and the further keys that each may have."""
SEGMENTS = ("code_segments", "segment")
WORK = ("work_segments", "work")
PROGRAM = (*SEGMENTS, "stack", *WORK, "starting", "answers", "subsystems")
SUBSYSTEM = (*SEGMENTS, *WORK, "shared")
"""Keys of the table of a program, and of a subsystem; both have those of code segments and of WORK data segments."""
NAME = re.compile(r"[A-Z][A-Z0-9_.-]*")
MAX_SEGMENTS = 1000
MAX_CHARACTERS = 1_000_000
LINE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
"""A message of tomllib, with its line and column."""


def add_programs(
    shipped: Mapping[str, Program], files: Iterable[Path], data_sets: Collection[str]
) -> Mapping[str, Program]:
    """Return the *shipped* programs and those in *files*, which take the place of others of their name.

    UserError with file, line and column for a mistake, and where two programs mean different things by one name.
    """
    programs = dict(shipped)
    for file in files:
        programs |= _programs(load(file), data_sets)
        _agree(file, programs)
    return programs


def parse(text: str, name: str, data_sets: Collection[str]) -> Mapping[str, Program]:
    """Return the programs in *text* by name; *name* stands for a file's name where there is a mistake in it."""
    return _programs(take(text, name), data_sets)


def _agree(file: Path, programs: Mapping[str, Program]) -> None:
    """Raise UserError where a subsystem's code or a file's record, which sessions share by name, differs."""
    meant: dict[tuple[str, str], tuple[object, str]] = {}
    for program in programs.values():
        for kind, name, what in _names_of(program):
            other, owner = meant.setdefault((kind, name), (what, program.name))
            if other != what:
                raise UserError(f"{file}: {kind} {name} of {program.name} is not as that of {owner}, "
                                "which sessions would share")


def _names_of(program: Program) -> Iterable[tuple[str, str, object]]:
    yield "subsystem", program.name, program.main
    for act in program.acts():
        if isinstance(act, Enter):
            yield "subsystem", act.subsystem.name, act.subsystem
        elif isinstance(act, ReadFile | WriteFile):
            yield "record of file", act.file, act.record


def _programs(source: Source, data_sets: Collection[str]) -> Mapping[str, Program]:
    text = "\n".join(source.lines)
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise source.error(1, 1, "tables are nested too deep") from None
    except ValueError as error:
        match = LINE.fullmatch(str(error))
        line, column = (int(match[2]), int(match[3])) if match else (len(source.lines), 1)
        raise source.error(min(line, len(source.lines)), column, match[1] if match else str(error)) from None
    try:
        if not tables:
            raise Misplaced((), "there is no program in this file: it begins with its name, as [SHOP]")
        return {name: _program(name, values.table((name,), table), data_sets) for name, table in tables.items()}
    except Misplaced as mistake:
        raise source.error(*place(source.lines, mistake.path), str(mistake)) from None


def _program(name: str, table: Mapping[str, Any], data_sets: Collection[str]) -> Program:
    path: tuple[str, ...] = (name,)
    if not NAME.fullmatch(name):
        raise Misplaced(path, f"a program is called by capitals, digits, _ . and -, not {quote(name)}")
    values.check_keys(path, table, PROGRAM, needed=(*SEGMENTS, "stack", "answers"))
    described = values.table((*path, "subsystems"), table.get("subsystems", {}))
    subsystems = {each: _subsystem((*path, "subsystems", each), each, of) for each, of in described.items()}
    acts = _Acts(data_sets, subsystems)
    answers = values.table((*path, "answers"), table["answers"])
    for word in answers:
        if word.split() != [word.upper()] or not word.isprintable():
            raise Misplaced((*path, "answers", word), f"an answer is one word in capitals, not {quote(word)}")
    return Program(
        name=name, **_memory(path, table), stack_bytes=values.size((*path, "stack"), table["stack"]),
        starting=acts.read((*path, "starting"), table.get("starting", [{"reply": 1}])),
        answers={word: acts.read((*path, "answers", word), listed) for word, listed in answers.items()},
    )  # fmt: skip


def _subsystem(path: tuple[str, ...], name: str, described: object) -> Subsystem:
    values.text(path, name)
    table = values.table(path, described)
    values.check_keys(path, table, SUBSYSTEM, needed=SEGMENTS)
    shared = values.truth((*path, "shared"), table.get("shared", True))
    return Subsystem(name, **_memory(path, table), shared=shared)


def _memory(path: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, int]:
    """Read the segments of code, and those of data beside the stack."""
    segments, work = table.get("work_segments", 0), table.get("work", 0)
    return {
        "code_segments": values.whole_number((*path, "code_segments"), table["code_segments"], 1, MAX_SEGMENTS),
        "segment_bytes": values.size((*path, "segment"), table["segment"]),
        "work_segments": values.whole_number((*path, "work_segments"), segments, 0, MAX_SEGMENTS),
        "work_bytes": values.size((*path, "work"), work, least=0),
    }


class _Acts:
    """Reads lists of acts, which may call on *data_sets* and enter *subsystems*."""

    def __init__(self, data_sets: Collection[str], subsystems: Mapping[str, Subsystem]) -> None:
        self._data_sets = data_sets
        self._subsystems = subsystems

    def read(self, path: tuple[str, ...], listed: object) -> tuple[Act, ...]:
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise Misplaced(path, f"{path[-1]} must be a list of acts, such as [{{ reply = 400 }}]")
        acts = tuple(self._act((*path, number), each) for number, each in enumerate(listed))
        if not any(isinstance(act, Reply) for act in acts):
            raise Misplaced(path, f"{path[-1]} has no reply, and would keep its user waiting for ever")
        return acts

    def _act(self, path: Keys, table: Mapping[str, Any]) -> Act:
        verbs = [key for key in table if key in ACTS]
        if len(verbs) > 1:
            raise Misplaced((*path, verbs[1]), f"{verbs[0]} and {verbs[1]} are two acts; write two")
        if not verbs:
            raise Misplaced(path, str(unknown("act", next(iter(table), ""), ACTS)))
        (verb,) = verbs
        needed = [key for key in ("on", "record") if key in ACTS[verb]]
        values.check_keys(path, table, (verb, *ACTS[verb]), needed)
        if verb == "compute":
            return Compute(values.distribution((*path, verb), table[verb], "s"))
        if verb == "reply":
            return self._reply(path, table)
        name = values.text((*path, verb), table[verb])
        if verb == "enter":
            return Enter(self._look_up("subsystem", (*path, verb), name, self._subsystems))
        times = values.distribution((*path, "times"), table.get("times", 1), "1")
        if verb == "keyed":
            return KeyedFile(name, times)
        if verb == "call":
            on = values.text((*path, "on"), table["on"])
            self._look_up("data set", (*path, "on"), on, dict.fromkeys(self._data_sets))
            return DataBaseCalls(self._look_up("call", (*path, verb), name, INTRINSICS), on, times)
        record = values.size((*path, "record"), table["record"], most=MIB)
        sequential = values.truth((*path, "sequential"), table.get("sequential", True))
        return (ReadFile if verb == "read" else WriteFile)(name, record, times, sequential)

    def _reply(self, path: Keys, table: Mapping[str, Any]) -> Reply:
        """Read a reply; its texts are one, or several with their percents."""
        characters = values.whole_number((*path, "reply"), table["reply"], 1, MAX_CHARACTERS)
        here, says = (*path, "says"), table.get("says", {})
        if isinstance(says, str):
            return Reply(characters, ((values.text(here, says), 100.0),))
        said = {values.text(here, text): values.percent(here, of) for text, of in values.table(here, says).items()}
        if said and not isclose(fsum(said.values()), 100.0):
            raise Misplaced(here, f"the percents of what a reply says must sum to 100, not {fsum(said.values()):g}")
        return Reply(characters, tuple(said.items()))

    def _look_up(self, what: str, path: Keys, name: str, choices: Mapping[str, Any]) -> Any:
        if name not in choices:
            raise Misplaced(path, str(unknown(what, name, choices)))
        return choices[name]
