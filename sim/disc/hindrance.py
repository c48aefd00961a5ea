"""Delays beside the service of a drive: sleep after an idle time, from which it wakes, and stalls of its firmware."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hindrance:
    """Seconds: a drive that was idle for *sleep_after* wakes in *wake*, and stands still for *stall* at every
    *stall_every*-th request. 0 is never.
    """

    sleep_after: float = 0.0
    wake: float = 0.0
    stall_every: int = 0
    stall: float = 0.0
