"""Tests the directory of domains (cached bytes of a disc): found and absent spans, and that domains never overlap."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.models.hp3000.caching.domains import Domain, DomainDirectory, are_resident
from spindle.sim.request import Span

DISC = 64 * SECTOR


def filled(*places: tuple[int, int]) -> DomainDirectory:
    """A directory with a domain at each place, (first, end) in sectors."""
    directory = DomainDirectory()
    for first, end in places:
        span = Span(first * SECTOR, (end - first) * SECTOR)
        directory.enter(span, span, span)
    return directory


def sectors(pieces: list[Domain | Span] | list[Domain]) -> list[tuple[str, int, int]]:
    """Domains and absent spans as (what, first, end) in sectors."""
    return [("domain" if isinstance(each, Domain) else "absent", each.first // SECTOR, each.end // SECTOR)
            for each in pieces]


def test_find_gives_the_domains_that_overlap_in_order() -> None:
    directory = filled((4, 8), (16, 32), (8, 10))
    for first, end, found in [
        (0, 4, []),
        (0, 5, [(4, 8)]),
        (5, 6, [(4, 8)]),
        (7, 9, [(4, 8), (8, 10)]),
        (10, 16, []),
        (9, 17, [(8, 10), (16, 32)]),
        (0, 64, [(4, 8), (8, 10), (16, 32)]),
        (31, 40, [(16, 32)]),
        (32, 40, []),
    ]:
        span = Span(first * SECTOR, (end - first) * SECTOR)
        assert sectors(directory.find(span)) == [("domain", *each) for each in found], (first, end)


def test_one_byte_is_enough_to_overlap() -> None:
    directory = filled((4, 8))
    assert directory.find(Span(4 * SECTOR - 1, 1)) == []
    assert len(directory.find(Span(4 * SECTOR - 1, 2))) == 1
    assert len(directory.find(Span(8 * SECTOR - 1, 1))) == 1
    assert directory.find(Span(8 * SECTOR, 1)) == []


def test_pieces_tell_what_is_there_and_what_is_absent() -> None:
    directory = filled((4, 8), (10, 12))
    assert sectors(directory.pieces(Span(2 * SECTOR, 12 * SECTOR))) == [
        ("absent", 2, 4), ("domain", 4, 8), ("absent", 8, 10), ("domain", 10, 12), ("absent", 12, 14),
    ]
    assert sectors(directory.pieces(Span(5 * SECTOR, SECTOR))) == [("domain", 4, 8)]


def test_what_is_absent_is_rounded_to_whole_sectors() -> None:
    assert DomainDirectory().pieces(Span(300, 10)) == [Span(256, 256)]
    assert DomainDirectory().pieces(Span(300, 300)) == [Span(256, 512)]
    assert filled((1, 2)).pieces(Span(500, 20))[1:] == [Span(512, 256)]


def test_a_domain_begins_at_what_is_absent_and_ends_at_the_next_domain() -> None:
    directory = filled((10, 12))
    fetched = directory.enter(Span(4 * SECTOR, 16 * SECTOR), Span(4 * SECTOR, 2 * SECTOR), Span(0, DISC))
    assert (fetched.first, fetched.end) == (4 * SECTOR, 10 * SECTOR)
    beyond = directory.enter(Span(12 * SECTOR, 16 * SECTOR), Span(12 * SECTOR, SECTOR), Span(0, DISC))
    assert (beyond.first, beyond.end) == (12 * SECTOR, 28 * SECTOR)


def test_a_domain_begins_behind_the_one_before() -> None:
    directory = filled((10, 12))
    fetched = directory.enter(Span(8 * SECTOR, 8 * SECTOR), Span(13 * SECTOR, SECTOR), Span(0, DISC))
    assert (fetched.first, fetched.end, fetched.asked) == (12 * SECTOR, 16 * SECTOR, SECTOR)


def test_a_fetch_that_ends_within_a_sector_brings_whole_ones_and_at_least_what_is_absent() -> None:
    directory = DomainDirectory()
    shortened = directory.enter(Span(0, 1000), Span(0, 256), Span(0, DISC))
    assert (shortened.first, shortened.end) == (0, 768)
    needed = directory.enter(Span(1024, 1000), Span(1024, 1024), Span(0, DISC))
    assert (needed.first, needed.end) == (1024, 2048)


def test_a_fetch_begins_with_the_first_whole_sector_of_the_extent() -> None:
    """An extent from byte 300 on: what is wanted from 200 on is brought from 512 on."""
    domain = DomainDirectory().enter(Span(200, 1000), Span(768, 256), Span(300, 2000))
    assert (domain.first, domain.end) == (512, 1024)


def test_what_is_removed_is_gone() -> None:
    directory = filled((4, 8), (8, 10))
    first, second = directory.find(Span(0, DISC))
    directory.remove(first)
    assert (first.gone, second.gone, len(directory)) == (True, False, 1)
    assert directory.find(Span(0, DISC)) == [second]


def test_a_domain_holds_what_lies_in_it_when_it_is_at_rest() -> None:
    directory = DomainDirectory()
    domain = directory.enter(Span(1024, 1024), Span(1024, 256), Span(0, DISC))
    assert directory.holder(Span(1024, 1024)) is None  # it is arriving
    domain.arrival = None
    assert directory.holder(Span(1024, 1024)) is domain
    assert directory.holder(Span(1023, 2)) is None
    assert directory.holder(Span(2047, 2)) is None
    domain.posts = 1
    assert directory.holder(Span(1024, 1024)) is None


def test_at_rest_is_every_byte() -> None:
    directory = filled((4, 8), (8, 10), (12, 16))
    for domain in directory.find(Span(0, DISC))[:2]:
        domain.arrival = None
    for first, length, whole in [(4, 6, True), (5, 1, True), (3, 2, False), (9, 2, False), (12, 2, False)]:
        assert are_resident(directory.pieces(Span(first * SECTOR, length * SECTOR))) is whole


spans = st.builds(Span, st.integers(0, DISC - 1), st.integers(1, DISC // 4))
steps = st.lists(st.tuples(spans, st.integers(1, DISC // 2), st.booleans()), max_size=40)


@given(steps)
def test_domains_never_overlap_and_pieces_tile_the_span(steps: list[tuple[Span, int, bool]]) -> None:
    directory = DomainDirectory()
    for span, fetch, forget in steps:
        pieces = directory.pieces(span)
        assert all(one.end == other.first for one, other in pairwise(pieces))
        assert pieces[0].first <= span.first
        assert pieces[-1].end >= span.end
        absent = [piece for piece in pieces if isinstance(piece, Span)]
        assert all(piece.first % SECTOR == piece.length % SECTOR == 0 and piece.length for piece in absent)
        for piece in absent:
            domain = directory.enter(Span(piece.first, max(fetch, piece.length)), piece, Span(0, 10 * DISC))
            assert domain.first == piece.first
            assert piece.end <= domain.end <= piece.first + max(fetch, piece.length)
        if forget:
            directory.remove(directory.find(span)[0])
        domains = directory.find(Span(0, 10 * DISC))
        assert len(domains) == len(directory)
        assert all(one.end <= other.first for one, other in pairwise(domains))
        assert all(domain.first < domain.end for domain in domains)
        here = {sector for each in domains for sector in range(each.first // SECTOR, each.end // SECTOR)}
        for sector in range(0, DISC // SECTOR, 7):
            assert bool(directory.find(Span(sector * SECTOR, SECTOR))) == (sector in here)
