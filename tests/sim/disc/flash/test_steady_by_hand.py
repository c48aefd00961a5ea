"""Tests the steady state of greedy cleaning by hand: harmonic numbers, the level of cleaning, the levels of blocks."""

from math import fsum, log

import pytest

from spindle.sim.disc.flash.steady import _harmonic, cleaned_level, steady_levels

EULER = 0.5772156649


@pytest.mark.parametrize("number", [1, 2, 5, 100, 4096])
def test_harmonic_numbers_are_right_to_a_part_in_three_hundred(number: int) -> None:
    exact = fsum(1.0 / each for each in range(1, number + 1)) - EULER
    assert _harmonic(number) == pytest.approx(exact, rel=3e-3)
    assert _harmonic(number) > log(number + 0.5)


@pytest.mark.parametrize(("mean", "size"), [(50.0, 100), (90.0, 100), (60.0, 256), (3.0, 4), (2.3, 4)])
def test_the_mean_level_of_blocks_is_what_the_closed_form_says(mean: float, size: int) -> None:
    level = cleaned_level(mean, size)
    assert (size - level) / (_harmonic(size) - _harmonic(level)) == pytest.approx(mean, rel=1e-9)
    assert 0.0 < level < mean


def test_levels_of_four_blocks() -> None:
    """Of 100 units each, half of which are valid: cleaned at 19.6, and from there in equal factors to 100.

    At the middles of four equal shares of the logarithm, 24, 36, 54 and 82, and one more each, for all 200.
    """
    assert cleaned_level(50.0, 100) == pytest.approx(19.64, abs=0.02)
    assert steady_levels(200, 4, 100) == [25, 37, 55, 83]


def test_levels_of_blocks_that_are_cleaned_when_they_are_empty() -> None:
    """Of 10 units each, in equal factors from half a unit on: 1, 2, 3 and 7, and one less each, for all 9."""
    assert cleaned_level(9 / 4, 10) == 0.0
    assert steady_levels(9, 4, 10) == [0, 1, 2, 6]


@pytest.mark.parametrize(("units", "blocks", "size"), [(1000, 40, 64), (2000, 40, 64), (39, 40, 64), (40 * 64, 40, 64),
                                                       (1, 3, 4), (0, 3, 4), (6, 3, 4), (38, 4, 10)])  # fmt: skip
def test_all_units_are_in_some_block_and_none_has_more_than_it_can(units: int, blocks: int, size: int) -> None:
    levels = steady_levels(units, blocks, size)
    assert (sum(levels), len(levels)) == (units, blocks)
    assert levels == sorted(levels)
    assert 0 <= levels[0] <= levels[-1] <= size


def test_as_many_blocks_lie_between_a_level_and_its_double_everywhere() -> None:
    levels = steady_levels(4096 * 400, 4096, 1000)
    least = cleaned_level(400.0, 1000)
    assert levels[0] == pytest.approx(least, rel=0.02)
    for low in (least, 1.5 * least, 2.0 * least):
        share = sum(low <= level < 1.5 * low for level in levels) / 4096
        assert share == pytest.approx(log(1.5) / log(1000 / least), abs=0.02)
