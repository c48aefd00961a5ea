"""Tests, against a reference model, that a read returns the bytes last written, whatever is evicted or switched.

A write carries its number in ``Access.stream``. What a domain and the medium hold is followed from outside.
"""

from itertools import pairwise
from math import inf
from typing import NamedTuple

import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.models.hp3000.caching.alignment import SECTOR, Alignment, Centred, FromRequest, InMultiples
from spindle.models.hp3000.caching.control import CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.caching.domains import Domain
from spindle.models.hp3000.caching.ldev import Ldev
from spindle.models.hp3000.caching.posting import Done
from spindle.models.hp3000.discs import PlainDisc
from spindle.sim.clock import Account, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.eviction.clock import Clock
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Request, Span
from spindle.sim.units import MS

SECTORS = 48
DISC = DiscType("small", uniform(6, 1, 8, SECTOR), 6000, LinearSeek(1 * MS, 8 * MS, 6))
MEMORY = 20 * SECTOR
"""Less than half of the disc, so that domains come and go."""


def numbers(span: Span) -> range:
    return range(span.first // SECTOR, span.end // SECTOR)


class Write(NamedTuple):
    """One version of a sector, asked for at *began* and acknowledged at *ended*."""

    version: int
    began: float
    ended: float


class Medium(Drive):
    """A drive that serves the nearest first, and so in another order, and remembers the version of each sector."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env, DISC, Sstf())
        self.versions = [0] * SECTORS
        self.fetched: dict[Request, list[int]] = {}

    def start(self, access: Access) -> Request:
        request = super().start(access)
        request.callbacks.append(self._done)
        return request

    def _done(self, request: Request) -> None:
        access = request.access
        if access.op is Op.WRITE:
            for sector in numbers(access.span):
                assert isinstance(access.stream, int)
                self.versions[sector] = access.stream
        self.fetched[request] = [self.versions[sector] for sector in numbers(access.span)]


class Followed(DiscCache):
    """A cache whose domains' contents are known to the test."""

    contents: dict[Domain, dict[int, int]]

    def _bring(self, domain: Domain, access: Access) -> None:
        super()._bring(domain, access)
        assert domain.arrival is not None
        request = domain.arrival._request
        assert isinstance(self.drive, Medium)
        assert request is not None
        drive = self.drive
        # Ahead of the waiters, and behind the drive that says what it read.
        request.callbacks.insert(2, lambda _: self.contents.update(
            {domain: dict(zip(numbers(request.access.span), drive.fetched[request], strict=True))}))


class Trial:
    """An LDEV, a console, and processes that read and write."""

    def __init__(self, mode: WriteMode, alignment: Alignment) -> None:
        self.env = env = simpy.Environment()
        self.medium, self.memory = Medium(env), SharedMemory(env, MEMORY, Clock())
        cpu, control = FcfsCpu(env), Control(env, CacheSettings(4 * SECTOR, 8 * SECTOR, mode), alignment)
        self.posts: list[Access] = []
        self._post = control.posting.post
        control.posting.post = self.posted  # type: ignore[method-assign]
        costs = CacheCosts(0.3 * MS, 0.5 * MS, 0.2 * MS, 2)
        self.cache = Followed(env, self.medium, cpu, self.memory, costs, control)
        self.cache.contents = {}
        self.ldev = Ldev(env, 1, PlainDisc(self.medium, cpu, 0.5 * MS, 2), self.cache)
        self.writes: list[list[Write]] = [[Write(0, -1.0, -1.0)] for _ in range(SECTORS)]
        self.version = self.ended = 0

    def posted(self, drive: Drive, access: Access, done: Done) -> None:
        """A writer's bytes are in their domains now."""
        assert isinstance(access.stream, int)
        for sector in numbers(access.span):
            [domain] = self.cache.directory.find(Span(sector * SECTOR, SECTOR))
            self.cache.contents.setdefault(domain, {})[sector] = access.stream
        self._post(drive, access, done)

    def process(self, plan: list[tuple[str, float, int, int, bool]]) -> Wait:
        for verb, pause, first, length, sequential in plan:
            yield self.env.timeout(pause)
            span = Span(first * SECTOR, min(length, SECTORS - first) * SECTOR)
            within = Span(0, SECTORS // 2 * SECTOR)
            if first + length > SECTORS // 2:
                within = Span(0, SECTORS * SECTOR)
            hint = Hint.SEQUENTIAL if sequential else Hint.NONE
            if verb == "read":
                yield from self.read(Access(Op.READ, span, within, None, hint, False, Account("")))
            elif verb == "write":
                self.version += 1
                yield from self.write(Access(Op.WRITE, span, within, self.version, hint, sequential, Account("")))
            elif verb == "stop":
                yield from self.ldev.stop_cache()
            else:
                yield from self.ldev.start_cache()
            self.inspect()
        self.ended += 1

    def read(self, access: Access) -> Wait:
        began = self.env.now
        yield from self.ldev.read(access)
        for sector in numbers(access.span):
            allowed = self.allowed(sector, began)
            assert self.returned(sector) in allowed, f"sector {sector} is not one of {allowed}"

    def write(self, access: Access) -> Wait:
        began = self.env.now
        assert isinstance(access.stream, int)
        for sector in numbers(access.span):
            self.writes[sector].append(Write(access.stream, began, inf))
        yield from self.ldev.write(access)
        for sector in numbers(access.span):
            kept = [each for each in self.writes[sector] if each.version != access.stream]
            self.writes[sector] = [*kept, Write(access.stream, began, self.env.now)]

    def allowed(self, sector: int, began: float) -> set[int]:
        """The versions that a read asked for then may return: all but those overwritten by then."""
        last = max(each.began for each in self.writes[sector] if each.ended <= began)
        return {each.version for each in self.writes[sector] if each.ended >= last}

    def returned(self, sector: int) -> int:
        """What a reader who is done now has: the domain's, where it is in memory, else the medium's."""
        for domain in self.cache.directory.find(Span(sector * SECTOR, SECTOR)):
            return self.cache.contents.get(domain, {}).get(sector, self.medium.versions[sector])
        return self.medium.versions[sector]

    def inspect(self) -> None:
        domains = self.cache.directory._domains
        assert all(one.end <= other.first for one, other in pairwise(domains)), "domains overlap"
        assert self.cache.residence.bytes.now == self.memory.used_bytes <= MEMORY

    def finish(self) -> None:
        """Nothing is stuck or held, and memory and medium hold the same."""
        assert self.medium.reading()["issued"] == self.medium.reading()["completed"]
        assert (self.memory._pins, self.cache.at_risk.losses(1)) == ({}, [])
        for sector in range(SECTORS):
            assert self.returned(sector) == self.medium.versions[sector]
            assert self.medium.versions[sector] in self.allowed(sector, self.env.now)


verbs = st.sampled_from(["read"] * 4 + ["write"] * 4 + ["stop", "start"])
pauses = st.sampled_from([0.0, 0.0, 1 * MS, 5 * MS, 30 * MS])
acts = st.tuples(verbs, pauses, st.integers(0, SECTORS - 1), st.integers(1, 10), st.booleans())
plans = st.lists(st.lists(acts, min_size=2, max_size=12), min_size=4, max_size=4)
modes = st.sampled_from([WriteMode(), WriteMode(serial=True), WriteMode(block=True), WriteMode(True, True)])
alignments = st.sampled_from([FromRequest(), InMultiples(), Centred()])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(plans, modes, alignments)
def test_a_read_returns_what_was_last_written(
    plans: list[list[tuple[str, float, int, int, bool]]], mode: WriteMode, alignment: Alignment
) -> None:
    trial = Trial(mode, alignment)
    for plan in plans:
        trial.env.process(trial.process(plan))
    trial.env.run(20.0)
    assert trial.ended == len(plans), "stuck"
    trial.finish()
