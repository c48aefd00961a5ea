"""What may be given to a run by name: arguments, parameters, parts and scripts, and how their values are written."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import own
from models.parts import FLASH
from models.settings import Setting, settings_of_parameters, settings_of_run
from sim.disc.flash.sheet import FlashType
from sim.disc.sheet_file.sheet import read_sheet
from sim.error import UserError
from sim.output.files import spare

if TYPE_CHECKING:
    from sim.study.system import System  # which has studies, pandas and matplotlib with them

SHEET = ".yaml"
"""How the name of a file ends that is the sheet of a drive."""
SCRIPT, PROGRAM = "script", "program"
TOGETHER = " + "
"""Between the names of scripts that run at once."""


@dataclass(frozen=True)
class PartSetting:
    """One of the *choices* of a *part*, or of a user's own; it stays a name until a run is made."""

    part: str
    choices: Mapping[str, Any]
    is_number = False

    def split(self, text: str) -> list[str]:
        return own.split(text)

    def read(self, name: str, text: str) -> str:
        named(self.part, text, self.choices)
        return text

    def text(self, given: object) -> str:
        return str(given)


@dataclass(frozen=True)
class FilesSetting:
    """Files of scripts that run at once, or of programs that these may run; they are read when a run is made."""

    is_number = False

    def split(self, text: str) -> list[str]:
        return text.split(",")

    def read(self, name: str, text: str) -> str:
        return text

    def text(self, given: object) -> str:
        return str(given)


AnySetting = Setting | PartSetting | FilesSetting


def settings_of(system: "System") -> dict[str, AnySetting]:
    """All that may be given to a run of *system*."""
    parts = {part: PartSetting(part, choices) for part, choices in system.parts.items()}
    files = dict.fromkeys((SCRIPT, PROGRAM) if system.scripted else (), FilesSetting())
    return {**parts, **parameters_of(system), **files, **settings_of_run(system.run)}


def parameters_of(system: "System") -> dict[str, Setting]:
    """The system's parameters."""
    return settings_of_parameters(system.parameters)


def usual(system: "System", name: str) -> Any:
    """What a run has of the argument or parameter *name* where it is not given."""
    arguments = inspect.signature(system.run).parameters
    return arguments[name].default if name in arguments else getattr(system.parameters, name)


def usual_part(system: "System", part: str) -> str | None:
    """The name of the *part* that a run has where it is not given; None where the machine has it from elsewhere."""
    made = getattr(system.choose(), part, None)
    return next((name for name, choice in system.parts[part].items() if choice is made or choice == made), None)


def named(part: str, name: str, choices: Mapping[str, Any]) -> Any:
    """The choice called *name*, one of a user's own, or the drive whose sheet is the file of that name."""
    if part != "drive":
        return own.part(part, name, choices)
    if name in FLASH and name not in choices:
        raise _no_disc(name)
    if name.endswith(SHEET):
        spare(Path(name))
    disc = read_sheet(Path(name)).disc if name.endswith(SHEET) else own.part(part, name, choices)
    if isinstance(disc, FlashType) and not any(isinstance(each, FlashType) for each in choices.values()):
        raise _no_disc(name)
    return disc


def _no_disc(name: str) -> UserError:
    return UserError(f"drive {name} is flash, and a disc is asked for; spindle replay, serve and drive take flash, as "
                     "do max_iv, windows_nt and unix_stdio, and the study forty_years of each system")  # fmt: skip
