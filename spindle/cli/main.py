"""Runs the command line ``spindle``: finds the command, and turns a user's mistake into one line and exit status 2."""

import os
import shlex
import sys
import tomllib
import warnings
from codecs import register_error
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path

from spindle.cli.printing import HelpShown, complain, finish, flush, plain_characters, stop_writing
from spindle.sim.error import PointFailed, UserError, check_known, quote, unknown

_TABLES = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
COMMAND_GROUPS: Mapping[str, Mapping[str, Sequence[str]]] = _TABLES["groups"]
"""The commands by group: for each its module in this folder, its function, and a line of help."""
COMMANDS = {name: command for group in COMMAND_GROUPS.values() for name, command in group.items()}
"""All commands by name, whatever their group."""

COMPLETION_VARIABLE = "_ARGCOMPLETE"
"""The environment variable that a shell sets to ask for completions of a line."""
EXTRAS: Mapping[str, str] = _TABLES["extras"]
"""The extra, an optional part of the installation, that each package belongs to."""
PACKAGES_TAKEN: Mapping[str, Sequence[str]] = _TABLES["takes"]
"""The packages that a command, an option or an ending of a file's name needs, so that all missing ones are named."""
WRITE_ERRORS = (ENOSPC, EDQUOT, EFBIG, EIO)
"""Error numbers of writing on a device that is full, or fails."""
FAILED, MISTAKE, BROKEN, INTERRUPTED, UNREAD = 1, 2, 70, 130, 141
"""Exit statuses: one of many runs failed; a user's mistake; an internal error (EX_SOFTWARE); Ctrl-C; a closed pipe."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``spindle`` with *arguments*, by default those of the process; return the exit status.

    It is 0 only where the work of the command is done. A pipe that is closed while it works ends it, with 141; one that
    is closed over its last page, when nothing else is left to do (``finish``), does not matter.
    """
    if COMPLETION_VARIABLE in os.environ:
        from spindle.cli.completion import complete

        return complete(COMMANDS)
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _open_streams()
        warnings.showwarning = _complain_once()
        status = copy_context().run(_command, words)
        flush()
        return status
    except UserError as error:
        complain(str(error))
        return MISTAKE
    except KeyboardInterrupt as stop:
        complain(str(stop) or "interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        stop_writing()
        return UNREAD
    except OSError as error:
        stop_writing()
        complain(": ".join(str(part) for part in (_place(error), error.strerror or error) if part))
        return MISTAKE
    except ModuleNotFoundError as error:
        return _not_installed(error, words)
    except PointFailed as error:
        complain(str(error))
        return FAILED
    except BaseException as error:  # the user's code may raise anything
        return _describe_fault(error, words)


def _place(error: OSError) -> str | None:
    """Return the file that *error* is about, if that is known; files have names, and standard output has none."""
    if error.filename is not None:
        return str(error.filename)
    if error.errno in WRITE_ERRORS:
        return "standard output"
    with suppress(FileNotFoundError):
        os.getcwd()
        return None
    return "the working directory"


def _not_installed(error: ModuleNotFoundError, words: Sequence[str]) -> int:
    """Print which packages of the command are missing, and the extra that has them; the exit status."""
    package = (error.name or "").partition(".")[0].replace("dask", "distributed")
    if package not in EXTRAS:
        return _describe_fault(error, words)
    written = " ".join(words).replace("--plot -", "").replace("--plot=-", "").split()  # in the terminal
    known = {word.partition("=")[0] for word in written} | {os.path.splitext(word)[1] for word in written}
    taken = [each for name, packages in PACKAGES_TAKEN.items() if name in known for each in packages]
    missing = [each for each in dict.fromkeys((package, *taken)) if each == package or find_spec(each) is None]
    extras = ", ".join(dict.fromkeys(EXTRAS[each] for each in missing))
    names = " ".join(missing).replace("distributed", "'dask[distributed]'")
    are, plural = ("is", "") if len(missing) == 1 else ("are", "s")
    complain(f"{words[0]} takes {' and '.join(missing)}, which {are} not installed: pip install {names} "
             f"(extra{plural} {extras})")  # fmt: skip
    return MISTAKE


def _complain_once() -> Callable[..., None]:
    """Return a function that prints a warning unless it did so before: a file of a drive may be read twice."""
    told = set[str]()

    def show(message: Warning | str, *_: object) -> None:
        if str(message) not in told:
            complain(str(message))
        told.add(str(message))

    return show


def _describe_fault(error: BaseException, words: Sequence[str]) -> int:
    """Print whether the error is a fault of Spindle or of a file of the user's own; the exit status."""
    from spindle.sim import user_parts

    what, trace = f"{type(error).__name__}: {quote(str(error))}", _save_traceback(words)
    if place := user_parts.place_of(error):
        complain(f"{place}: {what}; {trace}")
        return MISTAKE
    own = [word.rpartition("=")[2] for word in words if user_parts.FILE in word]
    suspects = " or one in code of your own" if own else ""
    remedy = f"; spindle check {own[0]} tries it alone" if own else ""
    complain(f"internal error{suspects}, {what}; {trace}{remedy}")
    return BROKEN


def _open_streams() -> None:
    """Open closed standard input and error as the null device, or the next file opened would take their place.

    Workers inherit them.
    """
    closed = [number for number in range(3) if not _is_open(number)]
    for _ in closed:
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it stays as long as the process
    if 1 in closed:
        raise UserError("standard output is closed, so nothing could be printed; > /dev/null discards it")
    register_error(plain_characters.__name__, plain_characters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=plain_characters.__name__)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _save_traceback(words: Sequence[str]) -> str:
    """Write the traceback and the command into a file; return a sentence with its name."""
    from tempfile import mkstemp
    from traceback import format_exc

    try:
        descriptor, name = mkstemp(".trace", "spindle-")
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"spindle {shlex.join(words)}\n{format_exc()}")
        return f"the traceback is in {name}"
    except OSError:
        return "the traceback could not be written into the folder for temporary files"


def _command(words: list[str]) -> int:
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UserError(f"{quote(word)} is not text in UTF-8; a file of such a name needs another") from None
    if not words or words[0] in ("-h", "--help", "help"):
        return finish(_help())
    if words[0] == "--version":
        from platform import python_version

        from spindle.output.origin import commit
        from spindle.version import VERSION

        return finish(f"Spindle {VERSION}, commit {commit()}, Python {python_version()}")
    if words[0].startswith("-"):
        raise unknown("option before a command", words[0], ("-h", "--help", "--version"))
    check_known("command", COMMANDS, words[0])
    module, function, _ = COMMANDS[words[0]]
    command: Callable[[Sequence[str]], int] = getattr(import_module(f"spindle.cli.{module}"), function)
    try:
        return command(words[1:])
    except HelpShown:
        return 0


def _help() -> str:
    lines = [line for group, commands in COMMAND_GROUPS.items() for line in (
        "", group, *(f"  spindle {each:<13}{says}" for each, (_, _, says) in commands.items()))]  # fmt: skip
    return "\n".join([
        "Spindle simulates a whole computer as its discs see it.", *lines, "", "spindle COMMAND --help says more.",
        'A shell completes words after: eval "$(register-python-argcomplete spindle)"'])  # fmt: skip
