"""Delays beside the service of a drive: sleep after an idle time, stalls of its firmware, a network on the way."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hindrance:
    """Seconds: a drive that was idle for *sleep_after* wakes in *wake*, and stands still for *stall* at every
    *stall_every*-th request. A request to it and back is *latency* under way, and its data pass a network of *rate*
    bytes a second each way, which all drives share. 0 is never, or no limit.
    """

    sleep_after: float = 0.0
    wake: float = 0.0
    stall_every: int = 0
    stall: float = 0.0
    latency: float = 0.0
    rate: float = 0.0
