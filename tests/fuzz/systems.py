"""The systems with parameters, parts and sizes drawn within their own rules, as the words of a command line."""

from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields
from io import StringIO
from re import fullmatch
from typing import Any

from hypothesis import strategies as st

from spindle.cli.main import MISTAKE, main
from spindle.sim.parameter import Rule
from spindle.systems import find_system as system_named
from tests.fuzz.machines import Draw, one

BRIEF: dict[str, dict[str, tuple[Any, ...]]] = {
    "hp3000": {"terminals": (3, 1, 12), "clerks": (63, 2), "minutes": (1.0, 0.01, 2.0), "warm-up": (0.0, 0.1)},
    "max_iv": {"users": (1, 3), "sectors": (512, 0, 1, 64), "minutes": (4.0, 0.1, 8.0), "warm-up": (0.0, 1.0)},
    "sata_ncq": {"requests": (30, 1, 200), "cache": (1 << 20, 0, 1 << 16), "depth": (32, 1, 2), "under-way": (32, 1)},
    "unix_stdio": {"program": ("w03", "w01", "r01", "r08", "w06"), "size": (10_000, 1, 200_000), "seconds": (5.0,)},
    "windows_nt": {"seconds": (2.0, 0.1, 4.0), "cache": (None, 1 << 19, 1 << 22)},
}
"""Runs of a moment, whatever else is asked for."""


def value(draw: Draw, usual: Any, rule: Rule) -> str:
    """Near the *usual* value, or at an edge of what the *rule* allows."""
    if isinstance(usual, bool):
        return str(not usual).lower()
    if not isinstance(usual, int | float):
        return str(usual)
    edges = [edge for edge in (rule.low or usual * 1e-6 * rule.positive, rule.high) if abs(edge) < 1e300]
    near = usual * 2.0 ** draw(st.floats(-3.0, 3.0))
    drawn = min(max(one(draw, near, near, *edges), rule.low), rule.high)
    return str(max(int(drawn), int(rule.positive))) if isinstance(usual, int) else repr(float(drawn))


@st.composite
def commands(draw: Draw, name: str) -> list[str]:
    """What follows ``spindle``."""
    system = system_named(name)
    words = ["run", name, f"--seed={one(draw, 1, 2)}"]
    for argument, choices in BRIEF[name].items():
        chosen = one(draw, *choices)
        words += [] if chosen is None else [f"--{argument}={chosen}"]
    for part, named in system.parts.items():
        if draw(st.integers(0, 3)) == 3:
            words.append(f"--{part.replace('_', '-')}={one(draw, *named)}")
    known = fields(system.parameters)
    for each in draw(st.lists(st.sampled_from(known), max_size=5, unique_by=lambda field: field.name)):
        words.append(f"--set={each.name}={value(draw, each.default, each.metadata['rule'])}")
    return words


def judge(words: list[str]) -> int:
    """The exit status of the command: that of a page, or of a line on standard error that says what is wrong."""
    said, page = StringIO(), StringIO()
    with redirect_stdout(page), redirect_stderr(said):
        status = main(words)
    line = said.getvalue()
    command = f"spindle {' '.join(words)}"
    assert status in (0, MISTAKE), f"{command}: exit status {status}: {line}"
    if status:
        assert fullmatch("spindle: .{1,300}\n", line), f"{command}: {line!r}"
    assert bool(page.getvalue()) == (status == 0) == (line == ""), f"{command}: {line!r}"
    return status
