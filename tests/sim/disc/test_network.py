"""Tests drives across a network, by times worked out by hand on services of 10 ms."""

from collections.abc import Callable

import pytest
import simpy

from spindle.sim.clock import Phase, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.network import Network, NetworkDrive, NetworkLane
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.virtual import FixedService
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.parts import LawBroken, parts_on
from spindle.sim.request import READ, WRITE, Op, Request, Span, StartedDevice

Asked = tuple[float, Op, int]
"""When a request is started, what it does, and its first byte, of 512."""
MS = 1e-3
RATE = 51_200.0
"""Bytes a second: 512 bytes take 10 ms."""


def device(env: simpy.Environment) -> Drive:
    return Drive(env, FixedService(0.01, capacity=1 << 20))


def ask(env: simpy.Environment, target: StartedDevice, asked: list[Asked], done: list[float]) -> list[Request]:
    """Start each request at its time; *done* gets its response. Return the requests, once all were started."""
    started: list[Request] = []

    def one(at: float, op: Op, first: int) -> Wait:
        yield env.timeout(at)
        request = target.read_bytes(first, 512) if op is READ else target.write_bytes(first, 512)
        started.append(request)
        yield request
        done.append(env.now - at)

    for each in asked:
        env.process(one(*each))
    return started


def responses(kind: NetworkType, *asked: Asked) -> tuple[list[float], NetworkDrive, list[Request]]:
    env, done = simpy.Environment(), list[float]()
    target = NetworkDrive(device(env), Network(kind))
    started = ask(env, target, list(asked), done)
    env.run()
    target.check()
    return done, target, started


def test_a_read_crosses_the_network_and_its_data_come_back() -> None:
    """5 ms there and back, 10 ms of service, 10 ms for the data: the drive is busy for the service alone."""
    found, target, (request,) = responses(NetworkType(0.005, RATE), (0.0, READ, 0))
    assert found == pytest.approx([0.025])
    assert target.busy() == pytest.approx(0.01)
    assert target.reading()["channel"] == 0.0
    assert [(phase, round(begin / MS, 6), round(end / MS, 6)) for phase, begin, end in request.pieces()] == [
        (Phase.CHANNEL, 0.0, 2.5), (Phase.OVERHEAD, 2.5, 12.5), (Phase.CHANNEL, 12.5, 25.0)]  # fmt: skip


def test_data_of_a_write_go_there_and_nothing_comes_back_but_the_answer() -> None:
    found, _, (request,) = responses(NetworkType(0.004, RATE), (0.0, WRITE, 0))
    assert found == pytest.approx([0.024])
    assert [round((end - begin) / MS, 6) for _, begin, end in request.pieces()] == [12.0, 10.0, 2.0]


def test_the_drive_serves_others_while_a_request_is_on_the_network() -> None:
    """Four at once, at a second there and back: each is 10 ms behind the one before it, not a second."""
    found, target, _ = responses(NetworkType(1.0), *[(0.0, READ, 512 * number) for number in range(4)])
    assert found == pytest.approx([1.01, 1.02, 1.03, 1.04])
    assert target.reading()["queue"] == pytest.approx(0.01 + 0.02 + 0.03)


def test_data_go_one_after_another() -> None:
    """Data of 20 ms each: the second are ready after 20 ms, and wait for the first until 30."""
    found, _, _ = responses(NetworkType(rate=RATE / 2), (0.0, READ, 0), (0.001, READ, 512), (0.051, READ, 0))
    assert found == pytest.approx([0.03, 0.049, 0.03])


def test_drives_share_the_network_each_way() -> None:
    """Of two reads at once the second waits for the data of the first; a write goes the other way."""
    env, done = simpy.Environment(), list[float]()
    network = Network(NetworkType(rate=RATE))
    for op in (READ, READ, WRITE):
        ask(env, NetworkDrive(device(env), network), [(0.0, op, 0)], done)
    env.run()
    assert done == pytest.approx([0.02, 0.02, 0.03]), "the first read and the write, then the second read"


def test_a_lane_is_free_when_what_was_sent_is_over() -> None:
    lane = NetworkLane(100.0)
    assert [lane.send(now, 200) for now in (0.0, 1.0, 4.0, 10.0)] == [2.0, 4.0, 6.0, 12.0]
    assert NetworkLane(0.0).send(1.0, 1 << 40) == 1.0


def test_a_network_without_latency_or_limit_costs_nothing_and_no_event() -> None:
    found, _, (request,) = responses(NetworkType(), (0.0, READ, 0))
    assert found == [0.01]
    assert request.pieces() == [(Phase.OVERHEAD, 0.0, 0.01)]


def flushed(target: StartedDevice, env: simpy.Environment, span: Span) -> float:
    """Return when a flush of *span*, begun at 1 ms, is over."""
    ends: list[float] = []

    def one() -> Wait:
        yield env.timeout(0.001)
        yield from target.flush(span)  # type: ignore[attr-defined]
        ends.append(env.now)

    env.process(one())
    env.run()
    return ends[0]


@pytest.mark.parametrize(("op", "span", "expected"), [
    (WRITE, Span(0, 512), 0.014 + 0.004),  # the write is over after 14 ms, and then the flush goes there and back
    (WRITE, Span(512, 512), 0.005), (READ, Span(0, 512), 0.005),
])  # fmt: skip
def test_a_flush_waits_for_writes_to_its_bytes_and_crosses_the_network(op: Op, span: Span, expected: float) -> None:
    env = simpy.Environment()
    target = NetworkDrive(device(env), Network(NetworkType(0.004)))
    ask(env, target, [(0.0, op, 0)], [])
    assert flushed(target, env, span) == pytest.approx(expected)


def test_a_flush_reaches_the_write_cache_of_the_drive() -> None:
    """The write is answered at once there, after 4 ms in all, and on the medium after 12: 2 ms later it is told."""
    env, done = simpy.Environment(), list[float]()
    target = NetworkDrive(WriteCache(device(env), 4), Network(NetworkType(0.004)))
    ask(env, target, [(0.0, WRITE, 0)], done)
    assert flushed(target, env, Span(0, 512)) == pytest.approx(0.014)
    assert done == pytest.approx([0.004])


def test_the_network_drive_has_what_a_host_asks_of_a_drive() -> None:
    env = simpy.Environment()
    below = device(env)
    dropped: list[Span] = []
    below.discard = dropped.append  # type: ignore[method-assign]
    target = NetworkDrive(below, Network(NetworkType(1.0)))
    assert (target.capacity, target.sector_bytes, target.name) == (below.capacity, below.sector_bytes, below.name)
    target.discard(Span(3, 4))
    assert dropped == [Span(3, 4)]


@pytest.mark.parametrize("change", [
    lambda target: setattr(target, "_answered", target._answered + 1), lambda target: target._under_way.clear(),
])  # fmt: skip
def test_a_request_that_is_lost_breaks_a_law(change: Callable[[NetworkDrive], None]) -> None:
    env = simpy.Environment()
    target = NetworkDrive(device(env), Network(NetworkType(1.0)))
    assert target in parts_on(env)
    target.read_bytes(0, 512)
    target.check()
    change(target)
    with pytest.raises(LawBroken, match=r"drive: 1 requests over a network, \d answered and \d under way"):
        target.check()
