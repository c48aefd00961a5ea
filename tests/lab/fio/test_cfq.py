"""Turns of processes by the rules of Linux's CFQ, followed by hand: a drive that takes 10 ms for each request."""

from functools import partial

import pytest
import simpy

from spindle.lab.fio import cfq
from spindle.lab.fio.cfq import QUANTUM, CfqHost, TurnQueue
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import READ, Request, access
from spindle.sim.units import MS

SIZE = 4096


def served(asked: list[tuple[float, str, int]]) -> list[str]:
    """The names in the order in which they are done, of requests that a process asks for at a time, at a place."""
    env, done = simpy.Environment(), list[str]()
    host = CfqHost(env, Drive(env, FixedService(10 * MS, capacity=100 * SIZE)))
    processes: dict[str, TurnQueue] = {}

    def finish(name: str, _: Request) -> None:
        done.append(name)

    def ask(name: str, place: int, _: simpy.Event) -> None:
        span = access(READ, place * SIZE, SIZE, Account("fio"))
        host.ask(processes.setdefault(name[0], TurnQueue()), span, partial(finish, name))

    for at, name, place in asked:
        event = env.timeout(at)
        assert event.callbacks is not None
        event.callbacks.append(partial(ask, name, place))
    env.run()
    return done


@pytest.fixture(autouse=True)
def one_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfq, "DISPATCHED", 1)


def test_a_process_keeps_its_turn_while_it_has_requests_by_address() -> None:
    asked = [(0.0, "a1", 30), (0.0, "a2", 10), (0.0, "a3", 20), (0.0, "a4", 40), (0.0, "b1", 5), (0.0, "b2", 6)]
    assert served(asked) == ["a1", "a4", "a2", "a3", "b1", "b2"]


def test_a_turn_ends_with_its_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins when the first request is done, at 10 ms; the one that is done at 30 ms is the last."""
    monkeypatch.setattr(cfq, "SLICE", 15 * MS)
    asked = [(0.0, f"a{number}", number) for number in range(1, 6)] + [(0.0, "b1", 1)]
    assert served(asked) == ["a1", "a2", "a3", "b1", "a4", "a5"]


def test_who_asks_while_the_active_has_nothing_left_goes_first() -> None:
    """b waits since 1 ms; c asks when a has nothing queued, and so interrupts it."""
    assert served([(0.0, "a1", 1), (0.0, "a2", 2), (1 * MS, "b1", 1), (15 * MS, "c1", 1)]) == ["a1", "a2", "c1", "b1"]


def test_who_waited_125_ms_begins_its_turn_with_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The turn of a is over at 135 ms, with the fourteenth."""
    monkeypatch.setattr(cfq, "SLICE", 125 * MS)
    asked = [(0.0, f"a{number}", number) for number in range(1, 17)] + [(0.0, "b1", 9), (1 * MS, "b2", 1)]
    assert served(asked)[13:16] == ["a14", "b1", "b2"]


def test_with_others_waiting_a_process_has_a_quantum_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfq, "DISPATCHED", 12)
    env = simpy.Environment()
    host = CfqHost(env, Drive(env, FixedService(10 * MS, capacity=100 * SIZE)))
    first, second = TurnQueue(), TurnQueue()
    for queue in (first, second):
        for place in range(40):
            host.ask(queue, access(READ, place * SIZE, SIZE, Account("fio")), lambda _: None)
    assert (first.inside, second.inside) == (12, 0)
    env.run(until=95 * MS)
    assert (first.inside, second.inside) == (QUANTUM, 0)
