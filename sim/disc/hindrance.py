"""Hindrance describes delays of a drive beside its service: sleep when idle, and stalls of its firmware."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hindrance:
    """Delays of a drive, in seconds; 0 is never.

    A drive that was idle for *sleep_after* wakes in *wake*, and stalls for *stall* at every *stall_every*-th request.
    """

    sleep_after: float = 0.0
    wake: float = 0.0
    stall_every: int = 0
    stall: float = 0.0
