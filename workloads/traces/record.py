"""One request of a block trace, in seconds and bytes, whatever the file that it stood in."""

from typing import NamedTuple

from sim.request import Op


class Record(NamedTuple):
    """*time* counts from the trace's own beginning; None where the trace has no times, or no response times."""

    time: float | None
    device: str
    op: Op
    first: int
    length: int
    response: float | None = None
