"""Tests disc handlers with FHL, Jacobson's cache: hits, late hits, write-through, invalidation, times of requests."""

import pytest
import simpy

from spindle.models.max_iv.cache import Fhl, SectorCache
from spindle.models.max_iv.cache_code import CacheCodeCosts, Cpus, NoCache
from spindle.models.max_iv.eligibility import AS_BUILT, Eligibility, FpiFilter, MarksCached
from spindle.models.max_iv.handlers import DiscHandler
from spindle.models.max_iv.requests import RequestKind
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.measure.engine import advance

DISC = 0.040
COPY = 320e-6
COMPARE = 10e-6


class Failures:
    """Errors that strike as they are told to, and then no more."""

    def __init__(self, *strikes: bool) -> None:
        self._strikes = list(strikes)

    def strike(self) -> bool:
        return self._strikes.pop(0) if self._strikes else False


class Rig:
    """A disc of constant service behind a handler with a cache."""

    def __init__(
        self, env: simpy.Environment, sectors: int = 4, compare: float = COMPARE, copy: float = COPY,
        rules: Eligibility = AS_BUILT, errors: Failures | None = None,
    ) -> None:
        self.env = env
        self.drive = Drive(env, FixedService(DISC))
        self.cache = SectorCache(sectors)
        self.fhl = Fhl(Cpus(env, FcfsCpu(env)), self.cache, CacheCodeCosts(compare, copy), rules)
        self.handler = DiscHandler(env, self.drive, 0, 42, self.fhl, errors)
        self.account = Account("test")

    def ask(self, kind: RequestKind, sector: int, words: int = 128, position: int = 0) -> Wait:
        return self.handler.perform(kind, sector, words, self.account, position)

    def do(self, kind: RequestKind, sector: int, words: int = 128, position: int = 0) -> float:
        """Perform one request alone; the seconds it took."""
        began = self.env.now
        self.env.run(self.env.process(self.ask(kind, sector, words, position)))
        return float(self.env.now) - began


def test_a_miss_costs_the_disc_and_a_copy_and_a_hit_a_comparison_and_a_copy(env: simpy.Environment) -> None:
    rig = Rig(env)
    assert rig.do(RequestKind.READ, 5) == pytest.approx(DISC + COPY)  # both searches meet an empty chain
    assert rig.do(RequestKind.READ, 5) == pytest.approx(COMPARE + COPY)
    assert (rig.fhl.hits, rig.fhl.misses[RequestKind.READ], rig.drive.reading()["completed"]) == (1, 1, 1.0)


def test_a_write_goes_to_the_disc_and_serves_the_next_reader(env: simpy.Environment) -> None:
    rig = Rig(env)
    assert rig.do(RequestKind.WRITE, 5) == pytest.approx(DISC + COPY)
    assert rig.do(RequestKind.WRITE, 5) == pytest.approx(DISC + COPY + 2 * COMPARE)
    assert rig.do(RequestKind.READ, 5) == pytest.approx(COMPARE + COPY)
    assert rig.drive.reading()["writes"] == 2.0
    assert rig.fhl.misses[RequestKind.WRITE] == 2


def test_a_short_write_is_padded_to_a_sector(env: simpy.Environment) -> None:
    rig = Rig(env)
    rig.do(RequestKind.WRITE, 5, 50)
    assert rig.drive.reading()["bytes_written"] == 256.0
    assert rig.handler.dpi(5) in rig.cache


def test_a_short_read_is_answered_but_never_kept(env: simpy.Environment) -> None:
    rig = Rig(env)
    assert rig.do(RequestKind.READ, 5, 50) == pytest.approx(DISC)
    assert rig.handler.dpi(5) not in rig.cache
    rig.do(RequestKind.READ, 5)
    assert rig.do(RequestKind.READ, 5, 50) == pytest.approx(COMPARE + COPY)


def test_a_large_write_makes_the_cache_forget_every_sector_it_touches(env: simpy.Environment) -> None:
    rig = Rig(env, sectors=8)
    for sector in (40, 41, 42, 43):
        rig.do(RequestKind.READ, sector)
    rig.do(RequestKind.WRITE, 41, 256)
    assert [rig.handler.dpi(sector) in rig.cache for sector in (40, 41, 42, 43)] == [True, False, False, True]
    assert rig.cache.evicted == 2


def test_a_large_read_passes_the_cache_by(env: simpy.Environment) -> None:
    rig = Rig(env)
    rig.do(RequestKind.READ, 5)
    assert rig.do(RequestKind.READ, 5, 256) == pytest.approx(COMPARE + DISC)
    assert (rig.fhl.oversize_reads, len(rig.cache)) == (1, 1)


def test_an_end_of_file_mark_makes_the_cache_forget_the_sector(env: simpy.Environment) -> None:
    rig = Rig(env)
    rig.do(RequestKind.READ, 5)
    rig.do(RequestKind.WEOF, 5)
    assert rig.handler.dpi(5) not in rig.cache
    assert rig.fhl.misses[RequestKind.WEOF] == 1


@pytest.mark.parametrize("kind", [RequestKind.AVR, RequestKind.AVF, RequestKind.BKR, RequestKind.BKF])
def test_a_look_for_a_mark_goes_to_the_disc_and_only_makes_young(env: simpy.Environment, kind: RequestKind) -> None:
    rig = Rig(env, sectors=2)
    rig.do(RequestKind.READ, 5)
    rig.do(RequestKind.READ, 6)
    assert rig.do(kind, 5) == pytest.approx(COMPARE + DISC)
    rig.do(RequestKind.READ, 7)
    assert rig.handler.dpi(5) in rig.cache
    assert rig.handler.dpi(6) not in rig.cache


def test_two_readers_of_one_sector_share_one_access(env: simpy.Environment) -> None:
    rig = Rig(env)
    env.process(rig.ask(RequestKind.READ, 5))
    env.process(rig.ask(RequestKind.READ, 5))
    env.run()
    assert (rig.fhl.hits, rig.fhl.late_hits, rig.fhl.misses[RequestKind.READ]) == (0, 1, 1)
    assert rig.drive.reading()["completed"] == 1.0
    assert env.now == pytest.approx(DISC + COPY + COMPARE + COPY)


def test_who_comes_while_the_first_is_still_searching_waits_for_him(env: simpy.Environment) -> None:
    rig = Rig(env, sectors=4)
    rig.do(RequestKind.READ, 256)  # track 6, sector 4: address 1540, on another list than sector 0
    start = env.now

    def later() -> Wait:
        yield env.timeout(5e-6)
        yield from rig.ask(RequestKind.READ, 0)

    env.process(rig.ask(RequestKind.READ, 0))  # list 0 has three unused entries: 30 microseconds of search
    env.process(later())
    env.run()
    assert (rig.fhl.late_hits, rig.drive.reading()["completed"]) == (1, 2.0)
    assert env.now - start == pytest.approx(3 * COMPARE + DISC + 3 * COMPARE + COPY + COMPARE + COPY)


def test_a_reader_waits_for_a_write_under_way_that_followed_a_read(env: simpy.Environment) -> None:
    rig = Rig(env)
    for kind in (RequestKind.READ, RequestKind.WRITE, RequestKind.READ):
        env.process(rig.ask(kind, 5))
    env.run()
    assert (rig.fhl.late_hits, rig.drive.reading()["completed"]) == (1, 2.0)
    assert env.now == pytest.approx(2 * DISC + COPY + COMPARE + COPY + COMPARE)


def test_the_cost_of_the_cache_is_charged_to_the_cache(env: simpy.Environment) -> None:
    rig = Rig(env)
    rig.do(RequestKind.READ, 5)
    rig.do(RequestKind.READ, 5)
    assert rig.account.seconds[Phase.CACHE] == pytest.approx(2 * COPY + COMPARE)
    assert rig.account.total() == pytest.approx(env.now)


def events(rig: Rig, kind: RequestKind, sector: int) -> int:
    """SimPy's events for one request by a process that is running already."""
    def alone() -> Wait:
        yield rig.env.timeout(1.0)
        yield from rig.ask(kind, sector)
        yield rig.env.timeout(1e9)

    rig.env.process(alone())
    before = advance(rig.env, rig.env.now + 0.5)
    assert before == 1  # the process's own beginning
    return advance(rig.env, rig.env.now + 10.0) - 1  # the timeout that it woke up from


def test_one_event_a_burst_and_one_a_disc_access() -> None:
    costly, free = Rig(simpy.Environment()), Rig(simpy.Environment(), compare=0.0, copy=0.0)
    assert events(costly, RequestKind.READ, 5) == 2  # the disc, the copy
    assert events(costly, RequestKind.READ, 5) == 1  # search and copy in one
    assert events(costly, RequestKind.WRITE, 5) == 3  # search, disc, search and copy
    assert events(free, RequestKind.READ, 5) == 1
    assert events(free, RequestKind.READ, 5) == 1


def test_a_quick_mode_request_uses_the_cache_too(env: simpy.Environment) -> None:
    rig = Rig(env)
    request = rig.handler.start(RequestKind.READ, 5)
    assert not request.processed
    env.run()
    assert request.processed
    assert rig.handler.dpi(5) in rig.cache
    assert sum(seconds for _, begin, end in request.pieces() for seconds in [end - begin]) == pytest.approx(DISC + COPY)


def test_a_failed_read_is_not_kept_and_is_asked_for_again(env: simpy.Environment) -> None:
    rig = Rig(env, errors=Failures(True))
    assert rig.do(RequestKind.READ, 5) == pytest.approx(2 * DISC + COPY)
    assert (rig.fhl.failures, rig.handler.requests[RequestKind.READ], rig.fhl.misses[RequestKind.READ]) == (1, 2, 2)
    assert rig.handler.dpi(5) in rig.cache


@pytest.mark.parametrize("kind", [RequestKind.WRITE, RequestKind.WEOF])
def test_a_failed_write_makes_the_cache_forget_the_sector(env: simpy.Environment, kind: RequestKind) -> None:
    rig = Rig(env, errors=Failures(False, True, True, True))
    rig.do(RequestKind.READ, 5)
    env.process(rig.ask(kind, 5))
    env.run(env.now + 1.5 * DISC)
    assert rig.handler.dpi(5) not in rig.cache
    assert rig.cache.evicted == 1


def test_an_end_of_file_mark_may_be_kept_as_it_was_meant(env: simpy.Environment) -> None:
    rig = Rig(env, rules=MarksCached())
    rig.do(RequestKind.WEOF, 5, 0)
    assert rig.do(RequestKind.READ, 5) == pytest.approx(COMPARE + COPY)
    assert rig.do(RequestKind.AVR, 5, 0) == pytest.approx(COMPARE + COPY)
    assert rig.do(RequestKind.AVF, 5, 0) == pytest.approx(COMPARE + DISC)


def test_the_filter_keeps_only_the_beginnings_of_files(env: simpy.Environment) -> None:
    rig = Rig(env, rules=FpiFilter(2))
    rig.do(RequestKind.READ, 5, position=1)
    rig.do(RequestKind.READ, 6, position=2)
    assert [rig.handler.dpi(sector) in rig.cache for sector in (5, 6)] == [True, False]
    rig.do(RequestKind.WRITE, 5, position=2)
    assert rig.handler.dpi(5) not in rig.cache


def test_without_a_cache_every_request_goes_to_the_disc(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(DISC))
    handler = DiscHandler(env, drive, 0, 42, NoCache())
    account = Account("test")

    def twice() -> Wait:
        for _ in range(2):
            yield from handler.perform(RequestKind.READ, 0, 128, account)

    env.run(env.process(twice()))
    assert env.now == pytest.approx(2 * DISC)
    assert handler.reading()["read"] == 2.0


def test_the_cache_works_at_interrupt_level(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env)
    cache = SectorCache(4)
    handler = DiscHandler(
        env, Drive(env, FixedService(DISC)), 0, 42, Fhl(Cpus(env, cpu), cache, CacheCodeCosts(COMPARE, COPY))
    )
    cache.install(handler.dpi(5))
    done: list[tuple[str, float]] = []

    def task() -> Wait:
        yield cpu.burst(1.0, 2, Phase.CPU, Account("task"))
        done.append(("task", env.now))

    def reader() -> Wait:
        yield env.timeout(0.5)
        yield from handler.perform(RequestKind.READ, 5, 128, Account("reader"))
        done.append(("reader", env.now))

    env.process(task())
    env.process(reader())
    env.run()
    assert [who for who, _ in done] == ["reader", "task"]
    assert [when for _, when in done] == pytest.approx([0.5 + COMPARE + COPY, 1.0 + COMPARE + COPY])
