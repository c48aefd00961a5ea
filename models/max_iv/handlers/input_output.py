"""The REX through which programs ask for I/O: some CPU time in the caller's own name, then the disc's handler."""

from collections.abc import Sequence

import simpy

from models.max_iv.handlers.disc_handler import DiscHandler
from models.max_iv.handlers.request_kind import SECTOR_WORDS, Kind
from models.max_iv.processor import SaysIdle, never, quiet_until
from sim.account import CACHE, CPU, Account
from sim.clock import Wait
from sim.cpu import INTERRUPT, Cpu
from sim.request import Request, wait_for


class InputOutput:
    """*request_cpu* seconds a request at *level*, on the discs of *handlers*."""

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, handlers: Sequence[DiscHandler], request_cpu: float, level: int
    ) -> None:
        self._env = env
        self._cpu = cpu
        self._idle = cpu.idle if isinstance(cpu, SaysIdle) else never
        self._handlers = handlers
        self._request_cpu = request_cpu
        self._level = level

    def transfer(
        self, kind: Kind, unit: int, sector: int, account: Account, words: int = SECTOR_WORDS, position: int = 0
    ) -> Wait:
        """One request from *sector* of disc *unit* on; returns when it is done."""
        yield self._cpu.burst(self._request_cpu, self._level, CPU, account)
        yield from self._handlers[unit].perform(kind, sector, words, account, position)

    def read(self, unit: int, sectors: Sequence[int], account: Account, step: int = 0) -> Wait:
        """Single *sectors*, one after the other; each lies *step* further in its file.

        Hits in a row are one burst where the CPU is idle and nothing at all can happen before they are done.
        """
        burst, each, env, handler = self._cpu.burst, self._request_cpu, self._env, self._handlers[unit]
        done = 0
        while done < len(sectors):
            if self._idle():
                count, seconds = handler.answer(sectors[done:], each, quiet_until(env) - env._now)
                if count:
                    yield burst(count * each + seconds, INTERRUPT, CACHE, account, count * each)
                    done += count
                    continue
            yield burst(each, self._level, CPU, account)
            yield from handler.perform(Kind.READ, sectors[done], SECTOR_WORDS, account, done * step)
            done += 1

    def write(self, unit: int, sectors: Sequence[int], account: Account, step: int = 0) -> Wait:
        """Single *sectors*, one after the other; each lies *step* further in its file."""
        for number, sector in enumerate(sectors):
            yield from self.transfer(Kind.WRITE, unit, sector, account, position=number * step)

    def quick(self, kind: Kind, unit: int, sector: int, account: Account, position: int = 0) -> Wait:
        """A request in quick mode: returns it as soon as the handler has it."""
        yield self._cpu.burst(self._request_cpu, self._level, CPU, account)
        return self._handlers[unit].start(kind, sector, SECTOR_WORDS, position)

    def ahead(self, unit: int, sectors: Sequence[int], account: Account, buffers: int) -> Wait:
        """Read *sectors* of a file with so many *buffers*: in quick mode as many requests are under way."""
        under_way: list[Request] = []
        for position, sector in enumerate(sectors):
            if len(under_way) == buffers:
                yield from wait_for(under_way.pop(0), account)
            under_way.append((yield from self.quick(Kind.READ, unit, sector, account, position)))
        for request in under_way:
            yield from wait_for(request, account)
