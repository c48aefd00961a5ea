"""Tests policies at their limits: first entries, defaults and highest counts, worked out on paper."""

from collections.abc import Callable

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction.fac import Atca, DynamicMaximum, Partitions, StaticMaximum
from spindle.sim.eviction.greedy_dual import Gdsf, GreedyDual
from spindle.sim.eviction.hyperbolic import Hyperbolic
from spindle.sim.eviction.lecar import LeCar
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.lru_k import LruK
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.tiny_lfu import WTinyLfu
from spindle.sim.eviction.two_q import TwoQ
from spindle.sim.streams import stream
from tests.sim.eviction.test_queues_by_hand import Played


@pytest.mark.parametrize("kind", [Atca, GreedyDual])
def test_who_costs_nothing_yet_goes_first(kind: Callable[[], EvictionPolicy]) -> None:
    policy = kind()
    policy.insert("known", cost=0.010)
    policy.insert("unknown")
    assert policy.choose() == "unknown"


def test_sizes_and_costs_that_are_not_told_are_alike() -> None:
    """One of one byte is worth what one is of which no size was told: of equals the first goes."""
    dual, gdsf = GreedyDual(), Gdsf()
    for policy in (dual, gdsf):
        policy.insert("a", size=1, cost=0.010)
        policy.insert("b", cost=0.010)
        assert policy.choose() == "a"


def test_greedy_dual_begins_with_nothing_gone() -> None:
    """Costs far below the rounding of one second are told apart."""
    policy = GreedyDual()
    policy.insert("a", cost=2e-17)
    policy.insert("b", cost=1e-17)
    assert policy.choose() == "b"


def test_atca_has_as_many_partitions_as_it_is_told() -> None:
    # Of two, both are in the first, and the first to come goes; of ten, b is in the first and a in the fourth.
    for partitions, gone in ((2, "a"), (10, "b")):
        policy = Atca(lambda: StaticMaximum(1.0), partitions)
        policy.insert("a", cost=0.4)
        policy.insert("b", cost=0.1)
        assert policy.choose() == gone


def test_one_partition_will_do_and_a_maximum_begins_at_nothing() -> None:
    assert Partitions(StaticMaximum(1.0), 1).number(0.3) == 1.0
    maximum = DynamicMaximum()
    for _ in range(11):
        maximum.note(0.010)
    assert maximum.reference(0.5) == pytest.approx(0.010, rel=1e-12)  # 0.2 * 10 ms + 0.8 * 10 ms


@pytest.mark.parametrize(("learning", "discount"), [(10.5, 0.5), (-0.1, 0.5), (0.45, 0.0), (0.45, 1.5)])
def test_lecar_refuses_what_does_not_learn(learning: float, discount: float) -> None:
    with pytest.raises(UserError, match="LeCar learns by 0 to 10"):
        LeCar(2, learning, discount)


def test_lecar_draws_from_a_stream_of_its_own() -> None:
    policy, draws = LeCar(2, 10.0, 1.0), stream(0, "lecar")  # both at their limits
    for key in "abc":
        assert policy._draw == draws.random()
        policy.insert(key)
        policy.remove(key, evicted=True)


def test_lecar_remembers_as_many_as_its_capacity() -> None:
    """LRU drives out who was used twice for who came last, whom LFU would have driven out."""
    policy = LeCar(2)
    policy.insert("a")
    for key, newcomer in zip("abc", "bcd", strict=True):
        policy.touch(key)
        policy.insert(newcomer)
        policy._draw = 0.0
        assert policy.choose() == key
        policy.remove(key, evicted=True)
        ghosts = "abc"[: "abc".index(key) + 1][-2:]
        assert list(policy._histories[0]) == list(ghosts)


def test_lirs_has_as_many_hir_entries_as_it_is_told() -> None:
    """Two of four: a and b are LIR, c and d wait to go. Of as many as are meant, 1 % are HIR, and one at least."""
    assert Played(Lirs(4, hir=2), 4).use("abcd" "efgh") == "cdef"
    assert [Lirs(capacity)._most_lir for capacity in (1, 99, 100, 199, 200, 300)] == [0, 98, 99, 198, 198, 297]


def test_lru_goes_on_from_who_is_there() -> None:
    policy = Lru()
    policy.insert("a")
    assert policy.replay("bca", 2) == 0  # c drives out a, and a then b
    assert [policy.choose(), len(policy)] == ["c", 2]


def test_lru_2_looks_at_the_last_use_but_one() -> None:
    # a was used at 1 and 4, b at 2 and 3.
    assert Played(LruK(), 2).use("abba" "c") == "a"


def test_lru_k_forgets_who_went_first() -> None:
    # Two at once, so that two are remembered: when c goes, a is forgotten.
    policy = LruK()
    assert Played(policy, 2).use("abcde") == "abc"
    assert list(policy._ghosts) == ["b", "c"]
    assert set(policy._uses) == set("bcde")
    # Three were here at once, so that three are remembered, however few are left.
    policy = LruK()
    for key in "abc":
        policy.insert(key)
    policy.remove("a", evicted=True)
    policy.remove("b", evicted=False)
    policy.insert("d")
    for key in "cd":
        policy.remove(key, evicted=True)
    assert list(policy._ghosts) == ["a", "c", "d"]


def test_two_q_has_as_many_newcomers_as_it_is_told() -> None:
    # a was remembered and is in the main queue: it goes where three newcomers are meant, c where one is.
    for k_in, gone in ((1, "c"), (3, "a")):
        cache = Played(TwoQ(4, k_in=k_in), 4)
        assert cache.use("abcde" "a") == "ab"
        assert cache.use("x") == gone
    least = TwoQ(1)
    assert (least._k_in, least._k_out) == (1, 1)


def test_s3_fifo_without_ghosts_forgets() -> None:
    # One is small, two are main. a went and is not remembered: it is new again, and goes as such.
    cache = Played(S3Fifo(3, ghosts=0.0), 3)
    assert cache.use("abc" "d" "a" "x") == "ada"


def test_s3_fifo_takes_from_the_small_queue_where_none_of_the_main_one_may_go() -> None:
    # Two are small, a b, two are main, c d. a went, came back, and b went: main c d a is over its share, small e.
    policy = S3Fifo(4, small=0.5)
    assert Played(policy, 4).use("abcd" "e" "a") == "ab"
    assert policy.choose("x") == "c"
    assert policy.choose("x", lambda key: key == "e") == "e"


def test_w_tiny_lfu_at_its_limits() -> None:
    """A window of one entry at least, the rest for SLRU, of which a share is protected."""
    smallest = WTinyLfu(2, window=0.0, sample=1)
    assert (smallest._most_window, smallest._main.fixed_capacity()) == (1, 1)
    half = WTinyLfu(10, window=0.5, share=0.6)
    assert (half._most_window, half._main.fixed_capacity(), half._main._most_protected) == (5, 5, 3)
    assert isinstance(WTinyLfu(10, window=1.0)._main, Slru)


def test_w_tiny_lfu_takes_back_what_it_counted_of_who_was_invalidated() -> None:
    # Six uses halve. Four of a do not count once it is invalid: of b it takes six.
    policy = WTinyLfu(2, sample=3)
    policy.insert("a")
    for _ in range(3):
        policy.touch("a")
    policy.remove("a", evicted=False)
    policy.insert("b")
    for _ in range(4):
        policy.touch("b")
    assert policy._uses == {"b": 5}
    policy.touch("b")
    assert policy._uses == {"b": 3}


def test_w_tiny_lfu_may_lose_who_has_no_count_left() -> None:
    # The sixth use is b's first, and halves it to nothing. Three are counted of a from then on, none of b.
    policy = WTinyLfu(2, sample=3)
    for key in "ab":
        policy.insert(key)
        for _ in range(4 if key == "a" else 0):
            policy.touch(key)
    policy.remove("b", evicted=False)
    assert (policy._uses, policy._counted) == ({"a": 2}, 3)


def test_w_tiny_lfu_goes_on_from_half_the_count() -> None:
    # Eight uses halve to four, and the next four halve again.
    policy = WTinyLfu(2, sample=4)
    policy.insert("a")
    for expected in (2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4):
        policy.touch("a")
        assert policy._uses == {"a": expected}


def test_hyperbolic_counts_time_in_uses() -> None:
    # When c comes, at 3, a has 2 uses in 3 moments and b 1 in 2.
    assert Played(Hyperbolic(), 2).use("aba" "c") == "b"
