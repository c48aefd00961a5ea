"""Tables of sweeps as files: seed, parameters, version and commit are in every one, and the bytes never change."""

import filecmp
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from pyarrow.parquet import ParquetFile

from spindle import folders
from spindle.output import origin
from spindle.output.tables import TableFile
from spindle.sim.error import UserError
from spindle.studies.sweep.sweep import sweep
from spindle.version import VERSION


def run(point: int, seed: int, name: str) -> dict[str, object]:
    return {"third": point / 3 + seed, "none": None, "name_length": len(name), "odd": point % 2 == 1}


def swept(out: Path | TableFile, **others: object) -> pd.DataFrame:
    return sweep(run, workers=1, progress=False, out=out, point=range(4), seed=[1, 2], name="=HP", **others)


def test_a_csv_is_read_by_anybody(tmp_path: Path) -> None:
    frame = swept(tmp_path / "new" / "x.csv")
    back = pd.read_csv(tmp_path / "new" / "x.csv")
    assert back[["point", "seed", "name_length", "odd"]].equals(frame[["point", "seed", "name_length", "odd"]])
    assert back["third"].tolist() == pytest.approx(frame["third"].tolist(), rel=1e-5)
    assert set(back["name"]) == {"'=HP"}  # which a spreadsheet would compute
    assert set(back["spindle"]) == {VERSION}
    assert set(back["commit"]) == {origin.commit()}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["x.csv"]


def test_a_parquet_file_has_every_digit_and_says_where_it_is_from(tmp_path: Path) -> None:
    frame = swept(TableFile(tmp_path / "x.parquet", {"system": "hp3000"}))
    back = pd.read_parquet(tmp_path / "x.parquet")
    assert back.attrs == {"system": "hp3000", "spindle": VERSION, "commit": origin.commit()}
    pd.testing.assert_frame_equal(back, frame, check_exact=True)


def test_a_parquet_file_has_columns_as_they_are_and_small(tmp_path: Path) -> None:
    TableFile(tmp_path / "x.parquet").save(pd.DataFrame({"a": [1, 2]}, index=[7, 9]))
    file = ParquetFile(tmp_path / "x.parquet")
    assert file.schema.names == ["a"]
    column = file.metadata.row_group(0).column(0)
    assert (column.compression, column.has_dictionary_page) == ("ZSTD", False)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_twice_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    for name in ("one", "two"):
        swept(tmp_path / f"{name}.{suffix}")
    assert filecmp.cmp(tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}", shallow=False)


def test_what_cannot_be_saved_is_said_first_or_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"x\.xls must end in \.csv or \.parquet$"):
        swept(tmp_path / "x.xls")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UserError, match=r"^a table has a column commit of its own; give it another name$"):
        TableFile(tmp_path / "x.csv").save(pd.DataFrame({"commit": [1]}))
    with pytest.raises(UserError, match=r"x\.parquet: .*\ba\b.*; a CSV takes numbers and text in one column$") as said:
        TableFile(tmp_path / "x.parquet").save(pd.DataFrame({"mixed": [1, "a"]}))
    assert "\n" not in str(said.value)


def test_the_commit_and_the_source() -> None:
    assert re.fullmatch(r"unknown|[0-9a-f]{40}(-dirty)?", origin.commit())
    assert re.fullmatch(r"[0-9a-f]{16}", origin.source())


def test_the_commit_of_a_clone_and_of_an_edited_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True,
                              capture_output=True, text=True).stdout  # fmt: skip

    monkeypatch.setattr(origin, "ROOT", tmp_path)
    git("init")
    assert origin.commit.__wrapped__() == "unknown"
    (tmp_path / "sim").mkdir()
    for name in ("sim/a.py", "notes"):
        (tmp_path / name).touch()
    git("add", ".")
    git("commit", "--no-gpg-sign", "-m", "one")
    made = git("rev-parse", "HEAD").strip()
    (tmp_path / "notes").write_text("no source")
    assert origin.commit.__wrapped__() == made
    (tmp_path / "sim" / "a.py").write_text("source")
    assert origin.commit.__wrapped__() == f"{made}-dirty"


def test_an_edited_file_is_another_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "PACKAGE", tmp_path)
    (tmp_path / "sim" / "__pycache__").mkdir(parents=True)
    sources = []
    for name, text in (("a.py", "x"), ("a.py", "y"), ("b.toml", "y"), ("__pycache__/c.pyc", "y")):
        (tmp_path / "sim" / name).write_text(text)
        sources.append(origin.source.__wrapped__())
    assert len(set(sources)) == 3
    assert sources[2] == sources[3]
    assert origin.commit.__wrapped__() == "unknown"
