"""Carries out an operator's commands on disc caching at given minutes of a run, from Python or from a file (a shift).

The commands are those of MPE, the operating system of the HP3000.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Protocol

import simpy

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.models.hp3000.caching.at_risk import Loss
from spindle.models.hp3000.caching.control import Control
from spindle.models.hp3000.caching.ldev import Caching, Ldev, losses
from spindle.models.hp3000.instruments.show_cache import show_cache
from spindle.sim.clock import Wait, pause
from spindle.sim.error import UserError, quote, unknown
from spindle.sim.machine import Machine
from spindle.sim.units import MINUTE
from spindle.workloads.tepe_language.source import Source, load

MAX_FETCH_SECTORS = 96
"""The largest fetch that a command may set, in sectors of 256 bytes (from memory, unverified)."""


@dataclass(frozen=True)
class Console:
    """The parts of a machine on which commands act.

    *ldevs* are its discs (logical devices) by number, *control* has the settings of their caches, and *memory* is the
    bytes of main memory.
    """

    ldevs: Mapping[int, Ldev]
    control: Control
    memory: int

    def ldev(self, command: str, number: int) -> Ldev:
        if number not in self.ldevs:
            raise UserError(f"{command}: there is no LDEV {number!r}; there are 1 to {len(self.ldevs)}")
        return self.ldevs[number]


class OperatorCommand(Protocol):
    """A command that an operator gives."""

    def check(self, console: Console) -> None:
        """Raise UserError where the command makes no sense on *console*."""

    def carry_out(self, console: Console) -> Wait: ...


@dataclass(frozen=True)
class StartCache:
    """STARTCACHE: caches LDEV *ldev* (a logical device, one disc)."""

    ldev: int

    def check(self, console: Console) -> None:
        console.ldev("STARTCACHE", self.ldev)

    def carry_out(self, console: Console) -> Wait:
        yield from console.ldevs[self.ldev].start_cache()


@dataclass(frozen=True)
class StopCache:
    """STOPCACHE: waits for the posts (write-backs) of LDEV *ldev*, discards its cached bytes, and ends its caching."""

    ldev: int

    def check(self, console: Console) -> None:
        console.ldev("STOPCACHE", self.ldev)

    def carry_out(self, console: Console) -> Wait:
        yield from console.ldevs[self.ldev].stop_cache()


@dataclass(frozen=True)
class CacheControl:
    """CACHECONTROL: sets fetches, in sectors, and how writes end; a setting of None is left as it is.

    *flush*, which discards domains that were read through, is not among MPE's published options.
    """

    random: int | None = None
    sequential: int | None = None
    block_on_write: bool | None = None
    serial_write_queue: bool | None = None
    flush: bool | None = None

    def __post_init__(self) -> None:
        for name, sectors in (("RANDOM", self.random), ("SEQUENTIAL", self.sequential)):
            if sectors is not None and (type(sectors) is not int or not 1 <= sectors <= MAX_FETCH_SECTORS):
                raise UserError(f"CACHECONTROL {name} must be a whole number of sectors, 1 to 96, not {sectors!r}")

    def check(self, console: Console) -> None:
        """Check nothing: the settings are the same on every system."""

    def carry_out(self, console: Console) -> Wait:
        old = console.control.settings
        mode = replace(old.mode, **_without_none(block=self.block_on_write, serial=self.serial_write_queue))
        sectors = _without_none(random=self.random, sequential=self.sequential)
        fetches = {name: count * SECTOR for name, count in sectors.items()}
        console.control.change(replace(old, mode=mode, **fetches, **_without_none(flushed=self.flush)))
        return
        yield


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class ShowCache:
    """SHOWCACHE: gives the table of disc caching to *show*, which prints it on the console by default."""

    show: Callable[[str], None] = print

    def check(self, console: Console) -> None:
        """Check nothing: there is always a table."""

    def carry_out(self, console: Console) -> Wait:
        caches = {number: ldev.cache for number, ldev in console.ldevs.items() if ldev.is_cached}
        self.show(show_cache(caches, console.control.settings, console.memory).text())
        return
        yield


@dataclass(frozen=True)
class CountLosses:
    """Gives to *tell* the writes that would be lost if the power failed at this instant. MPE has no such command."""

    tell: Callable[[list[Loss]], None]

    def check(self, console: Console) -> None:
        """Check nothing: the power may fail anywhere."""

    def carry_out(self, console: Console) -> Wait:
        self.tell(losses(console.ldevs.values()))
        return
        yield


Shift = Sequence[tuple[float, OperatorCommand]]
"""Commands, each with its minute from the beginning of the run, warm-up included."""


def check_shift(shift: Shift, console: Console) -> None:
    """Raise UserError for a command that cannot be carried out, or not at its minute, before the run begins."""
    for minute, command in shift:
        if not 0.0 <= minute < inf:
            raise UserError(f"operator: {command} must have a minute that is finite and not negative, not {minute!r}")
        command.check(console)


def put_at_console(machine: Machine, shift: Shift, caching: Caching | None, memory: int) -> None:
    """Have an operator carry out *shift* at the console of *machine*, which has *memory* bytes."""
    if not shift:
        return
    if caching is None:
        raise UserError("operator: commands are about disc caching, which this machine does not have")
    console = Console({ldev.number: ldev for ldev in caching.ldevs}, caching.control, memory)
    check_shift(shift, console)
    machine.spawn("operator", operate(machine.env, shift, console))


def operate(env: simpy.Environment, shift: Shift, console: Console) -> Wait:
    """Give each command when its minute comes, or when the one before is done if that is later."""
    for minute, command in sorted(shift, key=lambda each: each[0]):
        ahead = minute * MINUTE - env.now
        if ahead > 0.0:
            yield pause(env, ahead)
        yield from command.carry_out(console)


# An operator's shift from a file: a line a command, each with its time, all of it checked before the run.

MAX_COMMANDS = 1000
"""The most commands of a shift."""
TIME_PATTERN = re.compile(r"([0-9]{1,6})(?::([0-5][0-9])|(\.[0-9]{1,6}))?")
"""Minutes, and seconds or a decimal part."""
YES_OR_NO = {"YES": True, "NO": False}

SECTOR_SETTINGS = {"RANDOM": "random", "SEQUENTIAL": "sequential"}
YES_NO_SETTINGS = {"BLOCKONWRITE": "block_on_write", "SERIALWRITEQUEUE": "serial_write_queue", "FLUSH": "flush"}
"""Settings of CACHECONTROL by name, with the field of CacheControl.

BLOCKONWRITE is MPE's; how the Serial Write Queue was switched is not published; FLUSH is not an option of MPE."""


@dataclass(frozen=True)
class Word:
    """A word of a shift's file: its *text*, and its *line* and *column* in the *source*, counted from one."""

    source: Source
    line: int
    column: int
    text: str

    def error(self, what: str, ahead: int = 0) -> UserError:
        """Make the UserError *what*, placed *ahead* characters within the word."""
        return self.source.error(self.line, self.column + ahead, what)

    def choice(self, what: str, choices: Mapping[str, Any], text: str, ahead: int = 0) -> Any:
        """Return the one of *choices* that *text* names, in capitals or small letters."""
        if text.upper() not in choices:
            raise self.error(str(unknown(what, text, choices)), ahead)
        return choices[text.upper()]

    def whole_number(self, what: str, text: str, most: int, ahead: int = 0) -> int:
        if not re.fullmatch("[0-9]{1,6}", text) or not 1 <= int(text) <= most:
            raise self.error(f"{what} must be a whole number from 1 to {most}, not {quote(text)}", ahead)
        return int(text)


@dataclass(frozen=True)
class PlacedCommand:
    """A *command* of a file; an error that its check finds is reported at *word*."""

    command: OperatorCommand
    word: Word

    def check(self, console: Console) -> None:
        try:
            self.command.check(console)
        except UserError as error:
            raise self.word.error(str(error)) from error

    def carry_out(self, console: Console) -> Wait:
        yield from self.command.carry_out(console)


def read_shift(path: Path, end: float) -> Shift:
    """Read the shift in the file *path*, for a run that ends *end* seconds after its beginning.

    A line has minutes, ``7.5``, or minutes and seconds, ``7:30``, and a command; a comment as in a terminal script.
    UserError with file, line and column for what is no such line, or comes too late.
    """
    source = load(path)
    commands: list[tuple[float, OperatorCommand]] = []
    for number in range(1, len(source.lines) + 1):
        words = _words(source, number)
        if not words:
            continue
        if len(commands) == MAX_COMMANDS:
            raise words[0].error(f"a shift may have {MAX_COMMANDS:,} commands")
        minute = _minute(words[0], end)
        if commands and minute < commands[-1][0]:
            raise words[0].error(f"minute {minute:g} lies before that of the command above, {commands[-1][0]:g}")
        commands.append((minute, _command(words)))
    return commands


def _words(source: Source, line: int) -> list[Word]:
    """Return the words of the line, without those of a comment."""
    text = source.lines[line - 1].partition("!")[0]
    if text.lstrip().startswith("*"):
        return []
    return [Word(source, line, each.start() + 1, each[0]) for each in re.finditer(r"[^\s;,]+", text)]


def _minute(word: Word, end: float) -> float:
    time = TIME_PATTERN.fullmatch(word.text)
    if time is None:
        raise word.error(f"a line begins with minutes, such as 7.5 or 7:30, not with {quote(word.text)}")
    whole, seconds, part = time.groups()
    minute = float(whole + (part or "")) + float(seconds or 0) / 60.0
    if minute * MINUTE >= end:
        raise word.error(f"minute {minute:g} does not come before the end of the run, at minute {end / MINUTE:g}")
    return minute


def _command(words: list[Word]) -> PlacedCommand:
    """Read the command behind the time, with its arguments."""
    if len(words) == 1:
        raise words[0].error("there is no command behind the time", len(words[0].text))
    name = words[1]
    make: Callable[[list[Word]], OperatorCommand] = name.choice("command", OPERATOR_COMMANDS, name.text)
    return PlacedCommand(make(words), words[-1])


def _ldev_command(kind: Callable[[int], OperatorCommand], words: list[Word]) -> OperatorCommand:
    name = words[1]
    if len(words) == 2:
        raise name.error(f"{name.text.upper()} needs the number of an LDEV", len(name.text))
    _refuse_more(words, 3)
    return kind(words[2].whole_number("an LDEV", words[2].text, 999))


def _show(words: list[Word]) -> OperatorCommand:
    """Read SHOWCACHE; the table goes to standard error, for a program may read the run's standard output."""
    _refuse_more(words, 2)
    return ShowCache(partial(_on_console, words[0].text))


def _on_console(time: str, table: str) -> None:
    print(f"{time} SHOWCACHE\n{table}", file=sys.stderr)


def _control(words: list[Word]) -> OperatorCommand:
    settings: dict[str, Any] = {}
    for word in words[2:]:
        name, _, text = word.text.partition("=")
        if not text:
            raise word.error(f"CACHECONTROL takes NAME=VALUE, such as RANDOM=16, not {quote(word.text)}")
        field = word.choice("setting", {**SECTOR_SETTINGS, **YES_NO_SETTINGS}, name)
        if field in settings:
            raise word.error(f"{name.upper()} is given twice")
        ahead = len(name) + 1
        settings[field] = (
            word.whole_number(f"{name.upper()}, in sectors,", text, MAX_FETCH_SECTORS, ahead)
            if name.upper() in SECTOR_SETTINGS else
            word.choice(f"value of {name.upper()}", YES_OR_NO, text, ahead)
        )  # fmt: skip
    if not settings:
        names = ", ".join([*SECTOR_SETTINGS, *YES_NO_SETTINGS])
        raise words[1].error(f"CACHECONTROL needs what to set: {names}", len(words[1].text))
    return CacheControl(**settings)


def _refuse_more(words: list[Word], most: int) -> None:
    if len(words) > most:
        raise words[most].error(f"one word too many: {quote(words[most].text)}")


OPERATOR_COMMANDS: Mapping[str, Callable[[list[Word]], OperatorCommand]] = {
    "STARTCACHE": partial(_ldev_command, StartCache), "STOPCACHE": partial(_ldev_command, StopCache),
    "SHOWCACHE": _show, "CACHECONTROL": _control,
}  # fmt: skip
