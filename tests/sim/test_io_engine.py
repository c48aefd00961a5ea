"""Tests I/O engines by hand: CPU time before the drive, the thread that is woken, and the rate of a core."""

from dataclasses import replace
from functools import partial

import pytest
import simpy

from spindle.sim.clock import Account, Phase, succeed_after
from spindle.sim.io_engine import ENGINES, HostCpus, IoEngine
from spindle.sim.request import READ, Access, AccessTiming, Request, access
from spindle.sim.units import MS, US

MADE = IoEngine(2 * US, 3 * US, 5 * US, {})
ACCESS = access(READ, 0, 4096, Account("test"))


def take(env: simpy.Environment, seconds: float, asked: Access = ACCESS) -> Request:
    """A drive that takes so long, however many are under way."""
    request = Request(env, asked)
    succeed_after(request, seconds, AccessTiming(0.0, 0.0, 0.0, 0.0, seconds, 0.0))
    return request


def ends(engine: IoEngine, count: int, cpus: int = 1, takes: float = 10 * US) -> list[tuple[float, dict[str, float]]]:
    """When each of *count* requests of time 0 is done, in microseconds, and where the time went."""
    env = simpy.Environment()
    host = HostCpus(env, engine, cpus)
    told: list[tuple[float, dict[str, float]]] = []

    def tell(done: simpy.Event) -> None:
        assert isinstance(done, Request)
        assert done.access is ACCESS
        parts: dict[str, float] = {}
        for part, begin, end in done.pieces():
            parts[part.name] = round(parts.get(part.name, 0.0) + (end - begin) / US, 6)
        assert sum(parts.values()) == pytest.approx((env.now - done.submitted) / US)
        told.append((round(env.now / US, 6), parts))

    for _ in range(count):
        host.start(ACCESS, partial(take, env, takes)).callbacks.append(tell)
    env.run()
    return told


def test_a_request_takes_the_cpu_before_the_drive_and_after_it() -> None:
    """2 of submission, 10 in the drive, 3 of completion, and 5 because the CPU slept."""
    assert ends(MADE, 1) == [(20.0, {"CPU": 10.0, "TRANSFER": 10.0})]


def test_requests_take_the_cpu_in_turn_and_who_finds_it_at_work_is_not_woken() -> None:
    """They reach the drive at 2 and 4, and leave it at 12 and 14. The first keeps the CPU until 20."""
    assert ends(MADE, 2) == [(20.0, {"CPU": 10.0, "TRANSFER": 10.0}),
                             (23.0, {"CPU_WAIT": 8.0, "CPU": 5.0, "TRANSFER": 10.0})]  # fmt: skip


def test_who_comes_as_the_cpu_ends_its_work_finds_it_asleep() -> None:
    """The first is done at the drive at 4, when the second is submitted."""
    assert [when for when, _ in ends(MADE, 2, takes=2 * US)] == [12.0, 15.0]


def test_each_request_stays_with_the_cpu_that_was_free_first() -> None:
    """Of three on two CPUs the third is submitted by the first CPU, at 4, and completed by it, at 20."""
    assert [when for when, _ in ends(MADE, 3, cpus=2)] == [20.0, 20.0, 23.0]


def test_an_engine_that_polls_costs_nothing_after_the_drive() -> None:
    polled = replace(MADE, complete=0.0, wake=0.0)
    assert ends(polled, 2) == [(12.0, {"CPU": 2.0, "TRANSFER": 10.0}),
                               (14.0, {"CPU_WAIT": 2.0, "CPU": 2.0, "TRANSFER": 10.0})]  # fmt: skip


@pytest.mark.parametrize(("name", "alone", "rate"), [
    ("io_uring", 10 + 1 / 1.2 + 4.4, 1.2e6), ("libaio", 10 + 1 / 0.608 + 4.4, 608e3),
    ("psync", 10 + 1.042 + 4.4, 1 / 5.442e-6), ("spdk", 10 + 1 / 13.85, 13.85e6),
])  # fmt: skip
def test_engines_have_the_published_costs(name: str, alone: float, rate: float) -> None:
    """Of one request, and of as many as one core can do a second, on a drive that takes 10 us."""
    assert ends(ENGINES[name], 1)[0][0] == pytest.approx(alone, abs=1e-5)
    last, _ = ends(ENGINES[name], 3000)[-1]
    assert 3000 / (last * US) == pytest.approx(rate, rel=0.06)
    parts = {"submit", "complete", "wake"}
    assert set(ENGINES[name].sources) == {each for each in parts if getattr(ENGINES[name], each)}


def test_a_drive_that_is_slow_hides_the_host() -> None:
    assert ends(ENGINES["libaio"], 1, takes=10 * MS)[0][0] == pytest.approx(10_000, rel=1e-3)
    assert Phase.CPU.name in ends(ENGINES["spdk"], 1)[0][1]
