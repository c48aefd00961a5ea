"""Tables of what was measured: what is written can be read again, and files of anybody are refused line by line."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.lab.measure.table import TABLE_COLUMNS, Cell, MeasuredRow, ProgramStart, cells, read, write
from spindle.sim.error import UserError
from spindle.sim.units import MIB
from tests.samples import sample

LINE = "w02,O_DIRECT O_SYNC,512,2097152,0,new,5,100,4096,0.002,0.001,0.003,,105,by hand"
HEAD = ",".join(TABLE_COLUMNS)


def table(folder: Path, *lines: str, head: str = HEAD) -> Path:
    (folder / "t.csv").write_text("\n".join(["# kernel: Linux", head, *lines, ""]))
    return folder / "t.csv"


def test_a_row_by_hand(tmp_path: Path) -> None:
    (row,), head = read(table(tmp_path, LINE))
    assert head == {"kernel": "Linux"}
    assert row.cell in set(cells(2 * MIB))
    assert row.cell.title == "w02 512 O_DIRECT O_SYNC"
    assert (row.runs, row.calls, row.reached, row.system_calls, row.how) == (5, 100, 4096, 105, "by hand")
    assert (row.low, row.median, row.high, row.undisturbed, row.seconds) == (0.001, 0.002, 0.003, None, 0.002)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    rows = [
        MeasuredRow(cell, 3, 100 + number, 1,
                    1e-7 * number + 1e-6, 1e-6, 1e-3, None if cell.waits else 5e-7, number or None,
            "=how", ) for number, cell in enumerate(cells(2 * MIB))
    ]  # fmt: skip
    write(rows, tmp_path / "t.csv", {"kernel": "Linux\n6", "file system": "ext4"})
    assert (tmp_path / "t.csv").read_text().startswith("# kernel: Linux 6\n# file system: ext4\nprogram,")
    again, _ = read(tmp_path / "t.csv")
    rounded = [replace(row, median=float(f"{row.median:.6g}")) for row in rows]
    assert [replace(row, how="=how") for row in again] == rounded


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("w02", "w09", "t.csv:3: unknown program 'w09': did you mean"),
        ("O_DIRECT", "O_DIRCT", "t.csv:3: unknown flag 'O_DIRCT': did you mean O_DIRECT"),
        ("new", "old", "t.csv:3: unknown start 'old'"),
        (",512,", ",511,", "t.csv:3: block must be whole sectors"),
        (",512,", ",,", "t.csv:3: block must be a whole number from 1"),
        (",512,", ",\u0665\u0661\u0662,", "t.csv:3: block must be a whole number"),
        ("2097152", "1099511627776", "t.csv:3: size must be a whole number from 1 to 1073741824"),
        ("4096", "4097", "t.csv:3: reached must be at most the 4096 calls"),
        ("0.001", "nan", "t.csv:3: seconds_q25 must be seconds above 0"),
        ("0.001", "0.0025", "t.csv:3: seconds_q25, seconds_median and seconds_q75 must not fall"),
        ("0.002", "soon", "t.csv:3: seconds_median must be seconds above 0, at most"),
        ("0.002", "0", "t.csv:3: seconds_median must be seconds above 0, at most"),
        ("0.003", "1e999", "t.csv:3: seconds_q75 must be seconds"),
        ("0.003,,", "0.003,-1,", "t.csv:3: seconds_undisturbed must be seconds above 0"),
        (",105", ",-5", "t.csv:3: system_calls must be a whole number from 0"),
        ("by hand", "x" * 501, "t.csv:3: 'how' is longer than 500"),
        ("by hand", "a,b", "t.csv:3: 16 values for 15 columns"),
        ("by hand", '"', "t.csv:3: "),
        ("by hand", f"by hand\n{LINE}", "t.csv:4: w02 512 O_DIRECT O_SYNC was there before"),
    ],
)
def test_mistakes_name_the_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        read(table(tmp_path, LINE.replace(old, new, 1)))
    assert str(caught.value).startswith(f"{tmp_path}/{says}")


def test_a_column_that_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there must be one column reached"):
        read(table(tmp_path, LINE, head=HEAD.replace("reached", "reach")))
    with pytest.raises(UserError, match="there must be one column program"):
        read(table(tmp_path, head=""))
    with pytest.raises(UserError, match="there must be one column how"):
        read(table(tmp_path, f"{LINE},again", head=f"{HEAD},how"))


def test_files_that_are_too_much_are_refused(tmp_path: Path) -> None:
    (tmp_path / "most.csv").write_text("# a: " + " " * (MIB - len(f"# a: \n{HEAD}\n")) + f"\n{HEAD}\n")
    assert read(tmp_path / "most.csv")[0] == []
    with pytest.raises(UserError, match="is longer than 1048576 characters"):
        read(table(tmp_path, "x" * MIB))
    lines = [LINE.replace(",100,4096", f",{number},4096").replace(",512,2097152", f",512,{512 * (4096 + number)}")
             for number in range(1, 1003)]  # fmt: skip
    with pytest.raises(UserError, match=":1003: more than 1000 rows"):
        read(table(tmp_path, *lines))
    (tmp_path / "t.csv").write_bytes(b"\xff")
    for name in ("t.csv", "nowhere.csv", "."):
        with pytest.raises(UserError, match="cannot read"):
            read(tmp_path / name)


@settings(max_examples=sample(10, 50))
@given(lines=st.lists(st.text(max_size=40) | st.text("w012,.\"\n#", max_size=60), max_size=4), headed=st.booleans())
def test_any_text_is_rows_or_a_mistake(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], headed: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text("\n".join([HEAD] * headed + lines), encoding="utf-8", newline="")
    try:
        found: object = read(path)[0]
    except UserError as error:
        found = str(error)
    assert found == [] or str(found).startswith(f"{path}:")


def test_a_warm_cell_says_so() -> None:
    assert [cell.title for cell in cells(2 * MIB) if cell.start is not ProgramStart.NEW][:2] == [
        "r01 1 warm",
        "r01 512 warm",
    ]
    assert all(isinstance(cell, Cell) for cell in cells(2 * MIB))


def test_a_head_cannot_command_a_terminal(tmp_path: Path) -> None:
    path = table(tmp_path, LINE)
    path.write_text("# processor: \x1b[31mred\x07\n" + path.read_text())
    assert read(path)[1] == {"processor": "[31mred", "kernel": "Linux"}
