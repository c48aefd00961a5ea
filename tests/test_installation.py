"""The base of an installation runs machines without what belongs to an extra, and names the extra that is missing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from spindle.cli.main import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ABSENT = ("import sys; "
          "sys.modules.update(dict.fromkeys(('scipy', 'pyarrow', 'zstandard', 'matplotlib', 'jupyter', 'IPython'))); ")
SWEEP = ["sweep", "max_iv", "--users", "1,2", "--minutes", "0.1", "--warm-up", "0", "--seeds", "2", "--workers", "1"]


def without_extras(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"{ABSENT}from spindle.cli.main import main; sys.exit(main({list(arguments)!r}))"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [
    [*SWEEP, "--plot", "-"], ["list"], ["run", "max_iv", "--minutes", "2", "--warm-up", "0"],
])  # fmt: skip
def test_the_base_runs_without_what_belongs_to_extras(arguments: list[str]) -> None:
    ran = without_extras(*arguments)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_what_is_missing_names_its_extra() -> None:
    ran = without_extras(*SWEEP, "--plot", "users.png")
    assert ran.returncode == 2
    assert ran.stderr == "spindle: sweep takes matplotlib, which is not installed: pip install 'spindle-sim[plots]'\n"


def test_every_extra_is_one_of_the_project() -> None:
    assert set(EXTRAS.values()) <= set(PROJECT["optional-dependencies"])


def test_the_full_set_is_the_base_and_the_extras() -> None:
    def needs(text: str) -> list[str]:
        return [line.split("#")[0].strip() for line in text.splitlines() if line.split("#")[0].strip()]

    full = [*needs((ROOT / "requirements.txt").read_text()), *needs((ROOT / "requirements-notebooks.txt").read_text())]
    assert sorted(full) == sorted([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["full"]])


def test_the_image_is_of_a_python_and_of_extras_that_there_are() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    (python,) = re.findall(r"^FROM python:3\.(\d+)-slim$", text, re.MULTILINE)
    (extras,) = re.findall(r"/src\[([a-z,]+)\]", text)
    assert f"Programming Language :: Python :: 3.{python}" in PROJECT["classifiers"]
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    assert text.splitlines()[-2:] == ['ENTRYPOINT ["spindle"]', 'CMD ["--help"]']
