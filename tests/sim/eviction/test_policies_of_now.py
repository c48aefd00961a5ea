"""Tests S4-FIFO, CAR, LHD, Cacheus and MGLRU: short strings worked out on paper, and hits of their authors' programs.

The recorded hits are of one string, computed once: S4-FIFO's by libCacheSim 0.3.5's S3-FIFO with the three rules of its
later S4-FIFO; CAR's by the same program, with the paper's conditions for dropping ghosts and adapting after the
eviction, which it has otherwise (and stops at some sizes); LHD's by the same, in double precision, learning every 200
references; Cacheus's by sylab/cacheus in double precision, with our stream of draws.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import count
from math import ceil, inf, log2
from random import Random

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction import lhd
from spindle.sim.eviction.arc import Car
from spindle.sim.eviction.cacheus import Cacheus, _Rate
from spindle.sim.eviction.lhd import Lhd
from spindle.sim.eviction.lru import Fifo
from spindle.sim.eviction.mglru import Mglru, _Tier
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.s3_fifo import S3Fifo, S4Fifo
from spindle.sim.streams import stream
from spindle.traces.curve.replay import replay
from tests.sim.eviction.test_queues_by_hand import Played
from tests.traces.curve.test_libcachesim import _string

LEHMER = 0xDA942042E4DD58B5


class DrawnAsTheirs(Lhd):
    """Draws numbers as libCacheSim does, where the seed is 1."""

    state = 1

    def _next(self) -> int:
        self.state = self.state * LEHMER % 2**128
        return self.state >> 64

    def _draw(self, count: int) -> list[Hashable]:
        return [self._entries[self._next() % len(self._entries)].key for _ in range(count)]

    def _explores(self) -> bool:
        return self._next() % lhd.EXPLORERS_ONE_IN == 0


CAPACITIES = (20, 50, 200)
HITS: dict[str, tuple[Callable[[int], EvictionPolicy], list[int]]] = {
    "s4-fifo": (S4Fifo, [615, 897, 1596]),
    "s4-fifo, returns": (lambda capacity: S4Fifo(capacity, skip=0.5, returns=1), [608, 882, 1569]),
    "s4-fifo, one use": (lambda capacity: S4Fifo(capacity, skip=0.75, enough=1), [616, 895, 1592]),
    "car": (Car, [591, 877, 1598]),
    "lhd": (lambda capacity: DrawnAsTheirs(capacity, 200), [545, 780]),
    "cacheus": (Cacheus, [587, 849, 1612]),
}


@pytest.mark.parametrize("name", HITS)
def test_hits_are_those_of_the_published_program(name: str) -> None:
    make, hits = HITS[name]
    keys = _string()
    sizes = CAPACITIES[:len(hits)]
    assert [replay(lambda size=size: make(size), keys, size) for size in sizes] == hits


def test_s4_fifo_does_not_count_a_burst() -> None:
    # Two of four in the small queue. a is used at once, which does not count, and when b had come, which does; b is
    # used at once only. c and d fill the main queue. For e, a moves there, and b goes; with bursts, b would move too.
    assert Played(S4Fifo(4, small=0.5, skip=0.5, enough=1), 4).use("aab" "ab" "cd" "e") == "b"
    assert Played(S4Fifo(4, small=0.5, skip=0.0, enough=1), 4).use("aab" "ab" "cd" "e") == "c"


def test_s4_fifo_has_a_ghost_return_twice() -> None:
    # a goes for e, and comes back into the small queue, from which b has gone; e and a go for f and g. At its second
    # return a enters the main queue, for which f goes.
    policy = S4Fifo(4, small=0.5, ghosts=1.0, returns=1)
    cache = Played(policy, 4)
    assert cache.use("abcd" "e" "a" "fg") == "abea"
    assert "a" not in policy._main
    assert cache.use("a") == "f"
    assert "a" in policy._main
    assert (policy._most_ghosts, set(policy._came)) == (4, set(policy._small))


def test_s4_fifo_without_its_rules_is_s3_fifo() -> None:
    keys = _string()
    for capacity in (1, 7, 50):
        plain = replay(lambda size=capacity: S4Fifo(size, skip=0.0), keys, capacity)  # type: ignore[misc]
        assert plain == replay(lambda size=capacity: S3Fifo(size), keys, capacity)  # type: ignore[misc]


@pytest.mark.parametrize("given", [{"skip": 1.0}, {"skip": -0.1}, {"enough": 0}, {"enough": 4}, {"returns": -1},
                                   {"returns": inf}])
def test_s4_fifo_has_its_limits(given: dict[str, float]) -> None:
    assert len(S4Fifo(4, skip=0.0, enough=3)) == 0
    with pytest.raises(UserError, match="policy S4Fifo skips a share from 0 up to 1"):
        S4Fifo(4, **given)  # type: ignore[arg-type]


def test_car_adapts_after_the_eviction() -> None:
    """Two entries; a star is a mark.

    key   once   often  ghosts of once, of often  target
    a b   a b
    a     a* b
    c     c      a      b                         0   a has its mark taken off and moves
    b            a b    c                         1   c goes for it, then the ghost of b adapts
    d     d      b      c            a            1   once has fewer than the target: a goes
    a            b a    c d                       0   once has as many: d goes; two ghosts of once for one of often
    """
    policy = Car(2)
    cache = Played(policy, 2)
    assert cache.use("ab" "a" "c") == "b"
    assert cache.use("b") == "c"
    assert policy.target == 1.0
    assert cache.use("d") == "a"
    assert cache.use("a") == "d"
    assert policy.target == 0.0


def test_car_passes_over_who_may_not_go() -> None:
    """The first without a mark goes, of those used once and then of the others, or the first at all."""
    policy = Car(4)
    for key in "abcd":
        policy.insert(key)
    policy.touch("b")
    policy.touch("c")
    assert [policy.choose("x", lambda key, stay=stay: key not in stay) for stay in ("", "a", "ad", "abd")] == [*"adbc"]
    policy = Car(4)
    policy.insert("x")
    policy.remove("x", evicted=True)
    for key in "xab":  # x is one of those used often, for it comes back
        policy.insert(key)
    assert policy.choose("y", lambda key: key != "a") == "b"
    policy.remove("x", evicted=False)
    policy.target = 4.0  # however many are meant for the once-used, there are no others
    assert policy.choose() == "a"


def test_lhd_lets_the_large_and_the_once_used_go() -> None:
    for large in "abc":
        sized = Lhd(3)
        for key in "abc":
            sized.insert(key, 8 if key == large else 1)
        assert sized.choose() == large
    cache = Played(Lhd(4), 4)
    assert "a" not in cache.use("aa" "bcdefgh")


def test_lhd_expects_hits_by_age() -> None:
    # Two hits at age 0, two evictions at age 1: from 0 on four events within 4 + 2 ages, of which two hits.
    ages = lhd._Ages(0)
    ages.hits[0], ages.evictions[1] = 2, 2
    ages.model()
    assert [*ages.densities[:3]] == pytest.approx([2 / 6, 0.0, 0.0])
    # The oldest keep what they had. Events that are as good as none say nothing.
    oldest = (lhd.AGE_CLASSES + 1) / lhd.MAX_AGE
    assert (len(ages.densities), ages.densities[-2], ages.densities[-1]) == (lhd.MAX_AGE, 0.0, oldest)
    ages.hits[lhd.MAX_AGE - 2] = lhd.MIN_EVENTS
    ages.model()
    assert (len(ages.densities), [*ages.densities[-2:]]) == (lhd.MAX_AGE, [0.0, oldest])
    assert len(ages.hits) == len(ages.evictions) == lhd.MAX_AGE


def test_cacheus_draws_where_its_experts_differ() -> None:
    # One is safe, one on probation. b is the least recent of probation and the most recent of those used once: both
    # say b. c comes there and drives a down: probation is c a, and both say c. Then a is the oldest, d the newest.
    random = stream(0, "cacheus")
    draws = [random.random() for _ in range(3)]
    assert Played(Cacheus(2), 2).use("ab" "cde") == "bc" + ("a" if draws[2] < 0.5 else "d")


def test_cacheus_learns_faster_while_that_helps() -> None:
    rate = _Rate(4, stream(0, "cacheus"))
    first = rate.now
    assert first == pytest.approx(0.588705, abs=1e-6)
    rate.hits = 2
    for _ in range(4):
        rate.tick()
    # From 0 to 0.589, and from no hits to half: on by that share.
    assert rate.now == pytest.approx(first * 1.589)
    faster = rate.now
    for _ in range(4):
        rate.tick()
    # From 0.589 to 0.935, and from half to none: back by that share.
    assert rate.now == pytest.approx(faster * (1 - 0.346))


def test_mglru_is_fifo_until_a_tier_is_missed() -> None:
    assert Played(Mglru(), 3).use("abc" "aaa" "d") == "a"
    policy = Mglru()
    policy._tiers[1] = _Tier(total=128, refaulted=128)  # half of which count when the next generation is the oldest
    # a was used twice, and is of the tier that is missed: it moves on to the next generation, and b goes.
    assert Played(policy, 3).use("abc" "a" "d") == "b"


@pytest.mark.parametrize(("tier", "base", "missed"), [
    (_Tier(64, 63), _Tier(), False), (_Tier(64, 64), _Tier(), True),
    # 64 of 100 were wanted again: 64 * (36 + 64) * 2 is more than (41 + 1) * 100 * 3, and less than (42 + 1) * 100 * 3.
    (_Tier(100, 64), _Tier(36, 63), False), (_Tier(100, 64), _Tier(36, 42), False),
    (_Tier(100, 64), _Tier(36, 41), True),
    (_Tier(96, 72), _Tier(36, 49), False),  # 72 * 100 * 2 is 50 * 96 * 3
])  # fmt: skip
def test_mglru_compares_a_tier_with_the_first(tier: _Tier, base: _Tier, missed: bool) -> None:
    assert tier.is_missed_more(base) is missed


def test_mglru_counts_uses_and_remembers_a_ghost_of_the_last_tier() -> None:
    policy = Mglru()
    for key, uses in (("a", 10), ("b", 2)):
        policy.insert(key)
        for _ in range(uses):
            policy.touch(key)
    assert policy._generations[1].pages == {"a": 8, "b": 3}  # they came to the second oldest generation
    for key in "ab":
        policy.remove(key, evicted=True)
    assert policy._generations[0].ghosts == {"a": 3, "b": 2}  # of the oldest
    for key in "ab":
        policy.insert(key)
    assert policy._generations[1].pages == {"a": 8, "b": 1}


def test_mglru_begins_a_generation_where_few_are_left() -> None:
    policy = Mglru()
    found = []
    for _ in range(4):
        policy._grow_older()
        found.append((policy._oldest, policy._youngest, min(policy._generations)))
    assert found == [(1, 3, 0), (2, 3, 0), (3, 4, 0), (4, 5, 1)]
    assert [*Mglru()._generations] == [0, 1, 2, 3]
    policy._tiers[2] = _Tier(12, 8)
    policy._grow_older()
    assert policy._tiers[2] == _Tier(6, 4)


def test_mglru_protects_what_is_used_again() -> None:
    """Forty pages are used twice each time they come by; between them are pages that never come back."""
    keys = [key for lap in range(60) for page in range(40) for key in (page, page, f"{lap} {page}")]
    assert replay(Mglru, keys, 50) > replay(Fifo, keys, 50) + 500


def mglru_by_its_document(keys: Sequence[Hashable], capacity: int) -> int:
    """Count the hits of multigen_lru.rst with pages as rows of a table, which is searched for each eviction."""
    pages: dict[Hashable, list[int]] = {}  # generation, place in it, uses
    shadows: dict[Hashable, tuple[int, int]] = {}  # generation that was oldest, tier
    evicted, refaulted = [0.0] * 4, [0.0] * 4
    oldest, youngest, hits, places = 0, 3, 0, count()
    for key in keys:
        if key in pages:
            hits += 1
            pages[key][2] = min(8, pages[key][2] + 1)
            continue
        while len(pages) == capacity:
            rows = [(row[1], each, row[2]) for each, row in pages.items() if row[0] == oldest]
            if not rows:
                oldest, youngest = oldest + 1, max(youngest, oldest + 2)
                evicted, refaulted = [each / 2 for each in evicted], [each / 2 for each in refaulted]
                continue
            _, victim, uses = min(rows)
            tier = 0 if uses < 2 else min(3, ceil(log2(uses)))
            missed = (each for each in (1, 2, 3) if refaulted[each] >= 64 and
                      refaulted[each] / evicted[each] > 1.5 * (refaulted[0] + 1) / (evicted[0] + 64))  # fmt: skip
            evicted[tier] += 1
            if tier < next(missed, 4):
                del pages[victim]
                shadows[victim] = oldest, tier
            else:
                pages[victim] = [oldest + 1, next(places), 0]
        since, tier = shadows.pop(key, (oldest - 4, 0))
        refaulted[tier] += since > oldest - 4
        last = since > oldest - 4 and tier == 3
        pages[key] = [oldest + (youngest > oldest + 2), next(places), 8 if last else 1]
    return hits


def test_hits_of_mglru_are_those_of_its_document() -> None:
    random = Random("mglru")
    keys = [key for place in range(2400) for key in (place % 40, place % 40, 100 + int(300 * random.random() ** 3))]
    hits = [mglru_by_its_document(keys, room) for room in (10, 50)]
    assert [replay(Mglru, keys, room) for room in (10, 50)] == hits
    assert hits[1] > replay(Fifo, keys, 50) + 100
