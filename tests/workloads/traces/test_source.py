"""The bytes of a trace: compressed or not, cut off, damaged, and far more of them than a file had room for."""

import bz2
import gzip
import lzma
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
