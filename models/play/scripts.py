"""Scripts that are written on the page: the shipped ones to begin with, and what a run makes of the files."""

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import workloads.probe
from sim.error import UserError
from workloads import tepe
from workloads.probe import reader
from workloads.programs import CATALOGUE

Files = Mapping[str, str]
"""The text of each file by its name; the first is the script."""
MOST_FILES, MOST_CHARACTERS = 20, 64 * 1024
NAME = re.compile(r"\w[\w.-]{0,60}")


class ScriptLanguage(Protocol):
    """A language in which a machine is told what its users do; *option* is that of ``spindle run``."""

    option: str

    def shipped(self) -> Mapping[str, Files]:
        """The files of each script that comes with Spindle, by its name."""

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """*given* as the arguments of a run of the script in *files*; UserError with file, line and column."""


def check_files(files: Files) -> None:
    """UserError where *files* have names that are none, or are more than a script may be."""
    if not 1 <= len(files) <= MOST_FILES:
        raise UserError(f"a script has 1 to {MOST_FILES} files, not {len(files)}")
    for name, text in files.items():
        if not NAME.fullmatch(name):
            raise UserError(f"{name[:60]!r} is no name of a script's file")
        if len(text) > MOST_CHARACTERS:
            raise UserError(f"{name}: a script on the page has at most {MOST_CHARACTERS} characters")


class TepeScripts:
    """TEPE scripts of terminals."""

    option = "script"

    def shipped(self) -> dict[str, Files]:
        paths = sorted(tepe.SHIPPED.glob("*.tepe"))
        return {path.name: {path.name: path.read_text("utf-8")} for path in paths}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """With terminals, those replace the number of the first script's, as on the command line."""
        name, text = next(iter(files.items()))
        scripts = tepe.parse(text, name, CATALOGUE)
        if "terminals" in given:
            scripts = tepe.with_terminals(scripts, given["terminals"])
        if given.get("development"):
            raise UserError("development counts Spindle's own programmers; a script says how many terminals it has")
        return {**{name: value for name, value in given.items() if name != "development"}, "scripts": list(scripts)}


class ProbeScripts:
    """Experiments of Response Probe: a .SCR file, and those that it names."""

    option = "probe"

    def shipped(self) -> dict[str, Files]:
        folder = Path(workloads.probe.__file__).parent
        texts = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.sc[rpt]"))}
        return {name: _named(name, texts) for name in texts if name.endswith(".scr")}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """The files are read from a folder, for that is how they name each other."""
        with TemporaryDirectory() as folder:
            for name, text in files.items():
                Path(folder, name).write_text(text, "utf-8")
            try:
                probe = reader.read(Path(folder, next(iter(files))), given.get("seconds"))
            except UserError as error:
                raise UserError(re.sub(rf"{re.escape(folder)}[/\\]", "", str(error))) from None
        return {**given, "probe": probe}


def _named(name: str, texts: Files) -> dict[str, str]:
    """The file *name*, and all that it names, directly or not."""
    of = {name: texts[name]}
    for word in texts[name].split():
        if word in texts and word != name:
            of |= _named(word, texts)
    return of
