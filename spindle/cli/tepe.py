"""``spindle tepe``: checks scripts of terminals, in HP's language TEPE, and prints the language and all programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.arguments import HELP_FOLDER
from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.cli.run_options import FILE_HELP
from spindle.questions.field import ask
from spindle.questions.settings import Words
from spindle.sim.error import UserError, check_known
from spindle.studies.settings import PROGRAM
from spindle.systems import find_system

if TYPE_CHECKING:
    from spindle.system import Scripting
    from spindle.workloads.programs import Program

SCRIPTED_SYSTEM = "hp3000"
"""The system whose language of scripts, and whose programs, the command is about."""

SUBCOMMANDS = ("check", "language", "programs")
"""Words that may follow ``spindle tepe``."""


@dataclass(frozen=True)
class TepeQuestion:
    """Options of ``spindle tepe``: the subcommand, and the scripts or programs it is about."""

    what: str = ask("", "", words=SUBCOMMANDS, noun="tepe command", first="1", metavar=" | ".join(SUBCOMMANDS))
    names: Words = ask((), "scripts to check, or programs to show", first="*", metavar="FILE | NAME")
    drivers: int | None = ask(None, "driver machines; default as many as needed")
    program: Words = ask((), f"{FILE_HELP[PROGRAM]}; default none", metavar="FILE.toml")


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("tepe", TepeQuestion, arguments)
    return finish("\n".join(TEPE_COMMANDS[asked.what](asked, scripting().catalogue(asked.program))))


def scripting() -> "Scripting":
    """Return the script language of the system SCRIPTED, with its programs."""
    found = find_system(SCRIPTED_SYSTEM).scripting
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
    text = HELP_FOLDER.joinpath("tepe_programs.txt").read_text("utf-8").rstrip()
    vocabulary = text.format(calls=", ".join(INTRINSICS), sets=sets)
    return [vocabulary, *(f"\n{text_of(programs[name])}" for name in names)]


TEPE_COMMANDS = dict(zip(SUBCOMMANDS, (_check, _language, _programs), strict=True))
"""The function of each subcommand."""
