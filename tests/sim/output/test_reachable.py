"""What a kept result hangs on: the code that its run can reach, not what stands beside it."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from sim.output import reachable
from sim.output.reachable import closure, reachable_source

RUN = '"""A run."""\nfrom sim import part\n\n\ndef run():\n    return part.COST\n'
PART = '"""A part."""\nCOST = 2  # milliseconds\n'


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small tree in place of Spindle's own."""
    for name in ("sim", "models", "workloads"):
        (tmp_path / name).mkdir()
    (tmp_path / "models" / "run.py").write_text(RUN)
    (tmp_path / "sim" / "part.py").write_text(PART)
    (tmp_path / "sim" / "picture.py").write_text("import models.run\n")
    (tmp_path / "workloads" / "orders.tepe").write_text("SCRIPT\n")
    monkeypatch.setattr(reachable, "ROOT", tmp_path)
    return tmp_path


def digest(module: str = "models.run") -> str:
    for each in (reachable_source, reachable._path, reachable._imports, reachable._tree, reachable._meaning,
                 reachable._data):  # fmt: skip
        each.cache_clear()
    return reachable_source(module)


@pytest.fixture(autouse=True)
def forgotten() -> object:
    """Other tests ask of Spindle's own tree."""
    yield
    digest()


@pytest.mark.parametrize(("file", "text", "same"), [
    ("models/run.py", RUN.replace("A run.", "One run of it."), True),
    ("sim/part.py", PART.replace("# milliseconds", "# as measured"), True),
    ("sim/part.py", PART.replace("COST = 2", "\n\nCOST = (2)"), True),
    ("sim/part.py", PART.replace("2", "3"), False),
    ("sim/part.py", PART.replace("2", "2.0"), False),
    ("models/run.py", RUN.replace("return", "return 2 *"), False),
    ("sim/picture.py", "import models.run\nCOLOUR = 1\n", True),
    ("workloads/orders.tepe", "SCRIPT ORDERS\n", False),
    ("workloads/README.md", "How to write one.\n", True),
])  # fmt: skip
def test_meaning_counts_and_layout_does_not(file: str, text: str, same: bool, tree: Path) -> None:
    before = digest()
    (tree / file).write_text(text)
    assert (digest() == before) is same


@pytest.mark.usefixtures("tree")
def test_what_is_reached() -> None:
    digest()
    assert closure("models.run") == {"models.run", "sim.part"}
    assert closure("sim.picture") == {"sim.picture", "models.run", "sim.part"}
    assert closure("never.imported") == set()


def test_a_run_outside_of_spindle_reaches_its_own_package(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of Spindle what both import; nobody else's package."""
    package = tree / "mine"
    package.mkdir()
    sources = {"run.py": "import json\nfrom mine import part\nimport sim.part\n", "part.py": "COST = 1\n"}
    for name, text in sources.items():
        (package / name).write_text(text)
        module = ModuleType(f"mine.{Path(name).stem}")
        module.__file__ = str(package / name)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    before = digest("mine.run")
    assert closure("mine.run") == {"mine.run", "mine.part", "sim.part"}
    for file in (package / "part.py", tree / "sim" / "part.py"):
        file.write_text("COST = 5\n")
        assert digest("mine.run") != before
        before = digest("mine.run")
