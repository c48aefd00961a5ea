"""Reads an experiment of Response Probe: a .SCR file, and beside it the .SCP and .SCT files that it names."""

from dataclasses import dataclass, field
from pathlib import Path

from sim.error import UserError, unknown
from sim.units import KIB
from workloads.probe.script import Probe, ProbeFile, Process, Thread
from workloads.probe.statement import Statement, statements
from workloads.probe.thread_file import ThreadFile
from workloads.tepe_language.source import Source, load, safe

SECONDS = 120.0
"""Trial time of a script without one."""
MOST_SECONDS = 1e6
MOST_BYTES = 64 * KIB
"""Of a script, which is a tiny text file."""
MOST_KILOBYTES = 1 << 24
MOST_PAGES = 1 << 20
MOST_THREADS = 1000
"""In the whole experiment."""
CLASSES = {"IDLE": 4, "NORMAL": 7, "HIGH": 13, "REALTIME": 24}
"""The base of each priority class of Windows NT."""
OFFSETS = {"TIMECRITICAL": 15, "HIGHEST": 2, "ABOVENORMAL": 1, "NORMAL": 0, "BELOWNORMAL": -1, "LOWEST": -2,
           "IDLE": -15}


def read(path: Path, seconds: float | None = None) -> Probe:
    """The experiment in the .SCR file *path*, for so many *seconds* or its own; UserError with its place."""
    reading = _Reading(path.parent, _load(path))
    duration = reading.seconds if seconds is None else seconds
    return Probe(tuple(reading.processes), duration, path.stem)


@dataclass
class _Reading:
    """The contents of the lines of *source* so far; other scripts lie in *folder*."""

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
            self._say(line)
        if not self.processes:
            raise self.source.error(1, 1, "there is no PROCESS in this file")

    def _say(self, line: Statement) -> None:
        if line.verb == "TRIALTIME":
            self.seconds = line.value(1, "TRIALTIME in seconds", MOST_SECONDS)
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
        self.files[name.upper()] = ProbeFile(name, line.count(2, "its kilobytes", MOST_KILOBYTES) * KIB)
        line.ends(3)

    def _processes(self, line: Statement) -> None:
        times, first = _repeat(line, "PROCESS")
        script = self._beside(line, first + 1, "the .SCP file")
        data_pages = line.count(first + 2, "the number of data pages", MOST_PAGES, least=0)
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
            script = self._beside(line, first + 1, "the .SCT file")
            priority = line.one_of(first + 2, "thread priority", OFFSETS) if len(line.words) > first + 2 else "NORMAL"
            line.ends(first + 3)
            self.threads += count * times
            if self.threads > MOST_THREADS:
                raise line.error(0, f"an experiment has at most {MOST_THREADS:,} threads")
            thread = ThreadFile(_load(script)).thread(self.files, data_pages, code, level(base, OFFSETS[priority]))
            threads += [thread] * count
        if not threads:
            raise caller.error(1, f"there is no THREAD in {safe(source.name, 80)}")
        return tuple(threads)

    def _beside(self, line: Statement, index: int, what: str) -> Path:
        """The script that word *index* names, in the folder itself, whichever way its capitals are written."""
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
    if sum(map(len, source.lines)) > MOST_BYTES:
        raise UserError(f"{safe(str(path))}: a script of Response Probe has at most {MOST_BYTES:,} bytes")
    return source


def _repeat(line: Statement, verb: str) -> tuple[int, int]:
    """How often a line is meant, and which of its words is the *verb*."""
    if line.verb != "REPEAT":
        return 1, 0
    times = line.count(1, "REPEAT", MOST_THREADS)
    if line.word(2, verb).upper() != verb:
        raise line.error(2, f"REPEAT stands before {verb}")
    return times, 2


def level(base: int, offset: int) -> int:
    """The priority, 1 to 31, of a thread *offset* from its class's *base*, which it keeps on its side of 16."""
    low, high = (16, 31) if base >= 16 else (1, 15)
    return max(low, min(high, base + offset))
