"""Finds the options of runs that change nothing: those of a part that another option leaves out, and schedulers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spindle.studies.settings import parts_of, settings_of, usual, usual_part

if TYPE_CHECKING:
    from spindle.system import System

DRIVE, SCHEDULER = "drive", "scheduler"
"""Arguments of runs that name the drive, and the order of its queue."""
NOT = "not "
"""Stands before a switch of a card with which an option changes nothing."""
Axes = Mapping[str, Sequence[Any]]


def idle_notes(system: "System", axes: Axes) -> list[str]:
    """Return a sentence on each option of *system* that changes nothing at any point of *axes*, and on schedulers.

    A scheduler that goes by the arm is told for each drive without one.
    """
    return [*_switched_off(system, axes), *_without_arm(system, axes)]


def _switched_off(system: "System", axes: Axes) -> Iterator[str]:
    from spindle.questions.idle import switched_off

    for option, switches in system.acts_with.items():
        if all(value in (None, _usual(system, option)) for value in axes.get(option, ())):
            continue
        for words in (switches,) if isinstance(switches, str) else switches:
            switch = words.removeprefix(NOT)
            states = axes.get(switch, [usual(system, switch)])
            if all(bool(state) is (switch != words) for state in states):
                yield switched_off(option, switch, settings_of(system)[switch].text(states[0]))
                break


def _usual(system: "System", name: str) -> Any:
    return usual_part(system, name) if name in parts_of(system) else usual(system, name)


def _without_arm(system: "System", axes: Axes) -> Iterator[str]:
    parts = parts_of(system)
    if SCHEDULER not in axes or not {DRIVE, SCHEDULER} <= parts.keys():
        return
    from spindle.questions.idle import without_arm
    from spindle.sim.forms import choose

    given = [drive or usual_part(system, DRIVE) for drive in axes.get(DRIVE, [None])]
    drives = [choose("drive", each, parts[DRIVE].choices) if isinstance(each, str) else each for each in given]
    for scheduler in axes[SCHEDULER]:
        yield from without_arm(scheduler, *drives)
