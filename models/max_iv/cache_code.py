"""Defines the cache code that Max-IV's disc handlers call when a request is initiated and when it terminates.

Jacobson 3: "The 2 disc handlers had to be modified to call the cache code at request initiation and
termination".
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import simpy

from spindle.models.max_iv.requests import Errors, RequestKind
from spindle.sim.clock import Account, Wait
from spindle.sim.cpu import Cpu
from spindle.sim.request import Request, wait_for


class Io(NamedTuple):
    """An I/O request for *words* words from *sector* of a track on; *dpi* is the disc address of that sector.

    *position* is the number of the sector in the requestor's file, which Jacobson calls FPI.
    """

    kind: RequestKind
    words: int
    sector: int
    dpi: int
    position: int
    account: Account


class CachedDisc(Protocol):
    """Operations of a disc handler that the cache code uses."""

    errors: Errors
    track_sectors: int

    def begin(self, io: Io) -> Request:
        """Set the drive to work for *io*."""

    def read_on(self, io: Io, sectors: int) -> Request:
        """Set the drive to work for *io*, but read *sectors* sectors."""

    def write_sector(self, dpi: int, account: Account) -> Request:
        """Write one sector from memory, charged to *account* alone."""

    def dpis(self, io: Io) -> Sequence[int]:
        """Return the addresses of all sectors that *io* touches."""

    def left_on_track(self, io: Io) -> int:
        """Return the number of sectors from that of *io* to the end of its track."""


class CacheCodeCosts(NamedTuple):
    """CPU seconds at interrupt level: *compare* for each comparison of a search, *copy* for copying a sector."""

    compare: float
    copy: float


class CacheCode(Protocol):
    """The code that a disc handler calls for each request: a cache, or none."""

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        """Perform *io*, from the cache or from *disc*; return whether the disc has failed."""


class Cpus(NamedTuple):
    """The clock and the processor on which cache code runs."""

    env: simpy.Environment
    cpu: Cpu


class NoCache:
    """The code of a system without FHL: every request goes to the disc."""

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        yield from wait_for(disc.begin(io), io.account)
        return disc.errors.strike()
