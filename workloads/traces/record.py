"""One request of a trace, in seconds and bytes, whatever the file that it stood in."""

from hashlib import blake2b
from typing import NamedTuple

from sim.request import Op


class Record(NamedTuple):
    """One request of a trace. *time* counts from the beginning of the trace; what may be None is not in the trace.

    *gap*: seconds from the completion of the request before it to this one. *service* is the *response* without the
    queue, both as measured. *number* is the request's in the file. For a request of objects by their *keys* instead
    of bytes of a device, *first* is 0 and *length* is the size of each, 1 if the trace has none; from then on they are
    valid for *ttl* seconds.
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


def number_of(key: str) -> int:
    """An object's number by its *key*: 62 bits of a digest. That two of 10^8 keys share one has the chance 1 in 900."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") >> 2
