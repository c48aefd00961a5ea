"""Tests the seconds of a step: values between measured points, prompts beside sequences, experts, exchange of GPUs."""

import pytest

from spindle.sim.error import UserError
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
)

TABLES = StepTables(
    ValueLine({1: 1.0, 11: 2.0}), ValueLine({1: 0.5}),
    ValueGrid({(1, 0): 0.0, (1, 10): 1.0, (2, 0): 0.0, (2, 10): 2.0}),
    ValueGrid({(10, 0): 1.0, (10, 10): 3.0, (20, 0): 2.0, (20, 10): 6.0}),
    ValueGrid({(chunk, before, n, of): 100.0 + n * of for chunk in (10, 20) for before in (0, 10) for n in (1, 2)
          for of in (0, 10)}),
)  # fmt: skip


def test_a_line_is_level_before_its_first_point_and_straight_beyond_its_last() -> None:
    line = ValueLine({2.0: 10.0, 4.0: 20.0})
    assert [line(at) for at in (1, 2, 3, 4, 6)] == [10.0, 10.0, 15.0, 20.0, 30.0]
    assert ValueLine({8: 3.0})(100) == 3.0


def test_a_grid_is_linear_along_each_axis() -> None:
    grid = ValueGrid({(0, 0): 0.0, (0, 2): 2.0, (4, 0): 4.0, (4, 2): 10.0})
    assert grid(2, 0) == 2.0
    assert grid(2, 1) == pytest.approx(4.0)
    assert grid(8, 0) == 8.0


def test_rows_have_points_of_their_own() -> None:
    rows = ValueRows({(1, 8): 2.0, (3, 8): 4.0, (3, 16): 8.0})
    assert rows(1, 16) == 2.0
    assert rows(3, 12) == 6.0
    assert rows(2, 16) == 5.0


def test_attention_of_sequences_alone_is_by_their_mean_context() -> None:
    assert TABLES.attention(StepBatch((), 2, 10)) == pytest.approx(1.0)


def test_attention_of_prompts_is_that_of_each_by_itself() -> None:
    assert TABLES.attention(StepBatch(((10, 0), (20, 10)))) == 1.0 + 6.0


def test_sequences_beside_a_prompt_cost_what_they_add_to_it() -> None:
    # The mixed table has 100 + 2 x 5 where the prompt alone takes 2.
    assert TABLES.attention(StepBatch(((20, 0),), 2, 10)) == pytest.approx(2.0 + 110.0 - 2.0)


def test_one_gpu_exchanges_nothing_and_two_do_twice_a_layer() -> None:
    parameters = StepParameters(link_rate=1e6, link_latency=0.25)
    batch = StepBatch((), 1, 0)
    assert Stepper(TABLES, ModelShape(3, 5)).seconds([batch]) == 1.5
    two = Stepper(TABLES, ModelShape(3, 500_000), gpus=2, parameters=parameters)
    assert two.seconds([batch]) == pytest.approx(1.5 + 2 * 3 * (0.25 + 1 * 5e5 * 2 / 1e6))


def test_replicas_wait_for_the_slower_and_share_the_experts() -> None:
    tables = StepTables(TABLES.dense, TABLES.head, TABLES.decode, TABLES.prefill, TABLES.mixed,
                        ValueRows({(1, 1): 10.0, (1, 2): 20.0}))  # fmt: skip
    stepper = Stepper(tables, ModelShape(0, 5, 4, 2), replicas=2)
    # Of the two experts here nearly both are active: each token uses one of four with a chance of a half.
    assert stepper.seconds([StepBatch((), 11, 0), EMPTY_STEP]) == pytest.approx(2.0 + 0.5 + 20.0, abs=0.02)
    # One token uses two experts, wherever they are.
    assert stepper.seconds([StepBatch((), 1, 0), EMPTY_STEP]) == pytest.approx(1.0 + 0.5 + 20.0)


def test_a_parameter_beyond_its_rule_is_refused() -> None:
    with pytest.raises(UserError, match="link_rate must be"):
        StepParameters(link_rate=0.0)
