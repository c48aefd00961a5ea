"""Tests how the bytes of files are found, with limits made small: pieces, archives, tables, pipes; and who is named."""

import atexit
import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.workloads.traces import source
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.source import files_of, head, members, pieces

LIMITS = TraceLimits()
NOISE = random.Random(0).randbytes(1000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def said(path: Path, limits: TraceLimits = LIMITS) -> str:
    """Return why the file at *path* cannot be read."""
    with pytest.raises(UserError) as error:
        read(path, limits)
    return str(error.value)


def read(path: Path, limits: TraceLimits = LIMITS) -> list[tuple[str, bytes]]:
    return [(name, b"".join(parts)) for name, parts in members(path, limits)]


def pack(path: Path, end: str, *contents: bytes) -> None:
    """Pack *contents* into an archive at *path*, whose files are called 0, 1, ..."""
    if end == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for place, content in enumerate(contents):
                archive.writestr(str(place), content, zipfile.ZIP_DEFLATED if place else zipfile.ZIP_STORED)
        return
    with tarfile.open(path, "w") as tar:
        for place, content in enumerate(contents):
            info = tarfile.TarInfo(str(place))
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


# Pieces.

def test_pieces_are_joined_until_they_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PIECE", 4)
    assert list(source._gather(iter([b"abc", b"d", b"e"]))) == [b"abcd", b"e"]
    assert list(source._gather(iter([b"abcde"]))) == [b"abcde"]
    assert list(source._gather(iter([]))) == []


@pytest.mark.parametrize(("start", "more", "found"), [
    (b"ab", b"c" * 7, [b"abcc", b"cccc", b"c"]), (b"abcd", b"ef", [b"abcd", b"ef"]), (b"", b"", []),
    (b"a", b"", [b"a"]),
])  # fmt: skip
def test_what_was_read_already_is_of_the_first_piece(
    monkeypatch: pytest.MonkeyPatch, start: bytes, more: bytes, found: list[bytes]
) -> None:
    monkeypatch.setattr(source, "PIECE", 4)
    assert list(source._plain(start, io.BytesIO(more))) == found


def test_a_stream_says_16_times_that_it_is_at_its_end() -> None:
    stream, buffer = source._Stream(iter([b"abc", b"d"])), bytearray(2)
    assert [stream.readinto(buffer) for _ in range(3)] == [2, 1, 1]
    assert [stream.readinto(buffer) for _ in range(16)] == [0] * 16
    with pytest.raises(EOFError):
        stream.readinto(buffer)
    assert stream.readable()


def test_as_many_bytes_are_copied_as_the_limit_allows() -> None:
    kept = io.BytesIO()
    source._copy(iter([b"a", b"b"]), kept, "", TraceLimits(spool=2))
    assert kept.getvalue() == b"ab"
    with pytest.raises(UserError, match=r"^more than 3 MiB are too many$"):
        source._copy(iter([bytes((3 << 20) + 1)]), kept, "are too many", TraceLimits(spool=3 << 20))


def test_a_pipe_is_kept_within_the_limit_and_deleted_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    monkeypatch.setattr(atexit, "register", lambda end, **how: ends.append((end, how)))
    with pytest.raises(UserError) as error:
        source._spool(lambda: io.BytesIO(b"abc"), "a pipe", TraceLimits(spool=2))
    assert str(error.value) == "more than 0 MiB come through a pipe: write them to a file, and name that"
    kept = source._spool(lambda: io.BytesIO(b"abc"), "a pipe", LIMITS)
    assert (kept.read_bytes(), str(kept)) == (b"abc", "a pipe")
    for end, how in ends * 2:  # the second time they are gone
        end(**how)
    assert not kept.exists()


# Compressed bytes.

def test_a_cut_file_is_named_with_the_bytes_that_it_has(path: Path) -> None:
    content = gzip.compress(NOISE * 3)[:-1]
    path.write_bytes(content)
    assert said(path) == f"{path}: the file ends within its compressed data, after {len(content)} bytes"


@pytest.mark.parametrize("rest", [b"XX", b"\0XX", zlib.compress(b"1")])
def test_behind_compressed_data_are_zeros_or_more_of_them(path: Path, rest: bytes) -> None:
    path.write_bytes(gzip.compress(b"1") + rest)
    assert said(path).startswith(f"{path}: the compressed data are damaged before byte ")


def test_the_dictionary_of_an_xz_file_has_a_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(lzma.compress(b"1"))
    assert read(path) == [(str(path), b"1")]
    monkeypatch.setattr(source, "MEMORY", 1)
    assert said(path).startswith(f"{path}: the compressed data are damaged")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_text_of_wide_characters_ends_with_a_whole_one(path: Path, encoding: str) -> None:
    content = "\ufeff0,1\n".encode(encoding)
    path.write_bytes(content)
    assert read(path) == [(str(path), "\ufeff0,1\n".encode())]
    path.write_bytes(content + b"\0")
    assert said(path) == f"{path}: it begins as text in UTF-16, and is none"


@pytest.mark.parametrize(("content", "found"), [
    ("\ufeff0,1\n2,3\n".encode("utf-16-le"), "\ufeff0,1\n2,3\n".encode()), (b"0,1\r2,3\r4,5", b"0,1\n2,3\n4,5"),
    (b"0\r\0\r5", b"0\r\0\r5"), (b"0,1\r\n2,3\r\n", b"0,1\r\n2,3\r\n"),
])  # fmt: skip
def test_text_comes_in_utf_8_with_ends_of_lines(
    path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, found: bytes
) -> None:
    monkeypatch.setattr(source, "PIECE", 8)
    path.write_bytes(content)
    assert read(path) == [(str(path), found)]


def test_a_file_may_have_as_many_bytes_as_the_limit_in_all_its_pieces(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "PIECE", 4)
    path.write_bytes(b"12345678")
    assert read(path, TraceLimits(size=8)) == [(str(path), b"12345678")]
    assert said(path, TraceLimits(size=7)) == f"{path}: a trace has at most 7 bytes, and this has more"


def test_the_ratio_is_of_all_that_was_read(path: Path) -> None:
    """Stored bytes: 1009 of the first 1024 that are fed, 1024 of the next."""
    path.write_bytes(gzip.compress((NOISE * 2)[:1009], 0))
    assert read(path, TraceLimits(ratio=1009 / 1024, ratio_from=1))
    assert read(path, TraceLimits(ratio=0.1, ratio_from=1009))
    path.write_bytes(gzip.compress(NOISE * 3, 0))
    assert said(path, TraceLimits(ratio=0.5, ratio_from=2000)) == \
        f"{path}: more than 0.5 times as long when decompressed: 2033 bytes from the first 2048"


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_what_makes_too_much_at_a_time_is_damaged(
    path: Path, monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(source, "MAX_DECOMPRESSED", 99)
    path.write_bytes(compress(bytes(100)))
    size = path.stat().st_size
    assert said(path) == \
        f"{path}: the compressed data are damaged before byte {size}: {size} bytes of them make more than 99"


# Archives.

@pytest.mark.parametrize("end", ["zip", "tar"])
def test_the_files_of_an_archive_are_named_behind_it(path: Path, end: str) -> None:
    pack(path, end, b"a", b"b")
    assert read(path) == [(f"{path}: '0'", b"a"), (f"{path}: '1'", b"b")]
    pack(path, end, gzip.compress(b"1")[:-1])
    assert said(path).startswith(f"{path}: '0': the file ends within its compressed data")


@pytest.mark.parametrize("end", ["zip", "tar"])
def test_an_archive_has_as_many_files_as_it_may(path: Path, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_FILES", 2)
    pack(path, end, b"a", b"b")
    assert len(read(path)) == 2
    pack(path, end, b"a", b"b", b"c")
    assert said(path) == f"{path}: more than 2 files"


@pytest.mark.parametrize("end", ["zip", "tar"])
def test_a_damaged_archive_is_named(path: Path, end: str) -> None:
    pack(path, end, NOISE, NOISE)
    content = bytearray(path.read_bytes())
    if end == "zip":
        content[500] ^= 255
    else:
        del content[-9000:]
        content[1600:1700] = b"x" * 100
    path.write_bytes(content)
    assert said(path).startswith(f"{path}: the archive is damaged, or needs a password or a missing method: ")


@pytest.mark.parametrize("content", [b"PK\3\4, and no more", bytes(257) + b"ustar" + bytes(250)])
def test_what_begins_as_an_archive_and_is_none_is_named(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert said(path).startswith(f"{path}: the archive is damaged, or needs a password or a missing method: ")


def test_of_an_error_of_an_archive_the_first_line_is_said() -> None:
    def parts(text: str) -> Iterator[bytes]:
        raise ValueError(text)
        yield b""

    for text in ("one", "one\ntwo\nthree"):
        with pytest.raises(UserError, match=r"^x: the archive is damaged.*: one$"):
            list(source._guard(Path("x"), parts(text)))


def test_a_file_that_unpacks_to_far_more_is_named_and_so_is_an_archive(path: Path) -> None:
    limits = TraceLimits(ratio=20, ratio_from=100)
    pack(path, "zip", b"", bytes(30_000))
    assert said(path, limits) == f"{path}: more than 20 times as long when decompressed"
    pack(path, "zip", NOISE, bytes(5000))
    assert said(path, limits) == f"{path}: '1': more than 20 times as long when decompressed"
    pack(path, "zip", b"", gzip.compress(NOISE * 10) * 10)  # each by ten times, together a hundred
    assert said(path, limits) == f"{path}: more than 20 times as long when decompressed"


def test_an_archive_of_nothing_has_no_beginning(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(path, "zip", b"")
    assert (read(path), head(path, LIMITS)) == ([], b"")
    monkeypatch.setattr(source, "members", lambda *_: iter([("a", iter([]))]))
    assert head(path, LIMITS) == b""


# Tables, which are read from a file: their own, or one that is made of them.

TABLE = b"PAR1" + NOISE


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, str]]:
    """Have tables read as they are; return where each was read from, and its name."""
    asked = []

    def lines_of(path: Path, name: str, head: bytes, limits: TraceLimits) -> Iterator[bytes]:
        asked.append((path, name))
        assert limits.size
        yield head[:4] + path.read_bytes()

    monkeypatch.setattr(source, "lines_of", lines_of)
    return asked


def test_a_table_is_read_in_its_place(path: Path, tables: list[tuple[Path, str]]) -> None:
    path.write_bytes(TABLE)
    assert read(path) == [(str(path), b"PAR1" + TABLE)]
    assert tables == [(path, str(path))]
    assert source._start(path) == TABLE[:4]


@pytest.mark.parametrize("end", ["gz", "zip", "tar"])
def test_a_table_within_another_file_is_copied(
    path: Path, tables: list[tuple[Path, str]], end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "PIECE", 600)
    name = str(path) if end == "gz" else f"{path}: '0'"
    if end == "gz":
        path.write_bytes(gzip.compress(TABLE))
    else:
        pack(path, end, TABLE)
    assert read(path) == [(name, b"PAR1" + TABLE)]
    ((copy, named),) = tables
    assert (copy.name, copy.parent.name.startswith("spindle-"), named) == ("table", True, name)
    assert said(path, TraceLimits(spool=900)) == f"more than 0 MiB are a table within {name}: unpack it"


# Names of files.

def test_the_files_of_a_folder_or_pattern_are_as_many_as_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_FILES", 2)
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.touch()
    for text in (str(tmp_path), f"{tmp_path}/?", f"{tmp_path}/[ab]", f"{tmp_path}/*"):
        assert files_of(text, LIMITS) == paths
    (tmp_path / "c").touch()
    with pytest.raises(UserError, match=rf"^{tmp_path}: more than 2 files$"):
        files_of(str(tmp_path), LIMITS)
    with pytest.raises(UserError, match=r"there is no file there, and folders in it are not read$"):
        files_of(f"{tmp_path}/x*", LIMITS)


def test_files_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    paths = [tmp_path / f"x.blktrace.{number}" for number in (0, 2, 10)]
    for path in paths:
        path.touch()
    for text in (str(paths[1]), str(tmp_path), f"{tmp_path}/x*"):
        assert files_of(text, LIMITS) == paths
    (tmp_path / "x.blktrace.a").touch()
    assert files_of(str(paths[2]), LIMITS) == paths


def test_commas_are_between_files_or_of_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    a, b, both = map(Path, ("a", "b", "a,b"))
    assert files_of("a,b", LIMITS) == [both]
    a.touch()
    assert files_of("a,b", LIMITS) == [both]
    b.touch()
    assert files_of("a,b", LIMITS) == [a, b]
    both.touch()
    assert files_of("a,b", LIMITS) == [both]
    assert files_of("X", LIMITS) == [Path("X")]


def test_a_file_of_nothing_is_one(path: Path) -> None:
    path.touch()
    assert read(path) == [(str(path), b"")]
    assert b"".join(pieces(path, LIMITS)) == b""
