"""``spindle new`` writes a commented file to begin with; ``spindle notebooks`` copies the notebooks to a folder."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spindle.cli.fields import take_fields
from spindle.cli.named_files import folder as output_folder
from spindle.cli.named_files import new_file
from spindle.cli.printing import finish
from spindle.folders import folder
from spindle.output.files import write_whole, write_within
from spindle.questions.field import ask
from spindle.sim.error import UserError

TEMPLATES = Path(__file__).with_name("templates")
"""The folder of the files that ``spindle new`` writes."""
NEXT_COMMANDS = {
    "machine.py": "spindle run {}",
    "policy.py": "spindle check {}:Mine",
    "script.tepe": "spindle run hp3000 --script {} --minutes 5",
    "drive.yaml": "spindle replay TRACE --drive {}",
}
"""The command to try next on each kind of file that ``spindle new`` writes."""


@dataclass(frozen=True)
class NewFile:
    """Options of ``spindle new``: the kind of file, and where it is written."""

    kind: str = ask("", "", words=tuple(NEXT_COMMANDS), noun="kind of file", first="1", metavar="KIND")
    out: str = ask("", "default KIND, in this folder; nothing is overwritten", metavar="FILE")


def new(arguments: Sequence[str]) -> int:
    """Write a file to begin with, which does not exist yet, and print the next command; the exit status."""
    options = take_fields("new", NewFile, arguments)
    path = new_file("--out", options.out or options.kind)
    if path.exists():
        raise UserError(f"{path} is there already, and is not overwritten; name another by --out")
    write_whole(path, _text(options.kind).replace(options.kind, str(path)).encode("utf-8"))
    return finish(f"{path}: next {NEXT_COMMANDS[options.kind].format(path)}")


def _text(kind: str) -> str:
    if kind == "drive.yaml":
        from spindle.sim.disc.sheet_file.sheet import TEMPLATES as SHEETS

        return SHEETS["disc"].read_text("utf-8")
    if kind == "machine.py":
        from spindle.machine.system import START

        return START.read_text("utf-8")
    return (TEMPLATES / kind).read_text("utf-8")


# Copies of the notebooks of an installed Spindle, which may be changed.

COPIED_SUFFIXES, CHECKPOINTS_FOLDER = (".ipynb", ".md", ".py"), ".ipynb_checkpoints"
"""Suffixes of notebooks, pages for teachers and settings of nbgrader; the folder of Jupyter's own copies, left out."""
NOTEBOOKS = folder("notebooks")
"""The folder of the notebooks in the installed package."""
NAME_TO_FILL_IN = rb'student=\"your name\"'
"""The text in a notebook that is replaced by the student's name."""


@dataclass(frozen=True)
class Copies:
    """Options of ``spindle notebooks``: the folder to copy to, and the student whose name is filled in."""

    folder: str = ask("", "made if absent; nothing in it is overwritten", first="1", metavar="DIR")
    student: str = ask("", "whose numbers the exercises of the course have; default a name to fill in")


def notebooks(arguments: Sequence[str]) -> int:
    """Copy the notebooks to a folder, over no file that is there, and list them; the exit status."""
    options = take_fields("notebooks", Copies, arguments)
    named, place = options.folder, Path(options.folder)
    paths = [path for path in sorted(NOTEBOOKS.rglob("*"))
             if path.suffix in COPIED_SUFFIXES and path.parent.name != CHECKPOINTS_FOLDER]  # fmt: skip
    copies = {path.relative_to(NOTEBOOKS): _of_student(path.read_bytes(), options.student) for path in paths
              if path.name != "__init__.py"}  # fmt: skip
    for name in copies:
        if os.path.lexists(place / name):
            raise UserError(f"{place / name} is there already, and is not overwritten; name another folder")
    output_folder("DIR", named)
    for name, content in copies.items():
        write_within(place, name, content)
    return finish("\n".join(f"{place / name}: {_title(name, content)}" for name, content in copies.items()))


def _of_student(content: bytes, student: str) -> bytes:
    """Return the notebook *content* with the name of the *student* filled in."""
    if not student:
        return content
    if not student.strip() or not student.isprintable():
        raise UserError(f"--student must be a name, not {student!r}")
    name = json.dumps(json.dumps(student))[1:-1]
    return content.replace(NAME_TO_FILL_IN, b'student=' + name.encode("utf-8"))


def _title(name: Path, content: bytes) -> str:
    """Return the heading with which the notebook or page *content* begins."""
    is_notebook = name.suffix == ".ipynb"
    text = "".join(json.loads(content)["cells"][0]["source"]) if is_notebook else content.decode("utf-8")
    return text.splitlines()[0].lstrip("# ").strip('"')
