"""Who may import whom: sim <- workloads <- models, in tiers inside sim, and no model another."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHAIN = ("sim", "workloads", "models")  # each may import itself and those before it
TIERS = (  # inside sim each may import its own tier and those before it; a module may stand apart from its package
    "sim.compiled_parts sim.jit sim.kept_code sim.units sim.error sim.room sim.clock sim.streams sim.parameter "
    "sim.quantity",
    "sim.account sim.request sim.population sim.parts",
    "sim.disc sim.cpu sim.lock sim.line sim.memory sim.room sim.eviction sim.cache sim.file sim.script sim.curve "
    "sim.theory sim.nbd",
    "sim.machine",
    "sim.terminal",
    "sim.measure",
    "sim.computer",
    "sim.output",
    "sim.statistics",
    "sim.sweep",
    "sim.plots",
    "sim.study",
    "sim.claims",
    "sim.report",
)
LIBRARIES = {  # beside Python's own and SimPy; what is not named here uses none, models use any
    "sim.jit": "numba",
    "sim.kept_code": "numba",
    "sim.curve": "numpy",
    "sim.measure.result": "pandas",
    "sim.output": "pandas pyarrow",
    "sim.statistics": "numpy scipy pandas",
    "sim.sweep": "numpy scipy pandas loky tqdm distributed",
    "sim.plots": "numpy pandas matplotlib",
    "sim.study": "numpy pandas matplotlib",
    "sim.claims": "numpy scipy pandas",
    "sim.report": "numpy pandas matplotlib jinja2",
    "sim.disc.compiled": "numpy",
    "sim.disc.sheet_file": "yaml",
    "workloads": "lark",
    "workloads.traces": "numpy zstandard",
    "workloads.traces.quick": "numpy pandas pyarrow",
}
TIER_OF = {name: tier for tier, names in enumerate(TIERS) for name in names.split()}
PATHS = sorted(path for top in CHAIN for path in (ROOT / top).rglob("*.py"))
MODULES = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in PATHS}
SYSTEMS = {path.parent.name for path in (ROOT / "models").glob("*/system.py")}


def nearest(name: str, table: dict[str, int] | dict[str, str]) -> str:
    """The key of *table* that is *name* or the closest package around it; empty where there is none."""
    while name and name not in table:
        name = name.rpartition(".")[0]
    return name


@cache
def imports(module: str) -> list[str]:
    """The modules that *module* names in its import statements, wherever they stand in it."""
    return list(_imports(module))


def _imports(module: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: imports are written out from the top"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else str(node.module) for name in inner)


def fault(importer: str, imported: str) -> str:
    """Why *importer* must not import *imported*; empty if it may."""
    (ours, *our), (theirs, *their) = importer.split("."), imported.split(".")
    if theirs in CHAIN:
        if CHAIN.index(theirs) > CHAIN.index(ours):
            return "against the chain"
        others = SYSTEMS.union(["commands"]) - set(our[:1])
        if ours == theirs == "models" and our and our[0] in SYSTEMS and others.intersection(their[:1]):
            return "what two models need belongs into sim"
        if imported == "sim":
            return "the public names are for users; what imports them hangs on all that they name"
        tiers = [TIER_OF.get(nearest(name, TIER_OF), -1) for name in (importer, imported)]
        return "from a higher tier" if ours == "sim" and our and tiers[0] < tiers[1] else ""
    known = {"simpy", *sys.stdlib_module_names, *LIBRARIES.get(nearest(importer, LIBRARIES), "").split()}
    return "" if ours == "models" or theirs in known else "a library that is not for this part"


def test_each_imports_only_what_it_may() -> None:
    faults = [(module, imported, fault(module, imported)) for module in MODULES for imported in imports(module)]
    assert len(faults) > len(MODULES)
    assert [each for each in faults if each[-1]] == []


def test_every_module_of_sim_has_a_tier() -> None:
    assert [name for name in MODULES if name.startswith("sim.") and not nearest(name, TIER_OF)] == []


def test_there_are_no_cycles() -> None:
    graph = {module: {name for name in imports(module) if name in MODULES and name != module} for module in MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError, naming the circle


def beside(importer: str, imported: str) -> tuple[str, str] | None:
    """The two folders next to each other, with all that lies in them, between which the import goes."""
    ours, theirs = ([*path.relative_to(ROOT).parts[:-1]] for path in (MODULES[importer], MODULES[imported]))
    depth = next((n for n, (our, their) in enumerate(zip(ours, theirs, strict=False)) if our != their), None)
    return None if depth is None else (".".join(ours[: depth + 1]), ".".join(theirs[: depth + 1]))


def test_folders_beside_each_other_do_not_import_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        for ours, theirs in filter(None, (beside(module, name) for name in imports(module) if name in MODULES)):
            graph.setdefault(ours, set()).add(theirs)
    assert graph["models"] == {"sim", "workloads"}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("sim.disc.drive", "sim.request", True),
        ("sim.disc.drive", "sim.disc.layout", True),
        ("sim.disc.drive", "sim.machine", False),
        ("sim.terminal", "sim.measure.recorder", False),
        ("sim", "sim.report.report", True),
        ("sim.computer", "sim", False),
        ("models.hp3000.run", "sim", False),
        ("sim.units", "workloads.tepe", False),
        ("workloads.tepe", "models.hp3000", False),
        ("workloads.tepe", "lark", True),
        ("sim.script", "lark", False),
        ("sim.cpu", "numpy", False),
        ("sim.curve.exact", "numpy", True),
        ("sim.plots.curves", "matplotlib.pyplot", True),
        ("sim.measure.laws", "pandas", False),
    ],
)
def test_the_rule_itself(importer: str, imported: str, allowed: bool) -> None:
    assert (fault(importer, imported) == "") is allowed
