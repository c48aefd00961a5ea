"""Defines one request of a trace (Record), in seconds and bytes whatever the file's format.

Also numbers the keys of objects, and limits what broken or hostile trace files may contain (TraceLimits).
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from spindle.sim.error import UserError
from spindle.sim.span import Op
from spindle.sim.units import GIB

SECTOR = 512
"""Bytes of a sector in traces of blocks."""


class Record(NamedTuple):
    """One request of a trace. *time* counts from the beginning of the trace; a field that is None is not in the trace.

    *gap*: seconds from the completion of the request before it to this one. *service* is the *response* without the
    queue, both as measured. *number* is the request's in the file. For a request of objects by their *keys* instead
    of bytes of a device, *first* is 0 and *length* is the size of each, 1 where the trace has none (*unsized*); from
    then on they are valid for *ttl* seconds; a *delete* takes them out of every cache, and is no reference.
    """

    time: float | None
    device: str
    op: Op
    first: int
    length: int
    response: float | None = None
    gap: float | None = None
    service: float | None = None
    number: int | None = None
    keys: tuple[str, ...] = ()
    ttl: float | None = None
    delete: bool = False
    unsized: bool = False


def number_of(key: str) -> int:
    """Number an object by its *key*: 62 bits of a digest, which two of 10^8 keys share with chance 1 in 900."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") >> 2


MIN_BLOCK = 512
"""Bytes of the smallest block: a sector, since traces and caches of drives have nothing smaller."""

MAX_MEAN_BLOCKS, ALLOWED_REFERENCES = 1 << 14, 1 << 20
"""Most blocks per request on average, checked beyond ALLOWED_REFERENCES in all: a short file may name terabytes."""


@dataclass(frozen=True)
class TraceLimits:
    """Limits of any trace: bytes, seconds, and bad lines (or records) passed over before the next is a UserError."""

    skip_bad: int = 0
    has_skip: bool = True
    """True where the user has the option --skip-bad."""
    slack: float = 10.0
    """Seconds by which a request may be out of order: logs are written when requests are done."""
    latest: float = 1e10
    end: int = 1 << 60
    """First byte that no device may have: an exbibyte."""
    length: int = GIB
    devices: int = 1024
    line: int = 1 << 16
    size: int = 1 << 42
    """Bytes of the file, decompressed."""
    spool: int = 1 << 32
    """Bytes that come through a pipe and are kept while they are read."""
    ratio: float = 200.0
    """Decompressed to compressed bytes: traces reach 30; a file that reaches a thousand is a decompression bomb."""
    ratio_from: int = 1 << 22
    """Decompressed bytes from which the ratio counts: a short file may well be all alike."""


def small_enough(references: int, requests: int, block: int) -> None:
    """Raise UserError where there are far more *references* than *requests*."""
    if references > max(ALLOWED_REFERENCES, MAX_MEAN_BLOCKS * requests):
        several = "s" * (requests > 1)
        raise UserError(f"{requests:,} request{several} would be {references:,} references to blocks of {block:,} "
                        "bytes: give a larger --block")
