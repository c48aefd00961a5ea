"""``spindle list`` prints the systems and their studies; ``spindle parameters`` each parameter with its source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spindle.cli.arguments import ArgumentParser
from spindle.cli.printing import finish, prose
from spindle.questions.field import ask
from spindle.system import read_studies
from spindle.systems import SystemCard, find_system, installed_systems, read_card, system_names

if TYPE_CHECKING:
    from spindle.sim.parameter import Described
    from spindle.system import System

NEXT_COMMANDS_LINE = "its studies: spindle list NAME; a run: spindle run NAME; one from parts: spindle run machine"
"""The last line of the list."""


@dataclass(frozen=True)
class ParametersQuestion:
    """Options of ``spindle parameters``."""

    system: str = ask("", "see: spindle list", first="1", metavar="system")
    json: bool = ask(False, "the same, as JSON")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("list")
    parser.add_argument("system", nargs="?", help="a system, to list its studies; default: all systems, no studies")
    name = parser.take(arguments).system
    if name is not None:
        return finish("\n".join(_studies(name)))
    cards: dict[str, SystemCard | System] = {each: read_card(each) for each in system_names()}
    cards |= {each.name: each for each in map(find_system, installed_systems())}
    lines = [line for each, card in cards.items() for line in _system(each, card)]
    return finish("\n".join([*lines, "", NEXT_COMMANDS_LINE]))


def _system(name: str, card: "SystemCard | System") -> Iterator[str]:
    yield f"{name:<12}{card.title}"
    if card.question:
        yield prose(card.question, 12)
    if card.machines:
        yield prose(card.machines, 12)


def _studies(name: str) -> Iterator[str]:
    shipped = name in system_names()
    system = None if shipped else find_system(name)
    card = read_card(name) if system is None else system
    yield from _system(name if system is None else system.name, card)
    if card.paper:
        yield prose(card.paper, 12)
    studies = read_studies(name) if system is None else {each.name: each.shows for each in system.studies}
    for study, shows in studies.items():
        yield f"    {study}"
        yield prose(shows, 8)


def parameters(arguments: Sequence[str]) -> int:
    """Print the parameters of a system, each with its value, its unit and its source; the exit status."""
    import json

    from spindle.cli.fields import take_fields  # here, as above, for the list is shown at once
    from spindle.sim.parameter import describe

    options = take_fields("parameters", ParametersQuestion, arguments)
    rows = list(describe(find_system(options.system).parameters))
    if options.json:
        return finish(json.dumps([row._asdict() for row in rows], indent=2))
    return finish("\n".join(line for row in rows for line in _parameter(row)))


def _parameter(row: "Described") -> Iterator[str]:
    from spindle.questions.settings import SHOWN_DIGITS
    from spindle.sim.quantity import quantity

    value = quantity(row.value, row.unit, SHOWN_DIGITS) if isinstance(row.value, int | float) else row.value
    yield f"{row.name} = {value}   [{row.kind}]"
    yield prose(row.note, 4)
