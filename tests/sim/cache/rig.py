"""Rig, a cache for tests by hand: blocks of 100 bytes above a drive that takes a second for each request."""

from collections.abc import Callable

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, BlockDevice, Hint, Op, Request, Span

EXTENT = Span(0, 100_000)


class Logged(Drive):
    """A drive that records the requests that it gets."""

    def __init__(self, env: simpy.Environment, seconds: float = 1.0) -> None:
        super().__init__(env, FixedService(seconds, capacity=EXTENT.end))
        self.asked: list[tuple[float, str, int, int]] = []
        self.accesses: list[Access] = []
        self.discarded: list[Span] = []

    def start(self, access: Access) -> Request:
        self.asked.append((round(self.env.now, 6), access.op.value, *access.span))
        self.accesses.append(access)
        return super().start(access)

    def discard(self, span: Span) -> None:
        self.discarded.append(span)


class Rig:
    """A cache of *blocks* blocks, and processes that use it at given times."""

    def __init__(
        self, env: simpy.Environment, log: list[object], blocks: int = 10, below: BlockDevice | None = None,
        **parts: object,
    ) -> None:
        self.env = env
        self.log = log
        self.drive = Logged(env)
        self.memory = SharedMemory(env, blocks * 100, Lru())
        self.cache = BlockCache(env, below or self.drive, 100, self.memory, **parts)  # type: ignore[arg-type]

    def use(self, who: str, at: float, op: Op, first: int, length: int, within: Span = EXTENT,
            hint: Hint = Hint.NONE, durable: bool = False) -> Account:
        account = Account(who)

        def process() -> Wait:
            yield self.env.timeout(at)
            access = Access(op, Span(first, length), within, "file", hint, durable, account)
            yield from self.cache.read(access) if op is Op.READ else self.cache.write(access)
            assert account.total() == pytest.approx(self.env.now - at), "charged is not elapsed"
            self.log.append((round(self.env.now, 6), who))

        self.env.process(process())
        return account

    def read(self, who: str, at: float, first: int, length: int, **others: object) -> Account:
        return self.use(who, at, Op.READ, first, length, **others)  # type: ignore[arg-type]

    def write(self, who: str, at: float, first: int, length: int, **others: object) -> Account:
        return self.use(who, at, Op.WRITE, first, length, **others)  # type: ignore[arg-type]

    def counts(self) -> tuple[float, float, float]:
        """Return hits, late hits and misses, after checks that no block is pinned and that memory and cache agree."""
        self.env.run()
        assert self.memory._pins == {}
        assert self.memory.used_bytes <= self.memory.capacity
        assert self.memory.used_bytes == 100 * len(self.cache.blocks._entries)
        reading = self.cache.reading()
        return reading["hits"], reading["late_hits"], reading["misses"]


Make = Callable[..., Rig]
