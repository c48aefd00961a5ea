"""Tests turns on the CPU of a Modcomp: a task that has not waited continues before others, else after them."""

import pytest
import simpy

from spindle.models.max_iv.cache import Fhl, SectorCache
from spindle.models.max_iv.cache_code import CacheCodeCosts, Cpus
from spindle.models.max_iv.handlers import DiscHandler, InputOutput
from spindle.models.max_iv.requests import RequestKind
from spindle.models.max_iv.turns import TASK_LEVEL, GoingOn
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import INTERRUPT
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService

DISC, COPY, REX, SLICE = 0.040, 0.3, 1.0, 2.0
HERE, ELSEWHERE = 5, 6
"""Sectors in the cache, and not."""


class Tasks:
    """Tasks that compute, on a machine with one sector in its cache."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.cpu = GoingOn(env, SLICE)
        fhl = Fhl(Cpus(env, self.cpu), SectorCache(4), CacheCodeCosts(0.0, COPY))
        handler = DiscHandler(env, Drive(env, FixedService(DISC)), 0, 42, fhl)
        fhl.cache.install(handler.dpi(HERE))
        self.io = InputOutput(self.cpu, [handler], REX, TASK_LEVEL)
        self.ended: list[tuple[str, float]] = []

    def compute(self, name: str, seconds: float) -> Wait:
        yield self.cpu.burst(seconds, TASK_LEVEL, Phase.CPU, Account(name))
        self.ended.append((name, self.env.now))

    def read_and_compute(self, name: str, sector: int, seconds: float) -> Wait:
        account = Account(name)
        yield from self.io.transfer(RequestKind.READ, 0, sector, account)
        yield self.cpu.burst(seconds, TASK_LEVEL, Phase.CPU, account)
        self.ended.append((name, self.env.now))

    def run(self, *work: Wait) -> list[tuple[str, float]]:
        for each in work:
            self.env.process(each)
        self.env.run()
        return [(name, pytest.approx(when)) for name, when in self.ended]


@pytest.fixture
def tasks(env: simpy.Environment) -> Tasks:
    return Tasks(env)


def test_a_task_goes_on_after_a_hit(tasks: Tasks) -> None:
    ended = tasks.run(tasks.read_and_compute("reader", HERE, 1.0), tasks.compute("other", 1.0))
    assert ended == [("reader", REX + COPY + 1.0), ("other", REX + COPY + 2.0)]


def test_a_task_that_waited_for_the_disc_goes_behind(tasks: Tasks) -> None:
    ended = tasks.run(tasks.read_and_compute("reader", ELSEWHERE, 1.0), tasks.compute("one", 1.0),
                      tasks.compute("two", 1.0))
    assert [name for name, _ in ended] == ["one", "two", "reader"]


def test_a_task_that_goes_on_has_one_slice(tasks: Tasks) -> None:
    ended = tasks.run(tasks.read_and_compute("reader", HERE, SLICE + 1.0), tasks.compute("other", 1.0))
    assert ended == [("other", REX + COPY + SLICE + 1.0), ("reader", REX + COPY + SLICE + 2.0)]


def test_a_task_goes_on_from_computing_to_its_request(tasks: Tasks) -> None:
    def compute_and_read() -> Wait:
        account = Account("reader")
        yield tasks.cpu.burst(1.0, TASK_LEVEL, Phase.CPU, account)
        yield from tasks.io.transfer(RequestKind.READ, 0, HERE, account)
        tasks.ended.append(("reader", tasks.env.now))

    ended = tasks.run(compute_and_read(), tasks.compute("other", 1.0))
    assert ended == [("reader", 1.0 + REX + COPY), ("other", 2.0 + REX + COPY)]


def test_the_code_of_the_cache_is_as_urgent_for_a_task_that_goes_on(tasks: Tasks) -> None:
    """An interrupt of the disc half a second later waits for it."""
    account = Account("reader")

    def read() -> Wait:
        yield tasks.cpu.burst(1.0, TASK_LEVEL, Phase.CPU, account)
        yield tasks.cpu.burst(1.0, INTERRUPT, Phase.CACHE, account)
        tasks.ended.append(("reader", tasks.env.now))

    def interrupt() -> Wait:
        yield tasks.env.timeout(1.5)
        yield tasks.cpu.burst(1.0, INTERRUPT, Phase.CACHE, Account("disc"))
        tasks.ended.append(("disc", tasks.env.now))

    assert tasks.run(read(), interrupt()) == [("reader", 2.0), ("disc", 3.0)]
