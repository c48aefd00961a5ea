"""Shared by all commands: the parser of their options (ArgumentParser), and checks of the files that they write."""

import argparse
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from shutil import get_terminal_size
from typing import ClassVar, NoReturn, TypeVar

from spindle.cli.printing import HelpShown, complain, finish
from spindle.output.files import same_file, target
from spindle.sim.error import UserError, quote, unknown
from spindle.sim.inputs import protect_inputs

T = TypeVar("T")
LIST = ",..."
"""End of the word for the value of an option that takes several."""
HELP_FOLDER = Path(__file__).with_name("help")
"""The folder with a text file for each command: its description and examples."""
LOG_TABLE_SUFFIXES = ("_global", "_ldevs", "_working_sets")
"""Endings of the names of the tables that a run writes beside its log."""


class ArgumentParser(argparse.ArgumentParser):
    """A parser of argparse that raises UserError instead of printing its usage, and takes no abbreviated options.

    A command's description and examples are a file of the folder ``help``, in which *words* take the places of names in
    braces. *read_first* is called with each parser before it reads a line: a shell's completion answers there.
    """

    system = ""
    """The word that names the simulated system on the command line; empty for a command without one."""
    read_first: ClassVar[Callable[["ArgumentParser"], None]] = lambda parser: None

    def __init__(self, command: str, **words: str) -> None:
        text = HELP_FOLDER.joinpath(f"{re.sub('[ -]+', '_', command)}.txt").read_text("utf-8").rstrip()
        description, end, examples = (text.format(**words) if words else text).partition("\n\nexamples:\n")
        width = get_terminal_size().columns - 2  # asked once: argparse would ask again for each option
        super().__init__(
            prog=f"spindle {command}", description=description, allow_abbrev=False, epilog=end.lstrip() + examples,
            formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
        )  # fmt: skip
        self.command = command
        self._negative_number_matcher = re.compile(r"-[.\d]")  # -1ms and -1:2 are values, which their option refuses

    def print_help(self, file: object = None) -> None:
        finish(self.format_help().rstrip())

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the command after --help, where argparse calls this."""
        raise HelpShown(status)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{self.command}: {message} (--help shows how it is used)")

    def take(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse all *arguments*; UserError for an unknown option, with the known options nearest to it."""
        if "--" in arguments:  # argparse would drop it, and take what is left, perhaps nothing, for the rest
            raise UserError(f"{self.command}: -- has no meaning here")
        type(self).read_first(self)
        options, left = self._read(list(arguments))
        for word in left:
            if word.startswith("-"):
                names = [option for action in self._actions for option in action.option_strings
                         if word.startswith("--no") or not option.startswith("--no-")]  # fmt: skip
                raise unknown("option", word.split("=")[0], names)
            raise UserError(f"{self.command}: one word too many: {quote(word)}")
        for action in self._actions:
            if getattr(options, action.dest, None) == "" and action.option_strings and action.const != "":
                raise UserError(f"{action.option_strings[0]} must have a value, not ''")
        self._warn_of_repeated(Counter(word.partition("=")[0] for word in arguments))
        return options

    def _warn_of_repeated(self, given: Counter[str]) -> None:
        """Warn of lists that are given twice, of which argparse takes the last; of single values that is usual."""
        for option in (option for action in self._actions if str(action.metavar).endswith(LIST)
                       for option in action.option_strings if given[option] > 1):  # fmt: skip
            warnings.warn(f"{option} is given twice, and the last counts: several values stand in one, with commas "
                          "between", stacklevel=2)  # fmt: skip

    def _read(self, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
        """Read *arguments*; a word after a truth option is its value, unless a required word is then missing."""
        try:
            return self.parse_known_intermixed_args(arguments)
        except UserError:
            truths = {option for action in self._actions if action.const == "true" for option in action.option_strings}
            said = [f"{word}=true" if word in truths else word for word in arguments]
            with suppress(UserError):
                return self.parse_known_intermixed_args(said)
            raise


def of_kind(option: str, drive: object, kind: type[T], why: str) -> T:
    """Return the *drive* that *option* gives; UserError with the sentence *why* where it is not of *kind*."""
    if not isinstance(drive, kind):
        raise UserError(f"{option}: {why}")
    return drive


def named_folder(name: str, where: str | Path) -> Path:
    """Return the path *where* of the folder for *name*; UserError for an empty text, the working directory's name."""
    if where == "":
        raise UserError(f"{name} must name a folder, not ''")
    return Path(where)


def present_folder(name: str, where: str | Path) -> Path:
    """Return the path *where*; UserError where there is no such folder."""
    path = named_folder(name, where)
    if not path.is_dir():
        raise UserError(f"{name}: there is no folder {path}")
    return path


def folder(name: str, where: str | Path) -> Path:
    """Make the folder *where* if it is absent; UserError, before anything is computed, where nothing can be written."""
    path = named_folder(name, where)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{name}: cannot make the folder {path}: {_obstacle(path) or error.strerror}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise UserError(f"{name}: nothing can be written into the folder {path}")
    return path


def _obstacle(folder: Path) -> str:
    """Describe the first component of the path *folder* that exists but is not a directory; '' if there is none."""
    path = next(each for each in (folder, *folder.parents) if os.path.lexists(each))  # at last / or the one at work
    what = "file" if os.path.exists(path) else "link to nowhere"
    return "" if path.is_dir() else f"{'it' if path == folder else path} is a {what}"


def new_file(name: str, text: str) -> Path:
    """Return the path of the file *text*; UserError before anything is computed if it cannot be written."""
    path = Path(text)
    if text in ("", TERMINAL) or "\n" in text or text.endswith(os.sep) or os.path.isdir(text):
        raise UserError(f"{name} must name a file, not {text!r}")
    present = path.parent.is_dir()
    folder(name, path.parent)
    if not present:
        complain(f"{name}: made the folder {path.parent}")
    target(path)
    return path


def _no_links_beside(log: Path) -> None:
    """Raise UserError if a table beside *log*, which the user did not name, is a link."""
    from glob import escape

    for path in log.parent.glob(f"{escape(log.stem)}_*{escape(log.suffix)}"):
        if path.is_symlink():
            raise UserError(f"--log: {path} is a link, and would be a table of the log: remove it")


PICTURE_SUFFIXES = (".png", ".pdf", ".svg")
"""Endings of the files that a picture can be saved as."""
FOREIGN_SUFFIXES = (".json", ".jsonl", ".parquet", ".feather", ".xls", ".xlsx", ".html", *PICTURE_SUFFIXES)
"""Endings of the names of files of other kinds than tables of text."""
TERMINAL = "-"
"""Given in place of a picture's file: the picture is drawn in the terminal."""


def plot_file(plot: str | None) -> str | None:
    """Return the file that ``--plot`` names; None where it names the terminal, or nothing."""
    return None if plot in (TERMINAL, "") else plot


def check_picture(option: str, path: Path) -> None:
    """Raise UserError where *path*, which --plot names, is no picture by its name; any other *option* passes."""
    if option == "--plot" and path.suffix.lower() not in PICTURE_SUFFIXES:
        raise UserError(f"--plot must name a file that ends in {', '.join(PICTURE_SUFFIXES)}, not {str(path)!r}")


def _check_suffix(option: str, path: Path) -> None:
    """Raise UserError where the name of *path* says another kind of file than *option* writes."""
    check_picture(option, path)
    if option == "--out" and path.suffix.lower() in FOREIGN_SUFFIXES:
        raise UserError(f"--out writes text, such as .csv, and no {path.suffix}: {path}")


def outputs(
    reads: Iterable[Path], options: Mapping[str, str | None], check: Callable[[str, Path], None] = _check_suffix
) -> dict[str, Path | None]:
    """Return the paths of the output files that *options* name; None where an option is empty, or left out.

    UserError if one would overwrite another, what the command *reads*, or anything else that it writes, or if its name
    does not pass the *check*.
    """
    uses = {path: f"{path}, which is to be read" for path in reads}
    protect_inputs(*uses)
    paths: dict[str, Path | None] = {}
    for option, text in options.items():
        paths[option] = path = Path(text) if text else None
        if path is None or text is None:
            continue
        is_log_table = option == "--log" and path.suffix == ".csv"
        tables = [path.with_stem(path.stem + each) for each in LOG_TABLE_SUFFIXES] if is_log_table else []
        for each, (other, what) in product((path, *tables), uses.items()):
            if same_file(each, other):
                raise UserError(f"{option} would overwrite {what}")
        check(option, path)
        new_file(option, text)
        if option == "--log":
            _no_links_beside(path)
        uses |= {each: f"{each}, which is a table of {option}" for each in tables}
        uses[path] = f"{path}, which is {option}"
    return paths
