"""Completion in a shell, asked as argcomplete's shell function asks: by variables of the environment."""

import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import argcomplete
import pytest

from spindle.cli import completion
from spindle.cli.arguments import ArgumentParser
from spindle.cli.completion import _complete_list, _systems, complete
from spindle.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
ENDS = {"spindle sw": ["sweep"], "spindle run ma": ["machine", "max_iv"],
        "spindle sweep hp3000 --policy lru,s": ["lru,s3-fifo", "lru,s4-fifo", "lru,sieve", "lru,slru"]}  # fmt: skip
"""What is offered at the ends of some lines."""
OFFERED = ENDS | {
    "spindle --": ["--help", "--version"],
    "spindle experiment": ["experiment"],
    "spindle ": ["--help", "--version", *sorted(COMMANDS)],
    "spindle parameters ": sorted(_systems()),
    "spindle new ": ["--help", "--out", "a-file"],
    "spindle report --": ["--cluster", "--full", "--help", "--quick", "--results", "--trusted", "--workers"],
    "spindle drive s.yaml l.csv --bus H": ["HP-IB"],
    "spindle drive s.yaml l.csv --open --scheduler sc": ["scan"],
    "spindle moving m.html --orders fcfs,ss": ["fcfs,sstf"],
    "spindle replay t.csv --drive mi": ["mine.yaml"],
    "spindle replay t.csv --scheduler mi": [],
    "spindle run hp3000 --drive mi": ["mine.yaml"],
    "spindle curve t.csv --policy siev": ["sieve"],
    "spindle list --json ma": ["machine", "max_iv"],
    "spindle find max_iv use": ["users"],
    "spindle find max_iv poli": [],
    "spindle find max_iv users --where=iops<1 --set mem": ["memory="],
    "spindle find max_iv users --where=iops<1 --against sect": ["sectors="],
    "spindle sweep max_iv --sample 4 --latin users=1:4 sect": ["sectors="],
    "spindle sweep max_iv --sample 4 --sobol sect": ["sectors="],
    "spindle sweep max_iv --set schedul": ["scheduler="],
    "spindle experiment max_iv hit_ratio_vs_s": ["hit_ratio_vs_sectors"],
    "spindle find hp3000 terminals": ["terminals"],
    "spindle run unix_stdio --str": ["--strace", "--stride"],
    "spindle run nowhere --s": [],
    "spindle run hp3000 --policy s": ["s3-fifo", "s4-fifo", "sieve", "slru"],
    "spindle run hp3000 --drive hp79": [f"hp79{each}" for each in ("06", "11", "12", "14", "20", "25", "33", "35", "45",
                                                                  "58b")],
    "spindle replay t.csv --drive hitachi7k3": ["hitachi7k320"],
    "spindle run hp3000 --caching t": ["true"],
    "spindle run hp3000 --script ": ["a-file"],
    "spindle run hp3000 --caching f": ["false"],
    "spindle run hp3000 --fetch-r": ["--fetch-random"],
    "spindle list max": ["max_iv"],
    "spindle nothing ": [],
}
EACH = """
import json, os, sys
from spindle.cli.main import main

for asked in json.loads(sys.argv[1]):
    if not os.fork():  # a process for each, as a shell has it, but what takes a second to import is there
        os.environ |= asked
        os._exit(main())
    os.wait()
"""


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What a shell offers at the end of each line."""
    folder, asked = tmp_path_factory.mktemp("words"), []
    files = {line: folder / str(number) for number, line in enumerate(ENDS)}
    for line, file in files.items():
        file.touch()
        asked.append({"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
                      "_ARGCOMPLETE_STDOUT_FILENAME": str(file)})  # fmt: skip
    quiet = "ignore:This process:DeprecationWarning"  # of a fork beside the threads of a library that is only imported
    command = [sys.executable, "-W", quiet, "-c", EACH, json.dumps(asked)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert (ran.stdout, ran.stderr) == (b"", b"")
    return {line: [word.strip() for word in file.read_text().split("\n") if word] for line, file in files.items()}


@pytest.mark.parametrize("line", ENDS)
def test_a_word_is_completed_in_a_shell(line: str, words: dict[str, list[str]]) -> None:
    assert sorted(words[line]) == ENDS[line]


Offered = Callable[..., list[str]]


@pytest.fixture
def offered_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Offered:
    """Asks at a place in a line, by default its end, in this process, and in a folder with a drive file."""
    complete_line = argcomplete.autocomplete
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").touch()
    monkeypatch.setattr(ArgumentParser, "read_first", ArgumentParser.read_first)  # it is put back at the end
    monkeypatch.setattr("argcomplete.finders.CompletionFinder._init_debug_stream", lambda finder: None)
    monkeypatch.setattr("argcomplete.finders.FilesCompleter.__call__", lambda completer, *_, **named: ["a-file"])
    monkeypatch.setenv("_ARGCOMPLETE_IFS", "\n")

    def ask(line: str, point: int | None = None) -> list[str]:
        out = StringIO()
        monkeypatch.setattr(argcomplete, "autocomplete", lambda parser, **more: complete_line(
            parser, exit_method=sys.exit, output_stream=out, **more))  # fmt: skip
        monkeypatch.setenv("_ARGCOMPLETE", "1")
        monkeypatch.setenv("COMP_LINE", line)
        monkeypatch.setenv("COMP_POINT", str(len(line) if point is None else point))
        assert complete(COMMANDS) == 1
        return [word.strip() for word in out.getvalue().split("\n") if word]

    return ask


@pytest.mark.parametrize("line", OFFERED)
def test_a_word_is_completed(line: str, offered_words: Offered) -> None:
    assert sorted(word for word in offered_words(line) if not word.startswith("--no-")) == OFFERED[line]


def test_a_word_is_completed_where_the_cursor_is(offered_words: Offered) -> None:
    assert offered_words("spindle sw max_iv", 10) == ["sweep"]
    assert offered_words("spindle run hp3000 --no-cach") == ["--no-caching"]


@pytest.mark.parametrize("command", [
    "list", "run", "experiment", "sweep", "find", "claims", "sensitivity", "ensemble", "parameters"])
def test_a_system_is_completed_before_its_command_is_imported(
    command: str, offered_words: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion, "import_module", lambda name: pytest.fail(f"{name} is imported"))
    assert offered_words(f"spindle {command} max") == ["max_iv"]


def test_parts_and_systems_of_other_packages_are_offered(
    offered_words: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.sim.offers.installed_parts", lambda kind: [f"their-{kind}"])
    monkeypatch.setattr("spindle.systems.installed_systems", lambda: ["their-system"])
    assert offered_words("spindle run their") == ["their-system"]
    assert offered_words("spindle run hp3000 --policy their") == ["their-policy"]
    assert offered_words("spindle replay t.csv --scheduler their") == ["their-scheduler"]


def test_studies_with_a_picture_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    studies = [SimpleNamespace(name=name, figure=figure) for name, figure in (("a", "it"), ("bare", None), ("b", "it"))]
    monkeypatch.setattr(completion, "_system_in", {"toy": SimpleNamespace(studies=studies)}.__getitem__)
    assert completion._studies("toy") == ["a", "b"]  # type: ignore[arg-type]


def test_a_line_that_is_none_is_answered_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMP_LINE", "COMP_POINT"):
        monkeypatch.delenv(name, raising=False)
    assert complete(COMMANDS) == 1


def test_each_word_of_a_list_goes_behind_all_that_it_has() -> None:
    lists = {"": "", "l": "", "lru,": "lru,", "lru,fifo,s": "lru,fifo,"}
    for prefix, before in lists.items():
        found = _complete_list(lambda given: ["sieve", "slru"], prefix, Namespace())
        assert found == [f"{before}sieve", f"{before}slru"]


def test_commands_and_systems_are_completed_without_what_takes_a_second_to_import(tmp_path: Path) -> None:
    code = ("import os, sys; from spindle.cli.completion import _systems; from spindle.cli.main import COMMANDS; "
            "assert 'hp3000' in _systems(); sys.exit(bool({'pandas', 'matplotlib', 'numpy'} & set(sys.modules)))")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
