"""``spindle list`` and ``spindle parameters``: what there is, and where every number comes from."""

import json
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill

from models.commands.arguments import Parser, system, systems
from sim.parameter import describe


def main(arguments: Sequence[str]) -> int:
    parser = Parser("list", "The systems, their studies, and what each shows.", "  spindle list")
    parser.take(arguments)
    for each in systems(None):
        print(f"{each.name}   {each.title}")
        print(_wrapped(each.question, 4))
        for study in each.studies:
            print(f"    {study.name}")
            print(_wrapped(study.shows, 8))
        print()
    return 0


def parameters(arguments: Sequence[str]) -> int:
    examples = "  spindle parameters hp3000\n  spindle parameters max_iv --json"
    parser = Parser("parameters", "Every parameter of a system: value, unit, source.", examples)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--json", action="store_true")
    taken = parser.take(arguments)
    rows = list(describe(system(taken.system).parameters))
    if taken.json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
        return 0
    for row in rows:
        unit = "" if row.unit == "1" else f" {row.unit}"
        print(f"{row.name} = {row.value}{unit}   [{row.kind}]")
        print(_wrapped(row.note, 4))
    return 0


def _wrapped(text: str, indent: int) -> str:
    width = min(100, get_terminal_size().columns)
    return fill(text, width, initial_indent=" " * indent, subsequent_indent=" " * indent)
