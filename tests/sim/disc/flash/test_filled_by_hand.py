"""Tests dies and drives that begin as random writes leave them: valid units, times of writes, and cleaning due."""

from dataclasses import replace
from math import log
from random import Random

import pytest

from spindle.sim.disc.flash.mechanism import NOWHERE, Die, Flash
from spindle.sim.disc.flash.sheet import FlashType, Nand, fewest_valid, sata
from spindle.sim.disc.flash.steady import cleaned_level, steady_levels
from spindle.sim.streams import stream

SIZE = 10
LEVELS = steady_levels(23, 4, SIZE)


class Script:
    """Random numbers that are known."""

    def __init__(self, *numbers: float) -> None:
        self._left = list(numbers)

    def __call__(self) -> float:
        return self._left.pop(0)


def filled(*numbers: float) -> Die:
    """Eight blocks of ten units, two in reserve; thirty units, of which four and three are in the open blocks."""
    die = Die(8, SIZE, 2, fewest_valid)
    die.fill(30, (4, 3), Script(*numbers))
    return die


def test_units_lie_in_the_open_blocks_and_in_the_others_by_their_level() -> None:
    die = filled()
    assert list(die.valid) == [4, 3, *LEVELS, 0, 0]
    assert (die.mapped, sum(LEVELS), die.faults()) == (30, 23, [])
    assert list(die.filled)[2:6] == [-round(30 * log(SIZE / level)) for level in LEVELS]
    assert sorted(die.filled)[0] < 0, "the emptiest was filled longest ago"
    assert (list(die.filled)[:2], die.written, die.copied, die.erased) == ([0, 0], 0, 0, 0)
    assert die.place_of(7) == NOWHERE


def test_a_block_with_nothing_valid_was_filled_as_long_ago_as_one_with_half_a_unit() -> None:
    """Eight units, of which one is not in the open blocks: 8 log(10 / 1/2) and 8 log(10 / 1) writes ago."""
    die = Die(8, SIZE, 2, fewest_valid)
    die.fill(8, (4, 3), Script())
    assert (list(die.valid)[2:6], list(die.filled)[2:6]) == ([0, 0, 0, 1], [-24, -24, -24, -18])


def test_a_unit_that_is_written_again_is_drawn_from_a_block_that_may_have_it() -> None:
    """Block 0 is drawn first: it has 4 of 10, so that 0.4 is too much. Then block 3, and 0 is not."""
    die = filled(0.0, 0.4, 3 / 8, 0.0)
    die.write(7)
    assert list(die.valid) == [5, 3, LEVELS[0], LEVELS[1] - 1, *LEVELS[2:], 0, 0]
    assert (die.place_of(7), die.place_of(8), die.mapped, die.faults()) == (4, NOWHERE, 30, [])
    die.write(7)  # where it lies is known now
    assert list(die.valid) == [5, 3, LEVELS[0], LEVELS[1] - 1, *LEVELS[2:], 0, 0]
    assert (die.place_of(7), die.faults()) == (5, [])


def test_a_unit_beyond_those_that_were_written_is_new() -> None:
    die = filled()
    die.write(30)
    assert (die.mapped, die.valid[0], die.faults()) == (31, 5, [])


def test_a_unit_that_is_trimmed_is_drawn_too_and_once() -> None:
    die = filled(1 / 8, 0.0)
    die.trim(29)
    die.trim(29)
    die.trim(30)
    assert (die.valid[1], die.mapped, die.trimmed, die.faults()) == (2, 29, 1, [])


def test_what_is_not_told_apart_is_copied_and_counted() -> None:
    random = Random(5)
    die = Die(8, SIZE, 2, fewest_valid)
    die.fill(30, (4, 3), random.random)
    for _ in range(300):
        die.write(int(random.random() * 30))
        assert die.faults() == []
    assert die.erased > 20
    assert die.mapped == 30


def drive(share: float, stripes: int = 11) -> Flash:
    """Two dies with stripes of two units; of eleven stripes the first die has six."""
    nand = Nand(1, 2, 2, 9, 4, 4096, 50e-6, 500e-6, 3e-3, 1e9)
    return Flash(FlashType("small", nand, sata(5e9, 1e-7), stripes * 2 * 4096, filled=share))


@pytest.mark.parametrize(("share", "units"), [(1.0, [12, 10]), (0.5, [6, 5]), (0.3, [3, 3])])
def test_a_share_of_each_dies_units_is_written(share: float, units: list[int]) -> None:
    flash = drive(share)
    assert [die.mapped for die in flash.dies] == units
    assert flash.sheet.die_units == 12, "of the die that has most"
    assert flash.faults() == []
    assert flash.reading()["units_written"] == 0.0


def test_each_die_stands_somewhere_else_by_a_stream_of_its_own() -> None:
    """Its open blocks have up to seven of eight units: the first number is of the host's, the second of cleaning's."""
    for number, die in enumerate(drive(1.0).dies):
        random = stream(1, f"state of die {number}").random
        host, copies = (int(random() * 8) for _ in range(2))
        assert (die.valid[0], die.valid[1]) == (host, min(copies, die.mapped - host))


def test_a_die_owes_what_it_has_not_paid_for_the_last_cleaning() -> None:
    """It pays in equal parts with each write until its open block is full: for copies, and an erasure behind them."""
    flash = drive(1.0, 39)
    size, sheet = flash.sheet.block_units, flash.sheet
    for number, die in enumerate(flash.dies):
        valid = cleaned_level(die.mapped / 6, size)  # nine blocks less two in reserve and an open one
        assert valid > 3.5
        part = (valid * flash._copy + sheet.nand.erase) / (size - valid)
        assert flash._instalment[number] == pytest.approx(part)
        copies = (size - die.valid[die._host]) * part - sheet.nand.erase
        assert (flash._owed[number], flash._erasures[number]) == (pytest.approx(max(0.0, copies)), 1)
        assert die.valid[die._host] < size
    new = Flash(replace(sheet, filled=0.0))
    assert (new._owed, new._erasures, [die.mapped for die in new.dies]) == ([0.0, 0.0], [0, 0], [0, 0])
    foreground = Flash(replace(sheet, preempted=False))
    assert (foreground._owed, foreground._erasures, foreground._instalment) == ([0.0, 0.0], [0, 0], [0.0, 0.0])


def test_what_a_busy_die_owes_and_what_it_has_done_add_up_over_two_cleanings() -> None:
    flash = drive(0.0)
    flash._free[0] = 10.0
    erase = flash.sheet.nand.erase
    for number, copied in ((1, 6), (2, 4)):
        flash._clean(0, 0.0, copied, 1)
        done, left = flash._free[0] - 10.0, flash._owed[0] + flash._erasures[0] * erase
        assert done + left == pytest.approx((6 if number == 1 else 10) * flash._copy + number * erase)
        assert left > 0.0
