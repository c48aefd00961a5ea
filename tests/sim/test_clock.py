"""Tests the clock: delays are checked, an event is scheduled itself, and begun work runs up to its first wait."""

from math import inf, nan

import pytest
import simpy
from simpy.events import URGENT

from spindle.sim.clock import Daemon, Gate, Wait, begin, check_delay, happen, pause, succeed_after


@pytest.mark.parametrize("seconds", [nan, inf, -inf, -1e-9])
def test_a_delay_that_is_none_is_refused(env: simpy.Environment, seconds: float) -> None:
    for refuse in (check_delay, lambda s: pause(env, s), lambda s: succeed_after(simpy.Event(env), s)):
        with pytest.raises(ValueError, match="finite and not negative"):
            refuse(seconds)
    assert env.peek() == inf


def test_no_delay_is_a_delay_and_so_is_a_short_one() -> None:
    assert [check_delay(seconds) for seconds in (0.0, 0.25, 3.0)] == [0.0, 0.25, 3.0]


def test_a_gate_has_a_name(env: simpy.Environment) -> None:
    assert Gate(env, "room").name == "room"


def test_an_event_put_on_the_clock(env: simpy.Environment, log: list[object]) -> None:
    event = simpy.Event(env)
    succeed_after(event, 2.5, "value")
    assert event.triggered
    assert not event.processed

    def waiter() -> Wait:
        log.append(((yield event), env.now))

    env.process(waiter())
    env.run()
    assert log == [("value", 2.5)]


def test_who_comes_first_at_an_instant_is_served_first_but_for_the_urgent(
    env: simpy.Environment, log: list[object]
) -> None:
    def told(name: str, event: simpy.Event) -> simpy.Event:
        event.callbacks.append(lambda _: log.append(name))
        return event

    told("timeout", env.timeout(1.0))
    told("pause", pause(env, 1.0))
    succeed_after(told("event", simpy.Event(env)), 1.0)
    succeed_after(told("urgent", simpy.Event(env)), 1.0, priority=URGENT)
    told("last", env.timeout(1.0))
    env.run()
    assert log == ["urgent", "timeout", "pause", "event", "last"]


def work(env: simpy.Environment, log: list[object], delays: list[float]) -> Wait:
    log.append((env.now, "begins"))
    for delay in delays:
        yield env.timeout(delay)
        log.append((env.now, "goes on"))


def test_work_that_need_not_wait_is_done_at_once(env: simpy.Environment, log: list[object]) -> None:
    begin(env, work(env, log, []))
    assert log == [(0, "begins")]
    assert env.peek() == inf


def test_work_that_waits_goes_on_by_itself(env: simpy.Environment, log: list[object]) -> None:
    begin(env, work(env, log, [1, 2]))
    log.append((env.now, "back"))
    env.run()
    assert log == [(0, "begins"), (0, "back"), (1, "goes on"), (3, "goes on")]


def test_begun_work_has_the_values_that_it_waits_for_and_no_event_of_its_own(env: simpy.Environment) -> None:
    values: list[object] = []

    def waits() -> Wait:
        values.append((yield happened))
        values.append((yield happened))
        values.append((yield env.timeout(1, "later")))
        values.append((yield happened))

    happened = env.timeout(0, "before")
    env.run()
    begin(env, waits())
    assert values == ["before", "before"]
    env.step()
    assert values == ["before", "before", "later", "before"]
    env.step()  # its end
    assert env.peek() == inf


def test_begun_work_hears_of_what_has_failed_already(env: simpy.Environment, log: list[object]) -> None:
    def waits() -> Wait:
        try:
            yield failed
        except KeyError as error:
            log.append(error)
        yield later

    failed, later = env.event().fail(error := KeyError("lost")), env.timeout(1)
    failed.defused = True
    env.run(0.5)
    begin(env, waits())
    assert log == [error]
    assert [callback.__self__.target for callback in later.callbacks] == [later], "it is told what it waits for"


@pytest.mark.parametrize("waits", [[], [1]])
def test_an_error_in_begun_work_is_not_lost(env: simpy.Environment, waits: list[float]) -> None:
    def fails() -> Wait:
        for seconds in waits:
            yield env.timeout(seconds)
        raise KeyError("lost")

    def run() -> None:
        begin(env, fails())
        env.run()

    with pytest.raises(KeyError, match="lost"):
        run()
    assert env.now == sum(waits)


def test_a_daemon_is_a_process(env: simpy.Environment, log: list[object]) -> None:
    Daemon(env, work(env, log, [1]))
    env.run()
    assert log == [(0, "begins"), (1, "goes on")]


def test_what_happens_within_another_event_needs_no_entry(env: simpy.Environment) -> None:
    inner = simpy.Event(env)
    went_on: list[tuple[float, object]] = []

    def waiter() -> Wait:
        value = yield inner
        went_on.append((env.now, value))
        value = yield pause(env, 1.0)
        went_on.append((env.now, value))

    env.process(waiter())
    env.run(1.0)
    inner.callbacks.append(lambda _: went_on.append((env.now, "who listened later")))
    pause(env, 1.0).callbacks.append(lambda _: happen(inner, "value"))
    env.run()
    assert went_on == [(2.0, "value"), (2.0, "who listened later"), (3.0, None)]
    assert inner.processed
    with pytest.raises(AssertionError, match="already"):
        happen(inner)
