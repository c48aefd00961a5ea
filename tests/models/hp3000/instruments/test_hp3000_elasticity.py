"""Tests the elasticity of the response: one station and two users by hand, and runs with a free lock and a busy one."""

from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.models.hp3000.instruments.elasticity import elasticity, lines, station_wait
from spindle.models.hp3000.run import run


def result(users: int, held: float, wait: float, mean: float, count: int = 100, seconds: float = 1000.0) -> Any:
    """A run of *seconds* in which *count* responses of *mean* seconds held the block for *held* seconds in all."""
    return SimpleNamespace(
        response=lambda: {"responses": count, "response_mean": mean}, breakdown=lambda: {"lock": wait},
        counters={"data_base.lock_held": held}, parameters={"terminals": users}, seconds=seconds,
    )  # fmt: skip


@pytest.mark.parametrize(("users", "delay", "demand", "wait"), [
    (1, 5.0, 2.0, 0.0), (2, 1.0, 1.0, 0.5),  # one is there half of the time
    (2, 3.0, 1.0, 0.25), (3, 0.0, 1.0, 2.0), (200, 0.0, 0.5, 99.5),
])  # fmt: skip
def test_the_wait_at_one_station(users: int, delay: float, demand: float, wait: float) -> None:
    assert station_wait(users, delay, demand) == pytest.approx(wait)


def test_without_a_wait_it_is_the_share_of_the_hold() -> None:
    assert elasticity(result(1, held=25.0, wait=0.0, mean=1.0)) == pytest.approx(0.25)
    assert elasticity(result(1, held=25.0, wait=0.5, mean=1.0)) == pytest.approx(0.25), "one waits for nobody"


def test_where_nobody_is_ever_away_the_wait_goes_as_the_hold() -> None:
    """Ten users, and all of a response is hold and wait: twice the hold is twice the response."""
    assert elasticity(result(10, held=1000.0, wait=90.0, mean=100.0)) == pytest.approx(1.0, rel=1e-6)


def test_near_saturation_the_response_moves_by_more_than_the_hold() -> None:
    """20 users, 0.45 s of hold each, every 10 s: a station that is busy nine tenths of the time."""
    assert elasticity(result(20, held=900.0, wait=1.0, mean=1.6, count=2000)) > 1.5


def test_a_line_has_a_digit_and_the_share_of_the_time() -> None:
    """2.5 s of hold in each response of 5 s; held for 250 s of 1000."""
    assert lines(result(1, held=250.0, wait=0.0, mean=5.0)) == [
        "0.5 % longer if the control block is held 1 % longer; it is held 25% of the time"]  # fmt: skip


def test_who_waits_for_longer_than_a_round_is_never_away() -> None:
    """Two users of a hold of 1 s: 0.2 s a round, of which 100 s of waits are no part; the wait grows as the hold."""
    assert elasticity(result(2, held=100.0, wait=100.0, mean=100.0, seconds=10.0)) == pytest.approx(1.01, rel=1e-6)


def test_it_has_no_value_where_nothing_is_held_or_answered() -> None:
    for nothing in (result(5, 0.0, 0.0, 1.0), result(5, 1.0, 0.0, 0.0, count=0), result(5, 1.0, 0.0, 0.0)):
        assert lines(nothing) == []
    nothing.counters.clear()  # as of a machine without a data base
    assert lines(nothing) == []


def test_a_page_has_it_below_the_responses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "hp3000", "--terminals", "4", "--minutes", "1", "--warm-up", "0.2"]) == 0
    said = capsys.readouterr().out.splitlines()
    place = next(number for number, line in enumerate(said) if line.startswith("response, s"))
    assert "% longer if the control block is held 1 % longer; it is held" in said[place + 2]


def test_more_terminals_at_one_block_move_it_more() -> None:
    few, many = (run(users, caching=False, minutes=2.0, warm_up=1.0, seed=1) for users in (10, 60))
    assert elasticity(few) < 1.0 < elasticity(many)
