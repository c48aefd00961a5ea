"""Completion in a shell, asked as argcomplete's shell function asks: by variables of the environment."""

import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from spindle.cli.completion import _complete_list

ROOT = Path(__file__).parents[2]
OFFERED = {
    "spindle sw": ["sweep"],
    "spindle run ma": ["machine", "max_iv"],
    "spindle sweep max_iv --set schedul": ["scheduler="],
    "spindle experiment max_iv hit_ratio_vs_s": ["hit_ratio_vs_sectors"],
    "spindle find hp3000 terminals": ["terminals"],
    "spindle run unix_stdio --str": ["--strace", "--stride"],
    "spindle run nowhere --s": [],
    "spindle run hp3000 --policy s": ["s3-fifo", "s4-fifo", "sieve", "slru"],
    "spindle sweep hp3000 --policy lru,s": ["lru,s3-fifo", "lru,s4-fifo", "lru,sieve", "lru,slru"],
    "spindle run hp3000 --drive hp79": [f"hp79{each}" for each in ("06", "11", "12", "14", "20", "25", "33", "35", "45",
                                                                  "58b")],
    "spindle replay t.csv --drive hitachi7k3": ["hitachi7k320"],
    "spindle run hp3000 --caching f": ["false"],
    "spindle run hp3000 --fetch-r": ["--fetch-random"],
    "spindle list max": ["max_iv"],
    "spindle nothing ": [],
}
EACH = """
import json, os, sys
import spindle.cli.find, spindle.cli.replay, spindle.cli.experiment, spindle.cli.run, spindle.cli.sweep
import spindle.models.max_iv.studies
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
    files = {line: folder / str(number) for number, line in enumerate(OFFERED)}
    for line, file in files.items():
        file.touch()
        asked.append({"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
                      "_ARGCOMPLETE_STDOUT_FILENAME": str(file)})  # fmt: skip
    quiet = "ignore:This process:DeprecationWarning"  # of a fork beside the threads of a library that is only imported
    command = [sys.executable, "-W", quiet, "-c", EACH, json.dumps(asked)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert (ran.stdout, ran.stderr) == (b"", b"")
    return {line: [word.strip() for word in file.read_text().split("\n") if word] for line, file in files.items()}


@pytest.mark.parametrize("line", OFFERED)
def test_a_word_is_completed(line: str, words: dict[str, list[str]]) -> None:
    assert sorted(word for word in words[line] if not word.startswith("--no-")) == OFFERED[line]


def test_each_word_of_a_list_goes_behind_all_that_it_has() -> None:
    lists = {"": "", "l": "", "lru,": "lru,", "lru,fifo,s": "lru,fifo,"}
    for prefix, before in lists.items():
        found = _complete_list(lambda given: ["sieve", "slru"], prefix, Namespace())
        assert found == [f"{before}sieve", f"{before}slru"]


def test_commands_and_systems_are_completed_without_what_takes_a_second_to_import(tmp_path: Path) -> None:
    code = ("import os, sys; from spindle.cli.completion import _systems; from spindle.cli.main import COMMANDS; "
            "assert 'hp3000' in _systems(); sys.exit(bool({'pandas', 'matplotlib', 'numpy'} & set(sys.modules)))")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
