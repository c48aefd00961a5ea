"""What a command says: one short line on what went wrong, and its page, when its work is done."""

import os
import sys
from contextlib import suppress

from sim.error import plain

MOST = 300
"""Characters of a line about what went wrong; more is not read, and pushes what was said before it off the screen."""
END = 90
"""Of them so many are the end of it, where the rule stands."""


def line(text: str) -> str:
    """*text*, about what went wrong, as it is printed: short, and nothing that a terminal would obey.

    A mistake in a file begins with its place, where editors look for it, and has the line of the file below it, which
    is short; any other begins with who says so.
    """
    first, *excerpt = plain(text).split("\n")
    first = first if excerpt else f"spindle: {first}"
    if len(first) > MOST:
        first = f"{first[: MOST - END - 3]}...{first[-END:]}"
    return "\n".join([first, *excerpt])


def complain(text: str) -> None:
    print(line(text), file=sys.stderr)


def finish(page: str) -> int:
    """Print the *page* of a command that has nothing left to do but that; the exit status, 0.

    Who reads it may stop where he likes, as ``head -1`` does: the work is done. That a pipe is closed while there is
    work left, is another matter: it ends the command as SIGPIPE would, and main says so.
    """
    with suppress(BrokenPipeError):
        print(plain(page))
    flush()
    return 0


def flush() -> None:
    """Now, while what goes wrong with it can still be said in one line."""
    try:
        print(end="", flush=True)
    except BrokenPipeError:
        stop_writing()


def stop_writing() -> None:
    """Nobody takes what is written; Python, which flushes once more at its end, must find that somebody does."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
