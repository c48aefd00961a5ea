"""Journals: what was written is there; what is cut short, foreign or changed is not believed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from spindle.studies.sweep import journal as journals
from spindle.studies.sweep.journal import Differs, Foreign, InUse, NotBelieved, SweepJournal, entries

A, B, C = (bytes([number]) * 16 for number in range(3))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal-x.sqlite"


def write(path: Path, rows: dict[bytes, dict[str, object]], sweep: str = "s") -> None:
    with SweepJournal(path, sweep) as journal:
        for key, row in rows.items():
            journal.write(key, row)


def test_what_is_written_is_read_by_key(path: Path) -> None:
    row: dict[str, object] = {"a": 0.1 + 0.2, "b": 3**60, "c": None, "d": True, "e": 'ü"\n', "f": float("inf")}
    with SweepJournal(path, "s") as journal:
        digest = journal.write(A, row)
        other = journal.write(B, row)
        found = journal.find(A)
        assert found is not None
        assert found[1] == digest != other
        assert journal.find(C) is None
    text = f'{{"a":0.30000000000000004,"b":{3**60},"c":null,"d":true,"e":"\\u00fc\\"\\n","f":Infinity}}'
    assert list(entries(path, "s")) == [(A, text), (B, text)]


def test_it_goes_on_where_it_was(path: Path) -> None:
    write(path, {A: {"x": 1}})
    write(path, {B: {"x": 2}})
    assert list(entries(path, "s")) == [(A, '{"x":1}'), (B, '{"x":2}')]


def test_who_has_it_open_is_alone(path: Path) -> None:
    with SweepJournal(path, "s"):
        with pytest.raises(InUse):
            SweepJournal(path, "s", wait=0.0)
        with pytest.raises(InUse):
            list(entries(path, "s", wait=0.05))
    assert list(entries(path, "s", wait=0.0)) == []


def test_another_sweep_another_program_and_no_data_base_at_all(path: Path) -> None:
    write(path, {A: {"x": 1}}, "another")
    with pytest.raises(Foreign, match="it belongs to another"):
        list(entries(path, "s"))
    path.write_bytes(b"somebody's notes " * 1000)
    with pytest.raises(NotBelieved, match="not a database"):
        list(entries(path, "s"))
    path.unlink()
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("CREATE TABLE point (key BLOB, row TEXT, digest BLOB)")
    with pytest.raises(NotBelieved, match="not a journal of Spindle"):
        list(entries(path, "s"))


def test_an_empty_file_is_a_writer_who_was_killed_before_the_first_word(path: Path) -> None:
    path.touch()
    assert list(entries(path, "s")) == []


def full(path: Path) -> int:
    write(path, {number.to_bytes(16): {"x": "y" * 200} for number in range(200)})
    return path.stat().st_size


@pytest.mark.parametrize("eighth", range(1, 8))
def test_wherever_it_is_cut_it_is_not_believed(path: Path, eighth: int) -> None:
    length = full(path) * eighth // 8
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(NotBelieved):
        list(entries(path, "s"))


def test_a_file_cut_to_nothing_beside_a_full_log_is_not_taken_for_new(path: Path) -> None:
    path.touch()
    path.with_name(f"{path.name}-wal").write_bytes(b"x" * 5000)
    with pytest.raises(NotBelieved, match="cut short"):
        list(entries(path, "s"))


def test_a_changed_row_is_not_believed(path: Path) -> None:
    full(path)
    content = path.read_bytes()
    assert b"yyyy" in content
    path.write_bytes(content.replace(b"yyyy", b"yyyz", 1))
    with pytest.raises(NotBelieved, match="not what was written"):
        list(entries(path, "s"))


def test_a_row_that_is_no_text_is_not_believed(path: Path) -> None:
    full(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("UPDATE point SET row = x'00ff'")
    with pytest.raises(NotBelieved, match="another kind"):
        list(entries(path, "s"))


def test_a_name_that_is_no_text_is_not_believed(path: Path) -> None:
    """SQLite quotes it in what it says of it."""
    full(path)
    content = path.read_bytes()
    assert content.count(b"sweep (id TEXT)") == 1
    path.write_bytes(content.replace(b"sweep (id TEXT)", b"sweep \xff\xffd TEXT)"))
    with pytest.raises(NotBelieved, match="its text is not UTF-8"):
        list(entries(path, "s"))


def test_taken_over_whole_or_not_at_all(path: Path, tmp_path: Path) -> None:
    one, bad = tmp_path / "journal-1.sqlite", tmp_path / "journal-2.sqlite"
    write(one, {b"a" * 16: {"x": 1}, b"b" * 16: {"x": 2}})
    full(bad)
    bad.write_bytes(bad.read_bytes().replace(b"yyyy", b"yyyz", 1))
    with SweepJournal(path, "s") as points:
        points.take_over(one)
        points.take_over(one)  # the same twice is the same
        with pytest.raises(NotBelieved):
            points.take_over(bad)
    assert list(entries(path, "s")) == [(b"a" * 16, '{"x":1}'), (b"b" * 16, '{"x":2}')]


def test_two_rows_of_one_point_are_refused(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "journal-1.sqlite"
    write(path, {A: {"x": 1}})
    write(other, {A: {"x": 2}})
    with SweepJournal(path, "s") as points, pytest.raises(Differs, match=r'"x":1.*"x":2'):
        points.take_over(other)


def test_a_file_whose_pages_do_not_add_up_is_not_believed(path: Path) -> None:
    full(path)
    content = bytearray(path.read_bytes())
    content[36:40] = (5).to_bytes(4)  # free pages by the header, of which there is none
    path.write_bytes(content)
    with pytest.raises(NotBelieved, match=r"^\S.* size is 0 but should be 5$") as told:
        list(entries(path, "s"))
    assert "\n" not in str(told.value)


def test_a_journal_that_cannot_be_begun_is_closed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: SweepJournal) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(SweepJournal, "_describe", failing)
        with pytest.raises(sqlite3.OperationalError, match="disk is full"):
            SweepJournal(path, "s")
    SweepJournal(path, "s", wait=0.0).close()


def test_a_file_that_its_owner_removes_while_it_is_opened_is_opened_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, looks = journals._belongs_to, []

    def removing(sql: sqlite3.Connection, sweep: str) -> bool:
        found = look(sql, sweep)
        looks.append(found)
        if len(looks) == 1:
            path.unlink()
            path.touch()
        return found

    write(path, {A: {"x": 1}})
    monkeypatch.setattr(journals, "_belongs_to", removing)
    write(path, {B: {"x": 2}})
    assert looks == [True, False]
    assert list(entries(path, "s")) == [(B, '{"x":2}')]


def test_what_is_removed_goes_after_its_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, seen = path.with_name(f"{path.name}-wal"), []
    with SweepJournal(path, "s") as journal, monkeypatch.context() as patch:
        journal.write(A, {"x": 1})
        assert log.exists()
        patch.setattr(Path, "unlink", lambda *_, **__: seen.append(log.exists()))
        journal.remove()
        assert seen == [False]


def test_an_error_has_its_code_without_what_extends_it_and_one_of_python_has_none() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    assert journals._code(error) == 0
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
    assert journals._code(error) == sqlite3.SQLITE_IOERR
