"""The machine from parts on the page of ``spindle play``: its settings, a tour of questions, and its file of Python."""

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spindle.machine.start import MACHINE, MAX_DRIVES, SAYS, Parameters, run
from spindle.playable import Offered, Playable, words_of
from spindle.questions.settings import settings_of_parameters, settings_of_run
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.units import KIB, MIB

FILE = "machine.py"
START = Path(__file__).with_name("start.py")
"""The file to begin with."""


def machine_text(values: Mapping[str, Any]) -> str:
    """Return the text of START with *values* as the defaults of the arguments and parameters of those names."""
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
    """The expression of each default, by the name of the argument of ``run`` or of the parameter."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name="run", args=given):
                names = [each.arg for each in given.args[-len(given.defaults) :]]
                yield from zip(names, map(_inside, given.defaults), strict=True)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(args=[value, *_])):
                yield name, value


def _inside(default: ast.expr) -> ast.expr:
    """Return the number within ``Bytes(...)``, or *default* itself."""
    return default.args[0] if isinstance(default, ast.Call) else default


def _literal(value: Any, unit: str) -> str:
    """Write *value* as Python: bytes as multiples of the units that the file imports."""
    if unit == "bytes" and value:
        for size, word in ((MIB, "MIB"), (KIB, "KIB")):
            if value % size == 0:
                return f"{value // size} * {word}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


SIZES = ("0B", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB", "16MiB", "32MiB", "64MiB")
BLOCKS = ("1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB")
AHEAD = ("0B", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "256KiB")

PLAYABLE = Playable(
    run=run,
    parameters=Parameters(),
    offered={
        "terminals": Offered(SAYS["terminals"], [str(each) for each in range(1, 128)]),
        "drives": Offered(SAYS["drives"], [str(each) for each in range(1, MAX_DRIVES // 4 + 1)], is_part=True),
        "drive": Offered("its data sheet", words=words_of(STORES), is_part=True),
        "scheduler": Offered("the order of a drive's queue", words=words_of(SCHEDULERS), is_part=True),
        "memory": Offered(SAYS["memory"], SIZES, is_part=True),
        "block": Offered(SAYS["block"], BLOCKS, is_part=True),
        "policy": Offered("which entry leaves a full cache", words=words_of(POLICIES), is_part=True),
        "read_ahead": Offered(SAYS["read_ahead"], AHEAD, is_part=True),
        "write_back": Offered(SAYS["write_back"], is_part=True),
        "minutes": Offered(SAYS["minutes"], [f"{each}min" for each in (1, 2, 3, 5, 8, 10, 15, 20, 30)]),
        "warm_up": Offered(SAYS["warm_up"], [f"{each}min" for each in (0, 1, 2, 3, 5, 10)]),
    },
    begin={"minutes": "3min", "warm_up": "1min"},
    vary=("terminals", ("5", "10", "20", "30", "40")),
    curves=("response_mean", "throughput"),
    window="60s:10s",
    tour={
        "Does more memory help?": ("memory", "256KiB,1MiB,4MiB,16MiB", {}),
        "Or does a second drive?": ("drives", "1,2,3,4", {}),
        "What is a drive of another time worth?": ("drive", "hp7914,barracuda4lp,hitachi7k1000.c,intels3700", {}),
        "Which policy suits the load?": ("policy", "fifo,lru,arc,s3-fifo", {}),
        "Who waits for a write?": ("write_back", "false,true", {"writes": "0.3"}),
    },
    text=machine_text,
)  # fmt: skip
