"""Tests references of a trace noted during a run: early ones, times of requests, and parts of a difference."""

import pytest
import simpy

from spindle.traces.curve.references import ReferenceLog


def noted(*blocks: int, warm_up: float = 0.0) -> ReferenceLog:
    """A log of one block a second from time 0 on."""
    env, log = simpy.Environment(), ReferenceLog()
    log.begin(env, warm_up)
    for block in blocks:
        log.note(range(block, block + 1), True)
        env.run(until=env.now + 1.0)
    return log


def test_what_comes_before_the_end_of_the_warm_up_is_early() -> None:
    assert (noted(5, 6, 7).early, noted(5, 6, 7, warm_up=2.0).early) == (0, 2)


def test_a_request_is_worth_one_however_many_blocks_it_touches() -> None:
    log = noted()
    log.note(range(3, 7), True)
    log.note(range(3, 5), False)
    assert (log.blocks, log.worths) == ([3, 4, 5, 6, 3, 4], [0.25] * 4 + [0.0] * 2)


def test_the_difference_is_made_of_order_and_rules() -> None:
    """Twice each in turn, in room for one: in order half of them hit, in any order fewer; the cache said 0.4."""
    said = noted(1, 1, 2, 2, 3, 3).compare(0.4, 1, 6)
    assert 0.0 < said["che"] < 0.5
    assert said["beyond_order"] == pytest.approx(0.5 - said["che"])
    assert said["beyond_rules"] == pytest.approx(-0.1)
    assert said["beyond_che"] == pytest.approx(said["beyond_order"] + said["beyond_rules"])
