"""The code that disc handlers call when a request is initiated and when it terminates.

Jacobson 3: "The 2 disc handlers had to be modified to call the cache code at request initiation and
termination"; all of it runs at interrupt level, so it is indivisible.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import simpy

from models.max_iv.requests import Errors, RequestKind
from sim.account import Account
from sim.clock import Wait
from sim.cpu import Cpu
from sim.request import Request, wait_for


class Io(NamedTuple):
    """An I/O request for *words* from *sector* of the disc on, whose address is *dpi*.

    *position* is that sector's place in the requestor's file, its FPI.
    """

    kind: RequestKind
    words: int
    sector: int
    dpi: int
    position: int
    account: Account


class CachedDisc(Protocol):
    """What the cache code needs of the handler that called it."""

    errors: Errors
    track_sectors: int

    def begin(self, io: Io) -> Request:
        """Set the drive to work for *io*."""

    def read_on(self, io: Io, sectors: int) -> Request:
        """The same, but read so many *sectors*."""

    def write_sector(self, dpi: int, account: Account) -> Request:
        """Write one sector from memory, charged to *account* alone."""

    def dpis(self, io: Io) -> Sequence[int]:
        """The addresses of all sectors that *io* touches."""

    def left_on_track(self, io: Io) -> int:
        """How many sectors there are from that of *io* to the end of its track."""


class CacheCodeCosts(NamedTuple):
    """Seconds at interrupt level: *compare* a comparison, *copy* a sector."""

    compare: float
    copy: float


class CacheCode(Protocol):
    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        """Do *io*, with the disc where it must be; returns whether the disc has failed."""


class Cpus(NamedTuple):
    """Where cache code works: the clock and the processor."""

    env: simpy.Environment
    cpu: Cpu


class NoCache:
    """A system without FHL."""

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        yield from wait_for(disc.begin(io), io.account)
        return disc.errors.strike()
