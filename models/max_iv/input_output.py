"""The REX through which programs ask for I/O: some CPU time in the caller's own name, then the disc's handler."""

from collections.abc import Sequence

from models.max_iv.disc_handler import WORD_BYTES, DiscHandler
from models.max_iv.eligibility import SECTOR_BYTES, SECTOR_WORDS, Kind
from sim.account import Account, Part
from sim.clock import Wait
from sim.cpu import Cpu
from sim.request import Op, access

_OPS = tuple(Op.WRITE if kind in (Kind.WRITE, Kind.WEOF) else Op.READ for kind in Kind)


class InputOutput:
    """*request_cpu* seconds a request at *level*, on the discs of *handlers*."""

    def __init__(self, cpu: Cpu, handlers: Sequence[DiscHandler], request_cpu: float, level: int) -> None:
        self._cpu = cpu
        self._handlers = handlers
        self._request_cpu = request_cpu
        self._level = level

    def transfer(self, kind: Kind, unit: int, sector: int, account: Account, words: int = SECTOR_WORDS) -> Wait:
        """One request from *sector* of disc *unit* on; returns when it is done."""
        yield self._cpu.burst(self._request_cpu, self._level, Part.CPU, account)
        length = max(words * WORD_BYTES, 1)
        asked = access(_OPS[kind], sector * SECTOR_BYTES, length, account)
        yield from self._handlers[unit].perform(kind, asked)

    def each(self, kind: Kind, unit: int, sectors: Sequence[int], account: Account) -> Wait:
        """One request after the other for single *sectors*."""
        for sector in sectors:
            yield from self.transfer(kind, unit, sector, account)
