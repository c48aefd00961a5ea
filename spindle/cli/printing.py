"""Prints the output of a command: its text, coloured on a terminal, when its work is done, or one line for an error."""

import os
import re
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from shutil import get_terminal_size
from textwrap import fill

from spindle.sim.error import plain

PROSE_WIDTH = 100
"""Columns of the longest line of a wrapped sentence."""
MAX_ERROR_CHARACTERS = 300
"""Most characters of the line for an error; the middle of a longer one is cut out."""
KEPT_END_CHARACTERS = 90
"""Characters kept at the end of a line that is cut, where the rule stands that was broken."""


class HelpShown(SystemExit):
    """Raised when the help has been printed, and nothing is left to do."""


def line(text: str) -> str:
    """Return the error *text* as it is printed: short, without control characters.

    A mistake in a file begins with its place, where editors look for it, and has the line of the file below it, which
    is short; any other begins with the name of the program.
    """
    first, *excerpt = plain(text).split("\n")
    if excerpt and excerpt[-1].strip() != "^":  # the name of a file may have an end of line in it
        first, excerpt = "\\n".join([first, *excerpt]), []
    first = first if excerpt else f"spindle: {first}"
    if len(first) > MAX_ERROR_CHARACTERS:
        first = f"{first[: MAX_ERROR_CHARACTERS - KEPT_END_CHARACTERS - 3]}...{first[-KEPT_END_CHARACTERS:]}"
    return "\n".join([first, *excerpt])


PLAIN_CHARACTERS = {"\u00b1": "+-", "\u00b5": "u", "\u00d7": "x", "\u2524": "|", "\u2502": "|", "\u2514": "+",
                    "\u2500": "-"}  # fmt: skip
"""Characters that look like one that a terminal lacks."""
BRAILLE_CODES = range(0x2800, 0x2900)
"""Codes of the Braille characters of which pictures in a terminal are made; the first one is empty."""


def plain_characters(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error: replace characters that a terminal lacks by similar ones, or by their numbers."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return "".join(map(_plain_character, text)), error.end


def _plain_character(character: str) -> str:
    if ord(character) in BRAILLE_CODES:
        return "*" if ord(character) > BRAILLE_CODES[0] else " "
    return PLAIN_CHARACTERS.get(character) or character.encode("ascii", "backslashreplace").decode("ascii")


def complain(text: str) -> None:
    """Print the error *text* as one line to standard error."""
    print(line(text), file=sys.stderr)


def finish(page: str) -> int:
    """Print *page*, the text of a command whose work is done; return the exit status, 0.

    A reader may close the pipe early, as ``head -1`` does. A pipe closed while there is work left ends the command as
    SIGPIPE would, by main.
    """
    with suppress(BrokenPipeError):
        print(paint(plain(page)))
    flush()
    return 0


# Colours, on a terminal whose user has not set NO_COLOR (no-color.org).

STYLES_BY_PATTERN = {
    r"(?<=  )holds(?=  |$)": "34", r"(?<=  )fails(?=  |$)": "1;31", r"(?<=  )undecided(?=  |$)": "33",
    r"(?<=  )#+$": "34", r"^[A-Za-z][^\n\033]*$(?=\n +\S)": "1",
}  # fmt: skip
"""Terminal codes by pattern: of a verdict in its column, of a bar, and of a heading above indented lines."""


def paint(text: str) -> str:
    """Colour verdicts, bars and headings in *text*, if it goes to a terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    for pattern, style in STYLES_BY_PATTERN.items():
        text = re.sub(pattern, f"\033[{style}m\\g<0>\033[0m", text, flags=re.MULTILINE)
    return text


def align(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return *rows* as lines, in columns two spaces apart; columns in *right* are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [f">{width}" if place in right else f"<{width}" for place, width in enumerate(widths)]
    return ["  ".join(map(format, row, aligned)).rstrip() for row in rows]


def prose(text: str, indent: int) -> str:
    """Return *text* in lines of a terminal, WIDTH columns at most, after *indent* spaces."""
    width = min(PROSE_WIDTH, get_terminal_size().columns)
    return fill(text, width, initial_indent=" " * indent, subsequent_indent=" " * indent)


def flush() -> None:
    """Flush now, while an error can still be reported in one line."""
    try:
        print(end="", flush=True)
    except BrokenPipeError:
        stop_writing()


def stop_writing() -> None:
    """Send further output to the null device: Python flushes once more at its end, which must not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
