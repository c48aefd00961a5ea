"""Tests the rules that every eviction policy must obey. A new policy is one more line in POLICIES."""

from collections.abc import Hashable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.contracts.eviction import KEYS_USED, PROMISES, ContractBroken, Kind, filled_policy, survives
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc, Car
from spindle.sim.eviction.cacheus import Cacheus
from spindle.sim.eviction.clock import Clock, ClockSweep
from spindle.sim.eviction.fac import Atca, Fac
from spindle.sim.eviction.greedy_dual import Gdsf, GreedyDual
from spindle.sim.eviction.hyperbolic import Hyperbolic
from spindle.sim.eviction.lecar import LeCar
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lhd import Lhd
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.lru_k import LruK
from spindle.sim.eviction.mglru import Mglru
from spindle.sim.eviction.midpoint import Midpoint
from spindle.sim.eviction.policy import (
    EvictionPolicy,
    MayGo,
    Traffic,
    WeighsAccesses,
    check_capacity,
    chose_nothing,
    fixed_capacity,
    make,
)
from spindle.sim.eviction.random_draw import RandomDraw
from spindle.sim.eviction.s3_fifo import S3Fifo, S4Fifo
from spindle.sim.eviction.sieve import Sieve
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.tiny_lfu import WTinyLfu
from spindle.sim.eviction.two_q import TwoQ
from tests.samples import sample

OF_ANY_CAPACITY = [
    Lru,
    Fifo,
    Clock,
    ClockSweep,
    Lfu,
    Sieve,
    LruK,
    Hyperbolic,
    GreedyDual,
    Gdsf,
    Mglru,
    RandomDraw,
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
    LeCar,
    S4Fifo,
    Car,
    Lhd,
    Cacheus,
    Midpoint,
]
POLICIES = OF_ANY_CAPACITY + OF_FIXED_CAPACITY

every_policy = pytest.mark.parametrize("kind", POLICIES)


@every_policy
@pytest.mark.parametrize("promise", PROMISES)
def test_keeps_what_every_policy_promises(kind: Kind, promise: str) -> None:
    PROMISES[promise](kind)


@every_policy
@settings(max_examples=sample(15, 50))
@given(
    acts=st.lists(st.tuples(st.sampled_from(["use", "use", "use", "drop", "ask"]), st.integers(0, KEYS_USED - 1),
                            st.frozensets(st.integers(0, KEYS_USED - 1), max_size=8)), max_size=60)
)
def test_only_residents_that_may_go_are_chosen(kind: Kind, acts: list[tuple[str, int, frozenset[int]]]) -> None:
    survives(kind, acts)


@pytest.mark.parametrize("kind", [kind for kind in POLICIES if issubclass(kind, WeighsAccesses)])
def test_weighing_an_access_is_bookkeeping_about_who_is_here(kind: Kind) -> None:
    policy = filled_policy(kind, "abc")
    for traffic in Traffic:
        policy.weigh(["b", "stranger"], 0.02, traffic)
        policy.weigh([], 0.03, traffic)
    assert len(policy) == 3
    with pytest.raises(KeyError):
        policy.touch("stranger")
    assert {policy.choose("x", lambda key, free=free: key == free) for free in "abc"} == set("abc")


@pytest.mark.parametrize("kind", [kind for kind in POLICIES if issubclass(kind, WeighsAccesses)])
def test_an_access_that_took_no_time_says_nothing(kind: Kind) -> None:
    """A cache below had the bytes. What is known of the disc, and with it who goes first, stays as it was."""
    told, untold = policies = filled_policy(kind, "abcd"), filled_policy(kind, "abcd")
    told.weigh(["a"], 0.0)  # before anything is known
    for policy in policies:
        policy.weigh(["d"], 0.010)
        policy.weigh(["b"], 0.030)
    told.weigh(["b", "d"], 0.0)
    for policy in policies:
        policy.weigh(["c"], 0.020)
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


class Hasty(Lru):
    """Takes what is here once more, and lets go whoever may not."""

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key not in self._order:
            super().insert(key, size, cost)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return super().choose(incoming)


@pytest.mark.parametrize(("promise", "breach"), [
    ("a resident key is not inserted again (ValueError)", "inserting 'a', which is resident raises nothing"),
    ("choose ends, with None, where no entry may go", "an entry is chosen that may not go"),
    ("the only entry that may go is chosen", "'e' is chosen where only 'a' may go"),
    ("after any acts only resident entries that may go are chosen", "[0-9]+ is chosen, which may not go"),
])  # fmt: skip
def test_what_is_broken_is_said(promise: str, breach: str) -> None:
    with pytest.raises(ContractBroken, match=breach):
        PROMISES[promise](Hasty)


def test_a_policy_that_chooses_nothing_is_named() -> None:
    assert str(chose_nothing(Fifo())) == "policy Fifo chooses nothing to evict, though an entry may go"
