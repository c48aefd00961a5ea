"""Tests a lock: first come, first served, impedes and held time counted, circular waits reported."""

import pytest
import simpy

from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.lock import CircularWait, Lock


def hold(env: simpy.Environment, lock: Lock, who: Account, at: float, seconds: float, log: list[object]) -> Wait:
    yield env.timeout(at)
    yield from lock.acquire(who)
    log.append((env.now, who.name))
    yield env.timeout(seconds)
    lock.release()


def test_first_come_first_served(env: simpy.Environment, log: list[object]) -> None:
    lock = Lock(env, "control block")
    accounts = {name: Account(name) for name in "abcd"}
    for name, at, seconds in (("a", 1, 4), ("b", 2, 1), ("c", 2, 2), ("d", 10, 1)):
        env.process(hold(env, lock, accounts[name], at, seconds, log))
    env.run(4)
    assert (lock.holder_name, lock.held_seconds()) == ("a", 3)
    env.run()
    assert log == [(1, "a"), (5, "b"), (6, "c"), (10, "d")]
    assert [accounts[name].seconds[Phase.LOCK] for name in "abcd"] == [0, 3, 4, 0]
    assert lock.reading() == {"acquired": 4, "impedes": 2, "held": 8}
    assert lock.holder is None


def test_a_lock_is_handed_over_and_not_fought_for(env: simpy.Environment, log: list[object]) -> None:
    """Who releases and asks again at once comes after those who wait already."""
    lock = Lock(env, "L")

    def greedy() -> Wait:
        for _ in range(2):
            yield from lock.acquire(Account("greedy"))
            log.append((env.now, "greedy"))
            yield env.timeout(3)
            lock.release()

    env.process(greedy())
    env.process(hold(env, lock, Account("b"), 1, 1, log))
    env.run()
    assert log == [(0, "greedy"), (3, "b"), (4, "greedy")]


def test_a_free_lock_takes_no_event(env: simpy.Environment, log: list[object]) -> None:
    lock = Lock(env, "L")

    def alone() -> Wait:
        before = repr(env._eid)
        yield from lock.acquire(Account("a"))
        lock.release()
        assert repr(env._eid) == before
        yield env.timeout(1)

    env.process(alone())
    env.run()
    assert lock.reading() == {"acquired": 1, "impedes": 0, "held": 0}


def test_taking_waits_only_where_somebody_holds_it(env: simpy.Environment, log: list[object]) -> None:
    lock, second = Lock(env, "L"), Account("second")

    def first() -> Wait:
        assert lock.take(Account("first")) is None
        yield env.timeout(3)
        lock.release()

    def late() -> Wait:
        yield env.timeout(1)
        waiting = lock.take(second)
        assert waiting is not None
        yield from waiting
        log.append((env.now, lock.holder_name))

    env.process(first())
    env.process(late())
    env.run()
    assert log == [(3, "second")]
    assert second.seconds[Phase.LOCK] == 2
    assert (lock.acquired, lock.impedes) == (2, 1)


def test_a_stranger_cannot_release(env: simpy.Environment, log: list[object]) -> None:
    lock = Lock(env, "L")
    with pytest.raises(RuntimeError, match="lock L is released by a process that does not hold it"):
        lock.release()
    env.process(hold(env, lock, Account("a"), 0, 5, log))

    def stranger() -> Wait:
        yield env.timeout(1)
        lock.release()

    env.process(stranger())
    with pytest.raises(RuntimeError, match="does not hold it"):
        env.run()
    assert lock.holder_name == "a"


def test_a_callback_is_nobody_who_could_hold_a_lock(env: simpy.Environment) -> None:
    lock = Lock(env, "L")
    env.timeout(1).callbacks.append(lambda _: next(lock.acquire(Account("a callback")), None))
    with pytest.raises(RuntimeError, match="lock L is asked for by a callback outside any process"):
        env.run()


def take_in_turn(env: simpy.Environment, who: str, first: Lock, second: Lock, pause: float) -> Wait:
    account = Account(who)
    yield from first.acquire(account)
    yield env.timeout(pause)
    yield from second.acquire(account)


def test_a_circle_of_two_is_named(env: simpy.Environment) -> None:
    one, two = Lock(env, "one"), Lock(env, "two")
    env.process(take_in_turn(env, "A", one, two, 1))
    env.process(take_in_turn(env, "B", two, one, 2))
    with pytest.raises(CircularWait) as caught:
        env.run()
    assert str(caught.value) == "circular wait: B waits for one held by A, A waits for two held by B"
    assert env.now == 2


def test_a_circle_of_three_is_named(env: simpy.Environment) -> None:
    one, two, three = (Lock(env, name) for name in ("one", "two", "three"))
    env.process(take_in_turn(env, "A", one, two, 1))
    env.process(take_in_turn(env, "B", two, three, 2))
    env.process(take_in_turn(env, "C", three, one, 3))
    with pytest.raises(CircularWait) as caught:
        env.run()
    assert str(caught.value) == (
        "circular wait: C waits for one held by A, A waits for two held by B, B waits for three held by C"
    )


def test_a_lock_is_not_taken_twice(env: simpy.Environment) -> None:
    lock = Lock(env, "L")
    env.process(take_in_turn(env, "A", lock, lock, 1))
    with pytest.raises(CircularWait, match="A waits for L held by A"):
        env.run()


def test_a_chain_is_no_circle(env: simpy.Environment, log: list[object]) -> None:
    one, two = Lock(env, "one"), Lock(env, "two")

    def nested(who: str, at: float) -> Wait:
        yield env.timeout(at)
        yield from one.acquire(Account(who))
        yield from hold(env, two, Account(who), 0, 2, log)
        one.release()

    env.process(hold(env, two, Account("holder"), 0, 5, log))
    env.process(nested("A", 1))
    env.process(nested("B", 2))
    env.run()
    assert log == [(0, "holder"), (5, "A"), (7, "B")]
