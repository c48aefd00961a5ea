"""Tests a count and its integral over time."""

import pytest
import simpy

from spindle.sim.clock import Population


def test_integral_by_hand() -> None:
    env = simpy.Environment(3)
    people = Population(env)
    env.run(4)
    people.enter()
    people.enter()
    env.run(6)
    people.leave()
    assert people.seconds() == 4
    env.run(10)
    assert (people.seconds(), people.now, people.entered) == (8, 1, 2)
    people.leave()
    env.run(20)
    assert (people.seconds(), people.now, people.entered) == (8, 0, 2)
    people.enter()
    assert (people.seconds(), people.now, people.entered) == (8, 1, 3)


def test_nobody_leaves_who_never_entered(env: simpy.Environment) -> None:
    with pytest.raises(AssertionError, match="never entered"):
        Population(env).leave()
