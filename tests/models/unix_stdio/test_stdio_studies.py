"""The experiments: what their tables must show, and that each of them can be drawn."""

import pytest

from models.unix_stdio.experiments import EXPERIMENTS
from models.unix_stdio.experiments.adaptation import adaptation
from models.unix_stdio.experiments.risk import at_risk
from models.unix_stdio.experiments.strides import remark_strides, strides
from models.unix_stdio.levels import levels
from models.unix_stdio.machines import MACHINES
from sim.plots.curves import png
from sim.study.system import Effort

EFFORT = Effort(replications=1, progress=False)
QUICK = [each for each in EXPERIMENTS if each.name in ("adaptation", "memory_pyramid", "at_risk", "power_failure")]


@pytest.mark.parametrize("experiment", QUICK, ids=lambda each: each.name)
def test_experiments_are_drawn_with_a_title(experiment) -> None:  # type: ignore[no-untyped-def]
    axes = experiment.draw(experiment.run(EFFORT))
    assert axes.get_title(loc="left")
    assert png(axes).startswith(b"\x89PNG")


def test_the_first_megabyte_of_a_stride_takes_more_reads_than_the_last() -> None:
    frame = adaptation(EFFORT)
    rows = frame[frame["pattern"] == "stride 64 KiB"]
    half = rows["reads"].max() / 2
    assert min(rows[rows["reads"] >= half]["megabytes"].tolist()) < 2.0


def test_nothing_is_at_risk_with_o_sync_and_in_the_end() -> None:
    frame = at_risk(EFFORT)
    assert frame[frame["how"] == "O_SYNC, 64 KiB"]["megabytes"].max() == 0.0
    assert frame[frame["second"] == 60.0]["megabytes"].max() == 0.0
    assert frame.groupby("how")["megabytes"].max()["stdio"] == pytest.approx(10.48576)


def test_stdio_helps_short_strides_and_hurts_long_ones() -> None:
    frame = strides(EFFORT)
    rate = {(row["how"], row["stride"]): row["rate"] for row in frame.to_dict("records")}
    assert rate["with stdio", 64] > 2 * rate["without stdio", 64]
    assert rate["with stdio", 1 << 20] < rate["without stdio", 1 << 20]
    assert remark_strides(frame) == "From a stride of 4 KiB on stdio costs more than it saves."


def test_each_level_of_the_pyramid_is_slower_than_the_one_above() -> None:
    for machine in MACHINES.values():
        seconds = [level.seconds for level in levels(machine)]
        assert seconds == sorted(seconds)
        assert [level.survives for level in levels(machine)] == [False, False, False, True, True]
