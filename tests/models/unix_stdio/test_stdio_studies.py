"""Tests the studies of the stdio lecture: contents of their tables, and which parameters their runs depend on."""

from collections.abc import Callable, Mapping

import pandas as pd
import pytest

from spindle.models.unix_stdio.parameters import LECTURE, MACHINES
from spindle.models.unix_stdio.studies.machines import levels
from spindle.models.unix_stdio.studies.trials import MEASURED, virtual_2026
from spindle.models.unix_stdio.system import SYSTEM
from spindle.studies.run_book import RunBook
from spindle.studies.study import Figure

FIGURES = {study.name: study.figure for study in SYSTEM.studies}


def table(name: str, wanted: Callable[[Mapping[str, object]], bool] = bool) -> pd.DataFrame:
    """Run the points of a study that are *wanted*, as their columns tell."""
    (study,) = (study for study in SYSTEM.studies if study.name == name)
    points = [point for point in study.points() if wanted(point.columns())]
    book = RunBook(workers=1, progress=False)
    book.make((point, 1) for point in points)
    return figure(name).table(book.frame(points, [1]))


def figure(name: str) -> Figure:
    found = FIGURES[name]
    assert found is not None
    return found


def test_the_first_megabyte_of_a_stride_takes_more_reads_than_the_last() -> None:
    frame = table("adaptation")
    rows = frame[frame["pattern"] == "stride 64 KiB"]
    half = rows["reads"].max() / 2
    assert min(rows[rows["reads"] >= half]["megabytes"].tolist()) < 2.0


def test_nothing_is_at_risk_with_o_sync_and_in_the_end() -> None:
    frame = table("at_risk")
    assert frame[frame["how"] == "O_SYNC, 64 KiB"]["megabytes"].max() == 0.0
    assert frame[frame["second"] == 60.0]["megabytes"].max() == 0.0
    assert frame.groupby("how")["megabytes"].max()["stdio"] == pytest.approx(10.48576)


def test_stdio_helps_short_strides_and_hurts_long_ones() -> None:
    frame = table("strides", lambda at: at["how"] != "from the disc" and at["stride"] in (64, 1024, 4096, 1 << 20))
    rate: Mapping[tuple[str, int], float] = {
        (row["how"], row["stride"]): row["rate"] for row in frame.to_dict("records")
    }
    assert rate["with stdio", 64] > 2 * rate["without stdio", 64]
    assert rate["with stdio", 1 << 20] < rate["without stdio", 1 << 20]
    assert figure("strides").caption(frame) == "From a stride of 4 KiB on stdio costs more than it saves."


def test_each_level_of_the_pyramid_is_slower_than_the_one_above() -> None:
    for machine in MACHINES.values():
        seconds = [level.seconds for level in levels(machine)]
        assert seconds == sorted(seconds)
        assert [level.survives for level in levels(machine)] == [False, False, False, True, True]


def test_what_was_measured_on_the_machine_of_2026_is_not_assumed() -> None:
    """A parameter that was measured there stays as it was when the lecture's is changed."""
    usual = virtual_2026("w04", 1, 1.0, block=4096)
    assert "read_call" in MEASURED
    assert virtual_2026("w04", 1, 1.0, block=4096, write_call=2 * LECTURE.write_call) == usual
