"""Completion in a shell, asked as argcomplete's shell function asks: by variables of the environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

def words(line: str, folder: Path) -> list[str]:
    """What a shell offers at the end of *line*."""
    file = folder / "words"
    file.touch()
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
             "_ARGCOMPLETE_STDOUT_FILENAME": str(file)}  # fmt: skip
    ran = subprocess.run([sys.executable, "-m", "models"], cwd=ROOT, env={**os.environ, **asked}, capture_output=True)
    assert (ran.stdout, ran.stderr) == (b"", b"")
    return [word.strip() for word in file.read_text().split("\n") if word]


@pytest.mark.parametrize(("line", "offered"), [
    ("spindle sw", ["sweep"]),
    ("spindle run ma", ["max_iv"]),
    ("spindle sweep max_iv --set schedul", ["scheduler="]),
    ("spindle experiment max_iv hit_ratio_vs_s", ["hit_ratio_vs_sectors"]),
    ("spindle find hp3000 terminals", ["terminals"]),
    ("spindle run unix_stdio --str", ["--strace", "--stride"]),
    ("spindle run nowhere --s", []),
    ("spindle nothing ", []),
])  # fmt: skip
def test_a_word_is_completed(line: str, offered: list[str], tmp_path: Path) -> None:
    assert sorted(word for word in words(line, tmp_path) if not word.startswith("--no-")) == offered


def test_commands_and_systems_are_completed_without_what_takes_a_second_to_import(tmp_path: Path) -> None:
    code = ("import os, sys; from models.commands.completion import _systems; from models.__main__ import COMMANDS; "
            "assert 'hp3000' in _systems(); sys.exit(bool({'pandas', 'matplotlib', 'numpy'} & set(sys.modules)))")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
