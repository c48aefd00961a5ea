"""Tests that any text is a terminal script or a UserError, and that the work grows with its length only."""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from random import Random
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.script import Call, Choose, Count, Deal, Expect, If, Loop, Script, Step, Think, Type
from spindle.workloads.programs import Answer
from spindle.workloads.shipped_programs import CATALOGUE
from spindle.workloads.tepe import SHIPPED, describe, parse, read
from tests.samples import sample

SCRIPTS = [path.read_text("utf-8") for path in sorted(SHIPPED.glob("*.tepe"))]
WORDS = [
    *("SCRIPT", "TERMINALS", "BAUD", "TYPING", "CPS", "START", "AT", "EVERY", "STOP", "BYE", "RUN", "ORDERS", "BASIC"),
    *("LOOP", "TIMES", "CHOOSE", "PERCENT", "END", "THINK", "EXPONENTIAL", "UNIFORM", "TO", "S", "MS", "MIN", "ENTER"),
    *("MISTYPE", "NORMAL", "BY", "IF", "ELSE", "REPLY", "REACHES", "UNTIL", "WAIT", "FOR", "COUNT", "CLEAR", "PRESS"),
    *("F1", "DATA", "BLOCK", "MODE", ":HELLO A.B", ":RUN ORDERS", '":"', "N"),
    *("A", "B", "0", "1", "8", "100", "-1", "1E999", "NaN", '"LIST"', '"EDIT 1"', '""', '"', "!", "*", "é", "\0", "\r"),
]
LINES = [
    *("SCRIPT A", "SCRIPT B", "TERMINALS 3", "STOP AT 9", "START AT UNIFORM 0 TO 3", "BYE", "RUN ORDERS", "RUN BASIC"),
    *('ENTER "LIST"', 'ENTER "EDIT"', "LOOP", "LOOP 3 TIMES", "END", "THINK 0", "THINK 2", "CHOOSE", "END", "END"),
    *("COUNT N", "IF N REACHES 2", "ELSE", 'IF REPLY ":"', 'LOOP UNTIL REPLY ":"', ":SHOWTIME", 'WAIT FOR ":"'),
    *("50 PERCENT", "50 PERCENT THINK 1", '100 PERCENT ENTER "LIST"', "BAUD 300", "* x", "", 'MISTYPE "LSIT"'),
]


def accept_or_refuse(text: str) -> tuple[Script, ...]:
    """The scripts, none if there is a mistake; a mistake has a place within the text, a line and a caret."""
    try:
        scripts = parse(text, "f", CATALOGUE)
    except UserError as error:
        said, shown, caret = str(error).split("\n")
        match = re.fullmatch(r"f:(\d+):(\d+): .+", said)
        assert match, said
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        assert 1 <= int(match[2]) <= len(lines[int(match[1]) - 1]) + 1
        assert all(character.isprintable() for character in said + shown)
        assert caret.strip(" ") == "^"
        return ()
    assert describe(scripts)
    for script in scripts:
        live(script)
    return scripts


def walk(steps: tuple[Step, ...], random: Random) -> Iterator[Think | Type | Call]:
    """A user's way through *steps*; on every round of a loop some time passes."""
    for step in steps:
        if isinstance(step, Loop):
            for _ in range(step.times or 1000):
                passes = False
                for act in walk(step.steps, random):
                    passes |= not isinstance(act, Think) or act.time.mean > 0.0
                    yield act
                assert passes
        elif isinstance(step, Choose):
            yield from walk(step.draw(random), random)
        elif isinstance(step, If):
            yield from walk(step.steps if random.random() < 0.5 else step.otherwise, random)
        elif not isinstance(step, Count | Expect):
            assert not isinstance(step, Deal)
            yield step


def live(script: Script, acts: int = 200) -> None:
    """Go through *script*, *acts* acts at most: each ENTER meets the program that runs."""
    running = None
    for act in islice(walk(script.steps, Random("live")), acts):
        if isinstance(act, Call):
            assert isinstance(act.program, Answer)
            if act.name.startswith("RUN "):
                running = act.program.program
            assert act.program.program is running or act.name.startswith(":")


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    accept_or_refuse(text)


@given(st.lists(st.sampled_from([*WORDS, "\n", "\n", "\n"]), max_size=60))
def test_any_words(words: list[str]) -> None:
    accept_or_refuse(" ".join(words))


@settings(max_examples=sample(120, 300))
@given(st.lists(st.sampled_from(LINES), max_size=25))
def test_any_lines(lines: list[str]) -> None:
    accept_or_refuse("SCRIPT Z\nRUN ORDERS\n" + "\n".join(lines))


@given(st.sampled_from(SCRIPTS), st.data())
def test_mutated_scripts(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(len(text), begin + 30)))
        new = data.draw(st.one_of(st.just(""), st.sampled_from(WORDS), st.sampled_from(LINES), st.text(max_size=5)))
        text = text[:begin] + new + text[end:]
    accept_or_refuse(text)


@given(data=st.one_of(st.binary(max_size=200), st.builds(bytes.__add__, st.just(b"SCRIPT A\n"), st.binary())))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.tepe"
    path.write_bytes(data)
    with suppress(UserError):
        assert describe(read(path, CATALOGUE))


def test_the_fuzz_also_finds_scripts_that_are_right() -> None:
    """Otherwise the tests above would say little: shuffled lines are now and then a script."""
    random = Random("lines")
    found = 0
    for _ in range(2000):
        lines = [LINES[int(random.random() * len(LINES))] for _ in range(4)]
        found += bool(accept_or_refuse("SCRIPT Z\nRUN ORDERS\n" + "\n".join(lines)))
    assert found > 20


def work(text: str) -> int:
    """How many calls of functions, Python's own included, it takes to read *text*."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    outer = sys.getprofile()
    sys.setprofile(count)
    try:
        with suppress(UserError):
            parse(text, "f", CATALOGUE)
    finally:
        sys.setprofile(outer)
    return calls


HEAD = "SCRIPT A\nRUN ORDERS\n"
GROWING = {
    "steps": (HEAD, 'ENTER "FIND 1"\n', ""),
    "loops": (HEAD, "LOOP 2 TIMES\nTHINK 1\nEND\n", ""),
    "branches": (HEAD + "CHOOSE\n", "0.1 PERCENT THINK 1\n", "END"),
    "sections": ("", "SCRIPT A\nTHINK 1\n", ""),
    "open loops": (HEAD, "LOOP\n", ""),
    "nested loops": (HEAD + "LOOP 2 TIMES\n" * 50, "THINK 1\n", "END\n" * 50),
    "blank lines": (HEAD, "\n", "THINK 1"),
    "comments": (HEAD, "* x ! y\n", "THINK 1"),
    "a long line": (HEAD + "THINK 1 ", "!", ""),
    "a long number": (HEAD + "THINK 0.", "9", ""),
    "a long text": (HEAD + 'ENTER "FIND ', "#", '"'),
    "no end of line": (HEAD, " ", "X"),
}


@pytest.mark.parametrize("what", GROWING)
def test_twice_the_text_is_twice_the_work(what: str) -> None:
    head, piece, tail = GROWING[what]
    work(head + piece + tail)  # the grammar is read once
    small, large = (work(head + pieces * piece + tail) for pieces in (400, 800))
    assert large <= 2.1 * small
