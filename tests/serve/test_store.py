"""The bytes of an export: in memory and in a file they behave as an array of bytes does."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.serve.export import ByteStore, SparseFile, SparseMemory
from spindle.sim.error import UserError

SIZE = 5 * 4096 + 512
SPANS = st.integers(0, SIZE - 1).flatmap(lambda first: st.tuples(st.just(first), st.integers(1, SIZE - first)))
STEPS = st.lists(st.tuples(st.sampled_from(["write", "zero"]), SPANS, st.integers(1, 255)), max_size=12)


def follow(store: ByteStore, steps: list[tuple[str, tuple[int, int], int]]) -> None:
    """Each of *steps* in the store and in an array; then every span of holes reads as zeroes."""
    model = bytearray(SIZE)
    for what, (first, length), value in steps:
        data = bytes([value]) * length if what == "write" else bytes(length)
        model[first : first + length] = data
        if what == "write":
            store.write(first, data)
        else:
            store.zero(first, length)
        assert store.read(first, length) == data
    store.sync()
    assert store.read(0, SIZE) == model
    place = 0
    extents = list(store.extents(0, SIZE))
    for length, hole in extents:
        assert length > 0
        assert not hole or not any(model[place : place + length])
        place += length
    assert place == SIZE
    assert all(one.hole != other.hole for one, other in pairwise(extents))


@given(STEPS)
def test_memory_is_an_array_of_bytes(steps: list[tuple[str, tuple[int, int], int]]) -> None:
    follow(SparseMemory(SIZE), steps)


@given(STEPS)
def test_a_file_is_an_array_of_bytes(steps: list[tuple[str, tuple[int, int], int]]) -> None:
    with TemporaryDirectory() as folder:
        store = SparseFile(Path(folder) / "data", SIZE)
        follow(store, steps)
        store.close()


def test_pages_that_were_zeroed_are_holes_again_and_give_their_room_back() -> None:
    store = SparseMemory(SIZE, most=4096)
    store.write(4096, b"x")
    assert list(store.extents(0, SIZE)) == [(4096, True), (4096, False), (SIZE - 8192, True)]
    with pytest.raises(OSError, match="No space left"):
        store.write(0, b"x")
    store.zero(4096, 4096)
    store.write(0, b"x")
    assert list(store.extents(0, 8192)) == [(4096, False), (4096, True)]


def test_a_file_keeps_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "data"
    store = SparseFile(path, SIZE)
    store.write(SIZE - 1, b"x")
    store.close()
    assert (path.stat().st_size, path.stat().st_mode & 0o777) == (SIZE, 0o600)
    again = SparseFile(path, SIZE, read_only=True)
    assert again.read(SIZE - 1, 1) == b"x"
    with pytest.raises(OSError, match="Bad file descriptor"):
        again.write(0, b"x")
    again.close()


def test_where_holes_cannot_be_made_zeroes_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.serve.export._puncher", lambda: None)
    store = SparseFile(tmp_path / "data", SIZE)
    follow(store, [("write", (0, SIZE), 7), ("zero", (1, SIZE - 2), 1)])
    store.close()


def test_files_that_will_not_do_are_refused(tmp_path: Path) -> None:
    short, pipe = tmp_path / "short", tmp_path / "pipe"
    short.write_bytes(b"x")
    os.mkfifo(pipe)
    for path, read_only, why in (
        (short, False, f"short has 1 bytes, and the export has {SIZE}; --size says how many it is to have"),
        (pipe, True, "pipe is no regular file"), (tmp_path, True, "is no regular file"),
        (tmp_path, False, "Is a directory"), (tmp_path / "none", True, "No such file"),
        (Path("a\0b"), False, "null (byte|character)"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=why):
            SparseFile(path, SIZE, read_only)


def test_a_file_is_one_server_s(tmp_path: Path) -> None:
    store = SparseFile(tmp_path / "data", SIZE)
    code = f"from spindle.serve.export import *; SparseFile(Path({str(tmp_path / 'data')!r}), {SIZE})"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert "data is in use by another server" in other.stderr
    store.close()
