"""Finds systems by name: shipped ones, and those of a user's file or of an installed package."""

from dataclasses import dataclass
from importlib import import_module

from spindle.sim.error import check_known
from spindle.sim.offers import installed_parts
from spindle.system import CARD, MODELS_FOLDER, read_card_file
from spindle.system import System as System

MACHINE = "machine"
"""The system that a user builds from parts; it is of no paper, and so not in the report."""
LOAD, CURVE = "load", "curve"
"""Systems for sweeps and searches alone: replays of a load without a trace; hits of a trace, a run for each policy and
size."""


@dataclass(frozen=True)
class SystemCard:
    """A description of a system for lists, read without importing the system's code."""

    title: str
    paper: str
    question: str
    machines: str = ""


def read_card(name: str) -> SystemCard:
    """Read the card of the system *name*, one of ``system_names``."""
    card = read_card_file(MODELS_FOLDER / name)
    return SystemCard(card["title"], card["paper"], card["question"], card.get("machines", ""))


def system_names() -> list[str]:
    """Return the names of the shipped systems: all folders of models that have a card."""
    return sorted(path.parent.name for path in MODELS_FOLDER.glob(f"*/{CARD}"))


PLAYED = (*system_names(), MACHINE)
"""The systems on the page of ``spindle play``: the shipped ones, and the machine from parts."""


def played_system(name: str) -> System:
    """Return the system *name*; UserError if it is not on the page, whose requests must not load a user's file."""
    check_known("machine", PLAYED, name)
    return find_system(name)


def installed_systems() -> list[str]:
    """Return the names of systems that installed packages offer."""
    return list(installed_parts("system"))


def find_system(name: str) -> System:
    """Return the system *name*, shipped or a user's; its code is imported only now."""
    names = system_names()
    if name == MACHINE:
        chosen = import_module("spindle.machine.system").SYSTEM
    elif name == LOAD:
        chosen = import_module("spindle.traces.system").load_system(LOAD)
    elif name == CURVE:
        chosen = import_module("spindle.traces.curve.system").curve_system(CURVE)
    elif name in names:
        chosen = import_module(f"spindle.models.{name}.system").SYSTEM
    else:
        from spindle.sim import user_parts

        user_parts.TYPES["system"] = System, System.__module__
        chosen = user_parts.part("system", name, dict.fromkeys([*names, MACHINE, LOAD, CURVE]))
    assert isinstance(chosen, System)
    return chosen


def systems(name: str | None) -> list[System]:
    """Return the system *name*; all of the shipped ones for None."""
    return [find_system(each) for each in (system_names() if name is None else [name])]
