"""Tests by hand which block is cleaned: four units a block, of which some are valid."""

import pytest

from spindle.sim.disc.flash.sheet import Cleaning, CostBenefit, Greedy


@pytest.mark.parametrize(
    ("rule", "valid", "written", "cleaned"),
    [
        (Greedy(), [3, 1, 1], [0, 9, 8], 2),
        (CostBenefit(), [3, 1], [0, 9], 1),  # 11 s x 1/6 against 2 s x 3/2
        (CostBenefit(), [3, 1], [0, 10], 0),  # the same against 1 s x 3/2
        (CostBenefit(), [1, 0], [0, 10], 1),  # what has nothing valid costs nothing
        (CostBenefit(), [2, 2], [5, 4], 1),
        (CostBenefit(), [4, 4], [5, 4], 1),  # of equals the one filled first
    ],
)
def test_the_block_that_is_cleaned(rule: Cleaning, valid: list[int], written: list[int], cleaned: int) -> None:
    assert rule.chooser(die=0, units=4)(range(len(valid)), valid, written, 10) == cleaned
