"""Rules by hand: how each reads a sheet otherwise than at its word."""

from dataclasses import replace

from spindle.lab.drives.leave_one_out import RULES
from spindle.sim.disc.buffer_sheet import After, Buffer, Overheads
from spindle.sim.disc.layout import uniform
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


def test_a_write_begins_with_some_of_it_unless_it_is_collected_as_a_whole() -> None:
    at_once = replace(READING, buffer=Buffer(1, 64, HITS, holds=1))
    assert changed("a write begins with 3 KB", at_once).holds == 6
    assert changed("a write begins with 3 KB", replace(DISC, buffer=Buffer(1, 64, HITS, holds=64))).holds == 64
    large = replace(at_once, layout=uniform(100, 2, 20, 2048))
    assert changed("a write begins with 3 KB", large).holds == 1


def test_others() -> None:
    assert changed("a report as after a read").overheads.report == After(3 * MS, 3 * MS)
    assert [changed(f"bus takes a {what}").high_water for what in ("read at once", "whole read")] == [0.0, 1.0]
    begins = [changed(f"a read begins {where}").starts_anywhere for where in ("anywhere", "at its start")]
    assert begins == [True, False]
    assert BY_NAME["no write settles sooner"].change(DISC).write_settle == 0.0
    assert {rule.change(replace(DISC, write_settle=0.0)).buffer for rule in RULES} == {None}
