"""Tests synthetic conversations: by hand where only the begin is random, and the effects of seed and rate."""

import pytest

from spindle.sim.streams import Constant, Lognormal
from spindle.workloads.prompts import Conversations


def conversations(again: float = 0.5, context: int = 1000) -> Conversations:
    """First prompts of 25 tokens, and 5 + 8 more at each turn, 10 s later, in blocks of 10."""
    return Conversations(again, Constant(10.0), Constant(25.0), Constant(8.0), 5, context, 10)


def test_a_conversation_grows_and_keeps_its_whole_blocks() -> None:
    trace = conversations().trace(0.01, 4000.0, 1)
    first = next(prompt for prompt in trace.prompts if prompt.tokens == 38)
    before = next(prompt for prompt in trace.prompts if prompt.time == pytest.approx(first.time - 10.0))
    assert (before.tokens, before.answer, len(before.blocks), len(first.blocks)) == (25, 5, 3, 4)
    assert first.blocks[:2] == before.blocks[:2]
    assert before.blocks[0] == 0
    assert not set(first.blocks[2:]) & set(before.blocks)


def test_prompts_are_cut_at_the_context() -> None:
    trace = conversations(0.9, 40).trace(0.1, 1000.0, 1)
    assert {prompt.tokens for prompt in trace.prompts} == {25, 38, 40}
    assert max(len(prompt.blocks) for prompt in trace.prompts) == 4


def test_as_many_prompts_come_as_the_rate_says() -> None:
    trace = conversations().trace(2.0, 2000.0, 1)
    assert [prompt.time for prompt in trace.prompts] == sorted(prompt.time for prompt in trace.prompts)
    assert abs(len(trace.prompts) / 4000 - 1.0) < 0.1
    assert trace == conversations().trace(2.0, 2000.0, 1) != conversations().trace(2.0, 2000.0, 2)


def test_a_lognormal_has_its_mean() -> None:
    made = Conversations(0.0, Constant(1.0), Lognormal(100.0, 0.5), Constant(0.0), 0, 10_000, 10).trace(1.0, 4000.0, 1)
    mean = sum(prompt.tokens for prompt in made.prompts) / len(made.prompts)
    assert abs(mean / Lognormal(100.0, 0.5).mean - 1.0) < 0.05
