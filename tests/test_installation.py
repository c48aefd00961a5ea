"""The base of an installation runs machines without what belongs to an extra, and names the extra that is missing."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from spindle.cli.main import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ABSENT = ("scipy", "pyarrow", "zstandard", "matplotlib", "jupyter", "IPython")
SWEEP = ["sweep", "max_iv", "--users", "1,2", "--minutes", "0.1", "--warm-up", "0", "--seeds", "2", "--workers", "1"]


PLOT = [*SWEEP, "--plot", "users.png"]
"""A command that needs an extra; it comes last of all, for others shall not find what it has imported."""
COMMANDS = (["list"], ["run", "max_iv", "--minutes", "2", "--warm-up", "0"], [*SWEEP, "--plot", "-"], PLOT)
PROGRAM = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

absent, commands = map(json.loads, sys.argv[1:])
sys.modules.update(dict.fromkeys(absent))
from spindle.cli.main import main

done = []
for words in commands:
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(words)
    done.append((status, bool(out.getvalue()), err.getvalue()))
print(json.dumps(done))
"""


def test_the_base_runs_without_what_belongs_to_extras_and_names_the_extra_of_what_is_missing() -> None:
    command = [sys.executable, "-c", PROGRAM, json.dumps(ABSENT), json.dumps(COMMANDS)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said = "spindle: sweep takes matplotlib, which is not installed: pip install 'spindle-sim[plots]'\n"
    assert json.loads(ran.stdout) == [[0, True, ""]] * 3 + [[2, False, said]]
    assert ran.stderr == ""


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
