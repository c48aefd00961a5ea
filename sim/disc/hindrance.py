"""Hindrance describes delays of a drive beside its service: sleep when idle, stalls of its firmware, a network."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hindrance:
    """Delays of a drive, in seconds. 0 is never, or no limit.

    A drive that was idle for *sleep_after* wakes in *wake*, and stalls for *stall* at every *stall_every*-th request. A
    request takes *latency* to the drive and back in all, and its data cross a network of *rate* bytes a second each
    way, which all drives share.
    """

    sleep_after: float = 0.0
    wake: float = 0.0
    stall_every: int = 0
    stall: float = 0.0
    latency: float = 0.0
    rate: float = 0.0
