"""Parser of terminal scripts: from text to a tree of statements, or to an error about their form."""

import re
from functools import cache

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedToken

from spindle.sim.error import UserError, unknown
from spindle.workloads.tepe_language.source import Source, safe

FORMS = {
    "SCRIPT": "SCRIPT name",
    "TERMINALS": "TERMINALS 21",
    "BAUD": "BAUD 9600",
    "TYPING": "TYPING 4 CPS",
    "START": "START AT 0 EVERY 1.5, or START AT UNIFORM 0 TO 30",
    "STOP": "STOP AT 3600",
    "RUN": "RUN program",
    "THINK": "THINK 8, THINK EXPONENTIAL 8 or THINK UNIFORM 5 TO 11, with S, MS or MIN behind a time",
    "ENTER": 'ENTER "text"',
    "MISTYPE": 'MISTYPE "text"',
    "LOOP": "LOOP, or LOOP 20 TIMES",
    "CHOOSE": "CHOOSE, and on the lines below it 40 PERCENT, 60 PERCENT and so on",
    "PERCENT": "40 PERCENT, and steps behind or below it",
    "END": "END",
    "BYE": "BYE",
}
"""Form of each verb's statement, for error messages."""

_VERBS = FORMS.keys() - {"PERCENT"}
_SETTINGS = ("TERMINALS", "BAUD", "TYPING", "START", "STOP")
_NOT_FINITE = ("NAN", "INF", "INFINITY")
_PIECE = re.compile(r'"[^"]*"?|[^ \t"!]+|!.*')


@cache
def _parser() -> Lark:
    return Lark.open(
        "tepe.lark", rel_to=__file__, start="file", parser="lalr", lexer="basic", propagate_positions=True
    )


def parse_tree(source: Source) -> Tree[Token]:
    """The tree of *source*; every statement in it has its position."""
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
    piece = _PIECE.match(text, column - 1)
    word = piece[0] if piece else text[column - 1]
    if word.lstrip("+-").upper() in _NOT_FINITE:
        return source.error(line, column, f"{safe(word)} is not a finite number")
    if not text[: column - 1].strip():
        return source.error(line, column, f"a line begins with a verb, not with {safe(word, 40)}")
    return source.error(line, column, f"{safe(word, 40)} has no meaning here: write {FORMS[_verb(text, column)]}")


def _explain_token(source: Source, error: UnexpectedToken) -> UserError:
    token = error.token
    stack = error.interactive_parser.parser_state.value_stack
    opened = [item for item in stack if isinstance(item, Token) and item.type in ("LOOP", "CHOOSE")]
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
        return "END without LOOP or CHOOSE"
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
    """The verb whose operands stand before *column*: the last one, since a share may have a step behind it."""
    words = [piece.upper() for piece in _PIECE.findall(line[: column - 1])]
    return next((word for word in reversed(words) if word in FORMS), "PERCENT")
