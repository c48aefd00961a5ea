"""One request of a trace, in seconds and bytes, whatever the file that it stood in."""

from typing import NamedTuple

from sim.request import Op


class Record(NamedTuple):
    """*time* counts from the trace's own beginning; None where the trace does not say, which holds of all that may be.

    *gap*: seconds between the answer to the request before it and this one. *service* is the *response* without the
    queue, both as measured. *number* is what the file calls the request. Where it asks for objects by their *keys*,
    and not for bytes of a device, *first* is 0 and *length* is the size of each, 1 where the trace does not say.
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
