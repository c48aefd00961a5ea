"""Studies Blake's chapter 4: rates of reads by the size of a record, on the disc of a 486/50 alone."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import pandas as pd

from spindle.models.windows_nt.log import correlation
from spindle.models.windows_nt.studies.bench_disc import BENCH, DISCS, read_alone
from spindle.models.windows_nt.studies.trials import Row, with_paper, workload
from spindle.sim.units import MIB, MS
from spindle.studies.plots.curves import curve
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow
from spindle.workloads.probe.script import PAGE
from spindle.workloads.probe.variations import anywhere, in_records, resize_records


def same_record(pages: int, seed: object, **parameters: Any) -> Row:
    """Read one record of *pages* pages again and again, without chance or parameters."""
    seconds = read_alone(in_records(workload("disc_512"), pages * PAGE), 1, 1)["response"]
    return {"read_ms": seconds / MS, "mb_per_second": pages * PAGE / seconds / MIB}


def far_record(pages: int, seed: object, cycles: int, **parameters: Any) -> Row:
    """Read records of *pages* pages at random from a file of 500 MB on that disc."""
    probe = resize_records(workload("disc_60k"), pages * PAGE)
    return {"mb_per_second": pages * PAGE * read_alone(probe, seed, cycles)["rate"] / MIB}


def run_disc_alone(
    work: str, seed: object, cycles: int, wide: bool = False, disc: str = "sheet", **parameters: Any
) -> Row:
    """Run the readers of *work* on chapter 4's disc, one of DISCS; records all over the file if *wide*."""
    probe = anywhere(workload(work)) if wide else workload(work)
    return read_alone(probe, seed, cycles, DISCS[disc])


RECORD_PAGES = range(1, 17)
STEP_PAGES = (6, 13, 16)
"""Sizes in pages at which the book has a revolution more."""
REVOLUTION_MS = BENCH.revolution / MS
LEAST_LINEAR = 0.95
"""Least share of the variance of a line, called linear, that a straight line explains."""
NEAR_WINDOW = StudyWindow({"cycles": 20}, {"cycles": 5})
"""Window of reads of 512 bytes, next to each other."""
FAR_WINDOW = StudyWindow({"cycles": 800}, {"cycles": 200})
"""Window of reads of 60 KB, from all over the disc."""


def measures(rows: SeedRows) -> Mapping[str, float]:
    sizes = pd.DataFrame(rows.select(check="size"))
    most, pages = best(sizes)
    sheet = of_disc(rows, "sheet")
    candidate = {f"{name}_by_tracks": value for name, value in of_disc(rows, "whole tracks").items()}
    return {
        **sheet, **candidate, "wide_loss": 1.0 - sheet["read_60k_ms"] / sheet["wide_60k_ms"],
        "best_mb": most, "best_pages": pages,
        **{f"step_at_{pages}": float(pages in steps(sizes)) for pages in STEP_PAGES},
    }  # fmt: skip


def of_disc(rows: SeedRows, disc: str) -> Mapping[str, float]:
    """Measure Probe's readers on one of DISCS."""
    near, queued, far, wide = (rows.one(check=check, disc=disc) for check in ("near", "queued", "far", "wide"))
    return {
        "read_512_ms": near["response"] / MS, "reads_512": near["rate"], "busy_512": near["busy"],
        "queued_s": queued["disc_response"], "queue": queued["queue"],
        "read_60k_ms": far["disc_response"] / MS, "wide_60k_ms": wide["disc_response"] / MS,
    }  # fmt: skip


def linear(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether the rate over 500 MB grows linearly with the pages of a record, and falls at 64 KB."""
    rates = [row["mb_per_second"] for row in rows]
    grows = all(one < other for one, other in pairwise(rates[:-1]))
    straight = correlation(list(RECORD_PAGES)[:-1], rates[:-1]) ** 2
    return {"linear": float(grows and straight >= LEAST_LINEAR), "falls_at_16": float(rates[-1] < rates[-2])}


def best(table: pd.DataFrame) -> tuple[float, int]:
    """Return the highest rate, and the pages of the record that has it."""
    return max(zip(table["mb_per_second"].tolist(), table["pages"].tolist(), strict=True))


def steps(table: pd.DataFrame) -> list[int]:
    """Return the sizes at which a read takes a revolution more than with a page less."""
    longer = table["read_ms"].diff() > REVOLUTION_MS / 2
    return [int(pages) for pages in table["pages"][longer].tolist()]


def by_size(rows: pd.DataFrame) -> pd.DataFrame:
    sizes = rows[(rows["check"] == "size") & (rows["seed"] == 1)]
    return sizes[["pages", "read_ms", "mb_per_second"]].astype({"pages": int}).reset_index(drop=True)


picture = with_paper(lambda paper: [(paper["D-08"], paper["D-07"])])(
    partial(curve, x="pages", y="mb_per_second", x_label="record, pages of 4 KB", y_label="transferred, MB a second",
            title="A record that misses its revolution waits for the next"))


def caption(table: pd.DataFrame) -> str:
    most, pages = best(table)
    return (
        f"At most {most:.2f} MB a second, at {pages} pages (the book: 1.4 at 12). A revolution more at "
        f"{', '.join(map(str, steps(table)))} pages; in the book also at 16, where its adapter probably cut the "
        "transfer in two: no tracks of equal length give 6, 13 and 16."
    )


STUDIES = (
    Study(
        "record_size",
        [
            Runs(same_record, UNTIMED, {"check": "size"}, pages=RECORD_PAGES),
            Runs(run_disc_alone, NEAR_WINDOW, {"check": "near"}, work="disc_512", disc=list(DISCS)),
            Runs(run_disc_alone, NEAR_WINDOW, {"check": "queued"}, work="disc_512_by_5", disc=list(DISCS)),
            Runs(run_disc_alone, FAR_WINDOW, {"check": "far"}, work="disc_60k", disc=list(DISCS)),
            Runs(run_disc_alone, FAR_WINDOW, {"check": "wide"}, work="disc_60k", wide=True, disc=list(DISCS)),
        ],
        Figure(by_size, picture, caption), measures,
    ),
    Study("record_size_far", [Runs(far_record, FAR_WINDOW, pages=RECORD_PAGES)], measures=linear),
)  # fmt: skip
