"""What a kept result hangs on: the code that its run can reach, not what stands beside it."""

from pathlib import Path

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


def digest() -> str:
    for each in (reachable_source, reachable._path, reachable._imports, reachable._tree, reachable._meaning,
                 reachable._data):  # fmt: skip
        each.cache_clear()
    return reachable_source("models.run")


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
    assert closure("json") == set()
