"""Tests synthetic conversations: by hand where only the begin is random, and the effects of seed and rate."""

from itertools import pairwise

import pytest

from spindle.sim.streams import Constant, Exponential, Lognormal, stream
from spindle.workloads.prompts import Conversations, Prompt, PromptTrace


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


def test_conversations_begin_at_random_and_end_in_time() -> None:
    """Nine of ten go on: a tenth of the prompts begin one. What is under way at the end is cut there."""
    trace = conversations(0.9).trace(0.5, 300.0, 3)
    begins = [prompt.time for prompt in trace.prompts if prompt.tokens == 25]
    random = stream(3, "conversations")
    assert begins[0] == pytest.approx(Exponential(1.0 / (0.5 * 0.1)).draw(random))
    assert len(begins) > 5
    assert 290.0 < max(prompt.time for prompt in trace.prompts) < 300.0
    assert (trace.name, trace.block_tokens, trace.note) == ("conversations", 10, "")
    assert {prompt.answer for prompt in trace.prompts} == {5}


def test_what_a_user_adds_is_drawn_one_by_one() -> None:
    made = Conversations(0.9, Constant(1.0), Constant(1.0), Exponential(50.0), 0, 9999, 10).trace(0.5, 300.0, 2).prompts
    assert len({after.tokens - before.tokens for before, after in pairwise(made)}) > 5


def test_pauses_are_drawn_one_by_one() -> None:
    made = Conversations(0.999, Exponential(10.0), Constant(1.0), Constant(0.0), 0, 9, 10).trace(3.0, 900.0, 5).prompts
    first = [prompt.time for prompt in made if prompt.time < made[-1].time][:40]
    assert len({round(after - before, 3) for before, after in pairwise(first)}) > 20


def test_every_new_block_has_a_number_of_its_own() -> None:
    """25 tokens fill two blocks of 10; the third is not full, and gets another number with the 13 tokens more."""
    made = sorted(conversations(0.9).trace(0.01, 2000.0, 1).prompts)
    first = next(prompt for prompt in made if prompt.tokens == 25)
    turns = [next(each for each in made if each.time == pytest.approx(first.time + later)) for later in (0, 10, 20)]
    assert [prompt.blocks for prompt in turns] == [(0, 1, 2), (0, 1, 3, 4), (0, 1, 3, 5, 6, 7)]
    assert [prompt.tokens for prompt in turns] == [25, 38, 51]


def test_a_prompt_has_a_token_at_least_and_keeps_its_first_block() -> None:
    trace = Conversations(0.5, Constant(1.0), Constant(0.0), Constant(0.0), 0, 100, 10).trace(1.0, 50.0, 1)
    assert {(prompt.tokens, prompt.blocks) for prompt in trace.prompts} == {(1, (0,))}


def test_a_faster_trace_has_its_times_divided() -> None:
    trace = PromptTrace("t", (Prompt(0.0, 1, 2, (0, 1)), Prompt(6.0, 3, 4, (0,))), 16, "a guess")
    assert trace.faster(2.0) == PromptTrace("t", (Prompt(0.0, 1, 2, (0, 1)), Prompt(3.0, 3, 4, (0,))), 16, "a guess")
    assert trace.references == 3
