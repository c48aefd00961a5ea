"""The REX through which programs request I/O: some CPU time of the caller, then the disc's handler."""

from collections.abc import Sequence

from models.max_iv.handlers.disc_handler import DiscHandler
from models.max_iv.requests import SECTOR_WORDS, RequestKind
from sim.account import CPU, Account
from sim.clock import Wait
from sim.cpu import Cpu
from sim.request import Request, wait_for


class InputOutput:
    """*request_cpu* seconds a request at *level*, on the discs of *handlers*."""

    def __init__(self, cpu: Cpu, handlers: Sequence[DiscHandler], request_cpu: float, level: int) -> None:
        self._cpu = cpu
        self._handlers = handlers
        self._request_cpu = request_cpu
        self._level = level

    def transfer(
        self, kind: RequestKind, unit: int, sector: int, account: Account, words: int = SECTOR_WORDS, position: int = 0
    ) -> Wait:
        """One request from *sector* of disc *unit* on; returns when it is done."""
        yield self._cpu.burst(self._request_cpu, self._level, CPU, account)
        yield from self._handlers[unit].perform(kind, sector, words, account, position)

    def read(self, unit: int, sectors: Sequence[int], account: Account, step: int = 0) -> Wait:
        """Single *sectors*, one after the other; each lies *step* further in its file."""
        for number, sector in enumerate(sectors):
            yield from self.transfer(RequestKind.READ, unit, sector, account, position=number * step)

    def write(self, unit: int, sectors: Sequence[int], account: Account, step: int = 0) -> Wait:
        """Single *sectors*, one after the other; each lies *step* further in its file."""
        for number, sector in enumerate(sectors):
            yield from self.transfer(RequestKind.WRITE, unit, sector, account, position=number * step)

    def quick(self, kind: RequestKind, unit: int, sector: int, account: Account, position: int = 0) -> Wait:
        """A request in quick mode: returns it as soon as the handler has it."""
        yield self._cpu.burst(self._request_cpu, self._level, CPU, account)
        return self._handlers[unit].start(kind, sector, SECTOR_WORDS, position)

    def ahead(self, unit: int, sectors: Sequence[int], account: Account, buffers: int) -> Wait:
        """Read *sectors* of a file with so many *buffers*: in quick mode as many requests are under way."""
        under_way: list[Request] = []
        for position, sector in enumerate(sectors):
            if len(under_way) == buffers:
                yield from wait_for(under_way.pop(0), account)
            under_way.append((yield from self.quick(RequestKind.READ, unit, sector, account, position)))
        for request in under_way:
            yield from wait_for(request, account)
