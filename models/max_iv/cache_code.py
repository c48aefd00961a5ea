"""The code that disc handlers call when a request is initiated and when it terminates, and its CPU times.

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
    """An I/O request for *words* from *sector* of a track on; *dpi* is its disc address: unit, track and sector.

    *position* is its place in the requestor's file, which Jacobson calls FPI.
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
    """Seconds at interrupt level: *compare* a comparison, *copy* a sector."""

    compare: float
    copy: float


class CacheCode(Protocol):
    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        """Perform *io*, from the cache or from *disc*; return whether the disc has failed."""


class Cpus(NamedTuple):
    """The clock and the processor for cache code."""

    env: simpy.Environment
    cpu: Cpu


class NoCache:
    """A system without FHL."""

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        yield from wait_for(disc.begin(io), io.account)
        return disc.errors.strike()
