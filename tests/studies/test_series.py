"""Series: responses in the order in which they were given, and only of runs that kept them."""

import numpy as np
import pytest

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.terminal import Transaction
from spindle.studies.sweep.precision import TooShort, check_series, means, responses


def result(*times: tuple[float, float, float], keep: bool = True) -> Result:
    """A run with transactions that began, responded and ended when *times* say."""
    recorder = Recorder(keep=keep)
    for began, responded, ended in times:
        parts = [0.0] * PHASE_COUNT
        parts[Phase.CPU] = responded - began
        recorder.record(Transaction("t", "n", began, responded, ended, tuple(parts)), 1)
    return Result("test", {}, 1, 0.0, 60.0, {}, recorder)


def test_responses_come_in_the_order_in_which_they_were_given() -> None:
    """Neither in that of the inquiries, nor in that in which the replies were printed."""
    assert responses(result((3.0, 9.0, 10.0), (1.0, 8.0, 12.0), (5.0, 7.0, 30.0))).tolist() == [2.0, 7.0, 6.0]


def test_rows_are_needed_where_there_were_responses() -> None:
    assert responses(result()).tolist() == []
    with pytest.raises(UserError, match="need the rows of a run: keep_rows=True"):
        responses(result((1.0, 2.0, 3.0), keep=False))


def test_means_leave_out_what_fills_no_batch() -> None:
    assert means(np.arange(8.0), 3).tolist() == [1.0, 4.0]


def test_lists_of_whole_numbers_will_do() -> None:
    assert check_series([1, 2, 3], 3).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TooShort, match="at least 4 observations, and there are 3"):
        check_series([1, 2, 3], 4)
