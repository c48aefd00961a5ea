"""Which modules a module imports, by name, by a path from its own package, or within a function."""

from pathlib import Path

import pytest

from sim.output import modules
from sim.output.modules import Import, closure, imports
from tests.sim.output.trees import forget, planted

SOURCES = {
    "models/run.py": '"""A run."""\nfrom sim import part\n\n\ndef run():\n    return part.COST\n',
    "models/inner/__init__.py": "from .lower import LOW\n",
    "models/inner/lower.py": "from ..run import run as go\nimport json\n",
    "sim/part.py": '"""A part."""\nCOST = 2\n',
    "sim/law.py": "from os import path\n",
    "sim/picture.py": "def draw():\n    import models.run\n",
}


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    yield planted(tmp_path, monkeypatch, SOURCES)
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize(("module", "reached"), [
    ("models.run", {"models.run", "sim.part"}),
    ("sim.picture", {"sim.picture", "models.run", "sim.part"}),
    ("models.inner", {"models.inner", "models.inner.lower", "models.run", "sim.part"}),
    ("never.imported", set()),
])  # fmt: skip
def test_what_is_imported_directly_or_not(module: str, reached: set[str]) -> None:
    assert closure(module) == reached


def test_by_what_name() -> None:
    assert imports("models.run") == (Import("part", "sim.part", None),)
    assert imports("models.inner") == (Import("LOW", "models.inner.lower", "LOW"),)
    assert imports("models.inner.lower") == (Import("go", "models.run", "run"), Import("json", "json", None))
    assert imports("sim.law") == (Import("path", "os", "path"),)  # whether os.path was imported before or not
    assert imports("sim.picture") == (Import("models", "models.run", None),)
    assert modules.path_of("models.inner").name == "__init__.py"  # type: ignore[union-attr]
