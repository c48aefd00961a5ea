"""Tests the place of a fetch: from the request on, in multiples of its size, or around the request; always clipped."""

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.hp3000.caching.alignment import SECTOR, Alignment, Centred, FromRequest, InMultiples
from spindle.models.hp3000.caching.control import CacheSettings, Control
from spindle.models.hp3000.caching.domains import Domain, DomainDirectory
from spindle.sim.clock import Account
from spindle.sim.request import Access, Hint, Op, Span

ALIGNMENTS = [FromRequest(), InMultiples(), Centred()]


def sectors(first: int, end: int) -> Span:
    return Span(first * SECTOR, (end - first) * SECTOR)


def fetched(alignment: Alignment, absent: Span, extent: Span, hint: Hint = Hint.NONE) -> tuple[float, float]:
    """First and end, in sectors, of what is fetched of *extent* by fetches of 8 and 32 sectors."""
    control = Control(simpy.Environment(), CacheSettings(8 * SECTOR, 32 * SECTOR), alignment)
    domain = entered(control, Access(Op.READ, absent, extent, None, hint, False, Account("")))
    return domain.first / SECTOR, domain.end / SECTOR


def entered(control: Control, access: Access) -> Domain:
    """The domain that a read of what is absent makes, where there is no other."""
    return DomainDirectory().enter(control.fetch(access, access.span), access.span, access.within)


@pytest.mark.parametrize(("alignment", "places"), list(zip(ALIGNMENTS, [
    [(20, 28), (11, 19), (96, 100), (20, 52), (20, 40), (30, 38)],
    [(18, 26), (10, 18), (90, 98), (10, 42), (18, 42), (26, 34)],
    [(17, 25), (10, 16), (93, 100), (10, 37), (20, 40), (27, 35)],
], strict=True)), ids=["from request", "in multiples", "centred"])  # fmt: skip
def test_by_hand(alignment: Alignment, places: list[tuple[int, int]]) -> None:
    """In an extent of sectors 10 to 100: in the middle, near both ends, in order, more than a fetch, and one sector."""
    extent = sectors(10, 100)
    assert [
        fetched(alignment, sectors(20, 22), extent),
        fetched(alignment, sectors(11, 13), extent),
        fetched(alignment, sectors(96, 97), extent),
        fetched(alignment, sectors(20, 22), extent, Hint.SEQUENTIAL),
        fetched(alignment, sectors(20, 40), extent),
        fetched(alignment, sectors(30, 31), extent),
    ] == places


def test_neighbours_clip_a_fetch_on_both_sides() -> None:
    directory = DomainDirectory()
    for each in (sectors(10, 19), sectors(23, 30)):
        directory.enter(each, each, each)
    domain = directory.enter(sectors(17, 25), sectors(20, 22), sectors(0, 100))
    assert (domain.first // SECTOR, domain.end // SECTOR) == (19, 23)


@given(st.integers(0, 200), st.integers(1, 60), st.integers(0, 40), st.integers(1, 300), st.integers(1, 96))
def test_whatever_is_absent_is_fetched_within_the_extent(
    first: int, length: int, before: int, behind: int, size: int
) -> None:
    absent, extent = sectors(first + before, first + before + length), sectors(first, first + before + length + behind)
    access = Access(Op.READ, absent, extent, None, Hint.NONE, False, Account(""))
    for alignment in ALIGNMENTS:
        domain = entered(Control(simpy.Environment(), CacheSettings(size * SECTOR), alignment), access)
        assert extent.first <= domain.first <= absent.first
        assert absent.end <= domain.end <= extent.end
        assert domain.first % SECTOR == domain.end % SECTOR == 0
        assert domain.end - domain.first < absent.length + 2 * size * SECTOR
