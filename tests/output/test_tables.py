"""Tests tables as CSV: their bytes, cells that a spreadsheet must not compute, and reading them back."""

import sys
from math import inf, nan
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spindle.output import tables
from spindle.output.tables import cell, number, table_in, write_rows, write_table
from spindle.sim.error import UserError
from spindle.sim.inputs import read_whole
from spindle.studies.statistics import summarise

FRAME = pd.DataFrame({"terminals": [10, 101], "caching": [False, True], "mean": [0.1 + 0.2, 1.0], "who": ["=1+1", "é"]})


def test_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "table.csv"
    write_table(FRAME, path)
    assert path.read_bytes().decode() == "terminals,caching,mean,who\n10,False,0.3,'=1+1\n101,True,1,é\n"
    assert [each.name for each in path.parent.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_pieces_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "=y", None], "c": [0.5, nan, 2.0]})
    monkeypatch.setattr(tables, "ROWS_AT_A_TIME", rows)
    write_table(frame, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == tables.table_text(frame) == b"a,b,c\n1,x,0.5\n2,\'=y,\n3,,2\n"


def back(path: Path) -> pd.DataFrame:
    return table_in(read_whole(path), path)


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    write_table(FRAME, tmp_path / "t.csv")
    frame = back(tmp_path / "t.csv")
    assert frame.to_dict("list") == {**FRAME.to_dict("list"), "mean": [0.3, 1.0]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"), (1 / 3, "0.333333"), (1e-9 / 3, "3.33333e-10"), (1234567.0, "1234567"),
        (1234567.8, "1234568"), (-0.5, "-0.5"), (-0.0, "0"), (1e20, "1e+20"), (1e15, "1e+15"), (99999.75, "99999.8"),
        (123456.7, "123457"), (nan, ""), (inf, "inf"), (-inf, "-inf"),
    ],
)  # fmt: skip
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [("=SUM(A1)", "'=SUM(A1)"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\t=1", "'\t=1"), ("'=1", "''=1"),
     ("# no comment", "'# no comment"), ("a=b", "a=b"), ("'quoted'", "'quoted'"), (-1, "-1"), (-1.5, "-1.5"),
     (None, ""), (pd.NA, ""), (True, "True"), (Path("=x"), "'=x"), (Path("x"), "x")],
)  # fmt: skip
def test_text_that_looks_like_a_formula_is_quoted(value: object, text: str) -> None:
    assert cell(value) == text


@given(st.floats())
def test_a_number_is_written_as_it_was_read(value: float) -> None:
    assert value != value or number(float(number(value))) == number(value)


def test_numbers_and_text_are_written_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert [cell(value) for value in (1.5, 12, "=x")] == ["1.5", "12", "'=x"]


@example(["\r"])
@example(["'quoted'", "'", "''=1", "'tis"])
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=5))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "text.csv"
    write_table(pd.DataFrame({"text": ["a", *texts]}), path)
    assert back(path)["text"].tolist() == ["a", *texts]


def test_a_row_of_nothing_is_a_row(tmp_path: Path) -> None:
    write_table(pd.DataFrame({"mean": [1.5, nan]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b'mean\n1.5\n""\n'
    assert len(back(tmp_path / "t.csv")) == 2


def test_only_an_empty_cell_is_nothing(tmp_path: Path) -> None:
    write_table(pd.DataFrame({"text": ["NA", "nan", None], "number": [1.0, nan, 2.0]}), tmp_path / "t.csv")
    frame = back(tmp_path / "t.csv")
    assert frame["text"].tolist()[:2] == ["NA", "nan"]
    assert [frame[name].isna().tolist() for name in frame] == [[False, False, True], [False, True, False]]


def test_rows_without_a_frame(tmp_path: Path) -> None:
    write_rows(["n", "who"], [(1, "=a"), (2.5, 'b"\udcff')], tmp_path / "new" / "t.csv")
    assert (tmp_path / "new" / "t.csv").read_bytes() == b'n,who\n1,\'=a\n2.5,"b""\\udcff"\n'


def test_where_nothing_can_be_written_or_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write .*file/t\.csv: (Not a directory|File exists)"):
        write_table(FRAME, tmp_path / "file" / "t.csv")
    with pytest.raises(UserError, match="file is not a table: No columns"):
        back(tmp_path / "file")


def test_a_summary_by_hand() -> None:
    rows = [("b", 1.0, nan), ("b", 3.0, nan), ("a", 5.0, 0.5), ("a", 5.0, 0.5)]
    frame = summarise(pd.DataFrame(rows, columns=["name", "mean", "ratio"]), ["name"], ["mean", "ratio"])
    assert list(frame.columns) == [
        "name", "mean", "mean_low", "mean_high", "ratio", "ratio_low", "ratio_high", "replications",
    ]  # fmt: skip
    assert frame["name"].tolist() == ["b", "a"]
    assert frame["mean"].tolist() == [2.0, 5.0]
    assert frame["mean_high"].tolist() == pytest.approx([2 + 12.706205, 5.0])
    assert frame["ratio"].isna().tolist() == [True, False]
    assert frame["replications"].tolist() == [2, 2]


def test_a_summary_of_numbers_that_are_partly_missing_is_refused() -> None:
    frame = pd.DataFrame({"name": ["a", "a"], "mean": [1.0, nan]})
    with pytest.raises(UserError, match=r"mean at name=a: sample 1 of 2 must be a finite number, not nan"):
        summarise(frame, ["name"], ["mean"])
    with pytest.raises(UserError, match="unknown column 'mena': did you mean mean"):
        summarise(frame, ["name"], ["mena"])


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    write_table(FRAME, path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("spindle.output.files.os.replace", full)
    with pytest.raises(UserError, match=r"cannot write .*t\.csv: No space left on device"):
        write_table(FRAME[:1], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
