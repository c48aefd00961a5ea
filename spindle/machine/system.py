"""Makes start.py, the machine that users build of parts, a system that ``spindle run`` runs.

Writes that file anew, with a user's settings as its defaults.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spindle.machine.start import MACHINE
from spindle.questions.settings import settings_of_parameters, settings_of_run
from spindle.sim.units import KIB, MIB
from spindle.system import with_card

START = Path(__file__).with_name("start.py")
"""The file of Python that describes the machine."""


def machine_text(values: Mapping[str, Any]) -> str:
    """Return start.py's text, for users to copy, with *values*, by name, as defaults of arguments and parameters."""
    lines = START.read_text("utf-8").splitlines(keepends=True)
    units = {name: each.unit for name, each in {
        **settings_of_run(MACHINE.run), **settings_of_parameters(MACHINE.parameters)}.items()}  # fmt: skip
    places = {name: node for name, node in _defaults(ast.parse("".join(lines))) if name in values}
    for name, node in sorted(places.items(), key=lambda each: (each[1].lineno, each[1].col_offset), reverse=True):
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + _literal(values[name], units.get(name, "")) + (
            line[node.end_col_offset :])  # fmt: skip
    return "".join(lines)


def _defaults(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name of each argument of ``run``, which all have one, and parameter with its default's expression."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name="run", args=given):
                yield from zip((each.arg for each in given.args), map(_inside, given.defaults), strict=True)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(args=[value, *_])):
                yield name, value


def _inside(default: ast.expr) -> ast.expr:
    """Return the argument of ``Bytes(...)``, or any other *default* itself."""
    return default.args[0] if isinstance(default, ast.Call) else default


def _literal(value: Any, unit: str) -> str:
    """Return *value* as an expression of Python: bytes as multiples of units that the file imports."""
    if unit == "bytes" and value:
        for size, word in ((MIB, "MIB"), (KIB, "KIB")):
            if value % size == 0:
                return f"{value // size} * {word}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


SYSTEM = with_card(MACHINE, Path(__file__).parent, text=machine_text)
"""The machine from parts, with the description that commands and the page show."""
