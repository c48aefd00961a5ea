"""Tests the bytes of a trace: compressed or not, truncated, damaged, or far more than the file's size allows."""

import bz2
import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import zstandard

from spindle.sim.error import UserError
from spindle.workloads.traces import source
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.source import FEED, PIECE, pieces

LINES = b"".join(b"0,%d,512,R,%d.5\n" % (number * 7919 % 10_007, number) for number in range(3000))
CONTENTS = {"gzip": gzip.compress(LINES), "zstd": zstandard.compress(LINES), "xz": lzma.compress(LINES),
            "bzip2": bz2.compress(LINES), "plain": LINES}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def whole(path: Path, content: bytes, limits: TraceLimits | None = None) -> bytes:
    path.write_bytes(content)
    return b"".join(pieces(path, limits or TraceLimits()))


@pytest.mark.parametrize("kind", CONTENTS)
def test_compression_is_recognised_by_the_first_bytes(path: Path, kind: str) -> None:
    assert whole(path, CONTENTS[kind]) == LINES
    assert len(list(Trace(path))) == 3000


@pytest.mark.parametrize("kind", ["gzip", "zstd", "xz", "bzip2"])
def test_a_file_may_be_of_several_parts(path: Path, kind: str) -> None:
    assert whole(path, CONTENTS[kind] * 3) == LINES * 3
    assert whole(path, CONTENTS[kind] + bytes(2000)) == LINES


@pytest.mark.parametrize("kind", ["gzip", "zstd", "xz", "bzip2"])
@pytest.mark.parametrize("cut", [1, 8, 100, 3000])
def test_what_is_cut_off_is_told(path: Path, kind: str, cut: int) -> None:
    with pytest.raises(UserError, match="the file ends within its compressed data, after"):
        whole(path, CONTENTS[kind][:-cut])


@pytest.mark.parametrize("kind", ["gzip", "zstd", "xz", "bzip2"])
def test_what_is_damaged_is_told(path: Path, kind: str) -> None:
    content = bytearray(CONTENTS[kind])
    content[len(content) // 2 : len(content) // 2 + 40] = b"\xff" * 40
    with pytest.raises(UserError, match=r"the compressed data are damaged before byte \d+: "):
        whole(path, bytes(content))
    with pytest.raises(UserError, match="the compressed data are damaged"):
        whole(path, CONTENTS[kind] + b"garbage" * 3)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, lzma.compress, bz2.compress])
def test_a_bomb_is_put_out(path: Path, compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(UserError, match=r"more than 200 times as long when decompressed: \d+ bytes from the first \d+"):
        whole(path, compress(bytes(8 << 20)))
    path.write_bytes(compress(b"\n" * (8 << 20)))
    with pytest.raises(UserError, match="more than 200 times as long"):
        list(Trace(path, "spc"))


def test_even_a_bomb_comes_in_pieces(path: Path) -> None:
    path.write_bytes(gzip.compress(bytes(8 << 20)))
    longest = max(map(len, pieces(path, TraceLimits(ratio=1e9))))
    assert longest < PIECE + 1100 * FEED


def test_a_kilobyte_that_makes_a_gibibyte_is_put_out(path: Path) -> None:
    with pytest.raises(UserError, match="are damaged before byte 113: 113 bytes of them make more than 33554432"):
        whole(path, bz2.compress(bytes(100_000_000)))


def test_there_is_a_limit_to_the_size(path: Path) -> None:
    for content in CONTENTS.values():
        with pytest.raises(UserError, match="a trace has at most 1000 bytes, and this has more"):
            whole(path, content, TraceLimits(size=1000))


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / ("x" * 300)):
        with pytest.raises(UserError):
            Trace(path)
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(UserError, match="the file is empty"):
        Trace(empty)


def test_a_file_is_closed_by_whom_it_was_opened_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held here, so that nobody but the reader can have closed it."""
    opened: list[Generator[bytes, None, None]] = []

    def watched(path: Path, limits: TraceLimits) -> Generator[bytes, None, None]:
        opened.append(pieces(path, limits))
        return opened[-1]

    monkeypatch.setattr(source, "pieces", watched)
    path.write_bytes(LINES * 30)
    records = iter(Trace(path))
    next(records)
    assert isinstance(records, Generator)
    records.close()
    assert [each.gi_frame for each in opened] == [None, None]


# Archives, as a whole.

LINE = b"0,disc0,R,0,4096\n"


def packed_zip(path: Path, files: int, text: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(files):
            archive.writestr(f"{number}.csv", text)


def test_an_archive_is_held_to_the_ratio_as_a_whole(path: Path) -> None:
    """Each of 40 files is below 4 MiB, from which on the ratio counts; together they are 40 MB from 80 kB."""
    packed_zip(path, 40, LINE * 60_000)
    with pytest.raises(UserError, match="more than 200 times as long when decompressed"):
        list(Trace(path, "spc"))


def test_files_within_files_are_held_to_the_ratio_of_the_whole(path: Path) -> None:
    """Lines packed 195 times, then packed again: neither step alone is beyond the ratio."""
    inner = gzip.compress(LINE * 600_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv.gz", inner)
    with pytest.raises(UserError, match="more than 200 times as long when decompressed"):
        list(Trace(path, "spc", TraceLimits(skip_bad=10**9)))


def test_files_that_lie_over_each_other_are_refused(path: Path) -> None:
    packed_zip(path, 20, b"".join(b"%d,disc0,R,0,4096\n" % number for number in range(999)))
    with zipfile.ZipFile(path, "a") as archive:
        archive.filelist += [archive.filelist[0]] * 400
        archive._didModify = True  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="its 420 files take more bytes than it has: they lie over each other"):
        list(Trace(path))


@pytest.mark.parametrize("name", ["README", "x.csv"])
def test_a_tar_that_claims_a_size_is_refused_at_once(path: Path, name: str) -> None:
    info = tarfile.TarInfo(name)
    info.size = 1 << 50
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(512))
    with pytest.raises(UserError, match="the archive is damaged"):
        list(Trace(path))


def test_a_sparse_file_in_a_tar_is_refused_at_once(path: Path) -> None:
    info = tarfile.TarInfo("x.csv")
    info.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (0, 1 << 30)  # a hole, and its end
    header[483:495] = b"%011o\0" % (1 << 30)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path.write_bytes(bytes(header) + bytes(1024))
    with pytest.raises(UserError, match=r"'x\.csv' is sparse, and its holes are not read"):
        list(Trace(path))


def test_an_archive_of_too_many_files_is_refused(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        for number in range(4097):
            archive.addfile(tarfile.TarInfo(str(number)))
    with pytest.raises(UserError, match="more than 4096 files"):
        list(Trace(path))
