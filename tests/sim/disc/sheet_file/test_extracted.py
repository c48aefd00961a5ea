"""Tests by hand the rules for drive files whose numbers were extracted from drives that were never at rest."""

from dataclasses import replace
from pathlib import Path

import pytest

from spindle.sim.disc.buffer_sheet import After, Buffer, Overheads
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.sheet_file.extracted import misses_at_rest, settles_no_sooner, writes_at_once
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.units import MS
from tests.sim.disc.sheet_file.small import ZONED

BARE = DiscType("Small", uniform(100, 2, 20, 512), 6000, LinearSeek(2 * MS, 8 * MS, 100), write_settle=-1 * MS)
HITS = Overheads(read_hit=After(1 * MS, 3 * MS), read_miss=After(7 * MS, 5 * MS))
DISC = replace(BARE, buffer=Buffer(1, 64, HITS, holds=6))


def buffer_of(disc: DiscType) -> Buffer:
    assert disc.buffer is not None
    return disc.buffer


@pytest.mark.parametrize(("says", "settle"), [(-1 * MS, 0.0), (0.0, 0.0), (2 * MS, 2 * MS)])
def test_no_write_settles_sooner_than_a_read(says: float, settle: float) -> None:
    assert settles_no_sooner(replace(BARE, write_settle=says)).write_settle == settle


@pytest.mark.parametrize(("goes_on", "hit", "miss"), [
    (True, After(1 * MS, 3 * MS), 5 * MS), (False, After(1 * MS, 3 * MS), 7 * MS),
    (False, After(3 * MS, 1 * MS), 5 * MS)])  # fmt: skip
def test_a_miss_takes_what_it_takes_after_a_write(goes_on: bool, hit: After, miss: float) -> None:
    buffer = Buffer(1, 64, replace(HITS, read_hit=hit), goes_on=goes_on)
    rested = buffer_of(misses_at_rest(replace(BARE, buffer=buffer)))
    assert rested.overheads.read_miss == pytest.approx((miss, miss))
    assert rested.overheads.read_hit == hit


def test_a_write_begins_at_once_unless_it_is_collected_as_a_whole() -> None:
    assert buffer_of(writes_at_once(DISC)).holds == 1
    assert buffer_of(writes_at_once(replace(DISC, buffer=Buffer(1, 64, HITS, holds=64)))).holds == 64


@pytest.mark.parametrize("rule", [misses_at_rest, writes_at_once])
def test_a_drive_without_a_buffer_is_left_alone(rule: object) -> None:
    assert callable(rule)
    assert rule(BARE) == BARE


def test_only_sheets_in_the_words_of_disksim_are_read_so(tmp_path: Path) -> None:
    path = tmp_path / "drive.yaml"
    path.write_text(ZONED)
    extracted, literal = read_sheet(path).disc, read_sheet(path, rules=()).disc
    assert isinstance(extracted, DiscType)
    assert isinstance(literal, DiscType)
    assert (extracted.write_settle, literal.write_settle) == (0.0, -0.25 * MS)
    assert (buffer_of(extracted).holds, buffer_of(literal).holds) == (1, 6)
    assert buffer_of(extracted).overheads.read_miss == After(4 * MS, 4 * MS)
    path.write_text(ZONED[: ZONED.index("raw_disksim_spec")])
    assert read_sheet(path).disc == read_sheet(path, rules=()).disc
