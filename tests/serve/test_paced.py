"""The simulated clock against a wall clock that the test moves: nothing early, all in order, arrivals on ticks."""

from math import inf

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.serve.pacer import TICK_RATE, PacedClock
from spindle.sim.error import UserError


class Wall:
    """A wall clock."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def paced(speed: float = 1.0) -> tuple[Wall, PacedClock, list[object]]:
    wall = Wall()
    return wall, PacedClock(simpy.Environment(), wall, speed), []


def test_what_is_due_happens_and_no_more() -> None:
    wall, clock, log = paced(speed=10.0)
    for delay in (1.0, 2.0, 3.0):
        simpy.Timeout(clock.env, delay).callbacks.append(lambda _: log.append(clock.env.now))
    assert clock.due() == 1000.1
    clock.catch_up()
    assert log == []
    wall.now = 1000.25
    clock.catch_up()
    assert (log, clock.due()) == ([1.0, 2.0], 1000.3)
    wall.now = 1001.0
    clock.catch_up()
    assert (log, clock.due()) == ([1.0, 2.0, 3.0], inf)


def test_an_arrival_comes_after_what_was_due_and_when_it_came() -> None:
    wall, clock, log = paced()
    simpy.Timeout(clock.env, 0.5).callbacks.append(lambda _: log.append("due"))
    wall.now = 1002.0
    clock.enter(lambda: log.append(clock.env.now), 1001.0)
    assert log == ["due", 1.0 + 1 / TICK_RATE]
    clock.enter(lambda: log.append(clock.env.now), 1000.25)
    assert log[2:] == [1.0 + 2 / TICK_RATE], "the past is over"


@pytest.mark.parametrize(("taken", "comes"), [((), 1), ((1,), 2), ((1, 2, 4), 3)])
def test_an_arrival_is_never_at_the_instant_of_another_event(taken: tuple[int, ...], comes: int) -> None:
    _, clock, log = paced()
    for ticks in taken:
        simpy.Timeout(clock.env, ticks / TICK_RATE).callbacks.append(lambda _: log.append(clock.env.now * TICK_RATE))
    clock.enter(lambda: log.append(clock.env.now * TICK_RATE), 1000.0)
    assert log == [float(ticks) for ticks in range(1, comes + 1)]


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=20), st.lists(st.floats(0.0, 10.0), max_size=20))
def test_arrivals_at_whole_ticks_are_replayed_to_the_bit(gaps: list[float], others: list[float]) -> None:
    """As a replay does it: each is asked for a delay after the one before, as its time was written."""
    wall, clock, _ = paced()
    for delay in others:
        simpy.Timeout(clock.env, delay)
    times: list[float] = []
    for gap in gaps:
        wall.now += gap
        clock.enter(lambda: times.append(clock.env.now), wall.now)
    assert all(time * TICK_RATE % 1 == 0.0 for time in times)
    assert times == sorted(set(times))
    env = simpy.Environment()
    for time in times:
        env.run(simpy.Timeout(env, float(repr(time)) - env.now))
        assert env.now == time


def test_to_finish_does_not_wait() -> None:
    _, clock, log = paced()
    for delay in (1.0, 5.0):
        simpy.Timeout(clock.env, delay).callbacks.append(lambda _: log.append(clock.env.now))
    clock.finish(lambda: not log)
    assert log == [1.0]
    clock.finish(lambda: True)
    assert log == [1.0, 5.0]


@pytest.mark.parametrize("speed", [0.0, -1.0, 1e9, float("nan")])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    with pytest.raises(UserError, match=r"^--speed must be from 0\.001 to 1000, not "):
        paced(speed)
    assert [paced(bound)[1].speed for bound in (0.001, 1000.0)] == [0.001, 1000.0]
