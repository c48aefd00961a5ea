"""The bytes of an export: in memory and in a file they behave as an array of bytes does."""

import errno
import os
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


def mixed(value: int, length: int) -> bytes:
    """Return *length* bytes, none of them nought, of which no two pages are alike."""
    return (bytes(range(1, 252)) * (2 + length // 251))[value % 251 :][:length]


def follow(store: ByteStore, steps: list[tuple[str, tuple[int, int], int]]) -> None:
    """Each of *steps* in the store and in an array; then every span of holes reads as zeroes."""
    model = bytearray(SIZE)
    for what, (first, length), value in steps:
        data = mixed(value, length) if what == "write" else bytes(length)
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


def test_zeroes_within_a_page_keep_what_is_around_them() -> None:
    store = SparseMemory(2 * 4096)
    data = mixed(0, 2 * 4096)
    store.write(0, data)
    store.zero(1024, 2048)  # a quarter from either end
    store.zero(4095, 2)
    assert store.read(0, 8192) == data[:1024] + bytes(2048) + data[3072:4095] + bytes(2) + data[4097:]
    assert list(store.extents(5, 8000)) == [(8000, False)]
    store.close()
    assert list(store.extents(5, 8000)) == [(8000, True)]


def test_memory_takes_pages_up_to_its_limit() -> None:
    store = SparseMemory(4 * 4096, most=2 * 4096)
    store.write(4095, b"xy")
    store.write(0, mixed(0, 8192))
    with pytest.raises(OSError, match="No space left"):
        store.write(8191, b"xy")
    assert store.read(8190, 3) == mixed(0, 8192)[-2:-1] + b"x\0"


def test_a_file_keeps_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "data"
    store = SparseFile(path, SIZE)
    store.write(SIZE - 1, b"x")
    store.close()
    assert (path.stat().st_size, path.stat().st_mode & 0o777) == (SIZE, 0o600)
    again = SparseFile(path, SIZE, read_only=True)
    assert again.where == f"in {path}"
    assert again.read(SIZE - 1, 1) == b"x"
    with pytest.raises(OSError, match="Bad file descriptor"):
        again.write(0, b"x")
    again.close()


@pytest.mark.skipif(sys.platform != "linux", reason="holes are made by a call of Linux")
def test_zeroes_make_a_hole_in_a_file_that_holds_its_length(tmp_path: Path) -> None:
    store = SparseFile(tmp_path / "data", SIZE)
    store.write(0, mixed(0, 12288))
    store.zero(4096, 4096)
    assert list(store.extents(0, 16384)) == [(4096, False), (4096, True), (4096, False), (4096, True)]
    assert list(store.extents(4095, 8194)) == [(1, False), (4096, True), (4096, False), (1, True)]
    store.zero(0, SIZE)
    assert (list(store.extents(0, SIZE)), (tmp_path / "data").stat().st_size) == ([(SIZE, True)], SIZE)
    store.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        list(store.extents(0, SIZE))
    far = SparseFile(tmp_path / "large", 5 << 30)
    for first in (0, 4 << 30):
        far.write(first, b"x")
    far.zero(4 << 30, 4096)
    assert (far.read(0, 1), far.read(4 << 30, 1)) == (b"x", b"\0"), "beyond 32 bits, too"
    far.close()


@pytest.mark.parametrize("made", [None, lambda *_: -1])
def test_where_holes_cannot_be_made_zeroes_are_written(
    made: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.serve.export._puncher", lambda: made)
    monkeypatch.setattr("spindle.serve.export.MIB", 4096)
    size, written = 3 * 4096 + 7, list[int]()
    store = SparseFile(tmp_path / "data", size)
    store.write(0, data := mixed(0, size))
    write = os.pwrite
    monkeypatch.setattr("os.pwrite", lambda file, piece, first: written.append(first) or write(file, piece, first))
    store.zero(1, size - 2)
    assert written == [1, 4097, 8193, 12289]
    assert store.read(0, size) == data[:1] + bytes(size - 2) + data[-1:]
    store.close()


def test_a_medium_that_takes_and_gives_little_at_a_time_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, write = os.pread, os.pwrite
    monkeypatch.setattr("os.pread", lambda file, length, first: read(file, min(length, 1000), first))
    monkeypatch.setattr("os.pwrite", lambda file, data, first: write(file, data[:1000], first))
    store = SparseFile(tmp_path / "data", SIZE)
    follow(store, [("write", (511, 3500), 7)])
    os.truncate(tmp_path / "data", 2000)
    with pytest.raises(OSError, match="the file is shorter than it was") as failed:
        store.read(511, 3500)
    assert failed.value.errno == errno.EIO
    store.close()


def test_files_that_will_not_do_are_refused(tmp_path: Path) -> None:
    short, pipe, empty = tmp_path / "short", tmp_path / "pipe", tmp_path / "empty"
    short.write_bytes(b"x")
    empty.touch()
    os.mkfifo(pipe)
    for path, read_only, why in (
        (short, False, f"short has 1 bytes, and the export has {SIZE}; --size says how many it is to have"),
        (short, True, "has 1 bytes"), (empty, True, "has 0 bytes"),
        (pipe, True, "pipe is no regular file"), (tmp_path, True, "is no regular file"),
        (tmp_path, False, "Is a directory"), (tmp_path / "none", True, "No such file"),
        (Path("a\0b"), False, "null (byte|character)"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=why):
            SparseFile(path, SIZE, read_only)
    assert (short.read_bytes(), empty.read_bytes()) == (b"x", b"")


def test_a_file_is_one_server_s(tmp_path: Path) -> None:
    store = SparseFile(tmp_path / "data", SIZE)
    for read_only in (False, True):
        with pytest.raises(UserError, match="data is in use by another server"):
            SparseFile(tmp_path / "data", SIZE, read_only)
    store.close()
    SparseFile(tmp_path / "data", SIZE).close()
