"""Tests the cost of a logical read in a whole machine, counted in Python's calls and in events."""

import pytest

from benchmarks.calls import ROOMY, ReadCost
from benchmarks.reads import MEMORY_A_TERMINAL


@pytest.mark.parametrize(("memory", "hits", "calls", "events"), [
    (ROOMY, 0.8, 52, 1.35), (MEMORY_A_TERMINAL, 0.5, 86, 2.15),
])  # fmt: skip
def test_a_read_takes_so_many_calls_and_events(memory: int, hits: float, calls: int, events: float) -> None:
    cost = ReadCost(memory)
    print(f"{cost.calls:.1f} calls and {cost.events:.2f} events a logical read")
    assert cost.hit_ratio > hits
    assert cost.calls < calls
    assert cost.events < events
