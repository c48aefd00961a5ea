"""What a kept result hangs on: the definitions that its run can reach, not what stands beside them."""

import ast
import importlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType

import pytest

from sim.compiled_parts import are_compiled
from sim.output.modules import path_of
from sim.output.origin import ROOT
from sim.output.reachable import Definition, _texts, reach, reachable_source
from tests.sim.output.trees import forget, planted

RUN = '''"""A run."""
from sim import part
from sim.law import keeps
from sim.shape import Disc, Drum


def run() -> "Drum":
    return part.COST * keeps(Disc())


def other():
    return Drum()
'''
PART = '''"""A part."""
COST = 2  # milliseconds
PRICE = 5
'''
SHAPE = '''import sim.law
RADIUS = 3
HEADS = 2


class Disc:
    """Turns."""
    size = RADIUS


class Drum:
    size = HEADS


@sim.law.known
def listed():
    return HEADS
'''
LAW = '''KNOWN = []


def known(each):
    KNOWN.append(each)


def keeps(part):
    return len(KNOWN)
'''
SOURCES = {"models/run.py": RUN, "sim/part.py": PART, "sim/shape.py": SHAPE, "sim/law.py": LAW,
           "sim/picture.py": "import models.run\n", "workloads/orders.tepe": "SCRIPT\n"}  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    yield planted(tmp_path, monkeypatch, SOURCES)
    monkeypatch.undo()
    forget()


def digest(module: str = "models.run", name: str = "run") -> str:
    forget()
    return reachable_source(Definition(module, name))


@pytest.mark.parametrize(("file", "old", "new", "same"), [
    ("models/run.py", "A run.", "One run of it.", True),
    ("sim/part.py", "# milliseconds", "# as measured", True),
    ("sim/part.py", "COST = 2", "\n\nCOST = (2)", True),
    ("sim/part.py", "2", "3", False),
    ("sim/part.py", "2", "2.0", False),
    ("sim/part.py", "PRICE = 5", "PRICE = 6", True),
    ("models/run.py", "return part", "return 2 * part", False),
    ("models/run.py", "return Drum", "return 2 * Drum", True),
    ("models/run.py", "from sim.law import keeps", "from sim.law import known as keeps", False),
    ("sim/shape.py", "RADIUS = 3", "RADIUS = 4", False),
    ("sim/shape.py", "size = RADIUS", "size = HEADS", False),
    ("sim/shape.py", "Turns", "It turns", True),
    ("sim/shape.py", "return HEADS", "return 1", False),  # a decorator of Spindle's own may have kept it
    ("sim/shape.py", "@sim.law.known", "@staticmethod", False),
    ("sim/shape.py", "class Drum", "for RADIUS in (): pass\nclass Drum", False),
    ("sim/shape.py", "class Drum", "from typing import Any\n\n\nclass Drum", True),
    ("sim/law.py", "return len", "return 2 * len", False),
    ("sim/picture.py", "import models.run", "import models.run\nCOLOUR = 1", True),
    ("workloads/orders.tepe", "SCRIPT", "SCRIPT ORDERS", False),
])  # fmt: skip
def test_meaning_counts_and_layout_does_not(file: str, old: str, new: str, same: bool, tree: Path) -> None:
    before = digest()
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))
    assert (digest() == before) is same


@pytest.mark.usefixtures("tree")
def test_a_name_that_a_module_does_not_define_is_all_of_it() -> None:
    digest()
    names = {each.name for each in reach(Definition("sim.part", "<lambda>"))}
    assert names == {"*", "!", "COST", "PRICE"}


def test_a_run_outside_of_spindle_reaches_its_own_package(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of Spindle what it names; nobody else's package."""
    package = tree / "mine"
    package.mkdir()
    run = "import json\nfrom .part import COST\nimport sim.part\n\ndef run():\n    return COST + sim.part.COST\n"
    for name, text in {"run.py": run, "part.py": "COST = 1\n"}.items():
        (package / name).write_text(text)
        module = ModuleType(f"mine.{Path(name).stem}")
        module.__file__ = str(package / name)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    before = digest("mine.run")
    for file in (package / "part.py", tree / "sim" / "part.py"):
        file.write_text("COST = 5\n")
        assert digest("mine.run") != before
        before = digest("mine.run")


def performed(run: Callable[[], object]) -> set[Definition]:
    """The definitions of Spindle whose code *run* executes."""
    codes = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    own = ((code, Path(code.co_filename)) for code in codes if "<" not in code.co_qualname.partition(".")[0])
    return {Definition(".".join(file.relative_to(ROOT).with_suffix("").parts), code.co_qualname.partition(".")[0])
            for code, file in own if file.is_relative_to(ROOT) and ".venv" not in file.parts}  # fmt: skip


@pytest.mark.parametrize(("system", "arguments"), [
    ("hp3000", {"terminals": 9, "minutes": 0.5, "warm_up": 0.0}),
    ("max_iv", {"minutes": 0.5, "warm_up": 0.0}),
    ("windows_nt", {"seconds": 2.0}),
    ("unix_stdio", {}),
    ("sata_ncq", {"requests": 100}),
])  # fmt: skip
@pytest.mark.skipif(are_compiled(), reason="what is compiled calls nothing that a profiler sees")
def test_all_that_a_run_performs_is_in_reach(system: str, arguments: dict[str, object]) -> None:
    """No name is passed by a way that the reader of source does not see."""
    module = f"models.{system}.run"
    run = importlib.import_module(module).run
    done = performed(partial(run, **arguments))
    assert len(done) > 50
    assert path_of(module) is not None
    assert done - reach(Definition(module, "run")) == set()


def test_a_piece_of_text_without_a_character_makes_no_difference() -> None:
    """Python 3.12 alone ends some formatted strings with one."""
    plain, ended = (ast.JoinedStr([ast.Constant("a"), *more]) for more in ([], [ast.Constant("")]))
    assert list(_texts(plain)) == list(_texts(ended)) != list(_texts(ast.JoinedStr([ast.Constant("b")])))
