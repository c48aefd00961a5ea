"""Compares every policy with a slow one on plain lists, written straight from its definition."""

from collections.abc import Callable, Hashable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.streams import stream
from tests.samples import sample

MayGo = Callable[[Hashable], bool]


class SlowLru:
    """Each entry with the time of its last use."""

    moves_on_hit = True

    def __init__(self) -> None:
        self.now = 0
        self.stamps: dict[Hashable, int] = {}

    def insert(self, key: Hashable) -> None:
        self.now += 1
        self.stamps[key] = self.now

    def touch(self, key: Hashable) -> None:
        if self.moves_on_hit:
            self.insert(key)

    def choose(self, may_go: MayGo) -> Hashable | None:
        allowed = [(stamp, key) for key, stamp in self.stamps.items() if may_go(key)]
        return min(allowed)[1] if allowed else None

    def remove(self, key: Hashable) -> None:
        del self.stamps[key]


class SlowFifo(SlowLru):
    """Each entry with the time of its arrival."""

    moves_on_hit = False


class SlowLfu(SlowLru):
    """Each entry with its count and the time when it reached it."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[Hashable, int] = {}

    def insert(self, key: Hashable) -> None:
        super().insert(key)
        self.counts[key] = self.counts.get(key, 0) + 1

    def choose(self, may_go: MayGo) -> Hashable | None:
        allowed = [(self.counts[key], stamp, key) for key, stamp in self.stamps.items() if may_go(key)]
        return min(allowed)[2] if allowed else None

    def remove(self, key: Hashable) -> None:
        super().remove(key)
        del self.counts[key]


class SlowClock:
    """A ring of frames with a hand that is an index."""

    def __init__(self) -> None:
        self.ring: list[Hashable] = []
        self.bits: dict[Hashable, bool] = {}
        self.hand = 0

    def insert(self, key: Hashable) -> None:
        self.ring.insert(self.hand, key)
        self.hand = (self.hand + 1) % len(self.ring)
        self.bits[key] = False

    def touch(self, key: Hashable) -> None:
        self.bits[key] = True

    def choose(self, may_go: MayGo) -> Hashable | None:
        for _ in range(2 * len(self.ring)):
            key = self.ring[self.hand]
            if not self.bits[key] and may_go(key):
                return key
            self.bits[key] = False
            self.hand = (self.hand + 1) % len(self.ring)
        return None

    def remove(self, key: Hashable) -> None:
        at = self.ring.index(key)
        del self.ring[at], self.bits[key]
        if at < self.hand:
            self.hand -= 1
        if self.hand == len(self.ring):
            self.hand = 0


class SlowArc:
    """Figure 4 of Megiddo and Modha, FAST 2003: one reference in one step; every list from LRU to MRU."""

    def __init__(self, c: int) -> None:
        self.c, self.p = c, 0.0
        self.t1: list[int] = []
        self.t2: list[int] = []
        self.b1: list[int] = []
        self.b2: list[int] = []

    def refer(self, x: int) -> None:
        if x in self.t1 or x in self.t2:
            (self.t1 if x in self.t1 else self.t2).remove(x)
            self.t2.append(x)
        elif x in self.b1:
            delta = 1.0 if len(self.b1) >= len(self.b2) else len(self.b2) / len(self.b1)
            self.p = min(self.p + delta, self.c)
            self.replace(x)
            self.b1.remove(x)
            self.t2.append(x)
        elif x in self.b2:
            delta = 1.0 if len(self.b2) >= len(self.b1) else len(self.b1) / len(self.b2)
            self.p = max(self.p - delta, 0.0)
            self.replace(x)
            self.b2.remove(x)
            self.t2.append(x)
        else:
            self.refer_to_new(x)

    def refer_to_new(self, x: int) -> None:
        once = len(self.t1) + len(self.b1)
        total = once + len(self.t2) + len(self.b2)
        if once == self.c:
            if len(self.t1) < self.c:
                del self.b1[0]
                self.replace(x)
            else:
                del self.t1[0]
        elif total >= self.c:
            if total == 2 * self.c:
                del self.b2[0]
            self.replace(x)
        self.t1.append(x)

    def replace(self, x: int) -> None:
        if self.t1 and (len(self.t1) > self.p or (x in self.b2 and len(self.t1) == self.p)):
            self.b1.append(self.t1.pop(0))
        else:
            self.b2.append(self.t2.pop(0))


# Keys are 0 ... 9; a key's size, where sizes matter, is 1 ... 3.
PINNED = st.frozensets(st.integers(0, 9), max_size=6)
ACTS = st.sampled_from(["use", "use", "use", "use", "drop"])
STEPS = st.lists(st.tuples(ACTS, st.integers(0, 9), PINNED), max_size=80)
FETCHES = st.sampled_from(["start", "start", "arrive", "drop"])
FETCH_STEPS = st.lists(st.tuples(FETCHES, st.integers(0, 13), PINNED), max_size=150)


@pytest.mark.parametrize(("kind", "slow_kind"), [(Lru, SlowLru), (Fifo, SlowFifo), (Lfu, SlowLfu), (Clock, SlowClock)])
@settings(max_examples=sample(40, 200))
@given(steps=STEPS, room=st.integers(3, 12))
def test_same_victims_as_the_slow_one_with_pins_and_sizes(
    kind: Callable[[], EvictionPolicy],
    slow_kind: Callable[[], SlowLru | SlowClock],
    steps: list[tuple[str, int, frozenset[int]]],
    room: int,
) -> None:
    policy, slow = kind(), slow_kind()
    sizes: dict[Hashable, int] = {}
    for act, key, pinned in steps:
        if act == "drop" and key in sizes:
            policy.remove(key, evicted=False)
            slow.remove(key)
            del sizes[key]
        elif act == "use" and key in sizes:
            policy.touch(key)
            slow.touch(key)
        elif act == "use":
            size = 1 + key % 3
            while sum(sizes.values()) + size > room:
                victim = policy.choose(key, lambda key, pinned=pinned: key not in pinned)
                assert victim == slow.choose(lambda key, pinned=pinned: key not in pinned)
                if victim is None:
                    break
                policy.remove(victim, evicted=True)
                slow.remove(victim)
                del sizes[victim]
            else:
                policy.insert(key, size)
                slow.insert(key)
                sizes[key] = size


def test_lfu_keeps_no_empty_ranks() -> None:
    """They would change no answer, but with every count that was ever reached choose would become slower."""
    policy, random = Lfu(), stream(1, "uses")
    resident: set[int] = set()
    for _ in range(2000):
        key = int(12 * random.random() ** 2)
        if key not in resident:
            policy.insert(key)
            resident.add(key)
        elif random.random() < 0.1:
            policy.remove(key, evicted=False)
            resident.remove(key)
        else:
            policy.touch(key)
        rank, keys = policy._base.higher, []
        while rank is not policy._base:
            assert rank.keys
            assert rank.lower.higher is rank
            assert rank.higher.lower is rank
            assert rank.lower.count < rank.count
            keys += rank.keys
            rank = rank.higher
        assert sorted(keys) == sorted(resident)


def assert_published(references: Iterable[int], capacity: int) -> None:
    policy, slow = Arc(capacity), SlowArc(capacity)
    resident: set[Hashable] = set()
    for key in references:
        slow.refer(key)
        if key in resident:
            policy.touch(key)
        else:
            if len(resident) == capacity:
                victim = policy.choose(key)
                assert policy.choose(key) == victim
                policy.remove(victim, evicted=True)
                resident.remove(victim)
            policy.insert(key)
            resident.add(key)
        assert policy.target == slow.p
        lists = (policy._once, policy._often, policy._once_ghosts, policy._often_ghosts)
        assert [list(keys) for keys in lists] == [slow.t1, slow.t2, slow.b1, slow.b2]


@settings(max_examples=sample(40, 200))
@given(references=st.lists(st.integers(0, 13), max_size=150), capacity=st.integers(1, 6))
def test_arc_is_the_published_algorithm(references: list[int], capacity: int) -> None:
    assert_published(references, capacity)


@pytest.mark.parametrize("capacity", [2, 5, 16, 40])
def test_arc_is_the_published_algorithm_where_its_target_moves(capacity: int) -> None:
    """Skewed uses, loops and scans in turn: targets that are fractions, and both ghost lists in use."""
    random = stream(capacity, "references")
    references: list[int] = []
    for phase in range(40):
        skew = 1 + phase % 4
        references += [int(4 * capacity * random.random() ** skew) for _ in range(3 * capacity)]
        references += [*range(phase, phase + capacity + phase % 5)] * (1 + phase % 2)
    assert_published(references, capacity)


@settings(max_examples=sample(40, 200))
@given(steps=FETCH_STEPS, capacity=st.integers(1, 6))
def test_arc_stays_within_two_capacities_while_fetches_overlap(
    steps: list[tuple[str, int, frozenset[int]]], capacity: int
) -> None:
    policy = Arc(capacity)
    resident: set[Hashable] = set()
    arriving: list[int] = []
    for act, key, pinned in steps:
        if act == "arrive" and arriving:
            policy.insert(arriving[0])
            resident.add(arriving.pop(0))
        elif act == "drop" and key in resident:
            policy.remove(key, evicted=False)
            resident.remove(key)
        elif act == "start" and key in resident:
            policy.touch(key)
        elif act == "start" and key not in arriving:
            if len(resident) + len(arriving) == capacity:
                victim = policy.choose(key, lambda key, pinned=pinned: key not in pinned)
                if victim is None:
                    continue
                policy.remove(victim, evicted=True)
                resident.remove(victim)
            arriving.append(key)
        once, often, once_ghosts, often_ghosts = (
            set(keys) for keys in (policy._once, policy._often, policy._once_ghosts, policy._often_ghosts)
        )
        assert once | often == resident
        assert len(once) + len(often) + len(once_ghosts) + len(often_ghosts) == len(
            once | often | once_ghosts | often_ghosts
        )
        assert len(once) + len(once_ghosts) <= capacity
        assert len(once | often | once_ghosts | often_ghosts) <= 2 * capacity
        assert policy._adapted <= once_ghosts | often_ghosts
        assert 0.0 <= policy.target <= capacity
