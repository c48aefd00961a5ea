"""Tests a die by hand, and its map against a dict, whatever is written and trimmed."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.disc.flash.mechanism import NOWHERE, Die, MapCache
from spindle.sim.disc.flash.sheet import Choices, Cleaning, CostBenefit, Greedy

CLEANINGS = [Greedy(), CostBenefit(), Choices(3)]
UNITS = 20


def small(cleaning: Cleaning) -> Die:
    """Nine blocks of four units, of which the host has twenty."""
    return Die(9, 4, 2, cleaning.chooser(0, 4))


def test_units_lie_where_they_were_written_last() -> None:
    die = small(Greedy())
    for unit in (7, 3, 7):
        assert die.write(unit) == (0, 0)
    assert (die.place_of(7), die.place_of(3), die.place_of(5)) == (2, 1, NOWHERE)
    assert list(die.valid)[:2] == [2, 0]
    die.trim(7)
    die.trim(5)
    assert (die.place_of(7), die.mapped, die.trimmed) == (NOWHERE, 1, 1)


def test_cleaning_copies_what_is_valid_of_the_emptiest_block_and_erases_it() -> None:
    """Seven blocks can be filled before fewer than two are empty; all of the first but unit 1 was written again."""
    die = small(Greedy())
    writes = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    assert [die.write(unit) for unit in writes] == [(0, 0)] * len(writes)
    assert list(die.filled) == [3, 0, 7, 11, 15, 19, 0, 0, 0], "the writes before the one that filled it"
    assert [die.write(unit) for unit in (17, 18, 19)] == [(0, 0)] * 3
    assert die.write(4) == (1, 1)
    assert (die.wear[0], die.erased, die.copied) == (1, 1, 1)
    assert die.faults() == []


def test_blocks_wear_in_turn_under_uniform_writes() -> None:
    die, random = small(Greedy()), Random(1)
    for _ in range(4000):
        die.write(random.randrange(UNITS))
    assert min(die.wear) > 0.5 * max(die.wear)


@pytest.mark.parametrize("cleaning", CLEANINGS, ids=lambda each: type(each).__name__)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(acts=st.lists(st.tuples(st.sampled_from(["write", "write", "write", "trim"]), st.integers(0, UNITS - 1)),
                     max_size=150))
def test_the_map_is_a_dict(cleaning: Cleaning, acts: list[tuple[str, int]]) -> None:
    die, held = small(cleaning), set[int]()
    for act, unit in acts:
        if act == "write":
            die.write(unit)
            held.add(unit)
        else:
            die.trim(unit)
            held.discard(unit)
        places = {each: die.place_of(each) for each in range(UNITS)}
        assert {each for each, place in places.items() if place != NOWHERE} == held
        assert len({places[each] for each in held}) == len(held) == sum(die.valid)
    assert die.faults() == []


def test_a_draw_of_blocks_without_a_free_unit_is_cleaned_for_nothing() -> None:
    """What was drawn is cleaned, also blocks 0 and 1 with all of their four units valid, though block 2 has none."""
    choose = Choices(1, seed=1).chooser(0, 4)
    drawn = {choose([0, 1, 2], [4, 4, 0], [1, 2, 3], 9) for _ in range(20)}
    assert drawn == {0, 1, 2}


@pytest.mark.parametrize(
    ("spoil", "law"),
    [
        (lambda die: die._chunk(3).__setitem__(3, 0), "unit 3"),
        (lambda die: die.valid.__setitem__(0, 3), "valid units by block"),
        (lambda die: setattr(die, "mapped", 3), "valid units against the map"),
        (lambda die: setattr(die, "written", 3), "units programmed"),
        (lambda die: setattr(die, "erased", 1), "units programmed"),
        (lambda die: die.wear.__setitem__(4, 1), "wear"),
        (lambda die: die._empty.pop(), "empty, open and full"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_named(spoil: object, law: str) -> None:
    die = small(Greedy())
    for unit in (0, 1):
        die.write(unit)
    assert die.faults() == []
    spoil(die)  # type: ignore[operator]
    assert die.faults()[0].startswith(law)


def test_pages_of_the_map_leave_in_the_order_of_their_last_use() -> None:
    cache = MapCache(2, 10)
    assert cache.use(5, True) == (True, None)
    assert cache.use(15, False) == (True, None)
    assert cache.use(7, False) == (False, None)
    assert cache.use(25, False) == (True, None)  # page 1 leaves, which nobody changed
    assert cache.use(16, False) == (True, 0)  # page 0 leaves, and must be written
    assert (cache.hits, cache.misses, cache.write_backs) == (1, 4, 1)
    assert MapCache(None, 10).use(99, True) == (False, None)
