"""A file of kept rows line by line: what a line holds, which edits show, when it is added to and when written anew."""

import json
from dataclasses import fields, replace
from lzma import compress, decompress
from pathlib import Path

import pytest

from spindle.studies.kept_rows import KeptRow, KeptRowFile

ROW = KeptRow("m 1", "Linux", "run", '{"a":1}', 7, '{"b":2}')


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.jsonl.xz"


def row(number: int, model: str = "m 1") -> KeptRow:
    return replace(ROW, model=model, row=f'{{"b":{number}}}')


def rows(*numbers: int) -> dict[str, KeptRow]:
    return {f"key {number}": row(number) for number in numbers}


def written(path: Path) -> list[str]:
    return [json.loads(line)["key"] for line in decompress(path.read_bytes()).splitlines()]


def test_a_line_has_its_key_its_fields_and_a_digest_of_16_digits() -> None:
    line = ROW.line("k")
    assert line.endswith("}\n")
    assert ": " not in line
    found = json.loads(line)
    check = found.pop("check")
    assert found == {"key": "k", "model": "m 1", "platform": "Linux", "function": "run", "arguments": '{"a":1}',
                     "seed": 7, "row": '{"b":2}'}  # fmt: skip
    assert check == ROW.check("k")
    assert check == "3df2c59dbeb1d33b", "that of rows that are kept"


def test_every_edit_changes_the_digest() -> None:
    edited = [replace(ROW, **{each.name: 8 if each.name == "seed" else "other"}) for each in fields(KeptRow)]
    digests = [each.check("k") for each in (ROW, *edited)] + [ROW.check("j")]
    assert len(set(digests)) == 8
    one, other = replace(ROW, model="m", platform="1Linux"), replace(ROW, model="m1", platform="Linux")
    assert one.check("k") != other.check("k")


def test_a_file_that_is_not_there_has_no_rows_and_no_fault(path: Path) -> None:
    file = KeptRowFile(path)
    assert (file.rows, file.lines, file.edited, file.fault) == ({}, 0, 0, "")
    file.keep({})
    assert not path.exists()


def test_what_is_kept_is_read_again_in_its_order(path: Path) -> None:
    KeptRowFile(path).keep(rows(2, 1))
    file = KeptRowFile(path)
    assert (file.rows, file.lines, file.edited, file.fault) == (rows(2, 1), 2, 0, "")
    assert list(file.rows) == ["key 2", "key 1"]


def test_what_is_there_is_not_written_again(path: Path) -> None:
    KeptRowFile(path).keep(rows(1, 2))
    before = path.read_bytes()
    KeptRowFile(path).keep(rows(2))
    assert path.read_bytes() == before
    KeptRowFile(path).keep(rows(1, 2, 3))
    assert path.read_bytes().startswith(before)
    assert written(path) == ["key 1", "key 2", "key 3"]


def test_a_row_that_changed_is_added_and_the_last_counts(path: Path) -> None:
    KeptRowFile(path).keep(rows(1, 2))
    KeptRowFile(path).keep({"key 1": row(9), "key 2": row(2)})
    file = KeptRowFile(path)
    assert (written(path), file.lines) == (["key 1", "key 2", "key 1"], 3)
    assert file.rows["key 1"] == row(9)


@pytest.mark.parametrize(("kept", "lines"), [
    ((1, 2), ["key 1", "key 2", "key 3", "key 4"]),  # two of four are of use
    ((1,), ["key 1"]), ((1, 5), ["key 1", "key 5"]),
    ((1, 2, 5), ["key 1", "key 2", "key 3", "key 4", "key 5"]), ((5, 6, 7), ["key 5", "key 6", "key 7"]),
    ((5, 6, 7, 8), ["key 1", "key 2", "key 3", "key 4", "key 5", "key 6", "key 7", "key 8"]),
])  # fmt: skip
def test_a_file_is_written_anew_where_more_lines_are_of_no_use_than_rows_are_kept(
    path: Path, kept: tuple[int, ...], lines: list[str]
) -> None:
    KeptRowFile(path).keep(rows(1, 2, 3, 4))
    KeptRowFile(path).keep(rows(*kept))
    assert written(path) == lines


def test_rows_of_another_model_leave_with_the_first_of_this(path: Path) -> None:
    KeptRowFile(path).keep(rows(1, 2))
    KeptRowFile(path).keep({**rows(1), "key 2": row(2, "m 2")})
    assert len(written(path)) == 3, "of both models rows are kept"
    KeptRowFile(path).keep({f"key {number}": row(number, "m 3") for number in (1, 2, 3, 4)})
    assert written(path) == ["key 1", "key 2", "key 3", "key 4"]


def test_an_edited_line_is_no_row_and_goes_when_the_file_is_kept(path: Path) -> None:
    text = "".join(row(number).line(f"key {number}") for number in (1, 2, 3))
    path.write_bytes(compress(text.replace('{\\"b\\":2}', '{\\"b\\":3}').replace("key 3", "key 4").encode()))
    file = KeptRowFile(path)
    assert (list(file.rows), file.lines, file.edited) == (["key 1"], 3, 2)
    file.keep(rows(1, 2, 3))
    assert written(path) == ["key 1", "key 2", "key 3"]
    assert KeptRowFile(path).edited == 0


@pytest.mark.parametrize("name", ["key", "model", "platform", "function", "arguments", "row"])
def test_what_is_no_text_is_an_edit(path: Path, name: str) -> None:
    """Even with the digest of it as text."""
    line = {**json.loads(ROW.line("1")), name: 1}
    made = KeptRow(**{key: value for key, value in line.items() if key not in ("key", "check")})
    path.write_bytes(compress(json.dumps({**line, "check": made.check(str(line["key"]))}).encode()))
    assert (KeptRowFile(path).rows, KeptRowFile(path).edited) == ({}, 1)


@pytest.mark.parametrize(("content", "fault"), [
    (compress(b"")[:-1], "it is cut short"), (compress(b"x" * 9), "Expecting value: line 1 column 1 (char 0)"),
    (b"PAR1" * 9, "Input format not supported by decoder"),
])  # fmt: skip
def test_the_fault_of_a_file_is_one_short_line(path: Path, content: bytes, fault: str) -> None:
    path.write_bytes(compress(ROW.line("k").encode()) + content)
    file = KeptRowFile(path)
    assert (file.fault, file.rows, file.lines, file.edited) == (fault, {}, 0, 0)
    file.keep(rows(1))
    assert written(path) == ["key 1"]


def test_a_fault_without_words_is_named_by_its_kind_and_a_long_one_is_cut(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.touch()
    for error, fault in ((MemoryError(), "MemoryError"), (OSError("a\n  b"), "a b"), (OSError("x" * 130), "x" * 120)):
        def fail(_: Path, error: BaseException = error) -> bytes:
            raise error

        monkeypatch.setattr(Path, "read_bytes", fail)
        assert KeptRowFile(path).fault == fault
