"""Tests the text and the JSON of a run's result: all digits of numbers, and responses that take no time."""

from math import nan
from types import SimpleNamespace

import pytest

from spindle.cli.result_page import _measures, page
from spindle.models.hp3000.system import SYSTEM
from spindle.sim.clock import PHASE_COUNT
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.quantity import show
from spindle.sim.terminal import Transaction


@pytest.mark.parametrize(("measure", "value", "digits", "text"), [
    ("system_calls", 20000.0, 4, "20000"), ("system_calls", 1234567.6, 4, "1234568"), ("system_calls", 150.0, 2, "150"),
    ("system_calls", 0.123456, 4, "0.1235"), ("system_calls", 2e15, 4, "2e+15"), ("device_bytes", 20000.0, 4, "20 KB"),
])  # fmt: skip
def test_a_count_has_all_its_digits(measure: str, value: float, digits: int, text: str) -> None:
    assert show(measure, value, digits) == text


def test_responses_without_any_time_are_responses() -> None:
    recorder = Recorder()
    recorder.record(Transaction("t", "n", 3.0, 3.0, 3.0, (0.0,) * PHASE_COUNT), 1)
    text = page(SYSTEM, Result("hp3000", {}, 1, 0.0, 60.0, {}, recorder), (), {})
    assert "             0.000      -   0.000  0.00    0.00           1" in text
    assert "where the time goes\n           nowhere  every response came at once\n" in text
    assert "\n\nwhat a number is: spindle explain NAME" in text


def test_terminals_without_a_user_are_told() -> None:
    recorder = Recorder()
    recorder.record(Transaction("t", "n", 3.0, 4.0, 4.0, (1.0, *(0.0,) * (PHASE_COUNT - 1))), 1)
    counters = {"desk.terminal_seconds": 120.0, "desk.logged_on_seconds": 30.0}
    text = page(SYSTEM, Result("hp3000", {}, 1, 0.0, 60.0, counters, recorder), (), {})
    told = "1 minute measured after 0 of warm-up\nusers are logged on at 0.5 of 2 terminals, on average\n\n"
    assert told in text


def test_a_long_name_is_no_heading() -> None:
    """A terminal shows a line that begins at its edge in bold."""
    lines = _measures(SimpleNamespace(extras={"write_wait_probability": 0.5, "disc_busy": nan}))  # type: ignore[arg-type]
    assert lines == ["  write wait probability  0.5", f"{'disc busy':>24}  -"]
