"""Checks files and folders that options name, before anything is computed: they are there, or can be written."""

import os
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path

from spindle.cli.printing import complain
from spindle.output.files import same_file, target
from spindle.sim.error import UserError
from spindle.sim.inputs import protect_inputs

LOG_TABLE_SUFFIXES = ("_global", "_ldevs", "_working_sets")
"""Endings of the names of the tables that a run writes beside its log."""


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
