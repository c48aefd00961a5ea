"""Some requests of a trace in arrays, as each quick reader gives them; and the refusal of what is not simple."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

BATCH = 1 << 23
"""Bytes that are read at a time."""

Integers = NDArray[np.int64]


class NotSimpleError(Exception):
    """The file is one for the careful reader, which says what is wrong with it, if anything is."""


def held(simple: bool) -> None:
    """NotSimpleError unless what is asked for holds."""
    if not simple:
        raise NotSimpleError


class Words(NamedTuple):
    """A column of words: for each the number of one of *names*."""

    codes: Integers
    names: Sequence[str]


class QuickBatch(NamedTuple):
    """Requests in turn: bytes of a device from *firsts* on, or *counts* references each to the objects of *keys*.

    *times*, *ttls* and *gaps* are in seconds, the first two nan where there are none.
    """

    times: NDArray[np.float64]
    ttls: NDArray[np.float64]
    writes: NDArray[np.bool_]
    owners: Words
    lengths: Integers
    firsts: Integers | None = None
    keys: Words | None = None
    counts: Integers | None = None
    gaps: NDArray[np.float64] | None = None


class QuickReader(Protocol):
    """Reads one file; NotSimpleError, perhaps behind some batches, where that cannot be done."""

    @property
    def keyed(self) -> bool: ...

    def batches(self, pieces: Iterator[bytes]) -> Iterator[QuickBatch]:
        """What is in the *pieces* of the file."""


def nobody(count: int) -> Words:
    """The owner of *count* requests that name none."""
    return Words(np.zeros(count, dtype=np.int64), [""])


def never(count: int) -> NDArray[np.float64]:
    """No time, for each of *count*."""
    return np.full(count, np.nan)


def blocks_of(pieces: Iterator[bytes], whole: Callable[[bytes], int]) -> Iterator[bytes]:
    """*pieces* in blocks of about BATCH bytes, each of as many as are *whole*; the last has whatever is left."""
    parts, size = list[bytes](), 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size >= BATCH:
            block = b"".join(parts)
            end = whole(block)
            held(end > 0)
            yield block[:end]
            parts, size = [block[end:]], len(block) - end
    rest = b"".join(parts)
    if rest:
        yield rest


def whole_lines(pieces: Iterator[bytes], longest: int) -> Iterator[bytes]:
    """Blocks of lines of text, none of which has more than *longest* bytes."""
    for block in blocks_of(pieces, lambda block: block.rfind(b"\n") + 1):
        _check_text(block, longest)
        yield block


def _check_text(block: bytes, longest: int) -> None:
    """Text in UTF-8, of lines that end as they should; to look for one byte takes a tenth of what two take."""
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
    held(bool(np.diff(ends, prepend=-1, append=len(block)).max() <= longest))
    held(b"\0" not in block)
    held(b"\r" not in block or block.count(b"\r") == block.count(b"\r\n") + block.endswith(b"\r"))
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            raise NotSimpleError from None
