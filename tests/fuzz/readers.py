"""Everything that reads a file of somebody else's, and files to begin with: those shipped, and tests/corpus."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from re import fullmatch

import numpy as np
from hypothesis import strategies as st

from spindle.lab.drives.timed_requests import fio_log
from spindle.lab.flash.fio_answer import read_kept as kept_answer
from spindle.lab.measure import table as measured
from spindle.models.hp3000.data_sets import FAMILIES
from spindle.models.hp3000.operator import read_shift
from spindle.output.kept_tables import ORIGINS, kept_table
from spindle.sim.disc.sheet_file.sheet import TEMPLATES, read_sheet
from spindle.sim.error import UserError
from spindle.sim.units import MIB
from spindle.studies.claims.claims import read_claims
from spindle.studies.kept_runs import KeptRuns
from spindle.studies.sweep.journal import NotBelieved, entries
from spindle.traces.blocks import TraceReferences, collect_references
from spindle.traces.replay.drives import request_list
from spindle.web.play.worker import plan
from spindle.workloads import probe, stdio
from spindle.workloads import stdio_files as stdio_file
from spindle.workloads.probe import reader as probe_reader
from spindle.workloads.program_files.reader import add_programs
from spindle.workloads.shipped_programs import CATALOGUE
from spindle.workloads.tepe import SHIPPED, describe, read
from spindle.workloads.traces.prompts import read_prompts
from spindle.workloads.traces.reader import FORMATS, Trace
from spindle.workloads.traces.record import Record
from tests.fuzz.machines import Draw, one
from tests.workloads.traces.ways import by_columns, line_by_line

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"


@dataclass(frozen=True)
class Reader:
    """*read* takes a file called *name*, with those *beside* it, and *files* are some that it may like."""

    name: str
    read: Callable[[Path], object]
    files: tuple[Path, ...]
    beside: tuple[Path, ...] = ()

    def lay_out(self, folder: Path) -> Path:
        """Where in *folder* the file is to be put."""
        for path in self.beside:
            shutil.copy(path, folder)
        return folder / self.name


def _journal(path: Path) -> None:
    with suppress(NotBelieved):
        for _ in entries(path, "sweep", 0.0):
            pass


_single = cache(partial(read_sheet, CORPUS / "sheet" / "single.yaml"))


def _list(path: Path) -> None:
    for _ in request_list(path, _single()):
        pass


def _table(path: Path) -> None:
    kept_table(path.with_name("table.csv"))


def _kept(path: Path) -> None:
    assert all(len(note.splitlines()) == 1 for note in KeptRuns(path.parent).notes)


def _trace(format: str) -> Callable[[Path], object]:
    return lambda path: sum(1 for _ in Trace(path, format))


def _request(path: Path) -> None:
    """What the page asks for, and an address of the page holds."""
    error = json.loads(plan(path.read_text("utf-8", "replace"))).get("error", "")
    assert not error.startswith("the run broke down"), error
    if error:
        raise UserError(error)


def _gathered(records: Iterator[Record]) -> tuple[TraceReferences | None, str]:
    """The references of *records*, or what is wrong with them."""
    try:
        return collect_references(records, MIB), ""
    except UserError as error:
        return None, str(error)


def _references(format: str) -> Callable[[Path], object]:
    """By columns as line by line, with the same words for what is wrong."""
    def read(path: Path) -> None:
        trace = Trace(path, format)
        careful, wrong = _gathered(line_by_line(trace))
        found, also = _gathered(by_columns(trace))
        assert wrong == also
        if wrong:
            raise UserError(wrong)
        for name in TraceReferences.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(found, name), getattr(careful, name), name)

    return read


def _files(folder: Path, pattern: str) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob(pattern)))


PROBE = Path(probe.__path__[0])
STDIO = Path(stdio.__file__).with_suffix("")
WELL_KNOWN = {
    "script": Reader("script.tepe", lambda path: describe(read(path, CATALOGUE)), _files(SHIPPED, "*.tepe")),
    "program": Reader("programs.toml", lambda path: add_programs(CATALOGUE, [path], FAMILIES),
                      _files(ROOT / "examples", "*.toml")),
    "probe": Reader("probe.scr", probe_reader.read, _files(PROBE, "*.scr"), _files(PROBE, "*.sc?")),
    "shift": Reader("shift.txt", lambda path: read_shift(path, 3600.0), _files(ROOT / "examples", "*_shift.txt")),
    "sheet": Reader("drive.yaml", read_sheet, (*_files(CORPUS / "sheet", "*"), *TEMPLATES.values())),
    "list": Reader("requests.csv", _list, _files(CORPUS / "list", "*")),
    "stdio": Reader("program.toml", stdio_file.read, _files(STDIO, "*.toml")),
    "claims": Reader("claims.toml", read_claims, _files(ROOT / "models", "*/claims.toml")),
    "kept": Reader("study.jsonl.xz", _kept, _files(CORPUS / "kept", "*")),
    "journal": Reader("journal", _journal, _files(CORPUS / "journal", "*")),
    "origins": Reader(ORIGINS, _table, _files(CORPUS / "origins", "*"), (CORPUS / "table.csv",)),
    "measured": Reader("measured.csv", measured.read, _files(CORPUS / "measured", "*")),
    "answer": Reader("fio.json", kept_answer, _files(CORPUS / "answer", "*")),
    "log": Reader("requests.log", lambda path: fio_log(path, 512, 1 << 40), _files(CORPUS / "log", "*")),
    "form": Reader("trace", _trace("%T.%t, %p, %C, %a, %S, %n, %N"), _files(CORPUS / "form", "*")),
    "prompts": Reader("prompts.jsonl", read_prompts, _files(CORPUS / "prompts", "*")),
    "container": Reader("trace", _trace(""), _files(CORPUS / "container", "*")),
    "request": Reader("request.json", _request, _files(CORPUS / "request", "*")),
    **{f"{name}-references": Reader("trace", _references(name), _files(CORPUS / "trace", f"{name.split('-')[0]}*"))
       for name in FORMATS},
    **{name: Reader("trace", _trace(name), _files(CORPUS / "trace", f"{name.split('-')[0]}*"))
       for name in ("", *FORMATS)},
}
READERS = {name: replace(reader, files=reader.files + _files(CORPUS / "broken", f"{name}.*"))
           for name, reader in WELL_KNOWN.items()}  # fmt: skip
"""With what broke one of them once."""


@st.composite
def contents(draw: Draw, files: tuple[Path, ...]) -> bytes:
    """One of *files* with some bytes taken out, put in, doubled or changed; or any bytes."""
    content = one(draw, *(path.read_bytes() for path in files)) if files else b""
    for _ in range(one(draw, 1, 2, 5)):
        first = draw(st.integers(0, len(content)))
        stop = min(len(content), first + one(draw, 0, 1, 4, 30, 1000))
        other = draw(st.integers(0, len(content)))
        new = one(draw, b"", b"-", b"0", b"1e999", b"9" * 30, b"\n", b"\x00", b"\xff\xfe", b"nan", b'"', b"[[",
                  b"{" * 999, content[other : other + 40], draw(st.binary(max_size=8)))  # fmt: skip
        content = content[:first] + new + content[stop:]
    return bytes(content)


def mistake(reader: Reader, path: Path, content: bytes) -> str:
    """What *reader* has against *content* in the file *path*, in one line and its place; nothing if that is right."""
    path.write_bytes(content)
    try:
        reader.read(path)
    except UserError as error:
        said = str(error)
    else:
        return ""
    assert fullmatch(r".+(\n.*\n *\^)?", said), f"{said!r} is more than a line, and the place in it"
    return said
