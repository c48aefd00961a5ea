"""Tests the register of what is built on a clock, its credits, and the rounding that a law forgives."""

from math import ulp

import pytest
import simpy

from spindle.sim.parts import LawBroken, agree, credit, credits_of, parts_on, register


class Built:
    """A part of which nothing is known but that it was built."""


def test_parts_are_those_of_their_clock_that_are_still_in_use() -> None:
    """In the order in which they were built; on a clock on which nobody built anything there is none."""
    env, other = simpy.Environment(), simpy.Environment()
    first, lost, last = Built(), Built(), Built()
    for part in (first, lost, last):
        register(env, part)
    del part, lost
    assert parts_on(env) == [first, last]
    assert (parts_on(other), credits_of(other)) == ([], [])


def test_each_source_is_credited_once_in_the_order_in_which_it_came() -> None:
    env = simpy.Environment()
    sheet, policy = object(), object()
    for source in (sheet, policy, sheet):
        credit(env, source)
    assert credits_of(env) == [sheet, policy]


def test_only_rounding_is_forgiven() -> None:
    agree("law", 1.0, 1.0 + 9e-10, 0, 1.0)
    agree("law", 0.0, 8e-10, 1, 1e6)  # a clock at a million seconds ticks in steps of 1.2e-10
    for one, other, terms, now in ((1.0, 1.0 + 1e-8, 0, 1.0), (0.0, 8e-9, 1, 1e6), (0.0, 1e-12, 10, 1.0)):
        with pytest.raises(LawBroken):
            agree("law", one, other, terms, now)


def test_eight_ticks_of_the_clock_are_forgiven_a_term_and_one_more() -> None:
    """Three terms at 2**20 s, where a tick is 2**-32 s: 32 ticks, and no more."""
    tick, small = ulp(2.0**20), 1e-300
    agree("law", small, small + 32 * tick * (1 - 1e-6), 3, 2.0**20)
    with pytest.raises(LawBroken, match=r"^law: "):
        agree("law", small, small + 32 * tick * (1 + 1e-6), 3, 2.0**20)
