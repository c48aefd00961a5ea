"""Windows NT's experiments: what they draw and remark, from tables made by hand or from one short run."""

import pandas as pd
import pytest

from models.windows_nt.experiments import EXPERIMENTS, fixed, sides, trimming
from models.windows_nt.experiments.table import BOOK
from sim.error import UserError
from sim.study.system import Effort

BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}
SIDES = pd.DataFrame([
    {"spread_mb": spread, "buffered_ms": 3.0 + spread, "mapped_ms": 2.0 * spread, "cache_mb": 2.0,
     "mapped_mb": 1.0 * spread, "available_mb": 4.0, "pages_per_second": 1.0} for spread in (1, 2, 4)
])  # fmt: skip
FRAMES = {
    "table_6_2": pd.DataFrame([
        {"row": row, "mode": mode, "ms": 1.2 * ms if (row, mode) == ("random_read", "mapped") else ms, "book_ms": ms,
         "ratio": 1.2 if (row, mode) == ("random_read", "mapped") else 1.0}
        for row, modes in BOOK.items() for mode, ms in modes.items()
    ]),
    "side_by_side": SIDES,
    "memory_shares": SIDES,
    "fixed_cache": pd.DataFrame([
        {"workload": name, "fixed_mb": size, "response_ms": 9.0 - size if size else 4.5, "cache_mb": size or 3.3}
        for name in fixed.NAMES for size in (0, 1, 4)
    ]),
    "trim_amount_and_period": pd.DataFrame([
        {"trim_share": share, "trim_period": period, "final_available_mb": 2.5, "teeth": 3, "crossing_mb": 3.0,
         "response_ms": 2.0} for share in trimming.SHARES for period in trimming.PERIODS
    ]),
}  # fmt: skip
REMARKS = {
    "table_6_2": "Within 20% of the book, farthest random read, mapped",
    "side_by_side": "Mapped to buffered is 0.50 over 1 MB and 1.14 over 4 MB",
    "memory_shares": "The mapped working set is the larger from 4 MB on",
    "fixed_cache": "reads over 4 MB: 4.50 ms with 3.3 MB, the best fixed size 5.00 ms",
    "trim_amount_and_period": "3 to 3 teeth; the lines cross at 3.00 to 3.00 MB",
}


@pytest.mark.parametrize("name", REMARKS)
def test_a_table_is_drawn_and_remarked_on(name: str) -> None:
    experiment = BY_NAME[name]
    assert REMARKS[name] in experiment.remark(FRAMES[name])
    axes = experiment.draw(FRAMES[name])
    assert axes.get_title(loc="left")
    assert axes.get_xlabel()


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - FRAMES.keys()))
def test_a_run_is_drawn_and_remarked_on(name: str) -> None:
    experiment = BY_NAME[name]
    frame = experiment.run(Effort(replications=1, progress=False))
    assert not frame.isna().any(axis=None)
    assert experiment.remark(frame).endswith(".")
    assert experiment.draw(frame).get_title(loc="left")


def test_a_side_takes_parameters() -> None:
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        sides.at(1, disks=2)
