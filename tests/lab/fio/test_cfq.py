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

    def finish(name: str, request: Request) -> None:
        assert request.processed
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
    monkeypatch.setattr(cfq, "MAX_DISPATCHED", 1)


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
    monkeypatch.setattr(cfq, "MAX_DISPATCHED", 12)
    env = simpy.Environment()
    host = CfqHost(env, Drive(env, FixedService(10 * MS, capacity=100 * SIZE)))
    first, second = TurnQueue(), TurnQueue()
    for queue in (first, second):
        for place in range(40):
            host.ask(queue, access(READ, place * SIZE, SIZE, Account("fio")), lambda _: None)
    assert (first.inside, second.inside) == (12, 0)
    env.run(until=95 * MS)
    assert (first.inside, second.inside) == (QUANTUM, 0)


def test_what_was_left_of_a_turn_brings_the_next_one_forward() -> None:
    """c interrupts a at 15 ms, 95 ms before the end of its turn: a asks at 16 ms, and stands before b of 1 ms."""
    asked = [(0.0, "a1", 1), (0.0, "a2", 2), (1 * MS, "b1", 1), (15 * MS, "c1", 1), (16 * MS, "a3", 1)]
    assert served(asked) == ["a1", "a2", "c1", "a3", "b1"]


def test_a_turn_interrupted_before_it_began_is_left_whole() -> None:
    """b interrupts a, whose one request is in the drive, and stands first although a has 100 ms left."""
    asked = [(0.0, "a1", 1), (1 * MS, "b1", 1), (1.5 * MS, "c1", 1), (2 * MS, "a2", 1)]
    assert served(asked) == ["a1", "b1", "a2", "c1"]


def test_a_turn_that_ends_for_want_of_requests_leaves_nothing() -> None:
    """It ends at 20 ms: a asks again behind c of 1 ms, and behind b of 25 ms."""
    first = [(0.0, "a1", 1), (0.0, "a2", 2)]
    asked = [*first, (1 * MS, "b1", 1), (1 * MS, "b2", 2), (1 * MS, "c1", 1), (22 * MS, "a3", 1)]
    assert served(asked) == ["a1", "a2", "b1", "b2", "c1", "a3"]
    asked = [*first, *((1 * MS, f"c{each}", each) for each in (1, 2, 3)), (25 * MS, "b1", 1), (30 * MS, "a3", 1)]
    assert served(asked) == ["a1", "a2", "c1", "c2", "c3", "b1", "a3"]


def test_what_a_turn_took_too_much_puts_the_next_one_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The turn of a ends at 25 ms, and its request at 30: it stands at 35 ms, behind c, who asked at 32."""
    monkeypatch.setattr(cfq, "SLICE", 15 * MS)
    asked = [(0.0, f"a{number}", number) for number in range(1, 6)]
    asked += [(0.0, "b1", 1), (0.0, "b2", 2), (32 * MS, "c1", 1)]
    assert served(asked) == ["a1", "a2", "a3", "b1", "b2", "c1", "a4", "a5"]


def test_a_turn_is_over_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfq, "SLICE", 20 * MS)
    asked = [(0.0, f"a{number}", number) for number in range(1, 6)] + [(0.0, "b1", 1)]
    assert served(asked) == ["a1", "a2", "a3", "b1", "a4", "a5"]


def test_who_asks_at_one_time_has_turns_in_their_order() -> None:
    assert served([(0.0, "a1", 1), (0.0, "a2", 2), (0.0, "b1", 1), (0.0, "c1", 1)]) == ["a1", "a2", "b1", "c1"]


def test_who_did_not_wait_long_begins_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [(0.0, "a1", 1), (0.0, "a2", 2), (0.0, "b1", 9), (0.0, "b2", 1)]
    assert served(asked) == ["a1", "a2", "b2", "b1"]
    monkeypatch.setattr(cfq, "FIFO_EXPIRE", 20 * MS)
    assert served(asked) == ["a1", "a2", "b1", "b2"]


def test_only_the_first_of_a_turn_is_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfq, "FIFO_EXPIRE", 10 * MS)
    asked = [(0.0, "a1", 1), (0.0, "a2", 2), (0.0, "b1", 9), (1 * MS, "b2", 1), (2 * MS, "b3", 10)]
    assert served(asked) == ["a1", "a2", "b1", "b3", "b2"]


def test_half_a_quantum_goes_in_before_a_request_of_the_turn_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfq, "MAX_DISPATCHED", 0)
    env = simpy.Environment()
    host = CfqHost(env, Drive(env, FixedService(10 * MS, capacity=100 * SIZE)))
    first, second = TurnQueue(), TurnQueue()
    for queue in (first, second):
        for place in range(20):
            if (queue, place) == (second, 19):
                monkeypatch.setattr(cfq, "MAX_DISPATCHED", 12)
            host.ask(queue, access(READ, place * SIZE, SIZE, Account("fio")), lambda _: None)
    assert (first.inside, second.inside) == (QUANTUM // 2, 0)


def test_turns_are_shorter_the_more_processes_there_are_or_were() -> None:
    """The average goes a quarter of the way down, and three quarters up: 5, 4, 3, 10, 8, 7, 8, 7 processes."""
    env = simpy.Environment()
    host = CfqHost(env, Drive(env, FixedService(10 * MS, capacity=100 * SIZE)))
    slices = []
    for busy in (7, 1, 1, 12, 2, 2, 8, 4):
        host._order = [TurnQueue() for _ in range(busy)]
        slices.append(host._slice())
    assert slices == pytest.approx([300 * MS / most for most in (7, 4, 3, 12, 8, 7, 8, 7)])
