"""Finds the files of a trace given by name, folder, pattern or pipe, and reads their bytes in pieces.

Archives are opened, and compressed files are decompressed; those that would decompress to far too much are refused.
"""

import atexit
import bz2
import io
import lzma
import re
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
import zlib
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from glob import glob
from itertools import chain
from pathlib import Path
from threading import Timer
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

from spindle.sim.error import UserError, check_regular_file, quote
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.tables import is_table, lines_of
from spindle.workloads.traces.unpacked import Unpacked

# Bytes of one file, decompressed.

PIECE = 1 << 18
"""Bytes that are read at a time."""
FEED = 1 << 10
"""Compressed bytes that are decompressed at a time: even hostile ones make no more than some megabytes."""
WINDOW = 1 << 27
"""Largest window of a zstd file, in bytes, as in ``zstd --long=27``."""
MEMORY = 1 << 27
"""Most bytes for the dictionary of an xz file; -9 takes 65 MiB."""
MAX_DECOMPRESSED = 1 << 25
"""Most bytes to which FEED bytes may decompress; with bzip2 it could be a gibibyte."""

Item = TypeVar("Item")


class Decompressor(Protocol):
    """The common protocol of zlib's and zstandard's decompressors; one decompresses one member, or frame, of a file."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


UTF_16 = ((rb"\xff\xfe\0\0", "utf-32-le"), (rb"\0\0\xfe\xff", "utf-32-be"),
          (rb"\xff\xfe|(?:[\t\n\r -~]\0){16}", "utf-16-le"),
          (rb"\xfe\xff|(?:\0[\t\n\r -~]){16}", "utf-16-be"))  # fmt: skip
"""Encodings by the byte order mark with which a file begins, or by its zeros."""
Opened = tuple[Decompressor, type[Exception]]
"""A new decompressor, and the exception that it raises for damaged data."""


def _gzip() -> Opened:
    return zlib.decompressobj(31), zlib.error


def _zstd() -> Opened:
    import zstandard  # here, so that only files that are compressed so need it

    return zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj(), zstandard.ZstdError


class _Bounded:
    """A decompressor of the standard library that makes MAX_DECOMPRESSED bytes at a time at most."""

    def __init__(self, own: bz2.BZ2Decompressor | lzma.LZMADecompressor, damage: type[Exception]) -> None:
        self._own = own
        self._damage = damage

    @property
    def eof(self) -> bool:
        return self._own.eof

    @property
    def unused_data(self) -> bytes:
        return self._own.unused_data

    def decompress(self, data: bytes, /) -> bytes:
        made = self._own.decompress(data, MAX_DECOMPRESSED)
        if not self._own.eof and not self._own.needs_input:
            raise self._damage(f"{len(data)} bytes of them make more than {MAX_DECOMPRESSED}")
        return made


def _xz() -> Opened:
    return _Bounded(lzma.LZMADecompressor(lzma.FORMAT_XZ, MEMORY), lzma.LZMAError), lzma.LZMAError


def _bzip2() -> Opened:
    return _Bounded(bz2.BZ2Decompressor(), OSError), OSError


DECOMPRESSORS = {b"\x1f\x8b": _gzip, b"\x28\xb5\x2f\xfd": _zstd, b"\xfd7zX": _xz, b"BZh": _bzip2}
"""Decompressors by the first bytes of a file."""


def pieces(path: Path, limits: TraceLimits) -> Generator[bytes, None, None]:
    """Yield the bytes of the file at *path* in pieces of about PIECE; UserError if it cannot be read or is too large.

    A caller that may stop before the end has to close the generator, which closes the file.
    """
    try:
        check_regular_file(path)
        with path.open("rb") as file:
            yield from open_pieces(str(path), file, limits)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error


def open_pieces(name: str, file: IO[bytes], limits: TraceLimits) -> Iterator[bytes]:
    """Yield the bytes of *file*, decompressed; UTF-16 text becomes UTF-8."""
    read = 0
    start = file.read(4)
    make = next((make for magic, make in DECOMPRESSORS.items() if start.startswith(magic)), None)
    content = _plain(start, file) if make is None else _gather(_decompress(name, start, file, make, limits))
    for piece in _in_utf_8(name, content):
        read += len(piece)
        if read > limits.size:
            raise UserError(f"{name}: a trace has at most {limits.size} bytes, and this has more")
        yield piece


def _in_utf_8(name: str, content: Iterator[bytes]) -> Iterator[bytes]:
    first = next(content, b"")
    encoding = next((name for start, name in UTF_16 if re.match(start, first)), None)
    if b"\r" in first and not {ord("\n"), 0} & set(first):  # lines that end as on old Macs
        yield from (piece.replace(b"\r", b"\n") for piece in chain([first], content))
        return
    if encoding is None:
        yield from chain([first], content)
        return
    decoder = getincrementaldecoder(encoding)()
    try:
        for piece in chain([first], content):
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        raise UserError(f"{name}: it begins as text in UTF-16, and is none") from None


def head(path: Path, limits: TraceLimits) -> bytes:
    """Return the first piece of the file, or of the first file in an archive."""
    for _, content in members(path, limits):
        return next(content, b"")
    return b""


# Several files that are one trace: archives, and those that lie beside each other.

TAR = slice(257, 262)
"""Place of a tar archive's mark."""
ZIP = b"PK\x03\x04"
OFFICE = "[Content_Types].xml"
"""A file within each document of an office program, which is a zip."""
MAX_FILES = 4096
ASIDE = re.compile(r"(?i)[._].*|(?:readme|licen[cs]e|copying|makefile|md5sums?|sha\d*sums?)\b.*|"
                   r".*\.(?:md|md5|sha\d+|pdf|html?|png)")  # fmt: skip
"""Names of files that stand beside a trace."""


def is_aside(name: str) -> bool:
    """Tell if the file called *name* stands beside a trace and is no part of it."""
    *folders, base = name.split("/")
    return ASIDE.fullmatch(base) is not None or "__MACOSX" in folders



def members(path: Path, limits: TraceLimits) -> Generator[tuple[str, Iterator[bytes]], None, None]:
    """Yield the name and the bytes of each file in the archive at *path*, or of the file itself: to be read in turn.

    UserError where all together are far longer than the archive.
    """
    with closing(pieces(path, limits)) as content:
        first = next(content)  # of an empty file, too: nothing
        whole = chain([first], content)
        if first.startswith(ZIP):
            yield from _check_in_all(path, _guard(path, _read_zip(path, limits)), limits)
        elif first[TAR] == b"ustar":
            yield from _check_in_all(path, _guard(path, _read_tar(path, whole, limits)), limits)
        elif is_table(first) and _start(path) == first[:4]:
            yield str(path), lines_of(path, str(path), first, limits)
        else:
            yield str(path), _in_lines(str(path), whole, limits)


def _check_in_all(
    path: Path, files: Iterator[tuple[str, Iterator[bytes]]], limits: TraceLimits
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield *files*; UserError where their bytes are far more than those of the archive at *path*."""
    unpacked = Unpacked(str(path), path.stat().st_size, limits)
    for name, content in files:
        yield name, unpacked.count(content)


def _start(path: Path) -> bytes:
    """Return the first bytes of the file as it is, perhaps compressed."""
    with path.open("rb") as file:
        return file.read(4)


def _in_lines(name: str, content: Iterator[bytes], limits: TraceLimits) -> Iterator[bytes]:
    """Yield *content* or, if it is a table, its lines; a table is unpacked to a file first, from which it is read."""
    first = next(content)
    if not is_table(first):
        yield from chain([first], content)
        return
    with tempfile.TemporaryDirectory(prefix="spindle-") as folder:
        path = Path(folder) / "table"
        with path.open("wb") as file:
            _copy(chain([first], content), file, f"are a table within {name}: unpack it", limits)
        yield from lines_of(path, name, first, limits)


DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError,
          OSError, ValueError, OverflowError, struct.error)  # fmt: skip
"""Exceptions from archives that are damaged, or need a password or a missing method."""


def _guard(path: Path, content: Iterator[Item]) -> Iterator[Item]:
    """Yield *content*; errors of the archive at *path* become a UserError."""
    try:
        yield from content
    except UserError:
        raise
    except DAMAGE as error:
        said = str(error).partition("\n")[0]
        raise UserError(f"{path}: the archive is damaged, or needs a password or a missing method: {said}") from error


def _read_zip(path: Path, limits: TraceLimits) -> Iterator[tuple[str, Iterator[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        if OFFICE in archive.NameToInfo:
            raise UserError(f"{path}: this is a document of an office program: save its table as CSV")
        _check_number(path, len(archive.infolist()))
        infos = [info for info in archive.infolist()
                 if info.filename and not info.is_dir() and info.file_size and not is_aside(info.filename)]  # fmt: skip
        size, all_of_it = path.stat().st_size, Unpacked(str(path), path.stat().st_size, limits)
        if sum(info.compress_size for info in infos) > size:
            raise UserError(f"{path}: its {len(infos)} files take more bytes than it has: they lie over each other")
        for info in infos:
            all_of_it.add(info.file_size)
            Unpacked(f"{path}: {quote(info.filename)}", info.compress_size, limits).add(info.file_size)
        for info in infos:
            with archive.open(info) as file:
                name = f"{path}: {quote(info.filename)}"
                yield name, _in_lines(name, _guard(path, open_pieces(name, file, limits)), limits)


def _check_number(path: Path, files: int) -> None:
    if files > MAX_FILES:
        raise UserError(f"{path}: more than {MAX_FILES} files")


def _read_tar(path: Path, content: Iterator[bytes], limits: TraceLimits) -> Iterator[tuple[str, Iterator[bytes]]]:
    with tarfile.open(fileobj=io.BufferedReader(_Stream(content)), mode="r|") as archive:
        for count, info in enumerate(archive, 1):
            if info.issparse():
                raise UserError(f"{path}: {quote(info.name)} is sparse, and its holes are not read: pack it without -S")
            _check_number(path, count)
            wanted = info.isfile() and info.size and not is_aside(info.name)
            file = archive.extractfile(info) if wanted else None
            if file is not None:
                name = f"{path}: {quote(info.name)}"
                yield name, _in_lines(name, _guard(path, open_pieces(name, file, limits)), limits)


MAX_EMPTY = 16
"""Reads beyond the end of a stream: tarfile would step over a file that claims more bytes by reading on for ever."""


class _Stream(io.RawIOBase):
    """Pieces as a file that is read from its beginning; EOFError where it is read on and on after its end."""

    def __init__(self, content: Iterator[bytes]) -> None:
        self._content = content
        self._rest = b""
        self._empty = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._content, b"")
        self._empty += not self._rest
        if self._empty > MAX_EMPTY:
            raise EOFError("it ends within a file")
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


PER_CPU = re.compile(r"(.*\.blktrace\.)\d{1,4}")
"""blktrace writes a file for each processor."""


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """Return a key by which names sort as people count: part-2 before part-10."""
    pieces = re.split(r"(\d{1,18})", str(path))
    return [(int(piece) if place % 2 else 0, piece) for place, piece in enumerate(pieces)]


def files_of(text: str, limits: TraceLimits) -> list[Path]:
    """Return the files that *text* names: one, those of a folder or a pattern, several between commas, or a pipe's."""
    path = Path(text)
    try:
        is_pipe = text == "-" or path.is_fifo()
    except OSError as error:
        raise UserError(f"{quote(text)}: {error.strerror}") from error
    if is_pipe:
        if text == "-":
            return [_spool(lambda: sys.stdin.buffer, "standard input", limits)]
        return [_spool(lambda: path.open("rb"), text, limits)]
    per_cpu = PER_CPU.fullmatch(path.name)
    if per_cpu is not None and path.is_file():
        return sorted((each for each in path.parent.iterdir() if each.name.startswith(per_cpu[1])
                       and PER_CPU.fullmatch(each.name)), key=_by_numbers)  # fmt: skip
    if path.is_dir():
        found = sorted((each for each in path.iterdir() if each.is_file() and not is_aside(each.name)), key=_by_numbers)
    elif not path.exists() and any(mark in text for mark in "*?["):
        found = sorted(map(Path, glob(text)), key=_by_numbers)
    else:
        several = text.split(",")
        if path.exists() or not all(Path(name).is_file() for name in several):
            return [path]
        found = list(map(Path, several))
    if not found or len(found) > MAX_FILES:
        raise UserError(f"{text}: there is no file there, and folders in it are not read" if not found else
                        f"{text}: more than {MAX_FILES} files")
    return found


if TYPE_CHECKING:
    OwnPath = Path
else:
    OwnPath = type(Path())


class PipedPath(OwnPath):
    """The temporary file of what came through a pipe, which messages and pages call what the user knows."""

    said = ""

    def __str__(self) -> str:
        return self.said or super().__str__()

    def __fspath__(self) -> str:
        return super().__str__()


PATIENCE = 1.0
"""Seconds without a first byte after which the user is told what is waited for."""


@contextmanager
def _tells_of_waiting(said: str) -> Iterator[None]:
    """Warn that nothing has come through the pipe *said*, if that takes long."""
    timer = Timer(PATIENCE, warnings.warn, [f"{said}: waiting for something to be written into it"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _spool(pipe: Callable[[], IO[bytes]], said: str, limits: TraceLimits) -> Path:
    """Copy what comes through *pipe*, which can be read only once, to a file that is deleted when the program ends."""
    with _tells_of_waiting(said):
        file = pipe()
        start = file.read1(PIECE)  # type: ignore[attr-defined]
    number, name = tempfile.mkstemp(prefix="spindle-")
    atexit.register(Path(name).unlink, missing_ok=True)
    with open(number, "wb") as kept, file:
        _copy(_plain(start, file), kept, "come through a pipe: write them to a file, and name that", limits)
    path = PipedPath(name)
    path.said = said
    return path


def _copy(content: Iterator[bytes], kept: IO[bytes], what: str, limits: TraceLimits) -> None:
    """Write *content* to *kept*; beyond the limit raise UserError, which says *what* is too long."""
    size = 0
    for piece in content:
        size += len(piece)
        if size > limits.spool:
            raise UserError(f"more than {limits.spool >> 20} MiB {what}")
        kept.write(piece)


def _plain(start: bytes, file: IO[bytes]) -> Iterator[bytes]:
    piece = start + file.read(max(0, PIECE - len(start)))
    while piece:
        yield piece
        piece = file.read(PIECE)


def _decompress(
    path: str, start: bytes, file: IO[bytes], make: Callable[[], Opened], limits: TraceLimits
) -> Iterator[bytes]:
    rest = start + file.read(FEED - len(start))
    fed, made = len(rest), 0
    member, damage = make()
    try:
        while data := rest or file.read(FEED):
            fed += 0 if rest else len(data)
            if member.eof:
                if not data.strip(b"\0"):  # tapes and some tools fill up with zeros
                    rest = b""
                    continue
                member, damage = make()
            piece = member.decompress(data)
            rest = member.unused_data
            made += len(piece)
            if made > limits.ratio_from and made > limits.ratio * fed:
                raise UserError(f"{path}: more than {limits.ratio:g} times as long when decompressed: "
                              f"{made} bytes from the first {fed}")
            yield piece
    except damage as error:
        raise UserError(f"{path}: the compressed data are damaged before byte {fed}: {error}") from error
    if not member.eof:
        raise UserError(f"{path}: the file ends within its compressed data, after {fed} bytes")


def _gather(content: Iterator[bytes]) -> Iterator[bytes]:
    """Join the pieces into fewer and longer ones."""
    held: list[bytes] = []
    size = 0
    for piece in content:
        held.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)
