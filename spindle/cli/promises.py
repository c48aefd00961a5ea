"""Finds which promises a policy, scheduler or drive breaks: runs the check of each promise of its kind."""

from collections.abc import Callable, Mapping
from typing import Any

import simpy

from spindle.cli.patience import OutOfPatience, patience
from spindle.contracts import eviction as policies
from spindle.contracts import scheduling as schedulers
from spindle.sim import user_parts
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.error import UserError, quote
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.forms import choose
from spindle.sim.machine import Machine
from spindle.sim.measure.laws import check_parts
from spindle.sim.offers import installed_parts
from spindle.sim.part_forms import SHEET
from spindle.sim.request import Op, access
from spindle.sim.streams import pick, stream

KNOWN_PARTS: Mapping[str, Mapping[str, Any]] = {"policy": POLICIES, "scheduler": SCHEDULERS, "drive": STORES}
"""The known parts by kind and by name."""
DRIVE_ACCESSES = 1000
"""Accesses made to a drive that is checked."""
MAX_ACCESS_SECTORS = 64
"""Sectors of the largest access to a drive that is checked."""
PATIENCE_SECONDS = 60.0
"""Seconds that the check of one promise may take; a part that keeps it needs less than ten."""


def breaches(text: str) -> tuple[str, dict[str, str]]:
    """Return the kind of part that *text* names, and by promise how it breaks it, in words, or '' if it keeps it."""
    kind = _kind(text)
    part = choose(kind, text, KNOWN_PARTS[kind])
    return kind, {promise: breach(check, part) for promise, check in _promises(kind, part).items()}


def not_promised(part: str) -> list[str]:
    """Return the promises of its kind that the *part* declares not to make."""
    kind = _kind(part)
    made = _promises(kind, choose(kind, part, KNOWN_PARTS[kind]))
    return [promise for promise in _promises(kind) if promise not in made]


def _kind(text: str) -> str:
    """Tell the kind of part that *text* names, by its name or by its methods."""
    name = text.partition("(")[0]
    for kind, choices in KNOWN_PARTS.items():
        if name in choices or name in installed_parts(kind):
            return kind
    if name.endswith(SHEET):
        return "drive"
    if name.endswith(".py"):
        raise UserError(f"{quote(name)} is a file, and must be given as FILE.py:NAME")
    if user_parts.FILE not in name:
        user_parts.part("part", name, {each: None for choices in KNOWN_PARTS.values() for each in choices})
    value = user_parts.value_in_file(name)
    if isinstance(value, DiscType | FlashType):
        return "drive"
    return "scheduler" if hasattr(value, "take") else "policy"


def _promises(kind: str, part: Any = None) -> Mapping[str, Callable[[Any], None]]:
    """Return the checks by promise: of the promises that *part* makes, or without a part of all of *kind*."""
    if kind == "drive":
        return {f"{DRIVE_ACCESSES} accesses keep the laws of every drive": serves_by_the_laws}
    if kind == "policy":
        return policies.PROMISES
    return schedulers.PROMISES if part is None else schedulers.promises_of(part)


def breach(check: Callable[[Any], None], part: Any) -> str:
    """Run *check* on *part*; return how *part* breaks the promise, in words, or ''."""
    try:
        with patience(PATIENCE_SECONDS):
            check(part)
    except OutOfPatience as error:
        return str(error)
    except AssertionError as error:
        return str(error) or "an assertion of its own fails"
    except UserError as error:
        return str(error)
    except Exception as error:
        return f"it raises {user_parts.error_text(error)}"
    return ""


def serves_by_the_laws(disc: DriveType) -> None:
    """Raise LawBroken if the counters of a drive of the type *disc* contradict each other."""
    env = simpy.Environment()
    drive = drive_of(env, disc)
    env.process(_accesses(drive))
    env.run()
    check_parts(Machine(env, {"drive": drive}))


def _accesses(drive: Drive) -> Wait:
    random, account = stream(1, "contract"), Account("check")
    size = drive.mechanism.sector_bytes
    for _ in range(DRIVE_ACCESSES):
        length = 1 + pick(random, min(MAX_ACCESS_SECTORS, drive.capacity // size))
        first = pick(random, drive.capacity // size - length + 1)
        op = (Op.READ, Op.WRITE)[pick(random, 2)]
        yield from (drive.read if op is Op.READ else drive.write)(access(op, first * size, length * size, account))
