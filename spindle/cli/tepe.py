"""``spindle tepe``: checks terminal scripts and your programs, and prints the script language and all programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.arguments import HELP
from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.cli.run_options import FILES_SAY
from spindle.questions.field import ask
from spindle.questions.settings import Words
from spindle.sim.error import UserError, check_known
from spindle.studies.settings import PROGRAM
from spindle.systems import find_system

if TYPE_CHECKING:
    from spindle.system import Scripting
    from spindle.workloads.programs import Program

SCRIPTED = "hp3000"
"""The system whose scripts and programs these are."""

WHAT = ("check", "language", "programs")


@dataclass(frozen=True)
class TepeQuestion:
    """The work to be done, with scripts or programs."""

    what: str = ask("", "", words=WHAT, noun="tepe command", first="1", metavar=" | ".join(WHAT))
    names: Words = ask((), "scripts to check, or programs to show", first="*", metavar="FILE | NAME")
    drivers: int | None = ask(None, "driver machines; default as many as needed")
    program: Words = ask((), f"{FILES_SAY[PROGRAM]}; default none", metavar="FILE.toml")


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("tepe", TepeQuestion, arguments)
    return finish("\n".join(COMMANDS[asked.what](asked, scripting().catalogue(asked.program))))


def scripting() -> "Scripting":
    """Return the script language of the system SCRIPTED, with its programs."""
    found = find_system(SCRIPTED).scripting
    assert found is not None
    return found


def _check(asked: TepeQuestion, programs: Mapping[str, "Program"]) -> list[str]:
    if not asked.names:
        raise UserError("tepe check needs a script: spindle tepe check FILE")
    return [line for file in asked.names for line in _check_scripts(file, asked.drivers, programs)]


def _check_scripts(file: str, machines: int | None, programs: Mapping[str, "Program"]) -> list[str]:
    from spindle.workloads import drivers, tepe

    scripts = tepe.read(Path(file), programs)
    planned = drivers.plan(scripts, machines)
    return [f"{file}: OK", tepe.describe(scripts), planned]


def _language(asked: TepeQuestion, programs: Mapping[str, "Program"]) -> list[str]:
    if asked.names:
        raise UserError(f"tepe language describes the language as a whole; it takes no {asked.names[0]!r}")
    return [files("spindle.workloads").joinpath("tepe", "README.md").read_text(encoding="utf-8").rstrip()]


def _programs(asked: TepeQuestion, programs: Mapping[str, "Program"]) -> list[str]:
    from spindle.workloads.program_files.reader import INTRINSICS
    from spindle.workloads.program_files.text import text_of

    names = [name.upper() for name in asked.names] or list(programs)
    check_known("program", programs, *names)
    sets = ", ".join(f"{name} ({count})" for name, count in scripting().sets.items())
    text = HELP.joinpath("tepe_programs.txt").read_text("utf-8").rstrip()
    vocabulary = text.format(calls=", ".join(INTRINSICS), sets=sets)
    return [vocabulary, *(f"\n{text_of(programs[name])}" for name in names)]


COMMANDS = dict(zip(WHAT, (_check, _language, _programs), strict=True))
