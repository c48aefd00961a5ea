"""Tests users' own formats: from a file, and from an installed package, recognised by the content of files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.sim import offers
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces import reader
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import Field, integer, separated_by
from spindle.workloads.traces.text import TextFormat

SOURCE = """
from spindle.sim.units import MS
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import choice, clock, integer, separated_by
from spindle.workloads.traces.text import TextFormat

FIELDS = (choice("op", "RW", "op"), integer("at", "first"), integer("bytes", "length"), clock("ms", MS))
MINE = TextFormat("mine", (".mine",), "a request is a line", lambda: Rows(FIELDS, separated_by("|")))
OTHER = 5
"""
LINES = "R|4096|512|1000\nW|0|8192|1250\n"
RECORDS = [Record(0.0, "", READ, 4096, 512), Record(0.25, "", WRITE, 0, 8192)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "trace").write_text(LINES)
    return tmp_path


@pytest.fixture
def installed(place: Path, offered: Callable[[str], None]) -> Iterator[Path]:
    """A package that offers the format."""
    offered("[spindle.formats]\nmine = spindle_mine:MINE\n")
    (place / "spindle_mine.py").write_text(SOURCE)
    forget()
    yield place
    forget()


def forget() -> None:
    for kept in (offers._offers, reader._formats, reader.looks_like):
        kept.cache_clear()


@pytest.mark.parametrize("name", ["mine.py:MINE", "mine.py"])
def test_a_format_of_a_file_reads_a_trace(place: Path, name: str) -> None:
    assert list(Trace(place / "trace", name)) == RECORDS


def test_a_format_of_a_package_is_recognised_by_content_and_by_name(installed: Path) -> None:
    trace = Trace(installed / "trace")
    assert trace.format.name == "mine"
    assert list(trace) == list(Trace(installed / "trace", "mine")) == RECORDS


def test_words_that_are_given_count_where_a_format_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its meaning no line with the word is a good one."""
    fields = (Field("op", "[a-z]+", "a word", "op"), integer("at", "first"), integer("bytes", "length"))
    own = TextFormat("own", (), "a request is a line", lambda: Rows(fields, separated_by("|")))
    monkeypatch.setattr(reader, "_formats", lambda: {"own": own})
    path = tmp_path / "trace"
    path.write_text("zap|0|512\nzap|512|512\n")
    with pytest.raises(UserError, match="its first lines look like no trace format"):
        Trace(path)
    assert [record.op for record in Trace(path, ops={"zap": Meaning.WRITE})] == [WRITE, WRITE]


def test_without_the_package_it_is_no_format(place: Path) -> None:
    with pytest.raises(UserError, match="its first lines look like no trace format"):
        Trace(place / "trace")
    with pytest.raises(UserError, match="unknown trace format 'mine'"):
        Trace(place / "trace", "mine")


def test_what_is_no_format_is_told(place: Path) -> None:
    with pytest.raises(UserError, match=r"'mine.py:OTHER' is no trace format: a trace format is a Format, of "):
        Trace(place / "trace", "mine.py:OTHER")


def test_a_command_takes_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", "trace", "--format", "mine.py:MINE", "--policy", "lru", "--sizes", "1,2"]) == 0
    assert capsys.readouterr().out
