"""Tests kept tables: plain CSV with their origins beside them; a table that was changed is refused."""

import json
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest

from spindle.output import kept_tables, origin, tables
from spindle.output.kept_tables import ORIGINS, keep_table, kept_table, last_table, read_origins
from spindle.sim.error import UserError
from spindle.version import VERSION

FRAME = pd.DataFrame({"terminals": [10, 101], "mean": [0.5, 1.0], "who": ["=1+1", "é"]})
RESULTS = Path(__file__).parents[2] / "results"
FOLDERS = [RESULTS, *sorted(path.parent for path in RESULTS.glob("*/runs"))]


@pytest.fixture(autouse=True)
def commits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The last one is checked out."""
    made = ["a1"]
    monkeypatch.setattr(tables, "commit", lambda: made[-1])
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "new" / "load.csv"
    keep_table(FRAME, path, {"seeds": range(1, 3)})
    return path


def test_pandas_reads_the_table_and_its_origin_stands_beside_it(path: Path) -> None:
    assert pd.read_csv(path).columns.tolist() == ["terminals", "mean", "who"]
    digest = sha256("terminals,mean,who\n10,0.5,'=1+1\n101,1,é\n".encode()).hexdigest()
    origin = {"seeds": "range(1, 3)", "spindle": VERSION, "commit": "a1", "sha256": digest}
    assert json.loads((path.parent / ORIGINS).read_text("utf-8")) == {"load.csv": origin}
    kept = kept_table(path)
    assert kept.origin == origin
    pd.testing.assert_frame_equal(kept.frame, FRAME, check_dtype=False)
    assert sorted(each.name for each in path.parent.iterdir()) == ["load.csv", ORIGINS]


def test_of_a_copy_without_git_no_commit_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above it may lie the repository of another project."""
    monkeypatch.setattr(origin, "ROOT", tmp_path)
    monkeypatch.setattr(origin, "_git", lambda *arguments: "another" if arguments[0] == "rev-parse" else "")
    assert origin.commit.__wrapped__() == "unknown"
    (tmp_path / ".git").mkdir()
    assert origin.commit.__wrapped__() == "another"


def test_origins_are_text_that_a_person_can_compare(tmp_path: Path) -> None:
    """One entry below the other, in order, as it is written; what is no text in UTF-8 by its number."""
    frame = pd.DataFrame({"a": [1]})
    for name in ("é.csv", "b.csv"):
        keep_table(frame, tmp_path / name, {"seeds": "ä\udcff"})
    digest = sha256(b"a\n1\n").hexdigest()
    entry = (f'{{\n  "commit": "a1",\n  "seeds": "ä\\udcff",\n  "sha256": "{digest}",\n'
             f'  "spindle": "{VERSION}"\n }}')
    assert (tmp_path / ORIGINS).read_text("utf-8") == f'{{\n "b.csv": {entry},\n "é.csv": {entry}\n}}\n'


def test_a_folder_is_locked_alone_for_writing_and_shared_for_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = []
    monkeypatch.setattr(kept_tables, "lock", lambda place, shared: locked.append(
        (Path(f"/proc/self/fd/{place}").readlink(), shared)))  # fmt: skip
    path = tmp_path / "new" / "deep" / "x.csv"
    keep_table(FRAME, path, {})
    kept_table(path)
    assert locked == [(path.parent, False), (path.parent, True)]


def test_where_no_folder_can_be_made_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"^cannot write .*file/new/x\.csv: "):
        keep_table(FRAME, tmp_path / "file" / "new" / "x.csv", {})


def test_an_origin_without_a_commit_gets_one(path: Path) -> None:
    origins = read_origins(path.parent)
    del origins["load.csv"]["commit"]
    (path.parent / ORIGINS).write_text(json.dumps(origins))
    keep_table(FRAME, path, {"seeds": range(1, 3)})
    assert kept_table(path).origin["commit"] == "a1"


def test_what_is_no_table_is_named_whatever_its_digest(tmp_path: Path) -> None:
    (tmp_path / "x.csv").touch()
    (tmp_path / ORIGINS).write_text(json.dumps({"x.csv": {"sha256": sha256(b"").hexdigest()}}))
    with pytest.raises(UserError, match=r"x\.csv is not a table"):
        kept_table(tmp_path / "x.csv")


def test_the_last_table_is_stale_once_it_would_be_made_from_something_else(path: Path) -> None:
    def rows(frame: pd.DataFrame) -> str:
        return f"{len(frame)} rows"

    keep_table(FRAME, path, {"from": "2 rows", "seeds": "3 rows"})
    last = last_table(path, "from", rows)
    assert last is not None
    pd.testing.assert_frame_equal(last.frame, FRAME, check_dtype=False)
    stale = [last_table(path, name, rows) for name in ("from", "seeds", "nothing")]
    assert [each is not None and each.stale for each in stale] == [False, True, True]
    assert last_table(path.with_name("none.csv"), "from", rows) is None


@pytest.mark.parametrize("name", ["1..3", "1..2"])
def test_a_table_that_comes_out_as_it_was_keeps_its_commit(name: str, path: Path, commits: list[str]) -> None:
    keep_table(FRAME, path, {"seeds": "1..2"})
    commits.append("b2")
    keep_table(FRAME, path, {"seeds": name})
    assert kept_table(path).origin["commit"] == ("a1" if name == "1..2" else "b2")
    keep_table(FRAME[:1], path, {"seeds": name})
    assert kept_table(path).origin["commit"] == "b2"


def test_a_commit_that_nobody_knew_is_replaced(path: Path, commits: list[str]) -> None:
    for commit, known in (("unknown", "unknown"), ("b2", "b2"), ("c3", "b2")):
        commits.append(commit)
        keep_table(FRAME, path, {})
        assert kept_table(path).origin["commit"] == known


@pytest.mark.parametrize("lost", [1, 10, 24])
def test_a_shortened_table_is_recognised(lost: int, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-lost])
    with pytest.raises(UserError, match=r"load\.csv is not as it was written"):
        kept_table(path)


def test_a_table_that_came_from_elsewhere_is_not_trusted(path: Path) -> None:
    path.rename(path.with_name("other.csv"))
    with pytest.raises(UserError, match=r"other\.csv has no entry in .*origins\.json: make it again"):
        kept_table(path.with_name("other.csv"))
    keep_table(FRAME, path.with_name("third.csv"), {})
    assert list(read_origins(path.parent)) == ["third.csv"]  # nothing is said of what is no longer there


@pytest.mark.parametrize("text", ["{", "[]", '{"load.csv": 1}', '{"load.csv": {}}', "<<<<<<< ours\n{}", "[" * 10**5])
def test_origins_that_say_nothing_are_refused(text: str, path: Path) -> None:
    (path.parent / ORIGINS).write_text(text)
    for use in (kept_table, lambda path: keep_table(FRAME, path, {})):
        with pytest.raises(UserError, match=r"origins\.json does not say where tables come from: remove it") as said:
            use(path)
        assert "\n" not in str(said.value)


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.csv" for number in range(12)]
    with ThreadPoolExecutor(4) as writers:
        list(writers.map(lambda path: keep_table(FRAME, path, {"name": path.stem}), paths))
    assert [kept_table(path).origin["name"] for path in paths] == [path.stem for path in paths]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_table_of_results_is_as_it_was_written(folder: Path) -> None:
    paths = sorted(folder.glob("*.csv"))
    assert paths
    for path in paths:
        kept = kept_table(path)
        pd.testing.assert_index_equal(pd.read_csv(path).columns, kept.frame.columns)
