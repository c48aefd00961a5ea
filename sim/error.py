"""UserError reports a mistake of the user in one line; functions here quote input and suggest the nearest name."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from traceback import extract_tb
from typing import TypeVar

T = TypeVar("T")
MAX_QUOTED = 60
"""Characters of a user's own text that a message repeats."""


class UserError(ValueError):
    """Raised for input that the user can correct. The command line prints it and exits with status 2.

    >>> try:
    ...     PowerSeek(0.045, 0.005, 0.5, 1000)
    ... except UserError as error:
    ...     print(error)
    seek curve: minimum 0.045 s must lie between 0 and maximum 0.005 s, and both be finite
    """


def plain(text: str) -> str:
    """Return *text* with each control character, and each that no file can hold, replaced by its number."""
    return text if text.isprintable() else "".join(map(_plain, text))


def _plain(character: str) -> str:
    return character if character.isprintable() or character == "\n" else character.encode("unicode_escape").decode()


def quote(text: object) -> str:
    """*text* as a message quotes it: short, and on one line."""
    text = str(text)
    return repr(text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 3] + "...")


class PointFailed(RuntimeError):
    """One run of several failed; the message names it."""


def line_of(error: BaseException) -> str:
    """The file and the line that raised *error*; empty where that is not known.

    SimPy raises the failure of a process again where that was waited for: of the same kind, with the same words.
    """
    at, seen = error, {id(error)}
    while (cause := at.__cause__) is not None and cause.__traceback__ is not None and id(cause) not in seen:
        if (type(cause), cause.args) != (type(error), error.args):
            break
        at = cause
        seen.add(id(at))
    frames = extract_tb(at.__traceback__)
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


OTHER_WORDS = {
    "users": "terminals", "clients": "terminals", "people": "terminals", "processes": "terminals workers",
    "disk": "drive", "disc": "drive", "disks": "drives", "discs": "drives", "ram": "memory", "cache_size": "cache",
    "blocksize": "block", "block_size": "block", "bs": "size block", "qd": "threads depth",
    "iodepth": "threads depth", "queue_depth": "threads depth", "numjobs": "threads", "jobs": "threads workers",
    "rw": "random writes", "readwrite": "random writes", "rwmixwrite": "writes", "rwmixread": "writes",
    "rate_iops": "iops", "thinktime": "pause", "io_size": "requests", "nrfiles": "drives", "cpus": "cores",
    "output": "out", "duration": "minutes requests", "runtime": "minutes requests", "time": "minutes requests",
    "rate": "iops speed", "read": "writes", "reads": "writes", "latency": "response_mean", "iops": "throughput",
    "replacement": "policy", "eviction": "policy", "algorithm": "policy", "seeds": "seed",
    "elevator": "scheduler look", "parallel": "workers", "reps": "seeds", "replications": "seeds",
    "repetitions": "seeds", "repeats": "seeds", "runs": "seeds", "from": "between", "to": "between",
    "range": "between", "bounds": "between", "condition": "where", "goal": "where", "target": "where",
    "until": "where", "csv": "out", "save": "out", "png": "plot", "figure": "plot", "picture": "plot",
    "raid_level": "raid", "level": "raid", "stripe": "chunk", "stripe_size": "chunk", "chunk_size": "chunk",
    "noop": "fcfs", "none": "fcfs", "second_chance": "clock", "optimal": "opt",
}  # fmt: skip
"""Names that other programs have for a setting, an option or a measure, with the names for it in Spindle."""


def unknown(what: str, name: str, choices: Iterable[str]) -> UserError:
    """Make the UserError for a *what* that does not exist; its message gives the nearest names, the nearest first."""
    names = sorted(choices)
    spelled = {each.lower(): each for each in names}
    near = get_close_matches(name.lower(), spelled, cutoff=0.5)
    called = [each for each in _called_here(name.lower()) if each in spelled]
    if found := [spelled[each] for each in called or near]:
        return UserError(f"unknown {what} {quote(name)}: did you mean {' or '.join(found)}?")
    return UserError(f"unknown {what} {quote(name)}: there are {', '.join(names) or 'none'}")


def check_known(what: str, choices: Collection[str], *names: str) -> None:
    """UserError for the first of *names* that is not among *choices*, each the name of a *what*."""
    for name in names:
        if name not in choices:
            raise unknown(what, name, choices)


def known_choice(what: str, choices: Mapping[str, T], name: str) -> T:
    """Return the *what* that *choices* have under *name*; UserError with the nearest names where there is none."""
    check_known(what, choices, name)
    return choices[name]


def _called_here(name: str) -> list[str]:
    """Return *name*, and Spindle's names for what other programs call so."""
    word = name.removeprefix("--")
    others = [word, *OTHER_WORDS.get(word.replace("-", "_"), "").split()]
    return [f"--{other.replace('_', '-')}" for other in others] if name.startswith("--") else others


def check_regular_file(path: Path) -> None:
    """UserError, one line, where *path* is no regular file, which alone can be read from its beginning again."""
    if not path.is_file():
        problem = "it is a folder" if path.is_dir() else "it is no regular file"
        raise UserError(f"{path}: {problem if path.exists() else 'there is no such file'}")
