"""Tests every scheme of spare sectors by hand, on a zone of two cylinders, two heads and ten sectors a track."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.layout import Stretch
from spindle.sim.disc.sparing import SPARINGS, Surface
from spindle.sim.error import UserError

SECTORS = 40


def sectors(code: int, blocks: int, empty: int = 0, **surface: object) -> list[int]:
    """Where block after block lies, counted in sectors of the zone."""
    stretches = SPARINGS[code].stretches(Surface(2, 2, 10, **surface), empty, blocks)
    return [stretch.sector + number for stretch in stretches for number in range(stretch.sectors)]


def pieces(code: int, blocks: int, empty: int = 0, **surface: object) -> list[tuple[int, ...]]:
    return [tuple(stretch) for stretch in SPARINGS[code].stretches(Surface(2, 2, 10, **surface), empty, blocks)]


@pytest.mark.parametrize(
    ("code", "surface", "blocks", "expected"),
    [
        (0, {}, 40, [(0, 40, 0)]),
        (1, {"spares": 1, "slips": (1,)}, 30, [(0, 10, 0), (20, 20, 0)]),
        (1, {"spares": 2}, 20, [(0, 20, 0)]),
        (2, {"spares": 2}, 36, [(0, 18, 0), (20, 18, 0)]),
        (2, {"spares": 2, "slips": (5,)}, 36, [(0, 5, 0), (6, 13, 0), (20, 18, 1)]),
        (2, {"spares": 1, "slips": (19,)}, 38, [(0, 19, 0), (20, 19, 1)]),
        (2, {"spares": 1, "slips": (5,)}, 38, [(0, 5, 0), (6, 14, 0), (20, 19, 1)]),
        (2, {"spares": 2, "slips": (25, 5)}, 36, [(0, 5, 0), (6, 13, 0), (20, 5, 1), (26, 13, 1)]),
        (3, {"spares": 1}, 36, [(0, 9, 0), (10, 9, 0), (20, 9, 0), (30, 9, 0)]),
        (3, {"spares": 1, "slips": (14,)}, 36, [(0, 9, 0), (10, 4, 0), (15, 5, 0), (20, 9, 1), (30, 9, 1)]),
        (4, {"spares": 2, "slips": (5,)}, 35, [(0, 5, 0), (6, 12, 0), (20, 18, 1)]),
        (4, {"spares": 4, "slips": (17,)}, 32, [(0, 16, 0), (20, 16, 1)]),
        (5, {"spares": 2}, 36, [(2, 18, 0), (22, 18, 0)]),
        (5, {"spares": 2, "slips": (5,)}, 36, [(1, 4, 0), (6, 14, 0), (22, 18, 1)]),
        (5, {"spares": 2, "slips": (2,)}, 36, [(1, 1, 0), (3, 17, 0), (22, 18, 1)]),
        (6, {"spares": 2, "slips": (5,)}, 35, [(2, 3, 0), (6, 14, 0), (22, 18, 1)]),
        (7, {"slips": (3, 20)}, 38, [(0, 3, 0), (4, 16, 0), (21, 19, 0)]),
        (8, {"spares": 3}, 34, [(0, 17, 0), (20, 17, 0)]),
        (8, {"spares": 3, "slips": (4,)}, 34, [(0, 4, 0), (5, 13, 0), (20, 17, 0)]),
        (8, {"spares": 3, "slips": (4,), "range_cylinders": 2}, 37, [(0, 4, 0), (5, 33, 0)]),
        (9, {"spares": 3, "slips": (39, 0)}, 37, [(1, 37, 0)]),
        (10, {"spares": 3, "slips": (0,)}, 36, [(1, 36, 0)]),
    ],
)
def test_blocks_lie_where_stepping_over_by_hand_puts_them(
    code: int, surface: dict[str, object], blocks: int, expected: list[tuple[int, ...]]
) -> None:
    assert pieces(code, blocks, **surface) == expected


def test_sectors_at_the_front_stay_empty_as_if_they_held_blocks() -> None:
    assert pieces(3, 20, empty=13, spares=1) == [(14, 5, 0), (20, 9, 0), (30, 6, 0)]
    assert pieces(7, 30, empty=5, slips=(2,)) == [(6, 30, 0)]


def test_cylinders_left_over_by_ranges_have_no_spares() -> None:
    surface = Surface(3, 2, 10, spares=4, range_cylinders=2)
    whole = SPARINGS[8].stretches(surface, 0, 56)
    assert whole == (Stretch(0, 36), Stretch(40, 20))
    with pytest.raises(UserError, match="57 blocks do not fit on the 56 sectors"):
        SPARINGS[8].stretches(surface, 0, 57)


@pytest.mark.parametrize(
    ("code", "moved", "expected"),
    [
        (9, ((5, 38),), [*range(5), 38, *range(6, 36)]),
        (9, ((6, 39), (5, 38)), [*range(5), 38, 39, *range(7, 36)]),
        (9, ((37, 38),), [*range(36)]),
        (1, ((1, 3),), [*range(10), *range(30, 40), *range(20, 30)]),
    ],
)
def test_a_replaced_sector_or_track_is_found_elsewhere(
    code: int, moved: tuple[tuple[int, int], ...], expected: list[int]
) -> None:
    assert sectors(code, len(expected), moved=moved, spares=1 if code == 1 else 4) == expected


@pytest.mark.parametrize(
    ("code", "surface", "blocks", "says"),
    [
        (9, {}, 41, "41 blocks do not fit on the 40 sectors"),
        (9, {"slips": (1,)}, 40, "40 blocks do not fit on the 39 sectors"),
        (9, {"slips": (40,)}, 10, "slips: 40 is not in a zone of 40 sectors"),
        (1, {"slips": (4,)}, 10, "slips: 4 is not in a zone of 4 tracks"),
        (9, {"slips": (-1,)}, 10, "slips: -1 is not in a zone of 40 sectors"),
        (9, {"slips": (7, 3, 7)}, 10, "slips: 7 must not stand there twice"),
        (9, {"moved": ((3, 40),)}, 10, "defects: 40 is not in a zone of 40 sectors"),
        (9, {"moved": ((40, 3),)}, 10, "defects: 40 is not in a zone of 40 sectors"),
        (9, {"moved": ((3, 38), (3, 39))}, 10, "defects: 3 must not stand there twice"),
        (9, {"moved": ((3, 39), (4, 39))}, 10, "defects: 39 must not stand there twice"),
        (3, {"spares": 1, "slips": (2, 3)}, 10, "spares: 1 of 10 sectors cannot make up for 2 slips"),
        (5, {"spares": 1, "slips": (2, 3)}, 10, "spares: 1 of 20 sectors cannot make up for 2 slips"),
        (3, {"spares": 11}, 10, "spares: 11 of 10 sectors cannot make up for 0 slips"),
    ],
)
def test_what_cannot_be_spared_is_a_mistake(code: int, surface: dict[str, object], blocks: int, says: str) -> None:
    with pytest.raises(UserError, match=says):
        sectors(code, blocks, **surface)


def test_more_groups_than_fit_into_memory_are_a_mistake() -> None:
    with pytest.raises(UserError, match="spares: 1000000000 groups with spares of their own are too many"):
        SPARINGS[3].stretches(Surface(1_000_000, 1000, 10, spares=1), 0, 1)


@given(
    code=st.sampled_from([2, 3, 4, 5, 6, 7, 8, 9, 10]),
    slips=st.sets(st.integers(0, SECTORS - 1), max_size=3),
    spares=st.integers(3, 5),
    empty=st.integers(0, 5),
)
def test_blocks_lie_in_order_on_good_sectors_and_each_on_its_own(
    code: int, slips: set[int], spares: int, empty: int
) -> None:
    blocks = SECTORS - 4 * spares - len(slips) - empty
    found = sectors(code, blocks, empty, slips=tuple(slips), spares=spares)
    assert len(found) == blocks
    assert all(before < after for before, after in pairwise(found))
    assert not slips.intersection(found)
