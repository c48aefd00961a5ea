"""Reads an experiment of Response Probe: a .SCR file, and the .SCP and .SCT files that it names in the same folder.

Response Probe is the load generator of the Windows NT Resource Kit. A .SCR file lists processes, a .SCP file the
threads of a process, and a .SCT file the actions of a thread.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TypeVar

from spindle.sim.error import UserError, unknown
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import KIB, MS, US
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.script import PAGE, RECORD, FileAction, Mode, Probe, ProbeFile, Process, Thread
from spindle.workloads.tepe_language.source import Source, load, safe

# One line of a script of Response Probe: its words, what they may be, and where a mistake in them is.

_WORD = re.compile(r"[^ \t]+")
_NAME = re.compile(r"[A-Za-z0-9_$~-][A-Za-z0-9_.$~-]{0,63}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{0,30})?", re.ASCII)


@dataclass(frozen=True)
class Statement:
    """The *words* of line *number*, counted from 1, without the comment after #, and the *columns* where they begin."""

    source: Source
    number: int
    words: tuple[str, ...]
    columns: tuple[int, ...]

    @property
    def verb(self) -> str:
        return self.words[0].upper()

    def error(self, index: int, what: str) -> UserError:
        """Return the error *what* about the word *index*, or about its absence."""
        end = self.columns[-1] + len(self.words[-1])
        return self.source.error(self.number, self.columns[index] if index < len(self.columns) else end, what)

    def word(self, index: int, what: str) -> str:
        """Return the word *index*; where it is missing, raise a UserError that names *what* it should be."""
        if index >= len(self.words):
            raise self.error(index, f"{self.verb} is not complete: {what} is missing")
        return self.words[index]

    def value(self, index: int, what: str, most: float) -> float:
        """Return the word *index* as a number from 0 to *most*."""
        text = self.word(index, what)
        if not _DECIMAL.fullmatch(text):
            raise self.error(index, f"{what} is a number such as 12 or 0.5, not {safe(text, 40)}")
        if not 0.0 <= float(text) <= most:
            raise self.error(index, f"{what} is a number from 0 to {most:,.10g}, not {safe(text, 40)}")
        return float(text) + 0.0  # so that -0 is 0

    def count(self, index: int, what: str, most: int, least: int = 1) -> int:
        """Return the word *index* as a whole number from *least* to *most*."""
        value = self.value(index, what, most)
        if not value.is_integer() or value < least:
            text = safe(self.words[index], 40)
            raise self.error(index, f"{what} is a whole number from {least} to {most:,}, not {text}")
        return int(value)

    def name(self, index: int, what: str) -> str:
        """Return the word *index* as a file name that leads nowhere out of the script's folder."""
        text = self.word(index, what)
        if not _NAME.fullmatch(text) or ".." in text:
            raise self.error(index, f"{what} is a file beside this script, by letters, digits, _ $ ~ - and "
                                      f"single dots, at most 64, and not {safe(text, 40)}")
        return text

    def one_of(self, index: int, what: str, choices: Iterable[str]) -> str:
        """Return the one of *choices* that the word *index* spells or is the first letter of."""
        text = self.word(index, what).upper()
        for name in choices:
            if text in (name.upper(), name[0]):
                return name
        raise self.error(index, str(unknown(what, self.words[index], choices)))

    def ends(self, index: int) -> None:
        """Raise UserError where words from *index* on are more than a remark on units, such as (milliseconds)."""
        if index < len(self.words) and not self.words[index].startswith("("):
            raise self.error(index, f"surplus {safe(self.words[index], 40)}: {self.verb} ends before it")


def statements(source: Source) -> Iterator[Statement]:
    """Yield every line of *source* that is not empty."""
    for number, line in enumerate(source.lines, 1):
        words = list(_WORD.finditer(line.partition("#")[0]))
        if words:
            yield Statement(source, number, tuple(f[0] for f in words), tuple(f.start() + 1 for f in words))


# A .SCT file of Response Probe, which describes a thread: its statements, and mistakes in their numbers.

NUMBERS = ("THINKTIME", "CYCLEREADS", "FILESEEK", "CPUTIME", "DATAPAGE", "CODEPAGE")
"""Statements with a mean and a deviation; they and FILEACCESS must be there."""
OPTIONAL = ("FILEATTRIBUTE", "FILEACCESSMODE", "RECORDSIZE", "FILEACTION")
MAX_NUMBER = 1e9
"""Most milliseconds, records, pages or reads."""
MAX_OPERATIONS = 1000

B = TypeVar("B")


class ThreadFile:
    """A .SCT file: the statements of *source*, in any order, each at most once."""

    def __init__(self, source: Source) -> None:
        self._statements: dict[str, Statement] = {}
        for said in statements(source):
            if said.verb not in (*NUMBERS, "FILEACCESS", *OPTIONAL):
                raise said.error(0, str(unknown("statement", said.verb, (*NUMBERS, "FILEACCESS", *OPTIONAL))))
            if said.verb in self._statements:
                raise said.error(0, f"{said.verb} was already said in line {self._statements[said.verb].number}")
            self._statements[said.verb] = said
        for verb in (*NUMBERS, "FILEACCESS"):
            if verb not in self._statements:
                raise source.error(len(source.lines), 1, f"there is no {verb} in this file")

    def thread(self, files: Mapping[str, ProbeFile], data_pages: int, code: ProbeFile, priority: int) -> Thread:
        """Build the thread, in a process of *data_pages* data pages that runs *code*; UserError for a missing file."""
        think, cpu = self._bell("THINKTIME", MS), self._bell("CPUTIME", MS)
        reads = self._bell("CYCLEREADS", 1.0)
        thread = Thread(
            (self._action(files),), think, reads, cpu,
            self._bell("DATAPAGE", 1.0, data_pages - 1) if data_pages else None,
            self._bell("CODEPAGE", 1.0, -(-code.size // PAGE) - 1), priority,
        )
        if max(think.mean, cpu.mean) < US and reads.mean + reads.deviation < 1.0:
            what = "a cycle passes no time: it needs a THINKTIME, a CPUTIME, or a CYCLEREADS that reaches 1"
            raise self._statements["CYCLEREADS"].error(1, what)
        return thread

    def _bell(self, verb: str, unit: float, most: float = inf) -> Bell:
        statement = self._statements[verb]
        mean, deviation = (statement.value(index, f"the {what} of {verb}", MAX_NUMBER)
                           for index, what in ((1, "mean"), (2, "deviation")))
        statement.ends(3)
        return self._build(statement, lambda: Bell(mean * unit, deviation * unit, most))

    def _action(self, files: Mapping[str, ProbeFile]) -> FileAction:
        access, file = self._statements["FILEACCESS"], self._file(files)
        record = self._record(file)
        mode = Mode(self._choice("FILEACCESSMODE", [mode.value for mode in Mode]))
        sequential = self._choice("FILEATTRIBUTE", ["RANDOM", "SEQUENTIAL"]) == "SEQUENTIAL"
        if sequential:
            self._bell("FILESEEK", 1.0)
        seek = None if sequential else self._bell("FILESEEK", 1.0, file.size // record - 1)
        place = self._statements.get("RECORDSIZE", access)
        operations = self._operations()
        return self._build(place, lambda: FileAction(file, operations, record, seek, mode))

    def _file(self, files: Mapping[str, ProbeFile]) -> ProbeFile:
        access = self._statements["FILEACCESS"]
        name = access.name(1, "the file of FILEACCESS").upper()
        access.ends(2)
        if name not in files:
            raise access.error(1, f"no CREATEFIL of the .SCR file says how large {safe(name, 40)} is")
        return files[name]

    def _record(self, file: ProbeFile) -> int:
        statement = self._statements.get("RECORDSIZE")
        if statement is None:
            if file.size < RECORD:
                raise self._statements["FILEACCESS"].error(1, f"{file.name} is smaller than a record of {RECORD} bytes")
            return RECORD
        statement.ends(2)
        return statement.count(1, "RECORDSIZE", file.size)

    def _choice(self, verb: str, choices: list[str]) -> str:
        """Return which of *choices* the statement *verb* says, or the first where there is none."""
        statement = self._statements.get(verb)
        if statement is None:
            return choices[0]
        statement.ends(2)
        return statement.one_of(1, verb, choices)

    def _operations(self) -> tuple[Op, ...]:
        statement = self._statements.get("FILEACTION")
        if statement is None:
            return (READ,)
        statement.ends(2)
        text = statement.word(1, "a row of R and W").upper()
        if set(text) - {"R", "W"} or len(text) > MAX_OPERATIONS:
            raise statement.error(1, f"FILEACTION is a row of at most {MAX_OPERATIONS} R and W, not {safe(text, 40)}")
        return tuple(READ if letter == "R" else WRITE for letter in text)

    def _build(self, statement: Statement, build: Callable[[], B]) -> B:
        """Return the result of *build*; its error names the place of *statement*."""
        try:
            return build()
        except UserError as error:
            raise statement.error(1, f"{statement.verb}: {error}") from None


SECONDS = 120.0
"""Trial time of a script without one."""
MAX_SECONDS = 1e6
MAX_SCRIPT_BYTES = 64 * KIB
"""Most bytes of a script, which is a tiny text file."""
MAX_KILOBYTES = 1 << 24
MAX_PAGES = 1 << 20
MAX_THREADS = 1000
"""Most threads of an experiment."""
CLASSES = {"IDLE": 4, "NORMAL": 7, "HIGH": 13, "REALTIME": 24}
"""The base of each priority class of Windows NT."""
OFFSETS = {"TIMECRITICAL": 15, "HIGHEST": 2, "ABOVENORMAL": 1, "NORMAL": 0, "BELOWNORMAL": -1, "LOWEST": -2,
           "IDLE": -15}


def read(path: Path, seconds: float | None = None) -> Probe:
    """Read the experiment in the .SCR file *path*, for *seconds* or the script's time; UserError with its place."""
    reading = _Reading(path.parent, _load(path))
    duration = reading.seconds if seconds is None else seconds
    return Probe(tuple(reading.processes), duration, path.stem)


@dataclass
class _Reading:
    """An experiment as read so far from the lines of *source*; its other scripts lie in *folder*."""

    folder: Path
    source: Source
    seconds: float = SECONDS
    files: dict[str, ProbeFile] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)
    threads: int = 0

    def __post_init__(self) -> None:
        lines = list(statements(self.source))
        for line in lines:  # files may stand behind the processes that use them
            if line.verb == "CREATEFIL":
                self._create(line)
        for line in lines:
            self._add(line)
        if not self.processes:
            raise self.source.error(1, 1, "there is no PROCESS in this file")

    def _add(self, line: Statement) -> None:
        if line.verb == "TRIALTIME":
            self.seconds = line.value(1, "TRIALTIME in seconds", MAX_SECONDS)
            if not self.seconds:
                raise line.error(1, "TRIALTIME must be more than zero")
            line.ends(2)
        elif line.verb in ("REPEAT", "PROCESS"):
            self._processes(line)
        elif line.verb != "CREATEFIL":
            raise line.error(0, str(unknown("statement", line.verb, ["CREATEFIL", "PROCESS", "REPEAT", "TRIALTIME"])))

    def _create(self, line: Statement) -> None:
        name = line.name(1, "the name of the file")
        if name.upper() in self.files:
            raise line.error(1, f"there is already a file {name}")
        self.files[name.upper()] = ProbeFile(name, line.count(2, "its kilobytes", MAX_KILOBYTES) * KIB)
        line.ends(3)

    def _processes(self, line: Statement) -> None:
        times, first = _repeat(line, "PROCESS")
        script = self._sibling(line, first + 1, "the .SCP file")
        data_pages = line.count(first + 2, "the number of data pages", MAX_PAGES, least=0)
        code = self.files.get(line.name(first + 3, "the file of code pages").upper())
        if code is None:
            raise line.error(first + 3, f"no CREATEFIL says how large {safe(line.words[first + 3], 40)} is")
        name = line.name(first + 4, "the process") if len(line.words) > first + 4 else "PROBEPRC.EXE"
        base = line.one_of(first + 5, "priority class", CLASSES) if len(line.words) > first + 5 else "NORMAL"
        line.ends(first + 6)
        threads = self._threads(_load(script), data_pages, code, CLASSES[base], line, times)
        self.processes += [Process(name, threads, data_pages, code)] * times

    def _threads(
        self, source: Source, data_pages: int, code: ProbeFile, base: int, caller: Statement, times: int
    ) -> tuple[Thread, ...]:
        threads: list[Thread] = []
        for line in statements(source):
            if line.verb not in ("THREAD", "REPEAT"):
                raise line.error(0, str(unknown("statement", line.verb, ["REPEAT", "THREAD"])))
            count, first = _repeat(line, "THREAD")
            script = self._sibling(line, first + 1, "the .SCT file")
            priority = line.one_of(first + 2, "thread priority", OFFSETS) if len(line.words) > first + 2 else "NORMAL"
            line.ends(first + 3)
            self.threads += count * times
            if self.threads > MAX_THREADS:
                raise line.error(0, f"an experiment has at most {MAX_THREADS:,} threads")
            thread = ThreadFile(_load(script)).thread(self.files, data_pages, code, level(base, OFFSETS[priority]))
            threads += [thread] * count
        if not threads:
            raise caller.error(1, f"there is no THREAD in {safe(source.name, 80)}")
        return tuple(threads)

    def _sibling(self, line: Statement, index: int, what: str) -> Path:
        """Return the path of the script that word *index* names, in the same folder; the case of letters may differ."""
        name = line.name(index, what)
        folder = self.folder.resolve()
        for spelling in (name, name.lower(), name.upper()):
            path = self.folder / spelling
            if path.is_file():
                if path.resolve().parent != folder:
                    raise line.error(index, f"{name} is a link that leads out of the folder of the script")
                return path
        raise line.error(index, f"there is no file {name} beside this script")


def _load(path: Path) -> Source:
    source = load(path)
    if sum(map(len, source.lines)) > MAX_SCRIPT_BYTES:
        raise UserError(f"{safe(str(path))}: a script of Response Probe has at most {MAX_SCRIPT_BYTES:,} bytes")
    return source


def _repeat(line: Statement, verb: str) -> tuple[int, int]:
    """Return the number of times that a line counts, and the index of its word *verb*."""
    if line.verb != "REPEAT":
        return 1, 0
    times = line.count(1, "REPEAT", MAX_THREADS)
    if line.word(2, verb).upper() != verb:
        raise line.error(2, f"REPEAT stands before {verb}")
    return times, 2


def level(base: int, offset: int) -> int:
    """Return the priority, 1 to 31, of a thread *offset* from its class's *base*; both lie on one side of 16."""
    low, high = (16, 31) if base >= 16 else (1, 15)
    return max(low, min(high, base + offset))
