"""Breaks are told as a test sees them or not; those that are explained away exist, and excuse no other."""

import ast
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.equivalents import Score, equivalents, score, told

ROOT = Path(__file__).parents[1]
SOURCE = """
def run(a, b):
    if a + 1 < b:
        go()
"""
NAMED = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
A, B = "part.py run: - if a + 1 < b: + if a + 1 <= b:", "part.py run: - if a + 1 < b: + if a - 1 < b:"


def test_a_mutant_is_told_by_its_lines() -> None:
    assert told("part.py", "run", SOURCE, SOURCE.replace("<", "<=")) == A


@pytest.mark.parametrize(("survivors", "known", "expected"), [
    ([], [], Score(10, 10)),
    ([A, B], [], Score(10, 8)),
    ([A, B], [A], Score(9, 8)),
    ([A, A], [A], Score(9, 8)),  # another line that reads alike is not explained
    ([A, A], [A, A], Score(8, 8)),
    ([B], [A], Score(10, 9, (A,))),  # a test has noticed what was called unnoticeable
])  # fmt: skip
def test_only_what_was_explained_does_not_count(survivors: list[str], known: list[str], expected: Score) -> None:
    assert score(10, survivors, known) == expected


@cache
def parsed(path: str) -> tuple[str, Sequence[ast.stmt]]:
    text = (ROOT / path).read_text("utf-8")
    return text, ast.parse(text).body


def lines_of(path: str, name: str) -> set[str]:
    """Return the lines of the function *name*, as in `Class.method`, of the module at *path*, as mutants are told."""
    text, body = parsed(path)
    found: ast.AST | None = None
    for part in name.split("."):
        found = next((each for each in body if isinstance(each, NAMED) and each.name == part), None)
        if found is None:
            return set()
        body = found.body
    return {" ".join(line.split()) for line in text.splitlines()[found.lineno - 1 : found.end_lineno]}


def is_there(mutant: str) -> bool:
    """Whether the lines that *mutant* takes away are in its function; where they end, the mutant's own begin."""
    where, _, change = mutant.partition(": - ")
    path, _, name = where.partition(" ")
    lines, words = lines_of(path, name), change.split(" + ")
    begins = (" + ".join(words[:end]) for end in range(1, len(words)))
    return any(all(line in lines for line in gone.split(" ;; ")) for gone in begins)


def test_what_is_explained_away_still_stands_there() -> None:
    """A line that was edited, and a function that was renamed or moved, excuse nothing, and are to be deleted."""
    of = equivalents(Everything())
    assert len(of) > 100
    assert [mutant for mutant in of if not is_there(mutant)] == []


class Everything:
    def __contains__(self, path: object) -> bool:
        return True


PATH = "tests/equivalents.py"


@pytest.mark.parametrize(("mutant", "there"), [
    (f"{PATH} score: - could = total - excused.total() + could = total + excused.total()", True),
    (f"{PATH} score: - could = total + excused.total() + could = total - excused.total()", False),
    (f"{PATH} scores: - could = total - excused.total() + could = total + excused.total()", False),
    (f"{PATH} told: - could = total - excused.total() + could = total + excused.total()", False),
    (f"{PATH} score: - could = total - excused.total() ;; could = total + could = None ;; ", False),
])  # fmt: skip
def test_lines_are_looked_for_in_their_function(mutant: str, there: bool) -> None:
    assert is_there(mutant) is there


def test_what_is_unsettled_is_there() -> None:
    places = (ROOT / "tests/unsettled.txt").read_text("utf-8").split()
    assert places == sorted({place for place in places if (ROOT / place).exists()})


PART = """
from functools import cache

def larger(a, b):
    if a < b:
        return b
    return a

def rest(amount):
    while amount > 2:
        amount -= 2
    return amount

def twice(amount):
    return 2 * amount

@cache
def kept():
    return twice(3)

def noted(seen):
    seen.append(1)
    seen.sort()
    return seen
"""
TESTS = """
from toy.part.broken import kept, larger, noted, rest

def test_larger():
    assert (larger(1, 2), larger(2, 1)) == (2, 2)

def test_rest():
    assert (rest(4), rest(5)) == (2, 1)

def test_of_anything():
    kept()

def test_kept():
    assert kept() == 6

def test_noted():
    assert noted([0]) == [0, 1]
"""
EQUAL = """
from toy.part.broken import larger

def test_of_equals_the_first():
    assert type(larger(1, 1.0)) is int
"""
PROFILE = "from hypothesis import settings; settings.register_profile('repeatable')"
PROJECT = '[tool.mutmut]\nsource_paths = ["."]'
ATTACK = """
from pathlib import Path
from tests import mutants
mutants.ROOT = Path.cwd()
print(mutants.run(["toy"]))
"""


def test_breaks_are_named_if_no_test_of_the_room_sees_them(tmp_path: Path) -> None:
    """That of an equality, and of a call: one that never ends is noticed, too, and one of what a cache has kept."""
    pytest.importorskip("mutmut", reason="what breaks parts is installed by make mutants")
    files = {"toy/part/broken.py": PART, "toy/part/whole.py": "", "tests/toy/part/test_broken.py": TESTS,
             "tests/toy/test_another_room.py": EQUAL, "conftest.py": PROFILE, "pyproject.toml": PROJECT}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    run = subprocess.run([sys.executable, "-c", ATTACK], cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{ROOT}"},
                         capture_output=True, text=True, check=True)  # fmt: skip
    *survived, score_of_file, score_of_room, asked, all_of_it, enough = filter(None, run.stdout.split("\n"))
    assert survived == ["toy/part/broken.py larger: - if a < b: + if a <= b:",
                        "toy/part/broken.py noted: - seen.sort() + pass"]  # fmt: skip
    assert score_of_file == "toy/part/broken.py: 11 of 13 mutants noticed, 84.6%"
    assert score_of_room.startswith("toy/part: 11 of 13 mutants noticed, 84.6%")
    assert (asked, enough) == ("toy/part: at least 97% are asked for where it is settled", "False")
    assert all_of_it == "all: 11 of 13 mutants noticed, 84.6%, at least 95% are asked for"


def test_calls_and_whatever_is_done_on_one_condition_are_left_out() -> None:
    pytest.importorskip("mutmut", reason="what breaks parts is installed by make mutants")
    import libcst

    from tests.mutants import code, functions, steps

    text = "def f(a):\n  a()\n  b = a()\n  if b:\n    return\n  if a:\n    b()\n  elif b:\n    pass\n"
    [(function, _)] = functions(libcst.parse_module(text))
    assert ["".join(code(each).split()) for each in steps(function)] == ["a()", "b()", "ifb:return"]


@pytest.mark.parametrize(("path", "text", "left_out"), [
    ("spindle/course/laws.py", '"How long is that?"', True), ("spindle/course/laws.py", '"blocks a second"', False),
    ("spindle/course/laws.py", '"That share."', True), ("spindle/course/laws.py", '"a.b"', False),
    ("spindle/ask.py", '"How long is that?"', False), ("spindle/course/laws.py", "1 + 2 + 3", False),
])  # fmt: skip
def test_texts_for_students_are_not_broken(path: str, text: str, left_out: bool) -> None:
    pytest.importorskip("mutmut", reason="what breaks parts is installed by make mutants")
    import libcst

    from tests.mutants import is_prose

    assert is_prose(path, libcst.parse_expression(text)) is left_out
