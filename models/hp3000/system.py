"""Registers the HP3000 as a system of Spindle: its run, parameters, parts by name, scripts and ensemble."""

from collections.abc import Mapping
from typing import Any

from spindle.models.hp3000.caching.alignment import ALIGNMENTS
from spindle.models.hp3000.caching.competition import COMPETITIONS
from spindle.models.hp3000.caching.control import FLUSH_RULES, WRITE_MODES
from spindle.models.hp3000.control_block import HOLDS
from spindle.models.hp3000.data_sets import FAMILIES
from spindle.models.hp3000.ensemble import ENSEMBLE
from spindle.models.hp3000.instruments.elasticity import lines
from spindle.models.hp3000.load import catalogue, scripts
from spindle.models.hp3000.load_sheets import LOADS
from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.series import SERIES
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.registry import DRIVES, SCHEDULERS
from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.system import Files, Scripting, System
from spindle.workloads import tepe
from spindle.workloads.shipped_programs import CATALOGUE

# Scripts that are written on the page.

class TepeScripts:
    """Reads the terminal scripts (of TEPE, HP's terminal emulator) that are written on the web page."""

    option = "script"

    def shipped_files(self) -> dict[str, Files]:
        paths = sorted(tepe.SHIPPED.glob("*.tepe"))
        return {path.name: {path.name: path.read_text("utf-8")} for path in paths}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments of a run; given terminals replace the number of the first script, as on the command line."""
        name, text = next(iter(files.items()))
        scripts = tepe.parse(text, name, CATALOGUE)
        if "terminals" in given:
            scripts = tepe.with_terminals(scripts, given["terminals"])
        if "clerks" in given:
            raise UserError("clerks counts Spindle's own people; a script says who sits at its terminals")
        return {**given, "scripts": list(scripts)}


# The parts of a Series 64 that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "series": SERIES,
    "cpu": {"preemptive": PreemptiveCpu, "fcfs": FcfsCpu},
    "drive": DRIVES,
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "hold": HOLDS,
    "alignment": ALIGNMENTS,
    "write": WRITE_MODES,
    "flush": FLUSH_RULES,
    "cache_memory": COMPETITIONS,
    "load": LOADS,
}

MODEL = 3
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "hp3000", MODEL, run, MpeParameters(), parts=PARTS, choose=MpeOptions,
    scripting=Scripting(scripts, catalogue, {name: family.count for name, family in FAMILIES.items()}),
    ensemble=ENSEMBLE, remark=lines, language=TepeScripts(),
)  # fmt: skip
