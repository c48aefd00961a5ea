"""Tests a channel by hand: which drive has it when, and that it costs no event while no drive waits."""

from math import nan, ulp

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.channel import Channel, Granted, _lead
from spindle.sim.disc.kernel.arm import TrackRun


def at(env: simpy.Environment, seconds: float, act: object) -> None:
    env.timeout(seconds).callbacks.append(lambda _: act())  # type: ignore[operator]


def holding(log: list[object], name: str, seconds: float) -> Granted:
    def granted(now: float) -> float:
        log.append((now, name))
        return seconds

    return granted


def test_a_free_channel_is_had_at_once_and_without_an_event(env: simpy.Environment, log: list[object]) -> None:
    Channel(env).seize(holding(log, "first", 3.0))
    assert log == [(0.0, "first")]
    assert env.peek() == float("inf")


def test_who_comes_first_has_it_first(env: simpy.Environment, log: list[object]) -> None:
    channel = Channel(env)
    for second, name, seconds in ((0, "long", 4.0), (1, "second", 2.0), (2, "third", 1.0), (9, "late", 1.0)):
        at(env, second, lambda name=name, seconds=seconds: channel.seize(holding(log, name, seconds)))
    env.run()
    assert log == [(0, "long"), (4, "second"), (6, "third"), (9, "late")]
    assert channel.reading() == {"busy": 7.0, "grants": 4.0, "refusals": 0.0, "waited": 3.0 + 4.0}


def test_a_hold_has_ended_at_its_end_however_the_clock_rounds(env: simpy.Environment, log: list[object]) -> None:
    channel = Channel(env)
    at(env, 0.1, lambda: channel.seize(holding(log, "first", 0.2)))  # 0.1 + 0.2 is more than 0.3
    at(env, 0.3, lambda: channel.seize(holding(log, "second", 1.0)))
    env.run()
    assert (log, channel.waited) == ([(0.1, "first"), (0.3, "second")], 0.0)


@pytest.mark.parametrize(("late", "free"), [(4, True), (5, False)])
def test_rounding_is_four_of_the_last_digit_at_most(
    env: simpy.Environment, log: list[object], late: int, free: bool
) -> None:
    channel = Channel(env)
    env.run(until=1.0)
    channel.seize(holding(log, "first", 1.0 + late * ulp(2.0)))
    env.run(until=2.0)
    channel.seize(holding(log, "second", 1.0))
    assert (log[1:] == [(2.0, "second")]) is free


def test_who_asks_from_within_his_grant_waits_for_its_end(env: simpy.Environment, log: list[object]) -> None:
    channel = Channel(env)

    def greedy(now: float) -> float:
        channel.seize(holding(log, "again", 1.0))
        log.append((now, "greedy"))
        return 2.0

    channel.seize(greedy)
    env.run()
    assert log == [(0, "greedy"), (2, "again")]


def test_busy_time_is_exact_at_any_instant(env: simpy.Environment, log: list[object]) -> None:
    channel = Channel(env)
    at(env, 1, lambda: channel.seize(holding(log, "first", 4.0)))
    at(env, 2, lambda: channel.seize(holding(log, "second", 2.0)))
    busy = []
    for second in (0.5, 3.0, 5.5, 9.0):
        at(env, second, lambda: busy.append(channel.busy()))
    env.run()
    assert busy == [0.0, 2.0, 4.5, 6.0]


@pytest.mark.parametrize("seconds", [-1.0, nan, float("inf")])
def test_a_hold_is_finite_and_not_negative(env: simpy.Environment, log: list[object], seconds: float) -> None:
    with pytest.raises(ValueError, match="finite and not negative"):
        Channel(env).seize(holding(log, "wrong", seconds))


TIMES = st.integers(0, 40)


@given(st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=20))
def test_it_is_a_single_server(asked: list[tuple[int, int]]) -> None:
    """Each begins when he comes or when the one before him ends, whichever is later."""
    env, log = simpy.Environment(), list[object]()
    channel = Channel(env)
    asked.sort(key=lambda pair: pair[0])
    for number, (second, hold) in enumerate(asked):
        at(env, second, lambda number=number, hold=hold: channel.seize(holding(log, str(number), float(hold))))
    env.run()
    expected, free = [], 0
    for number, (second, hold) in enumerate(asked):
        begin = max(second, free)
        expected.append((begin, str(number)))
        free = begin + hold
    assert log == expected
    env.run(until=free + 1)
    assert channel.busy() == sum(hold for _, hold in asked)


def test_a_write_begins_when_its_data_need_not_be_waited_for() -> None:
    """Four blocks of two milliseconds each, which pass in one: the head begins as the last but three can follow it.

    On the next track, however dense, it goes on: a head switch is not counted on.
    """
    ready = _lead(10, 14, 1.0, 2e-3, 16e-3)
    assert ready(TrackRun(0, 0, 0.0, 16, 10, 12, 2)) == pytest.approx(1.005)
    assert ready(TrackRun(0, 0, 0.0, 8, 10, 12, 2)) == pytest.approx(1.002)
    assert ready(TrackRun(0, 1, 0.0, 32, 12, 14, 2)) == 1.0
