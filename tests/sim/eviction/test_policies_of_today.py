"""Tests W-TinyLFU, LRU-K, hyperbolic caching and GDSF: short strings worked out on paper, special cases and limits."""

from collections.abc import Callable
from math import exp, inf, nan
from random import Random

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction.greedy_dual import Gdsf
from spindle.sim.eviction.hyperbolic import Hyperbolic
from spindle.sim.eviction.lecar import LeCar
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.lru_k import LruK
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.sim.eviction.tiny_lfu import WTinyLfu
from spindle.traces.curve.replay import belady_hits, replay
from tests.sim.eviction.test_queues_by_hand import Played


def test_a_newcomer_must_be_used_more_often_than_who_would_go_for_it() -> None:
    # One of four is in the window. a, b and c come to probation, d is in the window; a and b are protected.
    cache = Played(WTinyLfu(4, share=0.7), 4)
    assert cache.use("abcd" "ab") == ""
    # d against c, both used once: the newcomer goes. So do e and f; then g, used twice, drives c out at last.
    assert cache.use("efg") == "def"
    assert cache.use("g" "h") == "c"
    # h against g, which was used more often.
    assert cache.use("i") == "h"


def test_uses_outlive_an_entry_and_are_halved() -> None:
    # d comes three times through the window; when it has been counted more often than a, a goes for it.
    cache = Played(WTinyLfu(3, share=0.0), 3)
    assert cache.use("abcaa" "de") == "cd"
    assert cache.use("df") == "eb"
    policy = WTinyLfu(2, sample=3)
    halved = Played(policy, 2)
    halved.use("aaaaab")
    # Six uses: the five of a are two, and the one of b nothing.
    assert policy._uses == {"a": 2}
    assert halved.use("b" "c") == "b"


def test_whose_count_was_halved_to_nothing_has_none() -> None:
    # The sixth use is d's second. Halved, a and b have none, c and d one: d against b.
    assert Played(WTinyLfu(3, sample=2), 3).use("abccdd" "e") == "ab"
    # The sixth use is c's first. Halved, a and c have none: the newcomer goes.
    assert Played(WTinyLfu(3, sample=2), 3).use("abbbbc" "d") == "c"


def test_uses_are_halved_at_ten_an_entry() -> None:
    policy = WTinyLfu(2)
    cache = Played(policy, 2)
    cache.use("a" * 19)
    assert policy._uses == {"a": 15}  # counted no further
    cache.use("a")
    assert policy._uses == {"a": 7}


def test_a_window_with_room_takes_no_part() -> None:
    # a came to the main part, and b ... f are in the window, of which b and c are invalidated.
    policy = WTinyLfu(10, window=0.5)
    for key in "abcdef":
        policy.insert(key)
    policy.touch("a")
    assert policy.choose() == "b"
    for key in "bc":
        policy.remove(key, evicted=False)
    assert policy.choose() == "a"
    assert [WTinyLfu(capacity)._most_window for capacity in (1, 149, 160, 249)] == [1, 1, 2, 2]


def test_a_window_of_all_is_lru() -> None:
    keys = [Random(f"{seed}").randrange(12) for seed in range(400)]
    for capacity in (1, 3, 8):
        assert replay(lambda n=capacity: WTinyLfu(n, window=1.0), keys, capacity) == replay(Lru, keys, capacity)


def test_who_was_not_used_twice_goes_first() -> None:
    # a was used twice, though longest ago; of b and c, used once, b goes. Then d before a.
    cache = Played(LruK(), 3)
    assert cache.use("aabcd") == "b"
    assert cache.use("e") == "c"
    assert cache.use("ded" "f") == "a"
    # d's second last use is older than e's... d: 5, 8, 10; e: 7, 9; f once: f goes.
    assert cache.use("g") == "f"


def test_uses_are_remembered_of_who_has_gone() -> None:
    # b comes back while it is remembered, and has two uses then, at 2 and 5; a has those at 1 and 4.
    cache = Played(LruK(), 2)
    assert cache.use("aba" "c") == "b"
    assert cache.use("b" "d") == "ca"


@pytest.mark.parametrize("capacity", [1, 3, 8])
def test_lru_1_is_lru(capacity: int) -> None:
    keys = [Random(f"{seed}").randrange(12) for seed in range(400)]
    assert replay(lambda: LruK(1), keys, capacity) == replay(Lru, keys, capacity)


def test_the_lowest_use_for_its_time_goes() -> None:
    # When d comes a has 3 uses in 5 moments, b 1 in 2, c 1 in 1. Then a 3 in 6, c 1 in 2, d 1 in 1: a came first.
    cache = Played(Hyperbolic(), 3)
    assert cache.use("aaab" "cd") == "b"
    assert cache.use("e") == "a"
    # c 1 in 3, d 1 in 2, e 1 in 1.
    assert cache.use("f") == "c"


def test_a_sample_of_one_goes_round() -> None:
    # In the place of a is c, and the hand goes on to b, in whose place d is, and on to e.
    assert Played(Hyperbolic(1), 3).use("abcdef") == "abe"
    # Of two: a of a and b, in whose place is e; then c of c and d. Who is invalidated moves no hand.
    assert Played(Hyperbolic(2), 5).use("abcdefg") == "ac"
    policy = Hyperbolic(1)
    for key in "abc":
        policy.insert(key)
    policy.remove("b", evicted=False)
    assert policy.choose() == "a"


def test_a_sample_is_of_64() -> None:
    """The last of 65 has been used least; a sample from the first on does not see it."""
    chosen = []
    for policy in (Hyperbolic(), Hyperbolic(65)):
        for key in range(65):
            policy.insert(key)
        for key in [*range(64)] * 3:
            policy.touch(key)
        chosen.append(policy.choose())
    assert chosen == [0, 64]


def test_a_small_object_is_worth_more() -> None:
    policy = Gdsf()
    for key, size in (("a", 4), ("b", 1), ("c", 2)):
        policy.insert(key, size)
    # 1/4, 1 and 1/2; a used four times has 1, later than b.
    order = []
    for _ in range(3):
        policy.touch("a")
    while len(policy):
        order.append(policy.choose())
        policy.remove(order[-1], evicted=True)
    assert order == ["c", "b", "a"]


def test_frequency_ages_by_what_has_gone() -> None:
    # a is used three times and never again; others come and go, each ranked one above who went before.
    cache = Played(Gdsf(), 2)
    assert cache.use("aaa" "bcde") == "bca"
    assert Played(Lfu(), 2).use("aaa" "bcdefg") == "bcdef"


@pytest.mark.parametrize("kind", [LruK, Hyperbolic, Gdsf, WTinyLfu])
def test_nobody_is_better_than_can_be_and_all_know_the_hot(kind: Callable[..., EvictionPolicy]) -> None:
    """Two thirds of the references go to ten blocks, the rest to blocks that never come back."""
    random = Random("hot")
    keys = [random.randrange(10) if random.random() < 0.67 else 100 + place for place in range(6000)]
    hits = replay(kind, keys, 20)
    assert replay(Lru, keys, 20) <= hits <= belady_hits(keys, [20])[20]


@pytest.mark.parametrize(("make", "says"), [
    (lambda: WTinyLfu(4, window=1.5), "WTinyLfu has a window from 0 to 1"), (lambda: WTinyLfu(4, sample=0), "sample"),
    (lambda: LruK(0), "LruK looks at one use"), (lambda: Hyperbolic(0), "Hyperbolic has a sample of one entry"),
    (lambda: S3Fifo(4, small=1.0), "S3Fifo has a small queue of a share between 0 and 1"),
    (lambda: S3Fifo(4, small=0.0), "S3Fifo has a small queue"), (lambda: S3Fifo(4, ghosts=inf), "ghosts of a share"),
])  # fmt: skip
def test_what_no_such_policy_can_be_is_refused(make: Callable[[], EvictionPolicy], says: str) -> None:
    with pytest.raises(UserError, match=says):
        make()


def test_the_shares_of_s3_fifo_are_those_of_the_paper() -> None:
    for capacity in range(1, 3000):
        policy = S3Fifo(capacity)
        assert (policy._most_small, policy._most_ghosts) == (max(1, capacity // 10), capacity * 9 // 10)


def test_who_has_all_the_weight_chooses() -> None:
    keys = [Random(f"{seed}").randrange(12) for seed in range(400)]
    for weights, like in (([1.0, 0.0], Lru), ([0.0, 1.0], Lfu)):
        def weighted(weights: list[float] = weights) -> EvictionPolicy:
            policy = LeCar(5, learning=0.0)
            policy._weights = weights
            return policy

        assert replay(weighted, keys, 5) == replay(like, keys, 5)


@pytest.mark.parametrize("comes", ["c", "ccc"])
def test_regret_fades_with_each_use_since(comes: str) -> None:
    # a is used often, b lately; LRU drives a out for c, and regrets it n uses later: 0.5 against 0.5 exp(0.45 d**n).
    policy = LeCar(2)
    cache = Played(policy, 2)
    cache.use("aab")
    policy._draw = 0.0
    assert cache.use(comes) == "a"
    cache.use("a")
    assert not policy._histories[0]
    gain = exp(0.45 * 0.005 ** (len(comes) / 2))
    assert policy._weights == pytest.approx([1 / (1 + gain), gain / (1 + gain)], rel=1e-12)


def test_whom_both_choose_leaves_no_ghost() -> None:
    policy = LeCar(2)
    Played(policy, 2).use("abbc" "a")
    assert policy._weights == [0.5, 0.5]
    policy = LeCar(2)
    Played(policy, 2).use("aab")
    policy._draw = 0.5
    assert policy.choose() == "b"  # as LFU says; LRU says a
    policy.remove("b", evicted=False)  # no choice was made
    assert (policy._draw, [*policy._histories[1]]) == (0.5, [])
    with pytest.raises(UserError, match=r"LeCar learns by 0 to 10 .* not nan"):
        LeCar(2, learning=nan)
