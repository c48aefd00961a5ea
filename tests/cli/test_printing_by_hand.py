"""What a command prints, by hand: one line for an error, columns, sentences, colours; and lines about traces."""

import gzip
import os
import sys
from argparse import Namespace
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
import zstandard

from spindle.cli.arguments import ArgumentParser
from spindle.cli.plotting import numbers_of, plot_or_save
from spindle.cli.printing import align, complain, finish, flush, line, paint, plain_characters, prose, stop_writing
from spindle.cli.trace_file import add_trace, files_read, passed_over, read_with_bar, whole_size
from spindle.sim.error import UserError
from spindle.workloads.traces.formats.plain import plain
from spindle.workloads.traces.reader import Trace
from tests.output.test_progress import Terminal
from tests.traces.conftest import trace_of

Said = pytest.CaptureFixture[str]


@pytest.mark.parametrize(("text", "said"), [
    ("no such file", "spindle: no such file"), ("a\x1bb", r"spindle: a\x1bb"),
    ("few.tepe:3:5: what\n  LOOP x\n       ^", "few.tepe:3:5: what\n  LOOP x\n       ^"),
    ("a\nb: no such file", r"spindle: a\nb: no such file"), ("x" * 291, "spindle: " + "x" * 291),
    ("x" * 200 + "y" * 92, "spindle: " + "x" * 198 + "..." + "y" * 90),
])  # fmt: skip
def test_an_error_as_a_line(text: str, said: str, capsys: Said) -> None:
    assert line(text) == said
    complain(text)
    assert capsys.readouterr() == ("", f"{said}\n")


def test_pictures_of_points_are_stars_where_a_terminal_has_none() -> None:
    text = "\u28c0\u2801\u2800\u00b1\u00e9"
    assert plain_characters(UnicodeEncodeError("ascii", text, 0, 5, "")) == ("** +-\\xe9", 5)


def test_a_page_is_printed_without_control_characters_and_is_the_end(capsys: Said) -> None:
    assert finish("one\ntwo \x1b[31m") == 0
    assert capsys.readouterr() == ("one\ntwo \\x1b[31m\n", "")


class Closed(StringIO):
    """A pipe whose reader has left."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError

    def fileno(self) -> int:
        return self._descriptor


def test_a_pipe_that_is_closed_over_a_page_gets_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "out").open("wb") as file:
        monkeypatch.setattr(sys, "stdout", Closed(file.fileno()))
        before = len(os.listdir("/proc/self/fd"))
        assert finish("page") == 0
        flush()
        stop_writing()
        assert len(os.listdir("/proc/self/fd")) == before
        os.write(file.fileno(), b"lost")
    assert (tmp_path / "out").read_bytes() == b""


PAGE = "heading\n  name  holds  1.5\n  a  fails\n  undecided\nbar  ###\nholds"


def test_verdicts_bars_and_headings_are_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint(PAGE) == PAGE
    monkeypatch.delenv("NO_COLOR")
    assert paint(PAGE) == (
        "\033[1mheading\033[0m\n  name  \033[34mholds\033[0m  1.5\n  a  \033[1;31mfails\033[0m\n  "
        "\033[33mundecided\033[0m\nbar  \033[34m###\033[0m\nholds")
    monkeypatch.setattr(sys, "stdout", StringIO())
    assert paint(PAGE) == PAGE


def test_columns_and_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    assert align([("a", "bb", "c"), ("long", "1", "")], right={1}) == ["a     bb  c", "long   1"]
    assert align([("a", "b")]) == ["a  b"]
    monkeypatch.setenv("COLUMNS", "14")
    assert prose("one two three four", 2) == "  one two\n  three four"
    monkeypatch.setenv("COLUMNS", "400")
    assert [len(each) for each in prose("1234 " * 25, 0).splitlines()] == [99, 24]
    assert [len(each) for each in prose("123 " + "1234 " * 25, 0).splitlines()] == [98, 29]
    assert [len(each) for each in prose("12345 " + "1234 " * 25, 0).splitlines()] == [100, 29]


def test_a_picture_is_drawn_into_a_file_or_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    def text(width: int) -> str:
        return f"{width} columns"

    monkeypatch.setenv("COLUMNS", "70")
    assert plot_or_save(None, Figure, text, "x") == ["", "70 columns"]
    monkeypatch.delenv("COLUMNS")
    assert plot_or_save(None, Figure, text, "x") == ["", "90 columns"]
    file = tmp_path / "x.svg"
    assert plot_or_save(file, Figure, text, "a, b") == ["", f"{file}: a picture of a, b"]
    assert b"<svg" in file.read_bytes()


def test_numbers_are_drawn_and_words_are_not() -> None:
    frame = pd.DataFrame({"n": [1, 2], "some": [None, 0.5], "none": [float("nan")] * 2, "word": ["a", "b"]})
    assert numbers_of(frame, ["word", "some", "none", "n"]) == ["some", "n"]
    for names, said in ((["none", "word"], "none, word"), ([], "what is shown")):
        with pytest.raises(UserError, match=f"^--plot: {said} is no number; name one by --columns$"):
            numbers_of(frame, names)


def test_how_large_a_trace_is_once_it_is_unpacked(tmp_path: Path) -> None:
    content = b"0123456789" * 100
    path = tmp_path / "trace"
    sized, unsized = zstandard.ZstdCompressor().compress(content), zstandard.ZstdCompressor().compressobj()
    for packed, size in ((content, 1000), (gzip.compress(content), 1000), (sized, 1000),
                         (unsized.compress(content) + unsized.flush(), None), (zstandard.compress(b""), None),
                         (zstandard.compress(b"x"), 1),
                         (sized[:5], None), (b"\xfd7zX and more", None), (b"BZh9", None), (b"", 0),
                         (b"\x1f\x8b", None)):  # fmt: skip
        path.write_bytes(packed)
        assert whole_size(path) == size
    assert whole_size(tmp_path / "nowhere") is None


def test_the_records_of_a_trace_pass_all_or_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(trace_of(*((number, "R", 8 * number, 8) for number in range(5))))
    for limit, count in ((0, 5), (2, 2), (9, 5)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)
        assert len(list(read_with_bar(Trace(path, plain(512)), limit, "reading"))) == count
        assert terminal.getvalue().startswith("\rreading:   0%|")
        assert "| 00:00, " in terminal.getvalue()


def test_lines_that_were_passed_over_are_told(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(trace_of((0, "R", 0, 8)))
    trace = Trace(path, plain(512))
    assert passed_over(trace) == []
    trace.faults.bad, trace.faults.kept = 2, ["trace.csv:3: odd", "trace.csv:4: odd"]
    assert passed_over(trace)[:1] == ["2 bad lines passed over, the first: trace.csv:3: odd"]


def test_a_command_on_a_trace_names_it_and_says_how_it_is_read() -> None:
    parser = ArgumentParser("curve")
    add_trace(parser)
    words = " ".join(parser.format_help().split())
    assert (" TRACE a trace, perhaps compressed with gzip, zstd, xz or bzip2, or a tar or zip of some; several with "
            "commas between, a folder, or - for standard input ") in words  # fmt: skip
    assert parser.take(["x.csv", "--limit=5"]).trace == "x.csv"


def test_the_files_that_options_read() -> None:
    assert files_read(Namespace(trace="a.csv", of_run_drive="b.yaml")) == [Path("a.csv"), Path("b.yaml")]
    assert files_read(Namespace(trace=None)) == []
    assert files_read(Namespace(of_run_drive="b.yaml")) == [Path("b.yaml")]
