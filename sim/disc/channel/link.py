"""How a drive that has a buffer talks to its host over a channel: messages, and data at the channel's rate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from sim.error import UserError
from sim.parameter import ParameterSource
from sim.units import MS


@dataclass(frozen=True)
class Link:
    """The host sends a *command*; before data go either way, drive and host must *connect* again. Seconds.

    All of it occupies the channel. Between command and data the drive lets go of it.
    """

    name: str
    command: float
    connect: float
    bytes_per_second: float
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("command", "connect"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"link {self.name}: {name} {getattr(self, name)} s must be finite and not negative")
        if not 0.0 < self.bytes_per_second < inf:
            raise UserError(f"link {self.name}: bytes_per_second {self.bytes_per_second} must be positive and finite")


_HPLAJW = "HP C2200A discs of the host hplajw, May 1992"
_LOCKED = ("the rotation of these discs can be followed from one completion to the next, which tells for each request "
           "when its first sector came under the head")

HP_IB = Link(
    name="HP-IB",
    command=0.9 * MS,
    connect=1.6 * MS,
    bytes_per_second=1.006e6,
    sources={
        "command": ParameterSource(
            "fitted",
            f"{_HPLAJW}: the greatest share of requests on the right revolution; with the "
            "report, which cannot be told from it; each half of the trace gives it to 0.1 ms",
        ),
        "connect": ParameterSource(
            "fitted",
            f"{_HPLAJW}: end of medium to completion of reads within a track, straight line "
            f"over 1 to 8 KB at no bytes; {_LOCKED}",
        ),
        "bytes_per_second": ParameterSource(
            "fitted",
            f"{_HPLAJW}: the slope of the same line, 0.2545 ms a sector of 256 bytes; "
            "the trace gives 1.2 MB/s as the most that the bus can do",
        ),
    },
)
"""A drive with the CS/80 command set: command, execution and report, for each of which the host is called by a poll."""
