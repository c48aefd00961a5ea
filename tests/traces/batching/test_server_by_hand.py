"""Tests every step of servers by hand: chunks, budgets, sequences sent back, prefixes found, several replicas."""

from collections.abc import Sequence
from math import isnan

import pytest

from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken
from spindle.traces.batching.blocks import KvBlocks
from spindle.traces.batching.server import ModelServer, Replica, ServedPrompt, ServerLimits, TimedPrompt, UnderWay
from spindle.traces.batching.step_times import (
    EMPTY_STEP,
    ModelShape,
    StepBatch,
    StepParameters,
    Stepper,
    StepTables,
    ValueGrid,
    ValueLine,
    ValueRows,
    place,
)

NONE = ValueGrid({(0.0, 0.0): 0.0})
NO_MIX = ValueGrid({(0.0, 0.0, 0.0, 0.0): 0.0})
SECOND = Stepper(StepTables(ValueLine({1: 1.0}), ValueLine({1: 0.0}), NONE, NONE, NO_MIX), ModelShape(1, 1))
"""Steps of a second."""


def serve(prompts: Sequence[TimedPrompt], *, sequences: int = 8, tokens: int = 8, blocks: int = 100,
          prefixes: bool = True, stepper: Stepper = SECOND) -> list[ServedPrompt]:  # fmt: skip
    return ModelServer(ServerLimits(sequences, tokens, blocks, 4, prefixes), stepper).serve(prompts)


def replica(*prompts: TimedPrompt, tokens: int = 8, blocks: int = 100) -> Replica:
    """A replica at which *prompts* wait."""
    made = Replica(ServerLimits(8, tokens, blocks, 4))
    made.waiting.extend(UnderWay(number, prompt, 0.0) for number, prompt in enumerate(prompts))
    return made


# What a step holds.

def test_a_step_has_running_sequences_first_and_then_prompts_as_far_as_the_tokens_go() -> None:
    """Ten tokens in chunks of eight; then one token each, beside what the budget leaves of the next prompt."""
    made = replica(TimedPrompt(0.0, 10, 3), TimedPrompt(0.0, 9, 2))
    batches = [made.plan().batch for _ in range(5)]
    assert batches == [
        StepBatch(((8, 0),)),
        StepBatch(((2, 8), (6, 0))),
        StepBatch(((3, 6),), 1, 10),  # the first has ten computed tokens, and makes its second
        StepBatch((), 2, 11 + 9),
        EMPTY_STEP,
    ]


def test_tokens_are_given_when_the_last_of_a_prompt_is_computed_and_each_step_from_then_on() -> None:
    made = replica(TimedPrompt(0.0, 10, 3))
    given = [[count for _, count in made.plan().tokens_for] for _ in range(5)]
    assert given == [[], [1], [2], [3], []]


def test_a_prompt_of_one_token_is_a_prefill_and_not_a_decode() -> None:
    assert replica(TimedPrompt(0.0, 1, 1)).plan().batch == StepBatch(((1, 0),))


def test_a_last_chunk_of_one_token_is_a_prefill_too() -> None:
    made = replica(TimedPrompt(0.0, 9, 2))
    assert [made.plan().batch for _ in range(3)] == [StepBatch(((8, 0),)), StepBatch(((1, 8),)), StepBatch((), 1, 9)]


def test_a_batch_counts_tokens_and_sequences() -> None:
    batch = StepBatch(((3, 0), (4, 9)), 2, 50)
    assert (batch.tokens, batch.sequences) == (9, 4)
    assert (EMPTY_STEP.tokens, EMPTY_STEP.sequences) == (0, 0)


def test_load_is_who_waits_and_who_runs() -> None:
    made = replica(TimedPrompt(0.0, 8, 2), TimedPrompt(0.0, 8, 1))
    assert made.load == 2
    made.plan()
    assert (made.load, len(made.running), len(made.waiting)) == (2, 1, 1)


# Blocks.

def test_a_sequence_holds_the_blocks_of_its_computed_tokens_till_its_last_step_is_done() -> None:
    """Seven tokens and three of an answer: two blocks of four, and a third for the ninth, the last that is computed."""
    made = replica(TimedPrompt(0.0, 7, 3), blocks=5)
    free, steps = [], []
    for _ in range(4):
        steps.append(made.plan())
        free.append(made.blocks.free)
    assert free == [3, 3, 2, 2]
    assert [len(made.finish(step)) for step in steps] == [0, 0, 1, 0]
    assert made.blocks.free == 5


def test_the_youngest_is_sent_back_and_computes_all_again_with_its_first_token_as_it_was() -> None:
    """Two blocks: at 1 the first grows into that of the second, which comes back at 4, and computes 4 + 1 tokens."""
    first, second = serve([TimedPrompt(0.0, 4, 4), TimedPrompt(0.0, 4, 2)], blocks=2)
    assert (first.first, first.last, first.token) == (1.0, 4.0, 1.0)
    assert (second.first, second.last, second.token, second.found) == (1.0, 5.0, 4.0, 0)


def test_who_is_the_youngest_sends_itself_back() -> None:
    """Both need a block at 1: the first gets the one that is free, the second goes back."""
    made = replica(TimedPrompt(0.0, 4, 4), TimedPrompt(0.0, 4, 4), blocks=3)
    made.plan()
    step = made.plan()
    assert step.batch == StepBatch((), 1, 4)
    assert [[each.number for each in some] for some in (made.running, made.waiting)] == [[0], [1]]
    assert made.blocks.free == 1
    back = made.waiting[0]
    assert (back.blocks, back.computed, back.made, back.length) == ([], 0, 1, 5)


def test_nobody_is_let_in_by_a_step_that_sent_somebody_back() -> None:
    """The last that waits would fit into the block that is free; it comes in behind the others."""
    made = replica(TimedPrompt(0.0, 4, 9), TimedPrompt(0.0, 4, 9), TimedPrompt(0.0, 1, 1), tokens=8, blocks=3)
    made.plan()
    made.waiting.append(UnderWay(3, TimedPrompt(0.0, 1, 1), 0.0))
    made.plan()
    assert [each.number for each in made.running] == [0]
    assert [each.number for each in made.waiting] == [1, 2, 3]


def test_who_was_sent_back_is_not_let_in_again_by_the_same_step() -> None:
    """The second gives three blocks back, of which the first takes one: a chunk of what it lost would fit the rest."""
    made = Replica(ServerLimits(8, 8, 5, 4, prefixes=False))
    made.waiting.extend(UnderWay(number, TimedPrompt(0.0, tokens, 9), 0.0) for number, tokens in enumerate((4, 9)))
    for _ in range(5):
        made.plan()
    assert [len(each.blocks) for each in made.running] == [2, 3], "of eight and twelve computed tokens"
    assert (made.plan().batch, made.blocks.free) == (StepBatch((), 1, 8), 2)
    assert [each.number for each in made.waiting] == [1]
    assert made.plan().batch == StepBatch(((7, 0),), 1, 9)


def test_who_is_sent_back_has_no_token_in_that_step() -> None:
    """Three tokens and the first of an answer fill a block: in the third step each needs a second one."""
    made = replica(TimedPrompt(0.0, 3, 5), TimedPrompt(0.0, 3, 5), tokens=6, blocks=2)
    for _ in range(2):
        made.plan()  # three and three tokens, then a fourth each
    assert made.plan().batch == StepBatch((), 1, 4)
    assert [each.number for each in made.waiting] == [1]


def test_what_was_found_at_first_counts_also_for_who_was_sent_back() -> None:
    """Three blocks. At 10 the second finds one, is sent back at 11, and finds none at 16, when the first is done."""
    before = TimedPrompt(0.0, 4, 1, ["a"])
    _, first, second = serve([before, TimedPrompt(10.0, 4, 6), TimedPrompt(10.0, 5, 3, ["a"])], blocks=3)
    assert (first.first, first.last) == (11.0, 16.0)
    assert (second.first, second.last, second.found) == (11.0, 18.0, 1)


def test_an_answer_is_named_by_its_sequence_so_that_no_other_finds_it() -> None:
    """Names say 4 of 9 tokens: the second block is the first's own."""
    names = ["a"]
    _, later = serve([TimedPrompt(0.0, 9, 8, names), TimedPrompt(20.0, 13, 1, names)])
    assert later.found == 1


def test_a_shared_block_may_be_in_use_or_free() -> None:
    """The second comes while the first runs, the third after both: each finds both blocks, and computes one token."""
    names = ["a", "b"]
    prompts = [TimedPrompt(0.0, 9, 9, names), TimedPrompt(4.0, 9, 1, names), TimedPrompt(30.0, 9, 1, names)]
    served = serve(prompts, blocks=5)
    assert [each.found for each in served] == [0, 2, 2]
    assert [each.first_token for each in served] == [2.0, 2.0, 1.0]


def test_without_prefixes_nothing_is_found() -> None:
    prompts = [TimedPrompt(0.0, 9, 1, ["a"]), TimedPrompt(9.0, 9, 1, ["a"])]
    assert [each.found for each in serve(prompts, prefixes=False)] == [0, 0]


def test_sharing_a_free_block_takes_it_out_of_the_free_ones_once() -> None:
    blocks = KvBlocks(3, prefixes=True)
    held = blocks.take(2)
    for block, name in zip(held, "ab", strict=True):
        blocks.name(block, name)
    blocks.release(held)
    blocks.share(held)
    assert blocks.free == 1
    blocks.share(held[:1])
    blocks.release(held)
    assert blocks.free == 2
    blocks.release(held[:1])
    assert blocks.free == 3


def test_the_first_block_of_a_name_is_the_one_that_is_found() -> None:
    blocks = KvBlocks(3, prefixes=True)
    one, other = blocks.take(2)
    blocks.name(one, "a")
    blocks.name(other, "a")
    assert blocks.prefix(["a"]) == [one]
    blocks.release([other])
    blocks.take(2)
    assert blocks.prefix(["a"]) == [one]


def test_a_block_gets_its_name_when_it_is_full_and_never_again() -> None:
    """Two compute the same block at once; that of the first has the name, and loses it when the second needs room."""
    names = ["a"]
    prompts = [TimedPrompt(0.0, 4, 1, names), TimedPrompt(0.0, 4, 20, names), TimedPrompt(22.0, 5, 1, names)]
    served = serve(prompts, blocks=6)
    assert served[1].last == 20.0
    assert [each.found for each in served] == [0, 0, 0]
    assert [each.found for each in serve(prompts, blocks=7)] == [0, 0, 1]


def test_a_prefix_ends_at_the_first_block_that_is_not_there() -> None:
    blocks = KvBlocks(3, prefixes=True)
    one, other = blocks.take(2)
    blocks.name(one, "a")
    blocks.name(other, "c")
    assert blocks.prefix(["a", "b", "c"]) == [one]


# Time.

def test_who_arrives_just_as_a_step_ends_is_taken_in_then() -> None:
    """The step from 0 to 1 is over; at 1 the next runs already, and the prompt is in the one from 2 on."""
    _, second = serve([TimedPrompt(0.0, 8, 9), TimedPrompt(1.0, 4, 1)])
    assert (second.queued, second.first) == (1.0, 3.0)


def test_an_idle_server_begins_at_the_instant_of_an_arrival() -> None:
    served = serve([TimedPrompt(2.5, 4, 1), TimedPrompt(9.25, 4, 1)])
    assert [(each.queued, each.first) for each in served] == [(2.5, 3.5), (9.25, 10.25)]


def test_answers_are_in_the_order_of_arrival_whoever_is_done_first() -> None:
    long, short = serve([TimedPrompt(0.0, 4, 9), TimedPrompt(0.0, 4, 2)])
    assert (long.last, short.last) == (9.0, 2.0)


def test_a_single_token_has_no_time_for_each_further_one() -> None:
    (only,) = serve([TimedPrompt(0.0, 4, 1)])
    assert isnan(only.token)
    assert (only.first_token, only.latency) == (1.0, 1.0)


def test_a_prompt_that_just_fits_is_served_and_one_token_more_is_refused() -> None:
    (only,) = serve([TimedPrompt(0.0, 6, 2)], blocks=2)
    assert only.last == 2.0
    with pytest.raises(UserError, match="a prompt of 7 tokens and an answer of 2 need more than 2 blocks of 4"):
        serve([TimedPrompt(0.0, 7, 2)], blocks=2)


def test_a_prompt_goes_to_the_replica_with_the_fewest_of_equal_ones_to_the_first() -> None:
    """Of four at once two go to each; a step of both takes as long as the slower of them."""
    tables = StepTables(ValueLine({1: 1.0, 9: 9.0}), ValueLine({1: 0.0}), NONE, NONE, NO_MIX)
    two = Stepper(tables, ModelShape(0, 1), replicas=2)
    served = serve([TimedPrompt(0.0, tokens, 1) for tokens in (6, 3, 1, 2)], stepper=two)
    # The first replica has 6 and 1 tokens, the other 3 and 2.
    assert [each.last for each in served] == pytest.approx([7.0] * 4, abs=1e-3)


# Seconds of a step.

def test_a_place_beyond_the_ends_is_level_below_and_goes_on_above() -> None:
    points = [1.0, 2.0, 4.0]
    assert [place(points, at) for at in (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0)] == [
        (0, 0.0), (0, 0.0), (0, 0.5), (1, 0.0), (1, 0.5), (1, 1.0), (1, 3.0)]  # fmt: skip
    assert place([5.0], 9.0) == (0, 0.0)


def test_a_grid_goes_on_beyond_its_last_point() -> None:
    grid = ValueGrid({(0, 0): 0.0, (2, 0): 4.0, (0, 2): 2.0, (2, 2): 6.0})
    assert grid(4, 4) == pytest.approx(12.0)
    assert grid(-1, -1) == 0.0


def test_between_the_first_two_of_three_points_the_third_does_not_count() -> None:
    grid = ValueGrid({(at,): value for at, value in ((0, 0.0), (2, 2.0), (4, 100.0))})
    assert grid(1) == pytest.approx(1.0)
    rows = ValueRows({(at, 1): value for at, value in ((0, 0.0), (2, 2.0), (4, 100.0))})
    assert rows(1, 1) == pytest.approx(1.0)


def test_a_replicas_own_seconds_are_by_tokens_by_sequences_and_of_attention() -> None:
    """Prompts of 3 and 4 tokens: 7 tokens, 2 sequences, and 30 + 40 of attention."""
    tables = StepTables(ValueLine({0: 0.0, 10: 10.0}), ValueLine({0: 0.0, 10: 1.0}), NONE,
                        ValueGrid({(0, 0): 0.0, (10, 0): 100.0}), NO_MIX)  # fmt: skip
    assert Stepper(tables, ModelShape(0, 1)).seconds([StepBatch(((3, 0), (4, 0)))]) == pytest.approx(7.0 + 0.2 + 70.0)


def test_two_replicas_of_two_gpus_exchange() -> None:
    parameters = StepParameters(link_rate=1e6, link_latency=0.25)
    two = Stepper(SECOND.tables, ModelShape(1, 1), gpus=2, replicas=2, parameters=parameters)
    assert two.seconds([StepBatch((), 1, 0), EMPTY_STEP]) == pytest.approx(1.0 + 2 * (0.25 + 2e-6))


def test_sequences_beside_prompts_cost_what_they_add_at_the_mean_tokens_before() -> None:
    """Prompts of 10 after 0 and 30 after 8 tokens: 40 tokens, after 6 on average by their tokens."""
    seen: list[tuple[float, ...]] = []

    class Noting(ValueGrid):
        def __call__(self, *at: float) -> float:
            seen.append(at)
            return 100.0

    tables = StepTables(ValueLine({1: 0.0}), ValueLine({1: 0.0}), NONE, ValueGrid({(0, 0): 0.0, (40, 0): 40.0}),
                        Noting({(0, 0, 0, 0): 0.0}))  # fmt: skip
    assert tables.attention(StepBatch(((10, 0), (30, 8)), 4, 20)) == pytest.approx(40.0 + 100.0 - 40.0)
    assert seen == [(40, 6.0, 4, 5.0)]


def test_sequences_beside_a_prompt_never_take_time_away() -> None:
    tables = StepTables(ValueLine({1: 0.0}), ValueLine({1: 0.0}), NONE, ValueGrid({(0, 0): 7.0}), NO_MIX)
    assert tables.attention(StepBatch(((10, 0),), 4, 20)) == 7.0


def test_active_experts_are_those_that_some_token_chose() -> None:
    """Of 8 experts a token uses 2: after 2 tokens 8 (1 - (3/4)^2) = 3.5 are active; never fewer than 2."""
    rows = ValueRows({(tokens, active): tokens * active for tokens in (1, 2, 4) for active in (2, 4, 8)})
    tables = StepTables(ValueLine({1: 0.0}), ValueLine({1: 0.0}), NONE, NONE, NO_MIX, rows)
    one = Stepper(tables, ModelShape(0, 1, 8, 2))
    assert one.seconds([StepBatch((), 2, 0)]) == pytest.approx(2 * 3.5)
    assert one.seconds([StepBatch((), 1, 0)]) == pytest.approx(1 * 2)
    two = Stepper(tables, ModelShape(0, 1, 8, 2), replicas=2)
    # Two replicas with 4 tokens in all: 2 and 4 experts each, of which 4 (1 - (3/4)^4) = 2.734 are active.
    assert two.seconds([StepBatch((), 3, 0), StepBatch((), 1, 0)]) == pytest.approx(2 * 2.734375)


def test_a_step_takes_the_host_the_slowest_replica_and_the_exchange_of_the_largest_batch() -> None:
    parameters = StepParameters(step=0.5, link_rate=1e6, link_latency=0.125, element=4)
    tables = StepTables(ValueLine({1: 1.0, 3: 3.0}), ValueLine({1: 0.25}), NONE, NONE, NO_MIX)
    two = Stepper(tables, ModelShape(3, 10_000), replicas=2, parameters=parameters)
    exchange = 2 * 3 * (0.125 + 3 * 10_000 * 4 / 1e6)
    assert two.seconds([StepBatch((), 1, 0), StepBatch((), 3, 0)]) == pytest.approx(0.5 + 3.25 + exchange)


def test_a_server_that_keeps_a_block_or_frees_one_that_it_never_had_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = KvBlocks.release
    asked = [TimedPrompt(0.0, 8, 1)]
    monkeypatch.setattr(KvBlocks, "release", lambda blocks, held: whole(blocks, held[1:]))
    with pytest.raises(LawBroken, match="all is served, and 9 of 10 blocks are free"):
        serve(asked, blocks=10)

    def also_an_eleventh(blocks: KvBlocks, held: Sequence[int]) -> None:
        whole(blocks, held)
        blocks._free[10] = None

    monkeypatch.setattr(KvBlocks, "release", also_an_eleventh)
    with pytest.raises(LawBroken, match="all is served, and 11 of 10 blocks are free"):
        serve(asked, blocks=10)
