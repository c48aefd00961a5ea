"""Rules by hand: how each reads a sheet otherwise than at its word."""

from dataclasses import replace

import pytest

from spindle.lab.drives.leave_one_out import COLLECTS, RULES, without_standing_rule
from spindle.sim.disc.buffer_sheet import After, Buffer, Overheads
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.units import MS
from tests.lab.drives.test_left_out import DISC

BY_NAME = {rule.name: rule for rule in RULES}
HITS = Overheads(read_hit=After(1 * MS, 3 * MS), read_miss=After(5 * MS, 7 * MS), report=After(3 * MS, 1 * MS))
READING = replace(DISC, buffer=Buffer(1, 64, HITS, holds=6))


def changed(name: str, disc: DiscType = READING) -> Buffer:
    buffer = BY_NAME[name].change(disc).buffer
    assert buffer is not None
    return buffer


def test_the_rule_that_stands_is_undone_and_done() -> None:
    word = without_standing_rule(READING)
    assert word.buffer is not None
    assert word.buffer.holds == 1
    assert COLLECTS.change(word) == READING


def test_a_drive_that_collects_all_goes_on_to() -> None:
    everything = replace(DISC, buffer=Buffer(1, 64, HITS, holds=64))
    assert without_standing_rule(everything) == COLLECTS.change(everything) == everything


@pytest.mark.parametrize(("goes_on", "miss"), [(False, 7 * MS), (True, 5 * MS)])
def test_a_miss_at_rest(goes_on: bool, miss: float) -> None:
    disc = replace(READING, buffer=Buffer(1, 64, HITS, goes_on=goes_on))
    assert changed("a miss finds it at rest", disc).overheads.read_miss == pytest.approx((miss, miss))


def test_others() -> None:
    assert changed("a report as after a read").overheads.report == After(3 * MS, 3 * MS)
    assert [changed(f"bus takes a {what}").high_water for what in ("read at once", "whole read")] == [0.0, 1.0]
    begins = [changed(f"a read begins {where}").starts_anywhere for where in ("anywhere", "at its start")]
    assert begins == [True, False]
    assert BY_NAME["no write settles sooner"].change(DISC).write_settle == 0.0
    assert {rule.change(replace(DISC, write_settle=0.0)).buffer for rule in RULES} == {None}
