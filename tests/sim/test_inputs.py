"""Tests reading of whole files, and the list of those that no output may replace."""

from contextvars import copy_context
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.inputs import protect_inputs, protected_inputs, read_whole


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Lines keep their ends."""
    (tmp_path / "a").write_bytes("é\r\nb\n".encode())
    assert read_whole(tmp_path / "a") == "é\r\nb\n"


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"ab\xff")
    for path, says in ((tmp_path / "a", f"{tmp_path}/a is not text: byte 2 is not UTF-8"),
                       (tmp_path / "b", f"cannot read {tmp_path}/b: No such file or directory"),
                       (tmp_path, f"cannot read {tmp_path}: Is a directory")):  # fmt: skip
        with pytest.raises(UserError) as caught:
            read_whole(path)
        assert str(caught.value) == says


def test_inputs_are_protected_in_their_context_and_no_other() -> None:
    def two() -> tuple[Path, ...]:
        protect_inputs(Path("a"), Path("b"))
        protect_inputs(Path("c"))
        return protected_inputs()

    before = protected_inputs()
    assert copy_context().run(two) == (*before, Path("a"), Path("b"), Path("c"))
    assert protected_inputs() == before
