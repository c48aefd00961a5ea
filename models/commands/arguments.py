"""Arguments of commands: errors in one line that name the nearest right word, and systems by name."""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from glob import escape
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

import models
from models import own
from sim.error import UserError, shown, unknown
from sim.output.files import same_file, spare, target

if TYPE_CHECKING:
    from sim.study.system import System


LOG_TABLES = ("_global", "_ldevs", "_working_sets")
"""What stands behind the name of a log in the names of the tables that are written beside it."""


class HelpShown(SystemExit):
    """The help has been printed, and nothing is left to do."""


class ArgumentParser(argparse.ArgumentParser):
    """argparse, with UserErrors instead of usage pages, and without abbreviations.

    *read_first* is called with each parser before it reads a line: a shell's completion answers there.
    """

    read_first: ClassVar[Callable[["ArgumentParser"], None]] = lambda parser: None

    def __init__(self, command: str, description: str, examples: str) -> None:
        super().__init__(
            prog=f"spindle {command}", description=description, allow_abbrev=False,
            epilog=f"examples:\n{examples}", formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        self.command = command

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Argparse ends so behind --help."""
        raise HelpShown(status)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{self.command}: {message} (--help shows how it is used)")

    def take(self, arguments: Sequence[str]) -> argparse.Namespace:
        """All of *arguments*; UserError for an option that does not exist, with the nearest that do."""
        if "--" in arguments:  # argparse would drop it, and take what is left, perhaps nothing, for the rest
            raise UserError(f"{self.command}: -- stands for nothing")
        type(self).read_first(self)
        options, left = self.parse_known_intermixed_args(list(arguments))
        for each in left:
            if each.startswith("-"):
                names = [option for action in self._actions for option in action.option_strings]
                raise unknown("option", each.split("=")[0], names)
            raise UserError(f"{self.command}: one word too many: {shown(each)}")
        return options


def system_names() -> list[str]:
    """The systems there are: every folder of models that describes one."""
    return sorted(path.parent.name for path in Path(models.__file__).parent.glob("*/system.py"))


def find_system(name: str) -> "System":
    """The system *name*, or one of a user's own; imported only now, because pandas and matplotlib take a second."""
    from sim.study.system import System

    names = system_names()
    chosen = (import_module(f"models.{name}.system").SYSTEM if name in names else
              own.part("system", name, dict.fromkeys(names)))  # fmt: skip
    assert isinstance(chosen, System)
    return chosen


def systems(name: str | None) -> "list[System]":
    """The one named, or all."""
    return [find_system(each) for each in (system_names() if name is None else [name])]


def named_folder(name: str, where: str | Path) -> Path:
    """*where*; a text without a character names no folder, least of all that which the user happens to stand in."""
    if where == "":
        raise UserError(f"{name} must name a folder, not ''")
    return Path(where)


def folder(name: str, where: str | Path) -> Path:
    """The folder *where*, made if it is not there; UserError where nothing can be written, before anything is computed.
    """
    path = named_folder(name, where)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{name}: cannot make the folder {path}: {_in_the_way(path) or error.strerror}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise UserError(f"{name}: nothing can be written into the folder {path}")
    return path


def _in_the_way(folder: Path) -> str:
    """What is no folder where *folder*, or one that it lies in, is to be; empty where nothing is."""
    for path in (folder, *folder.parents):
        if os.path.lexists(path):
            what = "file" if os.path.exists(path) else "link to nowhere"
            return "" if path.is_dir() else f"{'it' if path == folder else path} is a {what}"
    return ""


def new_file(name: str, text: str) -> Path:
    """Where the file *text* will be; UserError where it cannot, before anything is computed."""
    path = Path(text)
    if not text or "\n" in text or text.endswith(os.sep) or os.path.isdir(text):
        raise UserError(f"{name} must name a file, not {text!r}")
    folder(name, path.parent)
    target(path)
    return path


def _no_links_beside(log: Path) -> None:
    """A log has tables beside it, whose names the user did not give: through no link, then."""
    for path in log.parent.glob(f"{escape(log.stem)}_*{escape(log.suffix)}"):
        if path.is_symlink():
            raise UserError(f"--log: {path} is a link, and would be a table of the log: remove it")


def _tables_of(log: Path) -> list[Path]:
    """Where a *log* will have tables beside it, if it is one itself."""
    return [log.with_stem(log.stem + each) for each in LOG_TABLES] if log.suffix == ".csv" else []


def outputs(reads: Iterable[Path], options: Mapping[str, str | None]) -> dict[str, Path | None]:
    """Where the files that *options* name will be, each whole or None.

    None may take the place of another, or of what the command *reads*; nor may anything else that it writes.
    """
    uses = {path: f"{path}, which is to be read" for path in reads}
    spare(*uses)
    paths: dict[str, Path | None] = {}
    for option, text in options.items():
        paths[option] = path = None if text is None else Path(text)
        if path is None or text is None:
            continue
        tables = _tables_of(path) if option == "--log" else []
        for each, (other, what) in product((path, *tables), uses.items()):
            if same_file(each, other):
                raise UserError(f"{option} would overwrite {what}")
        if option == "--plot" and text and path.suffix.lower() != ".png":
            raise UserError(f"--plot must name a file that ends in .png, not {text!r}")
        new_file(option, text)
        if option == "--log":
            _no_links_beside(path)
        uses |= {each: f"{each}, which is a table of {option}" for each in tables}
        uses[path] = f"{path}, which is {option}"
    return paths
