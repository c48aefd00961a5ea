"""The base of an installation runs machines without what belongs to an extra, and names the extra that is missing."""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from shlex import split
from typing import Any

import pytest

from spindle.cli.main import COMMANDS as COMMAND_NAMES
from spindle.cli.main import EXTRAS, PACKAGES_TAKEN
from tests.installed import core_python
from tests.shorter import shortened
from tests.test_readme import PAGES, commands

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRA_PACKAGES = ("pandas", "scipy", "pyarrow", "zstandard", "matplotlib", "numba", "jupyter")
SWEEP = ["sweep", "max_iv", "--users", "1,2", "--minutes", "0.1", "--warm-up", "0", "--seeds", "2", "--workers", "1"]
RUN = ["run", "max_iv", "--minutes", "2", "--warm-up", "0"]
CURVE = ["curve", "examples/trace.csv", "--policy", "lru,arc", "--sizes", "16,64"]
OBJECTS = ["curve", "tests/corpus/trace/twitter", "--admit", "bloom", "--policy", "lru", "--sizes", "2"]
COMMANDS = (
    *([name, "--help"] for name in COMMAND_NAMES), ["list"], ["list", "hp3000"], RUN, [*RUN, "--json"],
    CURVE, [*CURVE, "--json"], [*CURVE, "--plot", "-"], [*OBJECTS, "--json"], ["replay", "examples/trace.csv"],
    ["replay", "examples/trace.csv", "--json"], ["characterise", "examples/trace.csv"], ["drives"], ["policies"],
    ["parameters", "hp3000"], ["explain", "response_p99"], ["cite", "hp3000"],
)  # fmt: skip
"""Commands that need no extra."""
REFUSALS = {
    "sweep takes pandas, which is not installed: pip install pandas (extra tables)": SWEEP,
    "sweep takes pandas and matplotlib, which are not installed: pip install pandas matplotlib (extras tables, plots)":
        [*SWEEP, "--plot", "users.png"],
    "sweep takes scipy and pandas, which are not installed: pip install scipy pandas (extras lab, tables)":
        ["sweep", "max_iv", "--sample", "4", "--latin", "users=1:9"],
    "claims takes pandas and matplotlib, which are not installed: pip install pandas matplotlib (extras tables, plots)":
        ["claims", "max_iv"],
    "report takes pandas and matplotlib and scipy, which are not installed: pip install pandas matplotlib scipy "
    "(extras tables, plots, lab)": ["report"],
}
PROGRAM = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from spindle.cli.main import main

done = []
for words in json.loads(sys.argv[1]):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(words)
    done.append((status, bool(out.getvalue()), err.getvalue()))
print(json.dumps(done))
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has what ``pip install .`` brings, and no extra."""
    return core_python(tmp_path_factory.mktemp("core"), PROJECT["dependencies"])


def answers(core: Path, commands: Sequence[Sequence[str]], folder: Path = ROOT) -> list[list[Any]]:
    """The status of each command, whether it prints, and what it complains of."""
    ran = subprocess.run([core, "-c", PROGRAM, json.dumps(commands)], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    answered: list[list[Any]] = json.loads(ran.stdout)
    return answered


def test_the_base_has_no_package_of_an_extra(core: Path) -> None:
    code = f"from importlib.util import find_spec; print([each for each in {EXTRA_PACKAGES} if find_spec(each)])"
    assert subprocess.run([core, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.always
def test_the_base_lists_runs_replays_and_draws_curves(core: Path) -> None:
    assert dict(zip(map(" ".join, COMMANDS), answers(core, COMMANDS), strict=True)) == {
        " ".join(words): [0, True, ""] for words in COMMANDS}


def test_all_that_is_missing_is_named_at_once(core: Path) -> None:
    assert answers(core, list(REFUSALS.values())) == [[2, False, f"spindle: {said}\n"] for said in REFUSALS]


def extras_of(page: Path) -> set[str]:
    """The extras that *page* says to install, and those that have the same packages."""
    named = set(re.findall(r"[a-z]+", " ".join(re.findall(r"'\.\[([a-z,]+)\]'", page.read_text("utf-8")))))
    extras = PROJECT["optional-dependencies"]
    there = {package for each in named for package in extras[each]}
    return {each for each, packages in extras.items() if set(packages) <= there}


def test_a_command_of_the_pages_runs_in_the_base_or_its_page_names_the_extra(core: Path, tmp_path: Path) -> None:
    for name in ("workloads", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    asked = [(page, split(line, comments=True)) for page in PAGES for line in commands(page.read_text("utf-8"))]
    done = answers(core, [shortened(words) for _, words in asked], tmp_path)
    wrong = []
    for (page, words), (status, _, said) in zip(asked, done, strict=True):
        needs = re.search(r"\(extras? ([a-z, ]+)\)$", said.strip())
        named = extras_of(page)
        if status and (needs is None or not set(needs[1].split(", ")) <= named):
            wrong.append((page.name, " ".join(words), said))
    assert wrong == []


def test_every_extra_is_one_of_the_project() -> None:
    assert {package for packages in PACKAGES_TAKEN.values() for package in packages} <= set(EXTRAS)
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
