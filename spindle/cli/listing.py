"""``spindle list``, ``parameters`` and ``reference``: what there is, and where every number comes from."""

import json
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from textwrap import fill

from spindle import own
from spindle.cli.arguments import ArgumentParser, folder
from spindle.cli.printing import finish
from spindle.settings import DIGITS
from spindle.sim.parameter import Described, describe
from spindle.sim.quantity import quantity
from spindle.studies.system import System
from spindle.systems import find_system, systems
from spindle.web.reference.pages import write_reference


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("list", "The systems, their studies, and what each shows.", "  spindle list")
    parser.take(arguments)
    every = [*systems(None), *map(find_system, own.installed("system"))]
    return finish("\n".join(line for each in every for line in _system(each)))


def parameters(arguments: Sequence[str]) -> int:
    examples = "  spindle parameters hp3000\n  spindle parameters max_iv --json"
    parser = ArgumentParser("parameters", "Every parameter of a system: value, unit, source.", examples)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--json", action="store_true", help="the same, as JSON")
    options = parser.take(arguments)
    rows = list(describe(find_system(options.system).parameters))
    if options.json:
        return finish(json.dumps([row._asdict() for row in rows], indent=2))
    return finish("\n".join(line for row in rows for line in _parameter(row)))


def _system(each: System) -> Iterator[str]:
    yield f"{each.name}   {each.title}"
    yield _wrapped(each.question, 4)
    for study in each.studies:
        yield f"    {study.name}"
        yield _wrapped(study.shows, 8)
    yield ""


def _parameter(row: Described) -> Iterator[str]:
    value = quantity(row.value, row.unit, DIGITS) if isinstance(row.value, int | float) else row.value
    yield f"{row.name} = {value}   [{row.kind}]"
    yield _wrapped(row.note, 4)


def _wrapped(text: str, indent: int) -> str:
    width = min(100, get_terminal_size().columns)
    return fill(text, width, initial_indent=" " * indent, subsequent_indent=" " * indent)


def reference(arguments: Sequence[str]) -> int:
    examples = "  spindle reference results/reference"
    parser = ArgumentParser("reference", "The public names and all parameters, as pages for a browser.", examples)
    parser.add_argument("folder", metavar="DIR", help="made where it is not there; pages in it are written anew")
    place = folder("DIR", parser.take(arguments).folder)
    first, *others = write_reference(place, systems(None))
    return finish(f"{first}: open it in a browser ({len(others)} pages beside it)")
