"""The studies: what their tables and measures must show, that each is drawn, and what their runs hang on."""

from collections.abc import Mapping

import pandas as pd
import pytest

from spindle.models.unix_stdio.parameters import LECTURE, MACHINES
from spindle.models.unix_stdio.studies import STUDIES
from spindle.models.unix_stdio.studies.trials import CLAIMS, MEASURED, levels, virtual_2026
from spindle.studies.claims.claims import read_claims
from spindle.studies.claims.verdicts import check_studies, samples_of
from spindle.studies.kept_runs import Book
from spindle.studies.plots.style import png
from spindle.studies.study import Figure, Study

BY_NAME = {study.name: study for study in STUDIES}


@pytest.fixture(scope="module")
def book() -> Book:
    """Every run of one seed; they take some seconds together."""
    book = Book(workers=1, progress=False)
    book.make((point, 1) for study in STUDIES for point in study.points(quick=True))
    return book


def table(book: Book, name: str) -> pd.DataFrame:
    figure = BY_NAME[name].figure
    assert isinstance(figure, Figure)
    return figure.table(book.frame(BY_NAME[name].points(quick=True), [1]))


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_studies_are_drawn_with_a_title_and_measure_what_claims_ask(study: Study, book: Book) -> None:
    assert study.figure is not None
    axes = study.figure.picture(table(book, study.name))
    assert axes.get_title(loc="left")
    assert png(axes).startswith(b"\x89PNG")
    claims = read_claims(CLAIMS)
    check_studies(claims, STUDIES)
    if study.measures is not None:
        samples = samples_of(study, claims, book, 1, quick=True)
        assert samples
        assert all(samples[each.id] == [1.0] for each in claims
                   if each.id in samples and (each.low, each.high) == (1.0, 1.0))  # fmt: skip


def test_the_first_megabyte_of_a_stride_takes_more_reads_than_the_last(book: Book) -> None:
    frame = table(book, "adaptation")
    rows = frame[frame["pattern"] == "stride 64 KiB"]
    half = rows["reads"].max() / 2
    assert min(rows[rows["reads"] >= half]["megabytes"].tolist()) < 2.0


def test_nothing_is_at_risk_with_o_sync_and_in_the_end(book: Book) -> None:
    frame = table(book, "at_risk")
    assert frame[frame["how"] == "O_SYNC, 64 KiB"]["megabytes"].max() == 0.0
    assert frame[frame["second"] == 60.0]["megabytes"].max() == 0.0
    assert frame.groupby("how")["megabytes"].max()["stdio"] == pytest.approx(10.48576)


def test_stdio_helps_short_strides_and_hurts_long_ones(book: Book) -> None:
    frame = table(book, "strides")
    rate: Mapping[tuple[str, int], float] = {
        (row["how"], row["stride"]): row["rate"] for row in frame.to_dict("records")
    }
    assert rate["with stdio", 64] > 2 * rate["without stdio", 64]
    assert rate["with stdio", 1 << 20] < rate["without stdio", 1 << 20]
    figure = BY_NAME["strides"].figure
    assert figure is not None
    assert figure.caption(frame) == "From a stride of 4 KiB on stdio costs more than it saves."


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
