"""Tests by hand the options by which a trace is opened: columns, separators, formats that exclude others, limits."""

from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.traces.opening import MAX_COLUMNS, TraceOptions, _columns, _separator, on_devices, split_columns
from spindle.workloads.traces.record import Record


@pytest.mark.parametrize(("text", "columns"), [
    ("", {}), ("key=2", {"key": "2"}), ("key=2,size=bytes", {"key": "2", "size": "bytes"}),
    ("key=a=b", {"key": "a=b"}), (f"key={MAX_COLUMNS}", {"key": "4096"}),
    ("offset=lbn,op=1", {"offset": "lbn", "op": "1"}),
])  # fmt: skip
def test_what_a_file_calls_its_columns(text: str, columns: dict[str, str]) -> None:
    assert split_columns(text) == _columns(text) == columns


@pytest.mark.parametrize(("text", "says"), [
    ("key", "--columns takes NAME=N or NAME=HEADING, as key=2, not 'key'"),
    ("key=", "--columns takes NAME=N or NAME=HEADING, as key=2, not 'key='"),
    ("=2", "--columns takes NAME=N or NAME=HEADING, as key=2, not '=2'"),
    ("key=1,", "--columns takes NAME=N or NAME=HEADING, as key=2, not ''"),
    ("key=1,key=2", "--columns names key twice"), ("key=1,size=1", "--columns takes two columns from '1'"),
    ("key=0", "--columns takes key from column '0', and a line has 1 to 4096"),
    ("key=4097", "--columns takes key from column '4097', and a line has 1 to 4096"),
    ("key=0000000001", "--columns takes key from column '0000000001', and a line has 1 to 4096"),
    ("key=1,offset=2", "--columns names key and offset: objects have no place on a drive; leave out one"),
])  # fmt: skip
def test_columns_that_cannot_be(text: str, says: str) -> None:
    with pytest.raises(UserError) as refused:
        _columns(text)
    assert str(refused.value) == says


def test_what_stands_between_columns() -> None:
    assert [_separator(text) for text in ("tab", "\\t", "space", ";", "|", "\t", "")] == [
        "\t", "\t", " ", ";", "|", "\t", ""]  # fmt: skip
    for wrong in ("ab", "a", "7", "\n", "\r", ".", "-", "tabs"):
        with pytest.raises(UserError, match="--separator must be one character that is in no number, tab, space, not "):
            _separator(wrong)


@pytest.mark.parametrize(("options", "says"), [
    (TraceOptions(format="csv", columns="key=1"), "format and columns both say what the format is; choose one"),
    (TraceOptions(columns="key=1", keys="k"), "columns and keys both say what the format is; choose one"),
    (TraceOptions(format="csv", keys="k"), "format and keys both say what the format is; choose one"),
    (TraceOptions(separator=";"), "separator stands between columns; name those"),
])  # fmt: skip
def test_options_that_exclude_each_other(tmp_path: Path, options: TraceOptions, says: str) -> None:
    (tmp_path / "t.csv").write_text("key\na\n")
    with pytest.raises(UserError) as refused:
        options.open(tmp_path / "t.csv")
    assert str(refused.value) == says


def asked(path: Path, options: TraceOptions) -> list[Record]:
    return list(options.records(options.open(path)))


def test_a_trace_is_read_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("a;1\nb;2\nc;x\na;3\n")
    found = asked(path, TraceOptions(columns="key=1,size=2", separator=";", skip_bad=1))
    assert [(record.keys, record.length) for record in found] == [(("a",), 1), (("b",), 2), (("a",), 3)]
    assert len(asked(path, TraceOptions(columns="key=1,size=2", separator=";", limit=2))) == 2
    path.write_text('{"k": "x", "n": 1}\n{"k": "y", "n": 2}\n')
    assert [record.keys for record in asked(path, TraceOptions(keys="k"))] == [("x",), ("y",)]
    path.write_text("WSM,0,512\nR,0,512\n")
    words = asked(path, TraceOptions(columns="op=1,offset=2,size=3", ops="WSM=write,R=read"))
    assert [record.op.value for record in words] == ["write", "read"]


def test_objects_have_no_place_on_a_drive(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("key\na\n")
    with pytest.raises(UserError, match=r"t\.csv: it asks for objects by key, which have no place on a drive"):
        on_devices(TraceOptions().open(path))
    path.write_text("op,lba_512,sectors\nR,0,1\n")
    trace = TraceOptions().open(path)
    assert on_devices(trace) is trace


def test_devices_are_as_many_as_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("device,op,lba_512,sectors\n" + "".join(f"d{number},R,0,1\n" for number in range(5)))
    assert len(list(TraceOptions().open(path, 5))) == 5
    with pytest.raises(UserError, match="4"):
        list(TraceOptions().open(path, 4))
