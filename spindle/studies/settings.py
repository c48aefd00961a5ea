"""Lists the settings of a system by name: arguments and parameters of its run, its parts, and files of scripts."""

from typing import TYPE_CHECKING, Any

from spindle.questions.field import Asked, arguments_of
from spindle.questions.settings import (
    AnySetting,
    FilesSetting,
    PartSetting,
    Setting,
    parts_of_run,
    settings_of_parameters,
    settings_of_run,
)

if TYPE_CHECKING:
    from spindle.system import System

SCRIPT, PROGRAM = "script", "program"
OF_SCRIPT = Asked(needs=(SCRIPT,), because="a {} that runs it")
TOGETHER = " + "
"""Separates the names of scripts that run at the same time."""


def settings_of(system: "System") -> dict[str, AnySetting]:
    """Return the settings of a run of *system* by name: parts, parameters, files of scripts, arguments."""
    files = {SCRIPT: FilesSetting(), PROGRAM: FilesSetting(OF_SCRIPT)} if system.scripting is not None else {}
    return {**parts_of(system), **parameters_of(system), **files, **settings_of_run(system.run)}


def parts_of(system: "System") -> dict[str, PartSetting]:
    """Return the exchangeable parts of *system*: those with choices, and arguments of its run that are parts."""
    return {**{part: PartSetting(part, choices) for part, choices in system.parts.items()}, **parts_of_run(system.run)}


def parameters_of(system: "System") -> dict[str, Setting]:
    """Return the parameters of *system* as settings."""
    return settings_of_parameters(system.parameters)


def usual(system: "System", name: str) -> Any:
    arguments = arguments_of(system.run)
    if name not in arguments:
        return getattr(system.parameters, name)
    default = arguments[name].default
    return None if default is arguments[name].empty else default


def usual_part(system: "System", part: str) -> str | None:
    """Return the default name of the *part*; None if the machine takes it from elsewhere."""
    setting = parts_of(system)[part]
    made = usual(system, part) if setting.argument else getattr(system.choose(), part, None)
    if isinstance(made, str):
        return made
    return next((name for name, choice in setting.choices.items() if choice is made or choice == made), None)
