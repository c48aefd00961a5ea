"""The layers of the package: each imports itself and what lies below it, and no two folders import each other."""

import sys
from graphlib import TopologicalSorter
from typing import TypeVar

import pytest

from tests.imports import MODULES, ROOT, imports

T = TypeVar("T")

LAYERS = (  # from the bottom; what is not named lies in the layer of the package around it
    "spindle.sim spindle.version spindle.folders",
    "spindle.output",
    "spindle.workloads",
    "spindle.questions spindle.measures",
    "spindle.studies spindle.system spindle.systems",
    "spindle.citation",
    "spindle.traces",
    "spindle.models spindle.machine",
    "spindle.contracts spindle.lab spindle.serve spindle.course spindle.web spindle.frames",
    "spindle.cli",
    "spindle.ask",
    "spindle.__main__",
)
TIERS = (  # the same within sim
    "units error named_table inputs json_text jit kept_code offers clock streams parameter quantity span",
    "account request population parts",
    "disc cpu io_engine lock memory eviction cache file script",
    "machine part_forms forms user_parts",
    "terminal",
    "measure",
    "computer",
)
LIBRARIES = {  # of sim, beside Python's own and SimPy
    "spindle.sim.jit": "numba",
    "spindle.sim.kept_code": "numba",
    "spindle.sim.measure.result": "pandas",
    "spindle.sim.user_parts": "cloudpickle",
    "spindle.sim.disc.kernel": "numpy",
    "spindle.sim.disc.sheet_file": "yaml",
}
ABOUT_SYSTEMS = ("spindle.lab", "spindle.course")
"""What may name a system: measurements of real programs, and exercises on the machines."""
LAYER_OF = {name: layer for layer, names in enumerate(LAYERS) for name in names.split()}
TIER_OF = {f"spindle.sim.{name}": tier for tier, names in enumerate(TIERS) for name in names.split()}
SYSTEMS = {path.parent.name for path in (ROOT / "models").glob("*/system.py")}


def nearest(name: str, table: dict[str, T], none: T) -> T:
    """The value of *table* for *name* or the closest package around it."""
    while name and name not in table:
        name = name.rpartition(".")[0]
    return table.get(name, none)


def system_of(module: str) -> str:
    """The system that *module* belongs to; empty where it belongs to none."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["spindle", "models"] and len(parts) > 2 else ""


def fault(importer: str, imported: str) -> str:
    """Why *importer* must not import *imported*; empty if it may."""
    if imported.partition(".")[0] != "spindle":
        known = {"simpy", *sys.stdlib_module_names, *nearest(importer, LIBRARIES, "").split()}
        sim = importer.startswith("spindle.sim.")
        return "a library that is not for this part" if sim and imported.partition(".")[0] not in known else ""
    if importer == "spindle" or imported == "spindle":
        return "" if importer == "spindle" else "public names are for users"
    if nearest(importer, LAYER_OF, -1) < nearest(imported, LAYER_OF, -1):
        return "from a higher layer"
    if nearest(importer, TIER_OF, 99) < nearest(imported, TIER_OF, -1):
        return "from a higher tier"
    if system_of(imported) not in ("", system_of(importer)) and not importer.startswith(ABOUT_SYSTEMS):
        return "a system is found by its name, not imported"
    return ""


def test_each_imports_only_what_it_may() -> None:
    faults = [(module, imported, fault(module, imported)) for module in MODULES for imported in imports(module)]
    assert len(faults) > len(MODULES)
    assert [each for each in faults if each[-1]] == []


def test_every_module_has_a_layer() -> None:
    assert [name for name in MODULES if name != "spindle" and nearest(name, LAYER_OF, -1) < 0] == []
    assert [name for name in MODULES if name.startswith("spindle.sim.") and nearest(name, TIER_OF, -1) < 0] == []


def test_there_are_no_cycles() -> None:
    graph = {module: {name for name in imports(module) if name in MODULES and name != module} for module in MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError, naming the circle


def neighbours(importer: str, imported: str) -> tuple[str, str] | None:
    """The two folders next to each other, with all that lies in them, between which the import goes."""
    ours, theirs = (name.split(".")[:-1] for name in (importer, imported))
    depth = next((n for n, (our, their) in enumerate(zip(ours, theirs, strict=False)) if our != their), None)
    return None if depth is None else (".".join(ours[: depth + 1]), ".".join(theirs[: depth + 1]))


def test_folders_next_to_each_other_do_not_import_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        for ours, theirs in filter(None, (neighbours(module, name) for name in imports(module) if name in MODULES)):
            graph.setdefault(ours, set()).add(theirs)
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("spindle.sim.disc.drive", "spindle.sim.request", True),
        ("spindle.sim.disc.drive", "spindle.sim.machine", False),
        ("spindle.sim.terminal", "spindle.sim.measure.result", False),
        ("spindle.models.hp3000.run", "spindle.sim.cpu", True),
        ("spindle.models.hp3000.run", "spindle.models.max_iv.run", False),
        ("spindle.models.hp3000.run", "spindle.web.play.pages", False),
        ("spindle.cli.run", "spindle.models.hp3000.run", False),
        ("spindle.sim.units", "spindle.workloads.tepe", False),
        ("spindle.workloads.tepe", "spindle.models.hp3000", False),
        ("spindle.sim.script", "lark", False),
        ("spindle.sim.cpu", "numpy", False),
        ("spindle.sim.measure.laws", "pandas", False),
    ],
)
def test_the_rule_itself(importer: str, imported: str, allowed: bool) -> None:
    assert (fault(importer, imported) == "") is allowed
