"""Tests that a search for a victim asks about a refused entry only once for each claim."""

from collections.abc import Callable, Hashable

import pytest

from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.two_q import TwoQ

KINDS = [Lru, Fifo, Lfu, lambda: Slru(8), lambda: Arc(8), lambda: TwoQ(8)]
NAMES = ["Lru", "Fifo", "Lfu", "Slru", "Arc", "TwoQ"]


class Claim:
    """Refuses what is *pinned*, and counts how often it is asked."""

    def __init__(self, pinned: str) -> None:
        self.pinned = pinned
        self.asked = ""

    def __call__(self, key: Hashable) -> bool:
        self.asked += str(key)
        return key not in self.pinned


def filled(kind: Callable[[], EvictionPolicy]) -> EvictionPolicy:
    policy = kind()
    for key in "abcdef":
        policy.insert(key)
    return policy


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_a_pinned_key_is_asked_about_once_a_claim(kind: Callable[[], EvictionPolicy]) -> None:
    policy, claim = filled(kind), Claim("abd")
    for victim in "cef":
        assert policy.choose("x", claim) == victim
        policy.remove(victim, evicted=True)
    assert policy.choose("x", claim) is None
    assert claim.asked == "abcdef"


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_another_claim_asks_from_the_beginning(kind: Callable[[], EvictionPolicy]) -> None:
    policy = filled(kind)
    assert policy.choose("x", Claim("ab")) == "c"
    assert policy.choose("x", Claim("b")) == "a"
    assert policy.choose("x", None) == "a"


def test_lfu_goes_on_among_keys_of_more_uses() -> None:
    policy, claim = Lfu(), Claim("ac")
    for key in "abcd":
        policy.insert(key)
    for key in "cdd":
        policy.touch(key)
    victims = []
    while (victim := policy.choose("x", claim)) is not None:
        victims.append(victim)
        policy.remove(victim, evicted=True)
    assert (victims, claim.asked) == (["b", "d"], "abcd")
