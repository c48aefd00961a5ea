"""A .SCT file of Response Probe: what one thread does, and what is wrong with the numbers it gives."""

from collections.abc import Callable, Mapping
from math import inf
from typing import TypeVar

from sim.error import UserError, unknown
from sim.request import READ, WRITE, Op
from sim.units import MS, US
from workloads.probe.bell import Bell
from workloads.probe.script import PAGE, RECORD, FileAction, Mode, ProbeFile, Thread
from workloads.probe.statement import Statement, statements
from workloads.tepe_language.source import Source, safe

NUMBERS = ("THINKTIME", "CYCLEREADS", "FILESEEK", "CPUTIME", "DATAPAGE", "CODEPAGE")
"""Each with a mean and a deviation; they and FILEACCESS must be there."""
CHOICES = ("FILEATTRIBUTE", "FILEACCESSMODE", "RECORDSIZE", "FILEACTION")
MOST = 1e9
"""Of milliseconds, records, pages or reads."""
MOST_OPERATIONS = 1000

B = TypeVar("B")


class ThreadFile:
    """The statements of *source*, in any order, each at most once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._statements: dict[str, Statement] = {}
        for each in statements(source):
            if each.verb not in (*NUMBERS, "FILEACCESS", *CHOICES):
                raise each.error(0, str(unknown("statement", each.verb, (*NUMBERS, "FILEACCESS", *CHOICES))))
            if each.verb in self._statements:
                raise each.error(0, f"{each.verb} was already said in line {self._statements[each.verb].number}")
            self._statements[each.verb] = each
        for verb in (*NUMBERS, "FILEACCESS"):
            if verb not in self._statements:
                raise source.error(len(source.lines), 1, f"there is no {verb} in this file")

    def thread(self, files: Mapping[str, ProbeFile], data_pages: int, code: ProbeFile, priority: int) -> Thread:
        """The thread in a process of so many *data_pages*, that runs from *code*, where there are these *files*."""
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
        mean, deviation = (statement.value(index, f"the {what} of {verb}", MOST)
                           for index, what in ((1, "mean"), (2, "deviation")))
        statement.ends(3)
        return self._build(statement, lambda: Bell(mean * unit, deviation * unit, most))

    def _action(self, files: Mapping[str, ProbeFile]) -> FileAction:
        access, file = self._statements["FILEACCESS"], self._file(files)
        record = self._record(file)
        mode = Mode(self._choice("FILEACCESSMODE", [mode.value for mode in Mode], Mode.BUFFERED.value))
        sequential = self._choice("FILEATTRIBUTE", ["RANDOM", "SEQUENTIAL"], "RANDOM") == "SEQUENTIAL"
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

    def _choice(self, verb: str, choices: list[str], default: str) -> str:
        statement = self._statements.get(verb)
        if statement is None:
            return default
        statement.ends(2)
        return statement.one_of(1, verb, choices)

    def _operations(self) -> tuple[Op, ...]:
        statement = self._statements.get("FILEACTION")
        if statement is None:
            return (READ,)
        statement.ends(2)
        text = statement.word(1, "a row of R and W").upper()
        if set(text) - {"R", "W"} or len(text) > MOST_OPERATIONS:
            raise statement.error(1, f"FILEACTION is a row of at most {MOST_OPERATIONS} R and W, not {safe(text, 40)}")
        return tuple(READ if letter == "R" else WRITE for letter in text)

    def _build(self, statement: Statement, build: Callable[[], B]) -> B:
        """The result of *build*; its error names the place of *statement*."""
        try:
            return build()
        except UserError as error:
            raise statement.error(1, f"{statement.verb}: {error}") from None
