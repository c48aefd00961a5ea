"""Tests tables of parts by name: nothing is made before it is asked for, and tables are joined in order."""

from pathlib import Path

import pytest

from spindle.sim.named_table import NamedTable, file_table, import_table


def test_a_part_is_made_when_it_is_asked_for() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    table = NamedTable({name: lambda name=name: make(name) for name in ("b", "a")})  # type: ignore[misc]
    assert (list(table), len(table), "a" in table, "c" in table, made) == (["b", "a"], 2, True, False, [])
    assert (table["a"], made) == ("A", ["a"])
    everything = table.all()
    assert everything == ("B", "A")
    assert table.all() is everything
    assert made == ["a", "b", "a"]
    with pytest.raises(KeyError):
        table["c"]


class Unread(dict[str, int]):
    """A mapping that counts how often it is read."""

    reads = 0

    def __getitem__(self, name: str) -> int:
        self.reads += 1
        return super().__getitem__(name)


def test_tables_are_joined_in_their_order_and_the_latter_counts() -> None:
    table, others = NamedTable({"a": lambda: 1, "b": lambda: 2}), Unread(b=3, c=4)
    after, before = table | others, others | table
    assert isinstance(before, NamedTable)
    assert (list(after), list(before), others.reads) == (["a", "b", "c"], ["b", "c", "a"], 0)
    assert (dict(after), dict(before)) == ({"a": 1, "b": 3, "c": 4}, {"a": 1, "b": 2, "c": 4})


def test_a_place_is_imported_when_it_is_asked_for() -> None:
    table = import_table({"path": "pathlib:Path", "nowhere": "spindle_of_nobody:Path"})
    assert list(table) == ["path", "nowhere"]
    assert table["path"] is Path
    with pytest.raises(ModuleNotFoundError, match="spindle_of_nobody"):
        table["nowhere"]


def test_the_drive_files_of_a_folder_are_known_without_their_ends(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yaml", "c.txt", "a.b.yaml"):
        (tmp_path / name).write_text(f"it is {name}")
    table = file_table(tmp_path, Path.read_text)
    assert list(table) == ["a.b", "a", "b"]
    assert table["a"] == "it is a.yaml"
