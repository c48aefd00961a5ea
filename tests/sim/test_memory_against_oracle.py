"""Compares memory with a list without a clock, for any order of claims, touches, pins and releases."""

from collections.abc import Hashable

import simpy
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from spindle.sim.clock import Account
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory


class Oracle:
    """LRU memory as a list, without a clock: who waits tries again whenever something has changed."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.sizes: dict[int, int] = {}
        self.pins: dict[int, int] = {}
        self.waiting: list[tuple[int, int]] = []
        self.gone: list[int] = []
        self.changed = False

    def used(self) -> int:
        return sum(self.sizes[key] for key in self.order)

    def attempt(self, key: int, size: int) -> None:
        while self.used() + size > 100:
            victim = next((other for other in self.order if not self.pins[other]), None)
            if victim is None:
                self.waiting.append((key, size))
                return
            self.remove(victim)
            self.gone.append(victim)
        self.order.append(key)
        self.sizes[key], self.pins[key] = size, 1

    def remove(self, key: int) -> None:
        self.order.remove(key)
        del self.sizes[key], self.pins[key]
        self.changed = self.changed or bool(self.waiting)

    def settle(self) -> None:
        while self.changed:
            self.changed = False
            again, self.waiting = self.waiting, []
            for key, size in again:
                self.attempt(key, size)


class MemoryAgainstOracle(RuleBasedStateMachine):
    """Any order of claims, touches, pins, unpins and releases; after each, memory is what the oracle says."""

    @initialize()
    def begin(self) -> None:
        self.env = simpy.Environment()
        self.memory = SharedMemory(self.env, 100, Lru())
        self.oracle = Oracle()
        self.gone: list[Hashable] = []
        self.number = 0

    def write_back_victim(self, key: Hashable) -> None:
        return None

    def forget(self, key: Hashable) -> None:
        self.gone.append(key)

    @rule(size=st.integers(1, 60))
    def claim(self, size: int) -> None:
        self.number += 1
        self.env.process(self.memory.claim(self, self.number, size, Account("")))
        self.oracle.attempt(self.number, size)
        self.settle()

    def settle(self) -> None:
        self.env.run()
        self.oracle.settle()

    def present(self, data: st.DataObject, pinned: bool = False) -> int:
        keys = [key for key in self.oracle.order if self.oracle.pins[key] or not pinned]
        return data.draw(st.sampled_from(keys))

    @precondition(lambda self: self.oracle.order)
    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        key = self.present(data)
        self.memory.touch(key)
        self.oracle.order.remove(key)
        self.oracle.order.append(key)

    @precondition(lambda self: self.oracle.order)
    @rule(data=st.data())
    def pin(self, data: st.DataObject) -> None:
        key = self.present(data)
        self.memory.pin(key)
        self.oracle.pins[key] += 1

    @precondition(lambda self: any(self.oracle.pins.values()))
    @rule(data=st.data())
    def unpin(self, data: st.DataObject) -> None:
        key = self.present(data, pinned=True)
        self.memory.unpin(key)
        self.oracle.pins[key] -= 1
        self.oracle.changed = not self.oracle.pins[key]
        self.settle()

    @precondition(lambda self: self.oracle.order)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        key = self.present(data)
        self.memory.release(key)
        self.oracle.remove(key)
        self.settle()

    @invariant()
    def same(self) -> None:
        if hasattr(self, "memory"):
            assert self.memory.used_bytes == self.oracle.used() <= 100
            assert [key for key in range(self.number + 1) if key in self.memory] == sorted(self.oracle.order)
            assert list(self.memory._policy._order) == self.oracle.order  # type: ignore[attr-defined]
            assert self.memory._pins == {key: pins for key, pins in self.oracle.pins.items() if pins}
            assert self.gone == self.oracle.gone


TestMemoryAgainstOracle = MemoryAgainstOracle.TestCase
TestMemoryAgainstOracle.settings = settings(max_examples=60, stateful_step_count=40, deadline=None, derandomize=True)
