"""Reads arguments of a Computer: drives, schedulers, policies, sizes and times, given as objects, classes or text.

``2MiB`` is a size as text. A mistake raises a UserError, one line that explains what the argument must be.
"""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from spindle.sim.disc.drive import Scheduler
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType, Mechanism
from spindle.sim.disc.registry import FLASH, KINDS_OF_DRIVES, SCHEDULERS, STORES
from spindle.sim.error import UserError, quote
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.inputs import protect_inputs
from spindle.sim.part_forms import DriveForm, PolicyForm, ReadSheet, SchedulerForm, is_sheet
from spindle.sim.quantity import amount
from spindle.sim.streams import Distribution, Exponential
from spindle.sim.user_parts import part

ThinkForm = Distribution | float | str
"""A distribution, or the mean of an exponential one."""


def drive_type(given: DriveForm) -> DriveType | Mechanism:
    """Return the disc or flash that *given* names or is."""
    if isinstance(given, str | Path):
        return _in_file(given) if is_sheet(str(given)) else named_part("drive", str(given), STORES)
    if isinstance(given, DiscType | FlashType):
        return given
    if isinstance(given, ReadSheet):
        return given.disc
    if hasattr(given, "serve"):
        return given
    raise _wrong("a drive", "a sheet such as HP7933, a name such as 'hp7933', or a FILE.yaml", given)


def _in_file(sheet: str | Path) -> DriveType:
    from spindle.sim.disc.sheet_file.sheet import read_sheet  # and YAML, which few need

    check_sheet(Path(sheet))
    return read_sheet(sheet).disc


def check_sheet(path: Path) -> None:
    """UserError for a file of DiskSim, whose descriptions of drives have another form than Spindle's drive files."""
    try:
        with path.open("rb") as file:
            start = file.read(1 << 12)
    except OSError:
        return  # reading the sheet says it
    if re.search(rb"(?m)^\s*disksim_\w+\s", start):
        raise UserError(f"{path}: this is a DiskSim file, and no drive sheet: spindle new drive.yaml writes one")


def scheduler(given: SchedulerForm | None) -> Scheduler | None:
    """Make a scheduler, which no drive has yet; None where none is *given*."""
    if given is None:
        return None
    made = named_part("scheduler", given, SCHEDULERS) if isinstance(given, str) else given
    made = made() if callable(made) else made
    if not hasattr(made, "attach"):
        raise _wrong("a scheduler", "one such as Sptf, or a name such as 'sptf'", given)
    return made


def policy(given: PolicyForm) -> Callable[..., EvictionPolicy]:
    """Return the maker of the eviction policy that *given* names or is."""
    made = named_part("policy", given, POLICIES) if isinstance(given, str) else given
    if not callable(made):
        what = "without parentheses, for the cache makes its own" if hasattr(given, "choose") else ""
        raise _wrong("a policy", f"a class such as Lru or a name such as 'lru' {what}".strip(), given)
    return made


def part_maker(what: str, such: str, given: Callable[[], Any] | None) -> Callable[[], Any] | None:
    """Return the maker of a part of which each cache gets a new one."""
    if given is not None and not callable(given):
        raise _wrong(what, f"a class or a function that makes one, such as {such}", given)
    return given


def size(name: str, given: int | str) -> int:
    """Whole bytes: 65536, ``"64K"`` or ``"2MiB"``."""
    read = amount(given, "bytes") if isinstance(given, str) else given
    if isinstance(read, bool) or not isinstance(read, int | float) or read != read or read % 1:
        raise _wrong(name, "whole bytes, such as 4096, '64K' or '2MiB'", given)
    return int(read)


def quantity_of(name: str, given: float | str, unit: str, such: str) -> float:
    """Read a number of *unit*, or text that may have another unit of its kind, as in the example *such*."""
    read = amount(given, unit) if isinstance(given, str) else given
    if isinstance(read, bool) or not isinstance(read, int | float) or not isfinite(read):
        raise _wrong(name, f"a number of {unit}, or text such as '{such}'", given)
    return float(read)


def seconds(name: str, given: float | str) -> float:
    """Seconds: 0.005, or ``"5ms"``."""
    return quantity_of(name, given, "s", "5ms")


def minutes(name: str, given: float | str) -> float:
    """Minutes: 2, or ``"90s"``."""
    return quantity_of(name, given, "min", "90s")


def whole_number(name: str, given: int | str) -> int:
    """Return *given*, a whole number or the text of one, as a number."""
    read = amount(given, "1") if isinstance(given, str) else given
    if isinstance(read, bool) or not isinstance(read, int | float) or read != read or read % 1:
        raise _wrong(name, "a whole number", given)
    return int(read)


def think(given: ThinkForm) -> Distribution:
    """The distribution *given*, or the exponential one of that mean: ``5``, ``"5s"``."""
    if not isinstance(given, int | float | str):
        if not hasattr(given, "draw"):
            raise _wrong("think", "seconds, text such as '5s', or a distribution such as Exponential(5)", given)
        return given
    mean = quantity_of("think", given, "s", "5s")
    if mean < 0.0:
        raise _wrong("think", "at least 0 s", given)
    return Exponential(mean)


def choose(kind: str, name: str, choices: Mapping[str, Any]) -> Any:
    """Return the choice called *name*: a known one, the user's, or the drive whose sheet is the file of that name."""
    if kind != "drive":
        return part(kind, name, choices)
    check_one_drive(kind, name)
    if name in FLASH and name not in choices:
        raise _no_disc(name)
    if is_sheet(name, choices):
        protect_inputs(Path(name))
    disc = _in_file(name) if is_sheet(name, choices) else part(kind, name, choices)
    check_kind(name, disc, choices)
    return disc


def check_kind(name: str, drive: object, choices: Mapping[str, Any]) -> None:
    """UserError where *drive*, called *name*, is flash and all *choices* are discs, or the other way round."""
    flash = [isinstance(each, FlashType) for each in choices.values()]
    if isinstance(drive, FlashType) and not any(flash):
        raise _no_disc(name)
    if not isinstance(drive, FlashType) and all(flash):
        raise UserError(f"drive {name} is no solid-state drive, and one is asked for, such as {next(iter(choices))}")


def _no_disc(name: str) -> UserError:
    return UserError(f"drive {name} is flash, and a disc is asked for; spindle replay, serve and drive take flash, as "
                     "do max_iv, windows_nt and unix_stdio, and the study forty_years of each system")  # fmt: skip


def check_one_drive(kind: str, name: str) -> None:
    """UserError where *name* is that of a kind of drives, and not of one of them."""
    if kind == "drive" and name.lower() in KINDS_OF_DRIVES:
        what, drives = KINDS_OF_DRIVES[name.lower()]
        raise UserError(f"drive {quote(name)} names a kind of drives, and must name one: {what} {', '.join(drives)}; "
                        "or the FILE.yaml of your own, which spindle new and spindle drive fit write")  # fmt: skip


def named_part(kind: str, text: str, choices: Mapping[str, Any]) -> Any:
    """Return the part that *text* names: one of *choices* or a user's, perhaps with arguments."""
    check_one_drive(kind, text)
    return part(kind, text.lower() if text.lower() in choices else text, choices)


def _wrong(what: str, rule: str, given: object) -> UserError:
    text = given.__name__ if isinstance(given, type) else repr(given)
    return UserError(f"{what} must be {rule}, not {quote(text)}")
