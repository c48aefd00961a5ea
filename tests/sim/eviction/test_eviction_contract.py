"""What every eviction policy promises. A new policy is one more line in POLICIES."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.error import UserError
from sim.eviction.arc import Arc
from sim.eviction.atca import Atca
from sim.eviction.clock import Clock
from sim.eviction.fac import Fac
from sim.eviction.fifo import Fifo
from sim.eviction.gdsf import Gdsf
from sim.eviction.greedy_dual import GreedyDual
from sim.eviction.hyperbolic import Hyperbolic
from sim.eviction.lfu import Lfu
from sim.eviction.lirs import Lirs
from sim.eviction.lru import Lru
from sim.eviction.lru_k import LruK
from sim.eviction.policy import EvictionPolicy, Traffic, WeighsAccesses, check_capacity, fixed_capacity, make
from sim.eviction.s3_fifo import S3Fifo
from sim.eviction.sieve import Sieve
from sim.eviction.slru import Slru
from sim.eviction.tiny_lfu import WTinyLfu
from sim.eviction.two_q import TwoQ

OF_ANY_CAPACITY = [
    Lru,
    Fifo,
    Clock,
    Lfu,
    Sieve,
    LruK,
    Hyperbolic,
    GreedyDual,
    Gdsf,
    Atca,
    Fac,
]
OF_FIXED_CAPACITY = [
    Slru,
    TwoQ,
    Arc,
    Lirs,
    S3Fifo,
    WTinyLfu,
]
POLICIES = OF_ANY_CAPACITY + OF_FIXED_CAPACITY
CAPACITY = 6

every_policy = pytest.mark.parametrize("kind", POLICIES)
Kind = Callable[..., EvictionPolicy]


def filled(kind: Kind, keys: str) -> EvictionPolicy:
    policy = make(kind, CAPACITY)
    for key in keys:
        policy.insert(key)
    return policy


@every_policy
def test_nobody_is_chosen_from_an_empty_policy(kind: Kind) -> None:
    policy = make(kind, CAPACITY)
    assert policy.choose() is None
    assert policy.choose("x", lambda key: True) is None
    assert len(policy) == 0


@every_policy
def test_length_counts_entries_whatever_their_size(kind: Kind) -> None:
    policy = make(kind, CAPACITY)
    policy.insert("a", size=4096, cost=0.02)
    policy.insert("b", size=1)
    assert len(policy) == 2
    policy.touch("a", cost=0.01)
    assert len(policy) == 2
    policy.remove("a", evicted=True)
    assert len(policy) == 1
    policy.remove("b", evicted=False)
    assert len(policy) == 0


@every_policy
def test_inserting_twice_is_an_error_that_changes_nothing(kind: Kind) -> None:
    policy = filled(kind, "ab")
    policy.touch("a")
    for key in "ab":
        with pytest.raises(ValueError, match=f"'{key}' is in the policy already"):
            policy.insert(key)
    assert len(policy) == 2


@every_policy
def test_touching_or_removing_the_unknown_is_an_error(kind: Kind) -> None:
    policy = filled(kind, "ab")
    policy.remove("b", evicted=True)
    for stranger in ("b", "c"):
        with pytest.raises(KeyError):
            policy.touch(stranger)
        with pytest.raises(KeyError):
            policy.remove(stranger, evicted=True)
        with pytest.raises(KeyError):
            policy.remove(stranger, evicted=False)
    assert len(policy) == 1
    assert policy.choose() == "a"


@every_policy
def test_choose_forgets_nobody_and_repeats_itself(kind: Kind) -> None:
    policy = filled(kind, "abcdef")
    for key in "fbbd":
        policy.touch(key)
    chosen = policy.choose("x")
    assert [policy.choose("x") for _ in range(20)] == [chosen] * 20
    assert len(policy) == 6
    for key in "abcdef":
        policy.remove(key, evicted=False)


@every_policy
@pytest.mark.parametrize("touched", ["", "abcdef", "ace"])
def test_choose_ends_where_all_are_pinned(kind: Kind, touched: str) -> None:
    policy = filled(kind, "abcdef")
    for key in touched:
        policy.touch(key)
    asked: list[object] = []

    def pinned(key: object) -> bool:
        asked.append(key)
        assert len(asked) < 100, "choose does not end"
        return False

    assert policy.choose("x", pinned) is None
    assert set(asked) == set("abcdef")
    assert len(policy) == 6
    assert policy.choose("x") in set("abcdef")


@every_policy
def test_the_only_one_that_may_go_is_found(kind: Kind) -> None:
    policy = filled(kind, "abcdef")
    for key in "abcabd":
        policy.touch(key)
    for free in "abcdef":
        assert policy.choose("x", lambda key, free=free: key == free) == free


@every_policy
def test_who_was_removed_without_eviction_comes_back_as_new(kind: Kind) -> None:
    """Two runs, one with an earlier life of "a" that was invalidated, choose alike ever after."""
    runs = []
    for earlier in ("a", ""):
        policy = make(kind, CAPACITY)
        for key in earlier:
            policy.insert(key)
            policy.touch(key)
            policy.remove(key, evicted=False)
        for key in "bacdef":
            policy.insert(key)
        policy.touch("b")
        victims = []
        for incoming in "ghij":
            victims.append(policy.choose(incoming))
            policy.remove(victims[-1], evicted=True)
            policy.insert(incoming)
        runs.append(victims)
    assert runs[0] == runs[1]


@every_policy
@given(
    steps=st.lists(st.tuples(st.sampled_from(["use", "use", "use", "drop", "ask"]), st.integers(0, 11),
                             st.frozensets(st.integers(0, 11), max_size=8)), max_size=60)
)
def test_only_residents_that_may_go_are_chosen(kind: Kind, steps: list[tuple[str, int, frozenset[int]]]) -> None:
    policy = make(kind, CAPACITY)
    resident: dict[int, None] = {}

    def make_room(key: int, pinned: frozenset[int]) -> bool:
        victim = policy.choose(key, lambda key: key not in pinned)
        if victim is None:
            assert pinned.issuperset(resident)
            return False
        assert victim in resident
        assert victim not in pinned
        assert policy.choose(key, lambda key: key not in pinned) == victim
        policy.remove(victim, evicted=True)
        del resident[victim]
        return True

    for act, key, pinned in steps:
        if act == "ask":
            policy.choose(key, lambda key, pinned=pinned: key not in pinned)
        elif act == "drop" and key in resident:
            policy.remove(key, evicted=False)
            del resident[key]
        elif act == "use" and key in resident:
            policy.touch(key, cost=0.001 * len(pinned))
        elif act == "use" and (len(resident) < CAPACITY or make_room(key, pinned)):
            policy.insert(key, cost=0.001 * len(pinned))
            resident[key] = None
        assert len(policy) == len(resident)


@pytest.mark.parametrize("kind", [kind for kind in POLICIES if issubclass(kind, WeighsAccesses)])
def test_weighing_an_access_is_bookkeeping_about_who_is_here(kind: Kind) -> None:
    policy = filled(kind, "abc")
    for traffic in Traffic:
        policy.accessed(["b", "stranger"], 0.02, traffic)
        policy.accessed([], 0.03, traffic)
    assert len(policy) == 3
    with pytest.raises(KeyError):
        policy.touch("stranger")
    assert {policy.choose("x", lambda key, free=free: key == free) for free in "abc"} == set("abc")


@pytest.mark.parametrize("kind", [kind for kind in POLICIES if issubclass(kind, WeighsAccesses)])
def test_an_access_that_took_no_time_says_nothing(kind: Kind) -> None:
    """A cache below had the bytes. What is known of the disc, and with it who goes first, stays as it was."""
    told, untold = policies = filled(kind, "abcd"), filled(kind, "abcd")
    told.accessed(["a"], 0.0)  # before anything is known
    for policy in policies:
        policy.accessed(["d"], 0.010)
        policy.accessed(["b"], 0.030)
    told.accessed(["b", "d"], 0.0)
    for policy in policies:
        policy.accessed(["c"], 0.020)
    assert in_order(told) == in_order(untold)


def in_order(policy: EvictionPolicy) -> list[object]:
    """Who goes first, second and so on."""
    gone: list[object] = []
    while len(policy):
        gone.append(policy.choose())
        policy.remove(gone[-1], evicted=True)
    return gone


def test_these_weigh_accesses() -> None:
    assert [kind for kind in POLICIES if issubclass(kind, WeighsAccesses)] == [GreedyDual, Atca, Fac]


@pytest.mark.parametrize("kind", OF_ANY_CAPACITY)
def test_any_number_of_entries_will_do(kind: Kind) -> None:
    policy = make(kind, None)
    assert fixed_capacity(policy) is None
    for key in range(100):
        policy.insert(key, size=1 + key)
    assert len(policy) == 100


@pytest.mark.parametrize("kind", OF_FIXED_CAPACITY)
def test_is_refused_where_the_number_of_entries_is_not_fixed(kind: Kind) -> None:
    refusal = f"^policy {kind.__name__} needs a fixed number of entries, which this memory does not have$"
    with pytest.raises(UserError, match=refusal):
        make(kind, None)
    with pytest.raises(UserError, match=refusal):
        check_capacity(kind(4), None)


@pytest.mark.parametrize("kind", OF_FIXED_CAPACITY)
def test_another_capacity_is_refused(kind: Kind) -> None:
    with pytest.raises(UserError, match=f"policy {kind.__name__} was built for 4 entries, but the cache has 5"):
        make(lambda: kind(4), 5)
    assert fixed_capacity(make(lambda: kind(5), 5)) == 5


@pytest.mark.parametrize("kind", OF_FIXED_CAPACITY)
@pytest.mark.parametrize("capacity", [0, -1])
def test_a_capacity_of_no_entries_is_refused(kind: Kind, capacity: int) -> None:
    with pytest.raises(UserError, match=f"policy {kind.__name__} needs a capacity of at least one entry, not"):
        kind(capacity)


@pytest.mark.parametrize("kind", OF_FIXED_CAPACITY)
@pytest.mark.parametrize("capacity", [1, 2, 7])
def test_a_full_one_takes_nobody(kind: Kind, capacity: int) -> None:
    policy = kind(capacity)
    for key in range(capacity):
        policy.insert(key)
    with pytest.raises(ValueError, match=f"'b' does not fit: all {capacity} entries are taken"):
        policy.insert("b")
    assert len(policy) == capacity
