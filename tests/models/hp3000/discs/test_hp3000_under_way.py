"""Accesses under way: who waits for their end goes on when the last has ended, or at once."""

import pytest
import simpy

from models.hp3000.discs.under_way import UnderWay
from sim.clock import Wait, pause
from sim.measure.stuck import Stuck, check_not_stuck


def test_who_waits_for_none_goes_on_when_the_last_has_ended(env: simpy.Environment) -> None:
    under_way, ended = UnderWay(env, "disc 1"), list[float]()

    def access(seconds: float) -> Wait:
        under_way.count += 1
        yield pause(env, seconds)
        under_way.leave()

    def waiter(begin: float) -> Wait:
        yield pause(env, begin)
        yield from under_way.none()
        ended.append(env.now)

    for seconds in (1.0, 3.0):
        env.process(access(seconds))
    for begin in (2.0, 5.0):
        env.process(waiter(begin))
    env.run()
    assert ended == [3.0, 5.0]


def test_an_access_that_never_ends_is_named(env: simpy.Environment) -> None:
    under_way = UnderWay(env, "disc 1")
    under_way.count += 1
    waiter = env.process(under_way.none())
    env.run()
    with pytest.raises(Stuck, match="operator waits for accesses to disc 1"):
        check_not_stuck(env, [("operator", waiter)])
