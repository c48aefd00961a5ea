"""Simulates the disc handlers of Max-IV and the REX, the trap by which programs request I/O.

A handler performs I/O requests on one drive, and calls the cache code before and after each.
"""

from collections.abc import Sequence

import simpy

from spindle.models.max_iv.cache_code import CacheCode, Io
from spindle.models.max_iv.disc_address import TRACK_BITS, UNIT_BITS, disc_address
from spindle.models.max_iv.requests import SECTOR_BYTES, SECTOR_WORDS, WRITE_KINDS, Errors, NoErrors, RequestKind
from spindle.sim.clock import CPU, Account, Ledger, Wait, begin
from spindle.sim.cpu import Cpu
from spindle.sim.disc.drive import Drive
from spindle.sim.request import READ, WRITE, Request, access, wait_for

_OPS = tuple(WRITE if kind in WRITE_KINDS else READ for kind in RequestKind)


class DiscHandler:
    """A disc handler, MH.HAN or LD.HAN, for *drive*, which is disc number *unit* with *track_sectors* a track.

    A request begins at a sector's beginning. A short write is padded to whole sectors by the disc hardware
    (Jacobson 2.2), a short read passes over whole ones, and one that moves no words passes over one to see its mark.
    """

    def __init__(
        self, env: simpy.Environment, drive: Drive, unit: int, track_sectors: int, cache: CacheCode,
        errors: Errors | None = None,
    ) -> None:
        self._env = env
        self.drive = drive
        self._unit = unit
        self.track_sectors = track_sectors
        self.cache = cache
        self.errors: Errors = errors or NoErrors()
        self.requests = [0] * len(RequestKind)
        self._dpis: dict[tuple[int, int], tuple[int, ...]] = {}

    def perform(self, kind: RequestKind, sector: int, words: int, account: Account, position: int = 0) -> Wait:
        """Perform one request, and repeat it as often as the disc fails."""
        track, within = divmod(sector, self.track_sectors)
        dpi = self._unit << UNIT_BITS | track << TRACK_BITS | within
        io = tuple.__new__(Io, (kind, words, sector, dpi, position, account))
        failed = True
        while failed:
            self.requests[kind] += 1
            failed = yield from self.cache.perform(io, self)

    def start(self, kind: RequestKind, sector: int, words: int = SECTOR_WORDS, position: int = 0) -> Request:
        """Start a request in quick mode, without waiting; a later wait for it shares its time."""
        ledger = Ledger(f"{self.drive.name} in quick mode")
        request = Request(self._env, access(_OPS[kind], sector * SECTOR_BYTES, SECTOR_BYTES, ledger), ledger)
        begin(self._env, self._work(request, kind, sector, words, position))
        return request

    def _work(self, request: Request, kind: RequestKind, sector: int, words: int, position: int) -> Wait:
        yield from self.perform(kind, sector, words, request.access.account, position)
        request.succeed()

    def begin(self, io: Io) -> Request:
        return self._start(io, self._sectors(io))

    def read_on(self, io: Io, sectors: int) -> Request:
        return self._start(io, sectors)

    def _start(self, io: Io, sectors: int) -> Request:
        return self.drive.start(
            access(_OPS[io.kind], io.sector * SECTOR_BYTES, sectors * SECTOR_BYTES, io.account)
        )

    def write_sector(self, dpi: int, account: Account) -> Request:
        track, within = dpi % (1 << UNIT_BITS) >> TRACK_BITS, dpi % (1 << TRACK_BITS)
        return self.drive.start(access(WRITE, (track * self.track_sectors + within) * SECTOR_BYTES, SECTOR_BYTES,
                                       account))

    def dpis(self, io: Io) -> Sequence[int]:
        """Return the disc addresses of *io*, remembered because images are written over and over at one place."""
        place = io.sector, self._sectors(io)
        known = self._dpis.get(place)
        if known is None:
            known = self._dpis[place] = tuple([self.dpi(sector) for sector in range(place[0], sum(place))])
        return known

    def dpi(self, sector: int) -> int:
        """Return the disc address of the *sector*-th sector of this disc."""
        return disc_address(self._unit, *divmod(sector, self.track_sectors))

    def left_on_track(self, io: Io) -> int:
        return self.track_sectors - io.sector % self.track_sectors

    @staticmethod
    def _sectors(io: Io) -> int:
        return max(1, -(-io.words // SECTOR_WORDS))

    def reading(self) -> dict[str, float]:
        return {kind.name.lower(): float(self.requests[kind]) for kind in RequestKind}


class InputOutput:
    """The REX: passes requests to *handlers* of discs, each after *request_cpu* seconds of the CPU at *level*."""

    def __init__(self, cpu: Cpu, handlers: Sequence[DiscHandler], request_cpu: float, level: int) -> None:
        self._cpu = cpu
        self._handlers = handlers
        self._request_cpu = request_cpu
        self._level = level

    def transfer(
        self, kind: RequestKind, unit: int, sector: int, account: Account, words: int = SECTOR_WORDS, position: int = 0
    ) -> Wait:
        """Perform one request from *sector* of disc *unit* on, and wait until it is done."""
        yield self._cpu.burst(self._request_cpu, self._level, CPU, account)
        yield from self._handlers[unit].perform(kind, sector, words, account, position)

    def read(self, unit: int, sectors: Sequence[int], account: Account, step: int = 0) -> Wait:
        """Read single *sectors*, one after the other; each lies *step* further in its file."""
        for number, sector in enumerate(sectors):
            yield from self.transfer(RequestKind.READ, unit, sector, account, position=number * step)

    def write(self, unit: int, sectors: Sequence[int], account: Account, step: int = 0) -> Wait:
        """Write single *sectors*, one after the other; each lies *step* further in its file."""
        for number, sector in enumerate(sectors):
            yield from self.transfer(RequestKind.WRITE, unit, sector, account, position=number * step)

    def quick(self, kind: RequestKind, unit: int, sector: int, account: Account, position: int = 0) -> Wait:
        """Start a request in quick mode; return it as soon as the handler has it."""
        yield self._cpu.burst(self._request_cpu, self._level, CPU, account)
        return self._handlers[unit].start(kind, sector, SECTOR_WORDS, position)

    def read_ahead(self, unit: int, sectors: Sequence[int], account: Account, buffers: int) -> Wait:
        """Read *sectors* of a file in quick mode, with *buffers* requests under way."""
        under_way: list[Request] = []
        for position, sector in enumerate(sectors):
            if len(under_way) == buffers:
                yield from wait_for(under_way.pop(0), account)
            under_way.append((yield from self.quick(RequestKind.READ, unit, sector, account, position)))
        for request in under_way:
            yield from wait_for(request, account)
