"""What DESIGN.md says of the machines is read off their imports: which part goes where."""

import re
from pathlib import Path

from spindle.systems import system_names
from tests.imports import closure

ROOT = Path(__file__).parents[1]
MACHINES = system_names()
PARTS = {
    "CPU (`sim.cpu`)": "spindle.sim.cpu",
    "drive and schedulers (`sim.disc`)": "spindle.sim.disc.drive",
    "drive's own buffer (`sim.disc.buffer`)": "spindle.sim.disc.buffer.arm",
    "shared channel (`sim.disc.channel`)": "spindle.sim.disc.channel",
    "memory that competes (`sim.memory`)": "spindle.sim.memory",
    "eviction policies (`sim.eviction`)": "spindle.sim.eviction.policy",
    "block cache (`sim.cache`)": "spindle.sim.cache.block_cache",
    "lock (`sim.lock`)": "spindle.sim.lock",
    "terminals and scripts (`sim.terminal`)": "spindle.sim.terminal",
    "the one engine (`sim.measure`)": "spindle.sim.measure",
}


def matrix() -> str:
    """A row a part, a column a machine."""
    reached = {name: closure(f"spindle.models.{name}.run") for name in MACHINES}
    rows = [f"| part | {' | '.join(f'`{name}`' for name in MACHINES)} |", "|---|" + ":-:|" * len(MACHINES)]
    for what, module in PARTS.items():
        marks = ["x" if any(each == module or each.startswith(f"{module}.") for each in reached[name]) else ""
                 for name in MACHINES]  # fmt: skip
        rows.append(f"| {what} | {' | '.join(marks)} |")
    return "\n".join(rows)


def test_the_matrix_of_parts_and_machines_is_true() -> None:
    text = (ROOT / "DESIGN.md").read_text("utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    (table,) = (each for each in tables if each.startswith("| part |"))
    assert table.rstrip() == matrix(), "DESIGN.md should say:\n" + matrix()
