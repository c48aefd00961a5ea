"""Parses and describes TEPE scripts, which define what users do at terminals; a mistake gets a message with its place.

A script of HP's Terminal Emulator and Performance Evaluator had "the think times, typing speeds, baud rates, programs
to run, answers to give" (McBride & Boles 1983, section TEPE). The paper shows no script, so the language is this
project's (see tepe/README.md).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedToken

from spindle.sim.error import UserError, unknown
from spindle.sim.script import Call, Choose, Counted, Deal, If, Loop, Script, Step, Test, Think
from spindle.workloads.programs import Program
from spindle.workloads.tepe_language.check import MAX_TERMINALS, read_sections
from spindle.workloads.tepe_language.source import Source, load, safe, take

# The parser of terminal scripts: makes a tree of statements of a text, or an error about their form.

FORMS = {
    "SCRIPT": "SCRIPT name",
    "TERMINALS": "TERMINALS 21",
    "BAUD": "BAUD 9600",
    "TYPING": "TYPING 4 CPS",
    "START": "START AT 0 EVERY 1.5, or START AT UNIFORM 0 TO 30",
    "STOP": "STOP AT 3600",
    "DATA": 'DATA "file"',
    "BLOCK": "BLOCK MODE",
    "RUN": "RUN program",
    "THINK": "THINK 8, EXPONENTIAL 8, UNIFORM 5 TO 11 or NORMAL 8 BY 2, with S, MS or MIN behind a time",
    "ENTER": 'ENTER "text"',
    "MISTYPE": 'MISTYPE "text"',
    "LOOP": 'LOOP, LOOP 20 TIMES, LOOP UNTIL REPLY "text" or LOOP UNTIL counter REACHES 20',
    "IF": 'IF REPLY "text" or IF counter REACHES 20',
    "ELSE": "ELSE, and steps below it",
    "WAIT": 'WAIT FOR "text"',
    "PRESS": "PRESS F1",
    "COUNT": "COUNT counter",
    "CLEAR": "CLEAR counter",
    "CHOOSE": "CHOOSE, and on the lines below it 40 PERCENT, 60 PERCENT and so on",
    "PERCENT": "40 PERCENT, and steps behind or below it",
    "END": "END",
    "BYE": "BYE",
}
"""The form of each statement, by its first word, for error messages."""

_VERBS = FORMS.keys() - {"PERCENT"}
_SETTINGS = ("TERMINALS", "BAUD", "TYPING", "START", "STOP", "DATA", "BLOCK")
_OPENING = ("LOOP", "CHOOSE", "IF")
_NOT_FINITE = ("NAN", "INF", "INFINITY")
_PIECE = re.compile(r'"[^"]*"?|[^ \t"!]+|!.*')


@cache
def _parser() -> Lark:
    return Lark.open(
        "tepe.lark", rel_to=__file__, start="file", parser="lalr", lexer="basic", propagate_positions=True
    )


def parse_tree(source: Source) -> Tree[Token]:
    """Return the tree of *source*; every statement in it has its position."""
    try:
        return _parser().parse("\n".join(source.lines) + "\n")
    except UnexpectedCharacters as error:
        raise _explain_character(source, error.line, error.column) from None
    except UnexpectedToken as error:
        raise _explain_token(source, error) from None


def _explain_character(source: Source, line: int, column: int) -> UserError:
    text = source.lines[line - 1]
    if text[column - 1] == '"':
        return source.error(line, column, "this quote is never closed")
    word: str = _PIECE.findall(text[column - 1 :])[0]
    if word.lstrip("+-").upper() in _NOT_FINITE:
        return source.error(line, column, f"{safe(word)} is not a finite number")
    if not text[: column - 1].strip():
        return source.error(line, column, f"a line begins with a verb, not with {safe(word, 40)}")
    return source.error(line, column, f"{safe(word, 40)} has no meaning here: write {FORMS[_verb(text, column)]}")


def _explain_token(source: Source, error: UnexpectedToken) -> UserError:
    token = error.token
    stack = error.interactive_parser.parser_state.value_stack
    opened = [item for item in stack if isinstance(item, Token) and item.type in _OPENING]
    if token.type == "$END":
        # Only within a block can more than an end of line be missing at the end of the file.
        return source.error(*_place(opened[-1]), f"{opened[-1].upper()} has no END")
    line, column = _place(token)
    if source.lines[line - 1][: column - 1].strip():
        return source.error(line, column, _wrong_operand(source, token, error.accepts))
    if opened and token.type in ("SCRIPT", "BYE"):
        what = f"{opened[-1].upper()} has no END before the {token.type} of line {line}"
        return source.error(*_place(opened[-1]), what)
    return source.error(line, column, _wrong_verb(token, error.accepts))


def _place(token: Token) -> tuple[int, int]:
    assert token.line is not None
    assert token.column is not None
    return token.line, token.column


def _wrong_verb(token: Token, accepts: set[str]) -> str:
    """Explain why the statement that *token* begins is not allowed there."""
    word = safe(token, 40)
    if token.type == "NUMBER":
        return f"a line begins with a verb, not with {word}; only in CHOOSE it may be a share: 40 PERCENT"
    if token.type == "TEXT":
        return f"a line begins with a verb, not with {word}"
    if token.type not in _VERBS:
        return str(unknown("verb", str(token), _VERBS))
    if token.type == "END":
        return "END without LOOP, CHOOSE or IF"
    if token.type == "ELSE":
        return "ELSE without IF"
    if "SCRIPT" in accepts and "THINK" not in accepts:
        return f"{token.type} belongs to no SCRIPT: write {FORMS['SCRIPT']} before it"
    if token.type in _SETTINGS:
        return f"{token.type} must stand before the first step of its SCRIPT"
    return f"{token.type} in CHOOSE needs its share: write {FORMS['PERCENT']}"


def _wrong_operand(source: Source, token: Token, accepts: set[str]) -> str:
    """Explain why *token* cannot follow what comes before it in its line."""
    line, column = _place(token)
    verb = _verb(source.lines[line - 1], column)
    word = safe(token, 40)
    if token.type == "_NL":
        return f"{verb} is not complete: write {FORMS[verb]}"
    if "NUMBER" in accepts and token.upper() in _NOT_FINITE:
        return f"{word} is not a finite number"
    if "NAME" in accepts and token.isalpha():
        return f"{word} is a word of the language and cannot be a name"
    if "_NL" in accepts:
        return f"surplus {word}: write {FORMS[verb]}"
    return f"{word} does not fit {verb}: write {FORMS[verb]}"


def _verb(line: str, column: int) -> str:
    """Return the verb whose operands stand before *column*: the last one, since a step may stand behind a share."""
    words = [piece.upper() for piece in _PIECE.findall(line[: column - 1])]
    return next((word for word in reversed(words) if word in FORMS), "PERCENT")


SHIPPED = Path(__file__).with_name("tepe")
"""The folder of the scripts that come with Spindle."""


def read(path: Path, programs: Mapping[str, Program]) -> tuple[Script, ...]:
    """Read the scripts in the file *path*; RUN may name any of *programs*, whose keys are in capitals."""
    return _scripts(load(path), programs)


def parse(text: str, name: str, programs: Mapping[str, Program]) -> tuple[Script, ...]:
    """Read the scripts in *text*; *name* stands for a file's name where there is a mistake in it."""
    return _scripts(take(text, name), programs)


def _scripts(source: Source, programs: Mapping[str, Program]) -> tuple[Script, ...]:
    return read_sections(source, parse_tree(source), programs)


def with_terminals(scripts: tuple[Script, ...], total: int) -> tuple[Script, ...]:
    """Return *scripts* with *total* terminals in the first of them; the others keep theirs."""
    if not 1 <= total <= MAX_TERMINALS:
        raise UserError(f"the number of terminals must lie between 1 and {MAX_TERMINALS:,}, not be {total!r}")
    return (replace(scripts[0], terminals=total), *scripts[1:])


@dataclass(frozen=True)
class _Expected:
    """The average behaviour of a user: program calls, pauses to think, and seconds of thinking."""

    calls: float = 0.0
    thinks: float = 0.0
    thinking: float = 0.0

    def plus(self, other: "_Expected", times: float = 1.0) -> "_Expected":
        return _Expected(
            self.calls + times * other.calls,
            self.thinks + times * other.thinks,
            self.thinking + times * other.thinking,
        )


def _expect(steps: tuple[Step, ...]) -> _Expected:
    """Return the average of *steps* once through, and of one round of an endless loop.

    A counter is taken to have reached n once in n times; what a reply says, to be so every other time.
    """
    expected = _Expected()
    for step in steps:
        if isinstance(step, Call):
            expected = expected.plus(_Expected(calls=1.0))
        elif isinstance(step, Think):
            expected = expected.plus(_Expected(thinks=1.0, thinking=step.time.mean))
        elif isinstance(step, Loop):
            times = 1.0 if step.until is None else _rounds(step.until)
            expected = expected.plus(_expect(step.steps), times if step.times is None else step.times)
        elif isinstance(step, Choose):
            for weight, branch in zip(step.weights, step.branches, strict=True):
                expected = expected.plus(_expect(branch), weight / sum(step.weights))
        elif isinstance(step, If):
            held = 1.0 / _rounds(step.test)
            expected = expected.plus(_expect(step.steps), held).plus(_expect(step.otherwise), 1.0 - held)
        elif isinstance(step, Deal):
            for record in step.records:
                expected = expected.plus(_expect(record), 1.0 / len(step.records))
    return expected


def _rounds(test: Test) -> float:
    """Return the rounds after which *test* is taken to hold."""
    return float(test.least) if isinstance(test, Counted) else 2.0


def describe(scripts: tuple[Script, ...]) -> str:
    """Describe each script in a line and, where there are several, all of them in another."""
    lines = [_describe(script) for script in scripts]
    if len(scripts) > 1:
        lines.append(f"together: {_count(sum(script.terminals for script in scripts), 'terminal')}")
    return "\n".join(lines)


def _describe(script: Script) -> str:
    endless = [step for step in script.steps if isinstance(step, Loop) and step.times is None and step.until is None]
    expected = _expect(endless[0].steps if endless else script.steps)
    think = f"mean think time {expected.thinking / expected.thinks:g} s" if expected.thinks else "no thinking"
    calls = f"{_count(expected.calls, 'program call')} {'a loop' if endless else 'in all'}"
    line = f"{script.baud:g} baud, {script.typing:g} characters a second"
    return f"{script.name}: {_count(script.terminals, 'terminal')} ({line}), {calls}, {think}"


def _count(number: float, what: str) -> str:
    shown = f"{number:g}"
    return f"{shown} {what}{'' if shown == '1' else 's'}"
