"""What a file or folder of somebody else's could do: nothing that is read is executed, nothing written elsewhere."""

import ast
import json
import pickle
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.studies.sweep.sweep import sweep
from tests.audit import judge
from tests.fuzz.readers import READERS, mistake

ROOT = Path(__file__).parents[1]
PRODUCT = ("sim", "models", "workloads", "spindle")
EXECUTING = {"eval", "exec", "compile", "__import__"}
UNPICKLING = {"pickle", "dill", "shelve", "marshal", "joblib", "cloudpickle"}
LOADING = {"load", "loads", "read_pickle", "Unpickler", "open"}
METHODS = {"read_pickle", "read_hdf", "unsafe_load", "full_load", "load_all", "unsafe_load_all"}
SUSPECT = re.compile(rf"(?<![.\w])({'|'.join(EXECUTING)})\(|{'|'.join([*UNPICKLING, *METHODS])}|allow_pickle|yaml")
"""What a file has that is worth parsing."""


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(path for part in PRODUCT for path in (ROOT / part).rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if SUSPECT.search(text) else ():
            if isinstance(node, ast.Call):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def executes(call: ast.Call) -> bool:
    """Whether *call* may run what it is given as data."""
    match call.func:
        case ast.Name(id=name):
            return name in EXECUTING
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in UNPICKLING:
            return name in LOADING
        case ast.Attribute(value=ast.Name(id="yaml"), attr="load"):
            return True
        case ast.Attribute(attr=name):
            return name in METHODS or any(word.arg == "allow_pickle" for word in call.keywords)
    return False


def test_the_search_sees_what_it_is_for() -> None:
    for text in ("eval(x)", "pickle.loads(x)", "joblib.load(x)", "pd.read_pickle(x)", "np.load(x, allow_pickle=True)",
                 "yaml.load(x, L)", "cloudpickle.load(f)"):  # fmt: skip
        assert executes(ast.parse(text, mode="eval").body), text  # type: ignore[arg-type]
        assert SUSPECT.search(text), text
    for text in ("json.load(f)", "np.load(x)", "yaml.safe_load(x)", "re.compile(x)", "loky.cpu_count()"):
        assert not executes(ast.parse(text, mode="eval").body), text  # type: ignore[arg-type]


def test_nothing_that_is_read_is_executed() -> None:
    """But a part of one's own, ``--policy mine.py:Lru2``, and a notebook that a teacher grades: they are programs."""
    assert {place.partition(":")[0] for place, call in calls() if executes(call)} == {
        "sim/user_parts.py", "spindle/course/grading.py"}


class Canary:
    """Whoever unpickles it makes the file *path*."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", READERS)
def test_no_reader_unpickles(name: str, tmp_path: Path) -> None:
    reader, canary = READERS[name], tmp_path / "canary"
    path = reader.lay_out(tmp_path)
    for protocol in (0, 4):
        path.write_bytes(pickle.dumps(Canary(canary), protocol))
        mistake(reader, path, path.read_bytes())
    assert not canary.exists()
    pickle.loads(pickle.dumps(Canary(canary)))
    assert canary.exists(), "and so the test can fail"


def square(point: int) -> dict[str, int]:
    return {"square": point * point}


def test_the_store_beside_a_table_is_made_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "t.csv.sweep").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"^cannot keep a sweep in .*/t\.csv\.sweep: it is a link$"):
        sweep(square, workers=1, progress=False, out=tmp_path / "t.csv", point=[1])
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("there", [True, False])
def test_the_points_of_a_store_are_written_through_no_link(there: bool, tmp_path: Path) -> None:
    victim, store = tmp_path / "victim", tmp_path / "store"
    store.mkdir()
    if there:
        victim.write_bytes(b"mine")
    (store / "points.sqlite").symlink_to(victim)
    with pytest.raises(UserError, match=r"^cannot keep a sweep in .*/store: its points\.sqlite is a link$"):
        sweep(square, workers=1, progress=False, store=store, point=[1])
    assert victim.read_bytes() == b"mine" if there else not victim.exists()


def test_a_store_that_is_named_by_a_link_is_kept_where_that_leads(tmp_path: Path) -> None:
    """The user named it: a disc with more room, say."""
    (tmp_path / "large").mkdir()
    (tmp_path / "store").symlink_to(tmp_path / "large")
    again = partial(sweep, square, workers=1, progress=False, store=tmp_path / "store", point=[3])
    assert [again()["square"].tolist() for _ in range(2)] == [[9], [9]]
    assert [path.name for path in (tmp_path / "large").iterdir()] == ["points.sqlite"]


def test_the_tables_beside_a_log_are_written_through_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "log_ldevs.csv").symlink_to(tmp_path / "victim")
    assert main(("run", "hp3000", "--minutes=0.5", "--warm-up=0", "--log=log.csv")) == 2
    said = capsys.readouterr().err
    assert said == "spindle: --log: log_ldevs.csv is a link, and would be a table of the log: remove it\n"
    assert (tmp_path / "victim").read_text() == "mine"


def test_holes_and_packages_that_nobody_answers_for_are_both_told(capsys: pytest.CaptureFixture[str]) -> None:
    hole = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
    packages = [{"name": "a", "version": "2.0", "vulns": [hole]}, {"name": "b", "skip_reason": "not found"},
                {"name": "c", "version": "1", "vulns": []}]  # fmt: skip
    assert judge(json.dumps({"dependencies": packages})) == 1
    assert judge(json.dumps({"dependencies": packages[1:]})) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a 2.0: PYSEC-1, mended in 2.1", "2 packages were audited: 1 known holes", "nobody answers for 1: b",
        "1 packages were audited: 0 known holes", "nobody answers for 1: b",
    ]  # fmt: skip
