"""Tests the clock sweep, its rings, and the midpoint list on short strings, worked out on paper."""

from functools import partial

import pytest
import simpy

from spindle.sim.error import UserError
from spindle.sim.eviction.clock import ClockSweep
from spindle.sim.eviction.greedy_dual import GreedyDual
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.midpoint import Midpoint
from spindle.sim.eviction.policy import EvictionPolicy, TellsNext, Traffic
from spindle.sim.eviction.rings import Ring, Rings
from spindle.sim.eviction.slru import Slru
from spindle.sim.memory import SharedMemory
from spindle.sim.streams import pick, stream
from tests.sim.eviction.test_queues_by_hand import Played


def own_midpoint(share: float) -> EvictionPolicy:
    return Midpoint(4, share)


def sweep(string: list[int], capacity: int, most: int) -> int:
    """Misses by the definition, on an array of buffers with their counts and a hand."""
    buffers, counts, hand, misses = [-1] * capacity, [0] * capacity, 0, 0
    for page in string:
        if page in buffers:
            place = buffers.index(page)
            counts[place] = min(most, counts[place] + 1)
            continue
        misses += 1
        while counts[hand]:
            counts[hand] -= 1
            hand = (hand + 1) % capacity
        buffers[hand], counts[hand] = page, 1
        hand = (hand + 1) % capacity
    return misses


def misses(policy: EvictionPolicy, string: list[int], capacity: int) -> int:
    played, count = Played(policy, capacity), 0
    for page in string:
        count += page not in played.resident
        played.use([page])
    return count


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("capacity", [1, 4, 13])
def test_clock_sweep_is_an_array_of_counts_with_a_hand(capacity: int, most: int) -> None:
    random = stream(1, "pages")
    string = [min(pick(random, 40), pick(random, 40)) for _ in range(3000)]
    assert misses(ClockSweep(most), string, capacity) == sweep(string, capacity, most)


def test_clock_sweep_takes_one_use_from_each_that_it_passes() -> None:
    # a has three uses, b two, c one. The hand takes one from all, one from a and b, and c has none left.
    cache = Played(ClockSweep(), 3)
    assert cache.use("abc" "aab") == ""
    assert cache.use("d") == "c"
    # The hand points at a (1), then b (0): b goes, a has none left. Then the hand passes d, and takes its one.
    assert cache.use("e") == "b"
    assert cache.use("f") == "a"


def test_clock_sweep_tells_who_has_no_uses_left() -> None:
    policy = ClockSweep()
    Played(policy, 3).use("abc" "aab" "d")
    assert list(policy.coming(3)) == ["b"]
    assert list(policy.coming(0)) == []
    for _ in range(6):
        policy.touch("a")
    assert policy._ring["a"] == 5  # counted no further


def test_clock_sweep_must_count() -> None:
    with pytest.raises(UserError, match="policy ClockSweep counts up to one use at least, not 0"):
        ClockSweep(0)


def test_a_newcomer_enters_in_the_middle() -> None:
    # Half of four are old. b, c and a come in: new a b, old c d (the last one is the head of the old list).
    cache = Played(Midpoint(4, share=0.5), 4)
    assert cache.use("abcd") == ""
    # c goes, not a, which has been here longest; e is used again and rises, and b sinks to the old list.
    assert cache.use("e") == "c"
    assert cache.use("e" "fg") == "db"


def test_a_hit_that_comes_too_soon_is_none() -> None:
    time = 0.0
    policy = Midpoint(4, 0.5)
    policy.set_clock(lambda: time)
    cache = Played(policy, 4)
    cache.use("abcd" "cd")
    assert cache.use("e") == "c"
    time = 1.0
    assert cache.use("d" "fg") == "eb"


@pytest.mark.parametrize("policy", [Midpoint(4, 0.5), Rings(4, partial(own_midpoint, 0.5))])
def test_a_memory_gives_its_policy_a_clock(policy: EvictionPolicy) -> None:
    env = simpy.Environment()
    SharedMemory(env, 4, policy, 1)
    cache = Played(policy, 4)
    cache.use("abcd" "cd")
    assert cache.use("e") == "c"
    env.run(until=1.0)
    assert cache.use("d" "fg") == "eb"


def test_the_midpoint_lies_within() -> None:
    with pytest.raises(UserError, match="share of old entries between 0 and 1, not"):
        Midpoint(4, share=1.0)
    with pytest.raises(UserError, match="waits for a time that is finite and not negative, not for -1 s"):
        Midpoint(4, wait=-1)


def asked(policy: Rings, cache: Played, ring: Ring, keys: str) -> str:
    gone = ""
    for key in keys:
        policy.ask(key, ring)
        gone += cache.use(key)
        policy.finish(key)
    return gone


def test_a_scan_stays_in_its_ring() -> None:
    policy, ring = Rings(4, Lru), Ring(2)
    cache = Played(policy, 4)
    cache.use("ab")
    assert asked(policy, cache, ring, "123456") == "1234"
    # 5 is used by another: it is the ring's no longer, so that the policy chooses, and a is the oldest.
    cache.use("5")
    assert asked(policy, cache, ring, "7") == "a"
    assert asked(policy, cache, ring, "8") == "6"


def test_a_hit_through_a_ring_is_no_use() -> None:
    policy, ring = Rings(2, Lru), Ring(2)
    cache = Played(policy, 2)
    cache.use("ab")
    asked(policy, cache, ring, "a")
    assert cache.use("c") == "a"


def test_rings_tell_their_policy_what_accesses_took() -> None:
    policy = Rings(2, GreedyDual)
    policy.insert("a", cost=0.03)
    policy.insert("b")
    policy.weigh(["b"], 0.05)
    policy.weigh(["b"], 0.01, Traffic.WRITE_BACK)
    assert policy.choose() == "a"
    policy.finish("b")  # which nobody has asked for
    plain = Rings(2, Lru)
    plain.insert("a")
    plain.weigh(["a"], 0.05)
    assert (plain.fixed_capacity(), Rings(2, Slru).choose()) == (2, None)


def test_a_ring_has_an_entry() -> None:
    policy, ring = Rings(3, Lru), Ring(1)
    assert asked(policy, Played(policy, 3), ring, "abcde") == "cd"
    with pytest.raises(UserError, match="a ring has one entry at least, not 0"):
        Ring(0)


@pytest.mark.parametrize("policy", [Lru(), Midpoint(3, share=0.7), Rings(3, Lru)])
def test_who_goes_next_is_told(policy: EvictionPolicy) -> None:
    cache = Played(policy, 3)
    cache.use("abc")
    assert isinstance(policy, TellsNext)
    told = list(policy.coming(2))
    assert told == [policy.choose(), told[1]]
    assert cache.use("xy") == "".join(map(str, told))
