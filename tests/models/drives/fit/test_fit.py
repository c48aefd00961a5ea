"""The steps of a fit: what Powell's method does beside its bounds is no mistake of the user's."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

from models.drives.fit import fit
from models.drives.fit.knobs import electronics
from models.drives.fit.loss import FitLoss
from sim.units import MS
from tests.models.drives.fit.known import KNOWN, asked


def test_a_number_that_rounding_takes_below_nothing_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = asked(KNOWN, 40)
    requests = replace(requests, measured=requests.measured + 0.1 * MS)

    def below(objective: Callable[[np.ndarray], float], start: np.ndarray, **_: object) -> OptimizeResult:
        return OptimizeResult(x=np.full(len(start), -1e-17), fun=objective(np.full(len(start), -1e-17)))

    monkeypatch.setattr(fit, "minimize", below)
    loss = FitLoss(requests, KNOWN.revolution / 2.0)
    assert fit.with_numbers(KNOWN, electronics(KNOWN)[0], loss) == KNOWN
