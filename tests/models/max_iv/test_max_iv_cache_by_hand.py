"""Tests Jacobson's sector cache without a clock: hash lists, the LRU list, and which requests may use it."""

import pytest

from spindle.models.max_iv.cache import SectorCache
from spindle.models.max_iv.disc_address import disc_address, reversed_bits, sector_low, track_low, track_of
from spindle.models.max_iv.eligibility import AS_BUILT, FpiFilter, MarksCached, ReadsAlone
from spindle.models.max_iv.requests import RequestKind
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo
from tests.doubles import ChoosesNothing


def test_a_disc_address_has_the_sector_lowest_and_the_unit_highest() -> None:
    assert disc_address(0, 3, 5) == 773  # 3 * 256 + 5
    assert disc_address(2, 0, 1) == 2 * 16777216 + 1


def test_the_bits_of_an_address_may_go_into_the_hash_in_another_order() -> None:
    dpi = disc_address(2, 3, 5)
    assert track_of(dpi) == 3
    assert sector_low(dpi) == dpi
    assert track_low(dpi) == 2 * 16777216 + 5 * 65536 + 3
    assert reversed_bits(disc_address(0, 0, 1)) == 1 << 27
    cache = SectorCache(4, entries=100, order=track_low)
    cache.install(disc_address(0, 3, 0))
    assert cache.queue(3) == (disc_address(0, 3, 0),)


def test_no_two_addresses_become_one_in_another_order() -> None:
    addresses = [disc_address(unit, track, sector) for unit in (0, 3) for track in (0, 1, 7406) for sector in (0, 41)]
    for order in (sector_low, track_low, reversed_bits):
        assert len({order(dpi) for dpi in addresses}) == len(addresses)


def test_buckets_are_the_remainders_of_the_address() -> None:
    cache = SectorCache(4)
    for place in (disc_address(0, 3, 5), disc_address(0, 2, 10), disc_address(1, 0, 0)):
        cache.install(place)
    assert {*cache.queue(20)} == {disc_address(0, 3, 5), disc_address(0, 2, 10)}  # 773 and 522 are n * 251 + 20
    assert cache.queue(16777216 % 251) == (disc_address(1, 0, 0),)


def test_a_chain_has_its_newest_sector_first_and_a_search_counts_comparisons() -> None:
    cache = SectorCache(8, entries=10)
    for dpi in (13, 23, 33):
        cache.install(dpi)
    assert cache.queue(3) == (33, 23, 13)
    assert [cache.search(dpi) for dpi in (33, 23, 13, 43)] == [1, 2, 3, 3]
    assert (cache.searches, cache.comparisons) == (4, 9)


def test_unused_entries_lie_on_list_0_with_an_impossible_address() -> None:
    cache = SectorCache(8, entries=10)
    cache.install(20)
    cache.install(5)
    assert cache.search(20) == 1  # the used ones come first
    assert cache.search(30) == 7  # one used and the 8 - 2 unused
    assert cache.search(15) == 1


def test_the_oldest_is_replaced_and_being_asked_for_makes_young() -> None:
    cache = SectorCache(3)
    for dpi in (1, 2, 3):
        cache.install(dpi)
    cache.touch(1)
    cache.install(4)
    assert [dpi in cache for dpi in (1, 2, 3, 4)] == [True, False, True, True]
    cache.install(5)
    assert [dpi in cache for dpi in (1, 3, 4, 5)] == [True, False, True, True]
    assert (cache.installed, cache.replaced, cache.evicted) == (5, 2, 0)


def test_another_policy_replaces_another_sector() -> None:
    cache = SectorCache(3, policy=Fifo)
    for dpi in (1, 2, 3):
        cache.install(dpi)
    cache.touch(1)
    cache.install(4)
    assert [dpi in cache for dpi in (1, 2, 3, 4)] == [False, True, True, True]


def test_installing_what_is_here_replaces_nobody() -> None:
    cache = SectorCache(2)
    for dpi in (1, 2, 1):
        cache.install(dpi)
    assert len(cache) == 2
    assert cache.replaced == 0


def test_an_evicted_sector_leaves_its_chain_and_room() -> None:
    cache = SectorCache(2, entries=10, counted=lambda dpi: dpi < 10)
    cache.install(7)
    cache.install(17)
    assert cache.counted == 1
    cache.evict(7)
    cache.evict(7)
    assert cache.queue(7) == (17,)
    assert (cache.evicted, cache.counted, len(cache)) == (1, 0, 1)
    cache.install(3)
    assert 17 in cache


# kind, words, answered at initiation, kept at termination, spoils what the cache has (Jacobson 2.2 and 3.1)
RULES = [
    (RequestKind.READ, 1, True, False, False),
    (RequestKind.READ, 127, True, False, False),
    (RequestKind.READ, 128, True, True, False),
    (RequestKind.READ, 129, False, False, False),
    (RequestKind.READ, 20480, False, False, False),
    (RequestKind.WRITE, 1, False, True, False),
    (RequestKind.WRITE, 128, False, True, False),
    (RequestKind.WRITE, 129, False, False, True),
    (RequestKind.WEOF, 0, False, False, True),
    (RequestKind.AVR, 0, False, False, False),
    (RequestKind.AVF, 0, False, False, False),
    (RequestKind.BKR, 0, False, False, False),
    (RequestKind.BKF, 0, False, False, False),
]


@pytest.mark.parametrize(("kind", "words", "answered", "kept", "spoilt"), RULES)
def test_the_rules_as_built(kind: RequestKind, words: int, answered: bool, kept: bool, spoilt: bool) -> None:
    assert AS_BUILT.answers(kind, words) is answered
    assert AS_BUILT.keeps(kind, words, 0) is kept
    assert AS_BUILT.spoils(kind, words) is spoilt


@pytest.mark.parametrize("sectors", [0, -1, 70000])
def test_a_cache_must_have_a_size(sectors: int) -> None:
    with pytest.raises(UserError, match="sectors must be between 1 and 65536"):
        SectorCache(sectors)


def test_as_it_was_meant_marks_are_cached() -> None:
    rules = MarksCached()
    assert [rules.answers(kind, 0) for kind in RequestKind] == [True, False, False, True, False, True, False]
    assert [rules.keeps(kind, 0, 0) for kind in RequestKind] == [False, True, True, False, False, False, False]
    for words, spoilt in ((128, False), (129, True)):
        assert [rules.spoils(kind, words) for kind in RequestKind] == [False, spoilt, *[False] * 5]


def test_what_the_filter_refuses_to_keep_of_a_write_it_spoils() -> None:
    rules = FpiFilter(8)
    assert rules.keeps(RequestKind.WRITE, 128, 7)
    assert not rules.keeps(RequestKind.WRITE, 128, 8)
    assert rules.spoils(RequestKind.WRITE, 128)
    assert [rules.answers(RequestKind.READ, words) for words in (128, 129)] == [True, False]
    assert [rules.answers(kind, 0) for kind in RequestKind] == [AS_BUILT.answers(kind, 0) for kind in RequestKind]
    assert [FpiFilter(8, FpiFilter(4)).keeps(RequestKind.READ, 128, place) for place in (3, 4)] == [True, False]
    assert [rules.spoils(kind, 0) for kind in RequestKind] == [False, True, True, False, False, False, False]


def test_without_writes_reads_alone_are_kept() -> None:
    rules = ReadsAlone()
    for words in (127, 128, 129):
        assert [rules.answers(kind, words) for kind in RequestKind] == [
            AS_BUILT.answers(kind, words) for kind in RequestKind]  # fmt: skip
        assert [rules.keeps(kind, words, 0) for kind in RequestKind] == [words == 128, *[False] * 6]
        assert [rules.spoils(kind, words) for kind in RequestKind] == [False, True, True, *[False] * 4]


def test_a_policy_that_chooses_nothing_is_named() -> None:
    cache = SectorCache(1, policy=ChoosesNothing)
    cache.install(5)
    with pytest.raises(UserError, match=ChoosesNothing.TOLD):
        cache.install(6)
