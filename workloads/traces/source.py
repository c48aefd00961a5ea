"""The bytes of a file in pieces, decompressed if they begin as gzip, zstd, xz or bzip2 do; bombs are put out."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Protocol

from spindle.sim.error import UserError, check_there
from spindle.workloads.traces.record import TraceLimits

PIECE = 1 << 18
FEED = 1 << 10
"""Compressed bytes at a time: even a bomb makes no more than some megabytes of them."""
WINDOW = 1 << 27
"""The largest window of a zstd file, as in ``zstd --long=27``."""
MEMORY = 1 << 27
"""Bytes for the dictionary of an xz file; -9 takes 65 MiB."""
MOST = 1 << 25
"""Bytes that one piece of FEED may make: of bzip2 it could be a gibibyte."""


class Decompressor(Protocol):
    """What zlib's and zstandard's objects have in common; one does one member, or frame."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


Opened = tuple[Decompressor, type[Exception]]
"""A new decompressor, and what it raises at what is damaged."""


def _gzip() -> Opened:
    return zlib.decompressobj(31), zlib.error


def _zstd() -> Opened:
    import zstandard  # here, so that it is asked for by those files alone that are compressed so

    return zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj(), zstandard.ZstdError


class _Bounded:
    """A decompressor of the standard library that makes MOST bytes at a time at most."""

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
        made = self._own.decompress(data, MOST)
        if not self._own.eof and not self._own.needs_input:
            raise self._damage(f"{len(data)} bytes of it make more than {MOST}")
        return made


def _xz() -> Opened:
    return _Bounded(lzma.LZMADecompressor(lzma.FORMAT_XZ, MEMORY), lzma.LZMAError), lzma.LZMAError


def _bzip2() -> Opened:
    return _Bounded(bz2.BZ2Decompressor(), OSError), OSError


KINDS = {b"\x1f\x8b": _gzip, b"\x28\xb5\x2f\xfd": _zstd, b"\xfd7zX": _xz, b"BZh": _bzip2}
"""By the first bytes of the file."""


def pieces(path: Path, limits: TraceLimits) -> Generator[bytes, None, None]:
    """The bytes of the file at *path* in pieces of about PIECE; UserError where they cannot be had or go beyond.

    Who may stop before the end closes it, and with it the file.
    """
    read = 0
    try:
        check_there(path)
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            make = next((make for magic, make in KINDS.items() if start.startswith(magic)), None)
            for piece in _plain(file) if make is None else _gathered(_decompressed(path, file, make, limits)):
                read += len(piece)
                if read > limits.size:
                    raise UserError(f"{path}: a trace has at most {limits.size} bytes, and this has more")
                yield piece
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error


def head(path: Path, limits: TraceLimits) -> bytes:
    """The first piece of the file."""
    with closing(pieces(path, limits)) as parts:
        return next(parts, b"")


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def _decompressed(
    path: Path, file: IO[bytes], make: Callable[[], Opened], limits: TraceLimits
) -> Iterator[bytes]:
    fed = made = 0
    (member, damage), rest = make(), b""
    try:
        while data := rest or file.read(FEED):
            fed += 0 if rest else len(data)
            if member.eof:
                if not data.strip(b"\0"):  # tapes and some tools fill up with zeros
                    rest = b""
                    continue
                member, damage = make()
            piece = member.decompress(data)
            rest = member.unused_data if member.eof else b""
            made += len(piece)
            if made > limits.ratio_from and made > limits.ratio * fed:
                raise UserError(f"{path}: more than {limits.ratio:g} times as long when decompressed: "
                              f"{made} bytes from the first {fed}")
            yield piece
    except damage as error:
        raise UserError(f"{path}: what is compressed is damaged before byte {fed}: {error}") from error
    if not member.eof:
        raise UserError(f"{path}: the file ends within what is compressed, after {fed} bytes")


def _gathered(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Fewer and longer pieces."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)
