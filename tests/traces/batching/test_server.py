"""Tests a language-model server on steps worked out by hand, each of which takes one second."""

import pytest

from spindle.sim.error import UserError
from spindle.traces.batching.server import ModelServer, ServedPrompt, ServerLimits, TimedPrompt
from spindle.traces.batching.step_times import ModelShape, Stepper, StepTables, ValueGrid, ValueLine

NONE = ValueGrid({(0.0, 0.0): 0.0})
TABLES = StepTables(ValueLine({1: 1.0}), ValueLine({1: 0.0}), NONE, NONE, ValueGrid({(0.0, 0.0, 0.0, 0.0): 0.0}))
SECOND = Stepper(TABLES, ModelShape(1, 1))
"""Steps of a second."""


def serve(prompts: list[TimedPrompt], *, sequences: int = 8, tokens: int = 8, blocks: int = 100,
          stepper: Stepper = SECOND) -> list[ServedPrompt]:  # fmt: skip
    return ModelServer(ServerLimits(sequences, tokens, blocks, 4), stepper).serve(prompts)


def test_a_prompt_in_chunks_then_a_token_a_step() -> None:
    (only,) = serve([TimedPrompt(5.0, 20, 3)])
    assert (only.queued, only.first, only.last) == (5.0, 8.0, 10.0)
    assert (only.first_token, only.token, only.latency) == (3.0, 1.0, 5.0)


def test_who_comes_during_a_step_is_in_the_one_after_the_next() -> None:
    # The step from 1 to 2 was planned at 0; what arrives at 0.5 is taken in at 1, and runs from 2 to 3.
    _, second = serve([TimedPrompt(0.0, 8, 5), TimedPrompt(0.5, 4, 1)])
    assert (second.queued, second.first) == (1.0, 3.0)


def test_no_more_tokens_in_a_step_than_the_limit() -> None:
    first, second = serve([TimedPrompt(0.0, 6, 1), TimedPrompt(0.0, 4, 1)])
    assert (first.last, second.last) == (1.0, 2.0)


def test_no_more_sequences_than_the_limit() -> None:
    one, two = serve([TimedPrompt(0.0, 2, 3), TimedPrompt(0.0, 2, 1)], sequences=1)
    assert one.last == 3.0
    assert two.first > one.last - 1.0
    both = serve([TimedPrompt(0.0, 2, 3), TimedPrompt(0.0, 2, 1)], sequences=2)
    assert [each.first for each in both] == [1.0, 1.0]


def test_who_finds_no_block_waits_or_sends_the_youngest_back() -> None:
    # Two blocks of four: each prompt takes one, and the first needs the second's when it grows.
    first, second = serve([TimedPrompt(0.0, 4, 4), TimedPrompt(0.0, 4, 2)], blocks=2)
    assert first.last == 4.0
    assert second.last > 4.0
    free, also = serve([TimedPrompt(0.0, 4, 4), TimedPrompt(0.0, 4, 2)], blocks=4)
    assert (free.last, also.last) == (4.0, 2.0)


def test_equal_beginnings_are_computed_once() -> None:
    names = [1, 2, 3, 4]
    _, later = serve([TimedPrompt(0.0, 17, 1, names), TimedPrompt(10.0, 17, 1, names)])
    assert later.found == 4
    assert later.first_token == 1.0, "one token is left, where all took three steps"


def test_a_prompt_that_is_wholly_known_still_computes_its_last_block() -> None:
    names = [1, 2]
    _, later = serve([TimedPrompt(0.0, 8, 1, names), TimedPrompt(10.0, 8, 1, names)])
    assert later.found == 1


def test_a_prompt_that_never_fits_is_refused() -> None:
    with pytest.raises(UserError, match="need more than 2 blocks of 4"):
        serve([TimedPrompt(0.0, 8, 1)], blocks=2)


def test_two_replicas_take_turns() -> None:
    two = Stepper(SECOND.tables, SECOND.shape, replicas=2)
    prompts = [TimedPrompt(0.0, 8, 1) for _ in range(2)]
    assert [each.last for each in serve(prompts, stepper=two)] == pytest.approx([1.0, 1.0], abs=0.01)
    assert [each.last for each in serve(prompts)] == [1.0, 2.0]


@pytest.mark.parametrize("blocks", [40, 60, 400])
def test_every_prompt_is_served_whatever_the_memory(blocks: int) -> None:
    prompts = [TimedPrompt(0.3 * number, 3 + number * 7 % 40, 1 + number * 5 % 60, [number % 3])
               for number in range(40)]  # fmt: skip
    served = serve(prompts, blocks=blocks)
    assert all(each.prompt.at <= each.queued < each.first <= each.last for each in served)
    # A step makes at most one token of a sequence.
    assert all(each.last - each.first >= each.prompt.output - 1 for each in served)


def test_more_memory_is_not_slower() -> None:
    prompts = [TimedPrompt(0.1 * number, 10, 20) for number in range(30)]
    ends = [max(each.last for each in serve(prompts, blocks=blocks)) for blocks in (20, 40, 80)]
    assert ends == sorted(ends, reverse=True)
