"""Tests the command line as a whole: any misuse gives one line, and exit statuses have their meanings."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import simpy

from spindle.cli.main import COMMANDS, main
from spindle.cli.printing import plain_characters
from spindle.sim.user_parts import place_of
from tests.traces.conftest import SHEET, trace_of

ROOT = Path(__file__).parents[2]
Said = pytest.CaptureFixture[str]
SCRIPT = 'SCRIPT FEW\nTERMINALS 2\nRUN ORDERS\nLOOP\nTHINK 5\nENTER "FIND"\nEND\n'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SHEET)
    (tmp_path / "trace.csv").write_text(trace_of((0, "R", 0, 1)))
    (tmp_path / "few.tepe").write_text(SCRIPT)
    return tmp_path


def test_a_terminal_without_a_character_has_one_that_looks_like_it() -> None:
    error = UnicodeEncodeError("ascii", "1 \u00b1 2 \u00b5s \u28c0\u2800\u2524\u00e9.", 2, 14, "beyond")
    assert plain_characters(error) == ("+- 2 us * |\\xe9.", 14)
    with pytest.raises(AssertionError):
        plain_characters(UnicodeError())


def one_line(capsys: Said) -> str:
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), err[:9]) == ("", 1, "spindle: ")
    assert err[:-1].isprintable()
    assert len(err) <= 301
    return err[9:-1]


def spindle(*arguments: str, folder: Path, **others: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "spindle", *arguments], cwd=folder, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)} | others.pop("env", {}), **others,
    )  # fmt: skip


@pytest.mark.parametrize("arguments", [
    ("run", "hp3000", "--minutes=1", "--warm-up=0", "--seed", "\udcff"), ("run", "\udcff"), ("\udcff",),
    ("sweep", "max_iv", "--set", "drive=\udcff.yaml"), ("curve", "trace.csv", "--plot", "\udc80.png"),
])  # fmt: skip
def test_words_that_are_no_text_are_refused(arguments: tuple[str, ...], place: Path, capsys: Said) -> None:
    assert main(arguments) == 2
    assert "is not text in UTF-8" in one_line(capsys)


@pytest.mark.parametrize("arguments", [
    "run hp3000 --script @", "run hp3000 --drive @.yaml", "run hp3000 --minutes=1 --warm-up=0 --timeline @",
    "run hp3000 --minutes=1 --warm-up=0 --log @.txt", "run windows_nt --probe @", "run sata_ncq --trace @",
    "run hp3000 --shift @", "run unix_stdio --program @",
    "sweep max_iv --out @.csv", "sweep max_iv --out @/x.csv", "sweep max_iv --store @",
    "sweep max_iv --set drive=@.yaml", "drive @.yaml trace.csv", "drive small.yaml @",
    "drive small.yaml trace.csv --out @",
    "replay @", "replay trace.csv --drive @.yaml", "replay trace.csv --out @", "replay trace.csv --plot @.png",
    "curve @", "curve trace.csv --out @", "characterise @", "characterise trace.csv --synthetic @",
    "measure --from @",
    "experiment max_iv --results @", "claims max_iv --results @", "tepe check @",
])  # fmt: skip
def test_a_circle_of_links_is_a_mistake_wherever_a_path_is_wanted(arguments: str, place: Path, capsys: Said) -> None:
    for end in ("", ".yaml", ".csv", ".txt", ".png"):
        (place / f"circle{end}").symlink_to(f"back{end}")
        (place / f"back{end}").symlink_to(f"circle{end}")
    assert main(arguments.replace("@", "circle").split()) == 2
    out, err = capsys.readouterr()
    named = [word.strip(":,;'") for word in err.splitlines()[0].split() if "circle" in word]
    assert (out, named) == ("", [*dict.fromkeys(named)])  # no path twice; a folder and what it would lie in are two
    assert named


@pytest.mark.parametrize("command", COMMANDS)
def test_two_dashes_do_not_stand_for_everything(command: str, capsys: Said) -> None:
    assert main((command, "hp3000", "--") if command == "run" else (command, "--")) == 2
    assert one_line(capsys) == f"{command}: -- has no meaning here"


@pytest.mark.parametrize("arguments", [
    ("run", "hp3000", "--policy", "\x1b[31mlru\x07"), ("\x1b]0;title\x07",), ("replay", "\x1b[2J.csv"),
    ("run", "hp3000", "--policy", "x" * 5000), ("x" * 100_000,), ("run", "hp3000", "x" * 5000), ("curve", "y" * 3000),
    ("run", "hp3000", f"--{'x' * 400}"), ("replay", "trace.csv", "--out", "z" * 3000),
    ("run", "hp3000", "--json=" + "9" * 999),
    ("run", "sata_ncq", "--requests", "9" * 4000), ("tepe", "check", "\u202e.tepe\n"),
    ("run", "hp3000", "--seed", "1", "\x9b5m"),
    ("sweep", "max_iv", "--set", "users=" + "1," * 5000 + "x"), ("drive", "\u2028.yaml", "x"),
    ("curve", "\n"), ("convert", "a\nb", "c", "--to=csv"),
], ids=lambda words: " ".join(words)[:30].encode("unicode_escape").decode())  # fmt: skip
def test_a_mistake_is_a_short_line_that_no_terminal_obeys(
    arguments: tuple[str, ...], place: Path, capsys: Said
) -> None:
    assert main(arguments) == 2
    assert one_line(capsys)


def test_a_mistake_within_a_point_does_not_repeat_the_script(place: Path, capsys: Said) -> None:
    assert main(("run", "hp3000", "--script", "few.tepe", "--warm-up", "auto", "--minutes", "-1")) == 2
    said = one_line(capsys)
    assert said.startswith("minutes must be positive")
    assert "script=few.tepe" in said
    assert "Script(" not in said


def test_a_fault_of_spindle_is_one_line_and_a_file(
    place: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError("no\nsuch \x1b[31m" + "x" * 1000)

    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr("spindle.cli.tepe.main", broken)
    assert main(("tepe", "check", "a file")) == 70
    said = one_line(capsys)
    assert said.startswith(r"internal error, ZeroDivisionError: 'no\nsuch \x1b[31mxxx")
    (trace,) = place.glob("spindle-*.trace")
    assert said.endswith(f"the traceback is in {trace}")
    text = trace.read_text()
    assert text.startswith("spindle tepe check 'a file'\nTraceback (most recent call last):\n")
    assert ", in broken\n" in text


OWN = """\
from spindle import Lru


class Raises(Lru):
    def choose(self, *given):
        return 1 // 0


class Ends(Lru):
    def insert(self, *given):
        raise SystemExit(0)


class Lacks(Lru):
    def choose(self):
        return super().choose()
"""


@pytest.mark.parametrize(("name", "status", "said"), [
    ("Raises", 2, "mine.py, line 6: ZeroDivisionError: 'integer division"),
    ("Ends", 2, "mine.py, line 11: SystemExit: '0'"),
    ("Lacks", 70, "internal error or one in code of your own, TypeError: 'Lacks.choose() takes 1"),
])  # fmt: skip
def test_what_own_code_raises_is_told_from_a_fault_of_spindle(
    name: str, status: int, said: str, place: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    (place / "mine.py").write_text(OWN)
    assert main(("run", "sata_ncq", "--requests=300", "--cache=64K", f"--policy=mine.py:{name}")) == status
    line = one_line(capsys)
    assert line.startswith(said)
    assert line.endswith(f"; spindle check mine.py:{name} tries it alone") is (status == 70)


def test_the_line_of_a_transaction_is_found_behind_what_simpy_raises_again() -> None:
    """Its failure is raised anew by the process that waits for it."""
    def transaction() -> Iterator[simpy.Event]:
        yield env.timeout(1.0)
        raise KeyError("spam")

    env = simpy.Environment()
    env.process(transaction())
    with pytest.raises(KeyError) as raised:
        env.run()
    assert place_of(raised.value) == ""
    with patch("spindle.sim.user_parts._FILES", {__file__}):
        assert place_of(raised.value).startswith(f"{__file__}, line ")


@pytest.mark.parametrize("arguments", [
    ("sweep", "max_iv", "--set=minutes=0.1", "--set=warm_up=0", "--seeds=6", "--workers=2", "--out=x.csv"), ("list",),
])  # fmt: skip
def test_standard_output_that_is_closed_is_a_mistake(arguments: tuple[str, ...], place: Path) -> None:
    with spindle(*arguments, folder=place, preexec_fn=lambda: os.close(1)) as run:
        said = run.communicate()[1]
    assert (run.returncode, said.count("\n")) == (2, 1)
    assert said.startswith("spindle: standard output is closed")
    assert not (place / "x.csv").exists()


@pytest.mark.parametrize(("arguments", "says", "lines"), [
    (("replay", "trace.csv", "--drive=small.yaml", "--out=rows.csv"), "trace.csv, csv, open loop", 2),
    (("sweep", "max_iv", "--set=minutes=0.1", "--set=warm_up=0", "--seeds=6", "--workers=2",
      "--out=rows.csv"), "rows.csv: 6 rows", 7),
])  # fmt: skip
def test_standard_input_and_error_may_be_closed(
    arguments: tuple[str, ...], says: str, lines: int, place: Path
) -> None:
    """And no file that is opened, by a worker neither, is taken for one of them."""
    def close() -> None:
        os.close(0)
        os.close(2)

    with spindle(*arguments, folder=place, stdout=subprocess.PIPE, preexec_fn=close) as run:
        out = run.communicate()[0]
    assert run.returncode == 0
    assert says in out
    assert (place / "rows.csv").read_text().count("\n") == lines


@pytest.mark.parametrize(("arguments", "status", "made"), [
    (("parameters", "hp3000"), 0, []),
    (("--help",), 0, []),
    (("replay", "trace.csv", "--drive=small.yaml", "--out=rows.csv"), 0, ["rows.csv"]),
    (("drive", "small.yaml", "list.csv", "--out=x.csv"), 0, ["x.csv"]),
    (("claims", "max_iv", "--quick"), 141, ["results"]),
])  # fmt: skip
def test_a_reader_who_leaves_ends_the_work_but_does_not_undo_it(
    arguments: tuple[str, ...], status: int, made: list[str], place: Path
) -> None:
    """What was printed only, or was done before the last page, is a success; a claim that was not judged is none."""
    (place / "list.csv").write_text("op,lba,sectors,gap_before_ms\nR,0,1,0\n")
    before = {path.name for path in place.iterdir()}
    read, write = os.pipe()
    os.close(read)
    with spindle(*arguments, folder=place, stdout=write) as run:
        os.close(write)
        said = run.communicate()[1]
    assert (run.returncode, said) == (status, "")
    assert sorted({path.name for path in place.iterdir()} - before) == made
    assert not list(place.glob("results/**/*.csv"))


def test_what_a_terminal_cannot_show_is_shown_by_its_number(place: Path) -> None:
    (place / "é.tepe").write_text(SCRIPT)
    with spindle("tepe", "check", "é.tepe", folder=place, stdout=subprocess.PIPE,
                 env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}) as run:
        out, err = run.communicate()
    assert (run.returncode, err, out.splitlines()[0]) == (0, "", r"\xe9.tepe: OK")
