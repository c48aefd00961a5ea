"""A user's mistake: one line that says what is wrong, where, and which rule; never a traceback."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """Raised for input that a user can mend. The command line prints it and exits with status 2."""


def unknown(what: str, name: str, known: Iterable[str]) -> UserError:
    """The mistake of naming a *what* that does not exist; names the nearest that do."""
    names = sorted(known)
    near = get_close_matches(name.lower(), [n.lower() for n in names], n=3, cutoff=0.5)
    near_names = [n for n in names if n.lower() in near]
    shown = name if len(name) <= 60 else name[:57] + "..."
    if near_names:
        return UserError(f"unknown {what} {shown!r}: did you mean {' or '.join(near_names)}?")
    return UserError(f"unknown {what} {shown!r}: there are {', '.join(names) or 'none'}")
