"""The command line by hand: what each error becomes, what is missing, and a process whose streams are closed."""

import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import ModuleType

import pytest

from spindle.cli import main as command_line
from spindle.cli.main import COMMAND_GROUPS, COMMANDS, main
from spindle.cli.printing import HelpShown
from spindle.sim.error import PointFailed, UserError
from spindle.version import VERSION

Said = pytest.CaptureFixture[str]
Does = Callable[[Callable[[Sequence[str]], int]], None]


@pytest.fixture
def does(monkeypatch: pytest.MonkeyPatch) -> Does:
    """Makes the commands list and sweep do something else."""

    def install(command: Callable[[Sequence[str]], int]) -> None:
        module = ModuleType("spindle.cli.mine")
        vars(module)["do"] = command
        monkeypatch.setitem(sys.modules, "spindle.cli.mine", module)
        for name in ("list", "sweep"):
            monkeypatch.setitem(COMMANDS, name, ("mine", "do", ""))

    return install


def failing(error: BaseException) -> Callable[[Sequence[str]], int]:
    def fail(_: Sequence[str]) -> int:
        raise error

    return fail


@pytest.mark.parametrize(("error", "status", "said"), [
    (UserError("no such thing"), 2, "no such thing"), (PointFailed("users=3: broken"), 1, "users=3: broken"),
    (KeyboardInterrupt(), 130, "interrupted"), (KeyboardInterrupt("go on with --store"), 130, "go on with --store"),
    (OSError(28, "No space left on device"), 2, "standard output: No space left on device"),
    (OSError(2, "No such file", "x.csv"), 2, "x.csv: No such file"), (OSError(1, "Not permitted"), 2, "Not permitted"),
    (OSError("odd"), 2, "odd"), (OSError(5, "Input/output error", 7), 2, "7: Input/output error"),
    (ModuleNotFoundError("none", name="pandas"), 2, "list takes pandas, which is not installed: pip install pandas "
                                                    "(extra tables)"),
])  # fmt: skip
def test_an_error_is_one_line_and_its_status(
    error: BaseException, status: int, said: str, does: Does, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line, "stop_writing", lambda: None)
    does(failing(error))
    assert main(["list"]) == status
    assert capsys.readouterr() == ("", f"spindle: {said}\n")


@pytest.mark.parametrize("error", [BrokenPipeError(), OSError(28, "No space left on device")])
def test_after_a_pipe_that_is_closed_and_a_full_disc_nothing_more_is_printed(
    error: OSError, does: Does, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    stopped = []
    monkeypatch.setattr(command_line, "stop_writing", lambda: stopped.append(1))
    does(failing(error))
    assert main(["list"]) == (141 if isinstance(error, BrokenPipeError) else 2)
    assert stopped == [1]


def test_a_working_directory_that_is_gone_is_named(does: Does, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(command_line, "stop_writing", lambda: None)
    monkeypatch.setattr(os, "getcwd", gone)
    does(failing(OSError(2, "No such file or directory")))
    assert main(["list"]) == 2
    assert capsys.readouterr().err == "spindle: the working directory: No such file or directory\n"


@pytest.mark.parametrize(("name", "words", "absent", "said"), [
    ("dask.distributed", "list", "distributed",
     "list takes distributed, which is not installed: pip install 'dask[distributed]' (extra cluster)"),
    ("scipy", "list --latin=5", "scipy", "list takes scipy, which is not installed: pip install scipy (extra lab)"),
    ("pandas.core", "sweep x --plot a.png", "pandas matplotlib",
     "sweep takes pandas and matplotlib, which are not installed: pip install pandas matplotlib "
     "(extras tables, plots)"),
    ("pandas", "sweep x --plot - --html=x", "pandas matplotlib",
     "sweep takes pandas and matplotlib, which are not installed: pip install pandas matplotlib "
     "(extras tables, plots)"),
    ("pandas", "sweep x --plot -", "pandas matplotlib",
     "sweep takes pandas, which is not installed: pip install pandas (extra tables)"),
    ("pandas", "sweep x --plot=-", "pandas matplotlib",
     "sweep takes pandas, which is not installed: pip install pandas (extra tables)"),
    ("pyarrow", "list --out=a.parquet", "pyarrow zstandard",
     "list takes pyarrow, which is not installed: pip install pyarrow (extra traces)"),
    ("pyarrow", "list a.parquet", "pyarrow pandas", "list takes pyarrow and pandas, which are not installed: pip "
                                                    "install pyarrow pandas (extras traces, tables)"),
    ("numba", "list", "numba", "list takes numba, which is not installed: pip install numba (extra fast)"),
    ("pyarrow", "list --plot=x", "pyarrow", "list takes pyarrow, which is not installed: pip install pyarrow (extra "
                                            "traces)"),
])  # fmt: skip
def test_what_is_missing_is_named_together_with_all_that_the_line_takes(
    name: str, words: str, absent: str, said: str, does: Does, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    does(failing(ModuleNotFoundError("none", name=name)))
    monkeypatch.setattr(command_line, "find_spec", lambda each: None if each in absent.split() else each)
    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"spindle: {said}\n"


@pytest.mark.parametrize("name", ["mistyped", None])
def test_a_module_that_belongs_to_no_extra_is_a_fault(
    name: str | None, does: Does, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    does(failing(ModuleNotFoundError("No module named 'mistyped \udcff'", name=name)))
    assert main(["list", "a b"]) == 70
    (trace,) = tmp_path.iterdir()
    assert re.fullmatch(r"spindle-\w+\.trace", trace.name)
    said = capsys.readouterr().err
    assert said.startswith("spindle: internal error, ModuleNotFoundError: ")
    assert said.endswith(f"; the traceback is in {trace}\n")
    first, *rest = trace.read_text("utf-8").splitlines()
    assert (first, rest[-1]) == ("spindle list 'a b'", "ModuleNotFoundError: No module named 'mistyped \\udcff'")


def test_a_traceback_that_cannot_be_written_is_told(
    does: Does, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    does(failing(RuntimeError("odd")))
    assert main(["list", "--set=policy=mine.py:Lru"]) == 70
    said = capsys.readouterr().err
    assert re.fullmatch(r"spindle: internal error or one in code of your own, RuntimeError: '?odd'?; the traceback "
                        r"could not be written [^;]*; spindle check mine\.py:Lru tries it alone\n", said)


def test_a_warning_is_told_once(does: Does, capsys: Said) -> None:
    def warn(words: Sequence[str]) -> int:
        for word in ("a", "b", "a", *words):
            warnings.warn(word, stacklevel=1)
        return 7

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        does(warn)
        for _ in range(2):  # each command tells its own
            assert main(["list", "c"]) == 7
            assert capsys.readouterr() == ("", "spindle: a\nspindle: b\nspindle: c\n")


def test_help_that_was_shown_is_no_error(does: Does, capsys: Said) -> None:
    does(failing(HelpShown()))
    assert main(["list"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]])
def test_the_list_of_commands(words: list[str], capsys: Said) -> None:
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Spindle simulates a whole computer as its discs see it."
    assert lines[1:3] == ["", next(iter(COMMAND_GROUPS))]
    assert {line.split()[1] for line in lines if line.startswith("  spindle ")} == set(COMMANDS)
    assert f"  spindle {'run':<13}{COMMANDS['run'][2]}" in lines
    assert lines[-3:] == ["", "spindle COMMAND --help says more.", "A shell completes words after: eval "
                          '"$(register-python-argcomplete spindle)"']  # fmt: skip


def test_the_words_of_the_process_are_taken_if_none_are_given(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["spindle", "--version"])
    assert main() == 0
    assert re.fullmatch(rf"Spindle {VERSION}, commit \S+, Python [\d.]+\S*\n", capsys.readouterr().out)


@pytest.mark.parametrize(("words", "said"), [
    (["-x"], "unknown option before a command '-x'"), (["lst"], "unknown command 'lst': did you mean list?"),
    (["list", "\udcff"], "is not text in UTF-8"),
])  # fmt: skip
def test_a_line_that_begins_otherwise(words: list[str], said: str, capsys: Said) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_closed_streams_are_the_null_device_and_closed_output_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [os.dup(number) for number in range(3)]
    monkeypatch.setattr(sys, "stderr", None)
    try:
        for number in (0, 2):
            os.close(number)
        command_line._open_streams()
        nowhere = os.stat(os.devnull).st_rdev
        assert [os.fstat(number).st_rdev == nowhere for number in range(3)] == [True, False, True]
        assert all(map(os.get_inheritable, (0, 2)))
        assert (os.read(0, 1), os.write(2, b"x")) == (b"", 1)
        print("nobody reads this", file=sys.stderr)
        sys.stderr.close()
        os.close(1)
        with pytest.raises(UserError, match="standard output is closed"):
            command_line._open_streams()
    finally:
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)


def test_what_a_terminal_lacks_is_shown_by_what_it_has(does: Does, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(shown, encoding="ascii"))
    does(lambda _: print("1 \u00b1 2 \u00e9") or 0)
    assert main(["list"]) == 0
    assert shown.getvalue() == b"1 +- 2 \\xe9\n"


def test_a_fault_of_own_code_is_told_by_its_place(
    does: Does, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("spindle.sim.user_parts.place_of", lambda _: "mine.py, line 3")
    does(failing(RuntimeError("odd")))
    assert main(["list", "--policy=mine.py:Lru"]) == 2
    assert capsys.readouterr().err.startswith("spindle: mine.py, line 3: RuntimeError: 'odd'; the traceback is in /")


def test_a_shell_that_asks_for_words_gets_those_of_all_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setattr("spindle.cli.completion.complete", len)
    assert main(["list"]) == len(COMMANDS)
