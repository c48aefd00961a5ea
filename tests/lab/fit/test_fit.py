"""The steps of a fit: what Powell's method does beside its bounds is no mistake of the user's."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

from spindle.lab.fit import fit
from spindle.lab.fit.buffer_choices import CHOICES, without_cache
from spindle.lab.fit.first_sheet import starting_sheets
from spindle.lab.fit.fit import FitLoss, electronics, trade_knobs
from spindle.lab.fit.geometry import observe
from spindle.sim.disc.buffer_sheet import After, Overheads
from spindle.sim.units import MS
from tests.lab.fit.known import BARE, BUFFER, KNOWN, asked


def test_a_number_that_rounding_takes_below_nothing_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = asked(KNOWN, 40)
    requests = replace(requests, measured=requests.measured + 0.1 * MS)

    def below(objective: Callable[[np.ndarray], float], start: np.ndarray, **_: object) -> OptimizeResult:
        return OptimizeResult(x=np.full(len(start), -1e-17), fun=objective(np.full(len(start), -1e-17)))

    monkeypatch.setattr(fit, "minimize", below)
    loss = FitLoss(requests, KNOWN.revolution / 2.0)
    assert fit.with_numbers(KNOWN, electronics(KNOWN)[0], loss) == KNOWN


COMMAND = After(0.6 * MS, 0.6 * MS)
CACHELESS = replace(KNOWN, buffer=without_cache(replace(BUFFER, overheads=Overheads(read_miss=COMMAND, write=COMMAND))))


def test_what_commands_have_of_the_arms_time_is_told_by_requests_for_which_it_stays() -> None:
    loss = FitLoss(asked(CACHELESS, 300), KNOWN.revolution / 2.0)
    wrong = trade_knobs(CACHELESS)[1].turned(CACHELESS, 2.0 * MS)
    assert wrong.seek(30) == pytest.approx(CACHELESS.seek(30) - 1.4 * MS)
    right = fit.with_trades(wrong, loss)
    assert right.buffer is not None
    assert right.buffer.overheads.read_miss.read == pytest.approx(0.6 * MS, abs=0.35 * MS)
    apart = [float(loss.distances(loss.times(disc)).mean()) for disc in (right, wrong)]
    assert apart[0] < apart[1] / 10


def test_where_no_read_was_answered_without_the_medium_there_is_no_cache() -> None:
    requests = asked(replace(CACHELESS, buffer=None), 400)
    start = starting_sheets(BARE, observe(BARE.disc.layout, requests))
    assert [disc.buffer is not None and disc.buffer.segments for disc in (start.loose, start.locked)] == [0, 0]
    assert CHOICES[0].value(start.locked) == "false"
    loss = FitLoss(requests, KNOWN.revolution / 2.0)
    chosen = fit.with_choices(start.locked, loss)
    assert chosen.buffer is not None
    assert chosen.buffer.segments == 0
