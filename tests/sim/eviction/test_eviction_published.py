"""Compares policies of several queues with their papers' algorithms, on plain lists, one reference in one step."""

from collections.abc import Callable, Iterable
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.eviction.greedy_dual import GreedyDual
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.sim.eviction.sieve import Sieve
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.two_q import TwoQ
from spindle.sim.streams import stream
from tests.samples import sample


class Slow(Protocol):
    def refer(self, x: int) -> None: ...

    def resident(self) -> set[int]: ...


class SlowSlru:
    def __init__(self, capacity: int) -> None:
        self.capacity, self.most = capacity, capacity * 8 // 10
        self.old: list[int] = []
        self.safe: list[int] = []

    def refer(self, x: int) -> None:
        if x in self.old or x in self.safe:
            (self.old if x in self.old else self.safe).remove(x)
            self.safe.append(x)
            self.old += self.safe[: max(0, len(self.safe) - self.most)]
            self.safe = self.safe[-self.most :] if self.most else []
            return
        if len(self.resident()) == self.capacity:
            del self.old[0]
        self.old.append(x)

    def resident(self) -> set[int]:
        return {*self.old, *self.safe}


class SlowTwoQ:
    """The full version's two procedures, for an access and for room."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.k_in, self.k_out = max(1, capacity // 4), max(1, capacity // 2)
        self.a1in: list[int] = []
        self.a1out: list[int] = []
        self.am: list[int] = []

    def refer(self, x: int) -> None:
        if x in self.am:
            self.am.remove(x)
            self.am.append(x)
        elif x in self.a1out:
            self.reclaim()
            if x in self.a1out:
                self.a1out.remove(x)
            self.am.append(x)
        elif x not in self.a1in:
            self.reclaim()
            self.a1in.append(x)

    def reclaim(self) -> None:
        if len(self.resident()) < self.capacity:
            return
        if len(self.a1in) > self.k_in or not self.am:
            self.a1out.append(self.a1in.pop(0))
            if len(self.a1out) > self.k_out:
                del self.a1out[0]
        else:
            del self.am[0]

    def resident(self) -> set[int]:
        return {*self.a1in, *self.am}


class SlowLirs:
    """A stack of all that was used since the least recent LIR block, and a list of resident HIR blocks."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.most_lir = capacity - max(1, capacity // 100)
        self.stack: list[int] = []
        self.lir: list[int] = []
        self.hir: list[int] = []

    def refer(self, x: int) -> None:
        known = x in self.stack
        if x not in self.resident() and len(self.resident()) == self.capacity:
            del self.hir[0]
        if known:
            self.stack.remove(x)
        self.stack.append(x)
        if x not in self.lir:
            self.hir = [key for key in self.hir if key != x]
            (self.lir if known or len(self.lir) < self.most_lir else self.hir).append(x)
        self.prune()
        if len(self.lir) > self.most_lir:
            self.lir.remove(self.stack[0])
            self.hir.append(self.stack[0])
        self.prune()

    def prune(self) -> None:
        while self.stack and self.stack[0] not in self.lir:
            del self.stack[0]

    def resident(self) -> set[int]:
        return {*self.lir, *self.hir}


class SlowS3Fifo:
    """Algorithm 1, with what the authors' program does while the cache fills and where the main queue is full."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.most_small = max(1, capacity // 10)
        self.small: list[int] = []
        self.main: list[int] = []
        self.ghost: list[int] = []
        self.freq: dict[int, int] = {}
        self.evicted = False

    def refer(self, x: int) -> None:
        if x in self.resident():
            self.freq[x] = min(self.freq[x] + 1, 3)
            return
        known = x in self.ghost
        self.ghost = [key for key in self.ghost if key != x]
        if len(self.resident()) == self.capacity:
            self.evict()
        full = not self.evicted and len(self.small) >= self.most_small
        (self.main if known or full else self.small).append(x)
        self.freq[x] = 0

    def evict(self) -> None:
        self.evicted = True
        most_main = self.capacity - self.most_small
        while len(self.main) <= most_main and self.small:
            tail = self.small.pop(0)
            if self.freq[tail] <= 1:
                self.ghost = [*self.ghost, tail][-most_main:] if most_main else []
                return
            self.main.append(tail)
            self.freq[tail] = 0
            most_main = self.capacity  # once begun with the small queue, it goes on with it
        while self.freq[self.main[0]]:
            self.freq[self.main[0]] -= 1
            self.main.append(self.main.pop(0))
        del self.main[0]

    def resident(self) -> set[int]:
        return {*self.small, *self.main}


class SlowSieve:
    """Newest first, as the paper has it, with a hand that is an index from the other end."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.queue: list[int] = []
        self.visited: set[int] = set()
        self.hand = -1

    def refer(self, x: int) -> None:
        if x in self.queue:
            self.visited.add(x)
            return
        if len(self.queue) == self.capacity:
            while self.queue[self.hand] in self.visited:
                self.visited.remove(self.queue[self.hand])
                self.hand = -1 if -self.hand == len(self.queue) else self.hand - 1
            at_head = -self.hand == len(self.queue)
            del self.queue[self.hand]  # which then points to the next, towards the head
            if at_head:
                self.hand = -1
        self.queue.insert(0, x)

    def resident(self) -> set[int]:
        return set(self.queue)


class SlowGreedyDual:
    """Young's formulation: everybody pays what the cheapest has left when that one goes."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.left: dict[int, int] = {}  # ascending in the last use

    def refer(self, x: int) -> None:
        if x not in self.left and len(self.left) == self.capacity:
            least = min(self.left.values())
            del self.left[next(key for key, left in self.left.items() if left == least)]
            self.left = {key: left - least for key, left in self.left.items()}
        self.left.pop(x, None)
        self.left[x] = cost(x)

    def resident(self) -> set[int]:
        return set(self.left)


def cost(key: int) -> int:
    return 1 + key % 3 * 4


PAIRS: list[tuple[type[EvictionPolicy], Callable[[int], Slow]]] = [
    (Slru, SlowSlru), (TwoQ, SlowTwoQ), (Lirs, SlowLirs), (S3Fifo, SlowS3Fifo), (Sieve, SlowSieve),
    (GreedyDual, SlowGreedyDual),
]
every_pair = pytest.mark.parametrize(("kind", "slow_kind"), PAIRS)


def assert_same(
    kind: Callable[..., EvictionPolicy], slow_kind: Callable[[int], Slow], references: Iterable[int], capacity: int
) -> None:
    policy, slow = make(kind, capacity), slow_kind(capacity)
    resident: set[int] = set()
    for key in references:
        slow.refer(key)
        if key in resident:
            policy.touch(key)
        else:
            if len(resident) == capacity:
                victim = policy.choose(key)
                assert isinstance(victim, int)
                assert policy.choose(key) == victim
                policy.remove(victim, evicted=True)
                resident.remove(victim)
            policy.insert(key, cost=cost(key))
            resident.add(key)
        assert resident == slow.resident()


@every_pair
@settings(max_examples=sample(50, 100))
@given(references=st.lists(st.integers(0, 13), max_size=120), capacity=st.integers(1, 6))
def test_is_the_published_algorithm(
    kind: type[EvictionPolicy], slow_kind: Callable[[int], Slow], references: list[int], capacity: int
) -> None:
    assert_same(kind, slow_kind, references, capacity)


@every_pair
@pytest.mark.parametrize("capacity", [3, 10, 40, 150])
def test_is_the_published_algorithm_under_scans_loops_and_skew(
    kind: type[EvictionPolicy], slow_kind: Callable[[int], Slow], capacity: int
) -> None:
    random = stream(capacity, "references")
    references: list[int] = []
    for phase in range(max(6, 400 // capacity)):
        skew = 1 + phase % 4
        references += [int(3 * capacity * random.random() ** skew) for _ in range(2 * capacity)]
        references += [*range(phase, phase + capacity + phase % 5)] * (1 + phase % 2)
    assert_same(kind, slow_kind, references, capacity)


@settings(max_examples=sample(50, 100))
@given(references=st.lists(st.integers(0, 13), max_size=120), capacity=st.integers(1, 6))
def test_greedy_dual_where_all_cost_the_same_is_lru(references: list[int], capacity: int) -> None:
    policies, resident = (GreedyDual(), Lru()), set[int]()
    for key in references:
        if key in resident:
            for policy in policies:
                policy.touch(key)
            continue
        if len(resident) == capacity:
            victim, other = (policy.choose(key) for policy in policies)
            assert victim == other
            assert isinstance(victim, int)
            resident.remove(victim)
            for policy in policies:
                policy.remove(victim, evicted=True)
        resident.add(key)
        for policy in policies:
            policy.insert(key, cost=0.02)
