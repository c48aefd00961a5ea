"""Chapter 4 on its 486/50: repeated reads of one record by its size, the resulting rate, and a large file's creation.
"""

from collections.abc import Mapping
from itertools import pairwise

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.cache import EachPeriod, KeepsPages, MakesRoom, WhileWritersWait
from spindle.models.windows_nt.studies.common import CLAIMS, FIGURE, correlation, with_paper
from spindle.models.windows_nt.studies.trials import (
    BENCH,
    DISCS,
    Desktop,
    create_file,
    far_record,
    run_disc_alone,
    same_record,
)
from spindle.sim.units import MIB, MS
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import INK
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow

PAGES = range(1, 17)
STEP_PAGES = (6, 13, 16)
"""Pages at which the book has a revolution more."""
REVOLUTION_MS = BENCH.revolution / MS
STRAIGHT = 0.95
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
    """Measure if the rate over 500 MB grows with each page of a record along a straight line, and falls at 64 KB."""
    rates = [row["mb_per_second"] for row in rows]
    grows = all(one < other for one, other in pairwise(rates[:-1]))
    straight = correlation(list(PAGES)[:-1], rates[:-1]) ** 2
    return {"linear": float(grows and straight >= STRAIGHT), "falls_at_16": float(rates[-1] < rates[-2])}


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


@with_paper(lambda paper: [(paper["D-08"], paper["D-07"])])
def picture(table: pd.DataFrame) -> Axes:
    return curve(
        table, "pages", "mb_per_second", x_label="record, pages of 4 KB", y_label="transferred, MB a second",
        title="A record that misses its revolution waits for the next",
    )  # fmt: skip


def caption(table: pd.DataFrame) -> str:
    most, pages = best(table)
    return (
        f"At most {most:.2f} MB a second, at {pages} pages (the book: 1.4 at 12). A revolution more at "
        f"{', '.join(map(str, steps(table)))} pages; in the book also at 16, where its adapter probably cut the "
        "transfer in two: no tracks of equal length give 6, 13 and 16."
    )


# createfil by the memory of the 486/50, which the book does not print, and by the rules of its cache.

DESKTOP_MB = Desktop().memory // MIB
MEMORY_MB = (12, DESKTOP_MB, 20, 24, 32)
LAPTOP_RULES, TEXT_RULES = "as on the laptop", "as its text says"


def measure_creation(rows: SeedRows) -> Mapping[str, float]:
    """Measure createfil on the 486/50 with the memory that is assumed, by the rules that the laptop has."""
    row = rows.one(rules=LAPTOP_RULES, memory_mb=DESKTOP_MB)
    return {name: row[name] for name in ("seconds", "bytes_a_write", "lazy_bytes")}


def by_memory(rows: pd.DataFrame) -> pd.DataFrame:
    firsts = rows[rows["seed"] == 1]
    return firsts[["rules", "memory_mb", "seconds", "bytes_a_write", "lazy_bytes"]].astype({"memory_mb": int})


def draw_by_memory(table: pd.DataFrame) -> Axes:
    ax = curve(
        table, "memory_mb", "seconds", "rules", x_label="memory, MB", y_label="to create the file, s",
        title="createfil by the memory of its 486/50",
    )  # fmt: skip
    ax.axhline(published_by_id(CLAIMS)["D-11"], color=INK, linewidth=0.8)
    return ax


def caption_by_memory(table: pd.DataFrame) -> str:
    laptop, text = (
        ", ".join(f"{row.seconds:.0f} s with {row.memory_mb} MB" for row in rows.itertuples())
        for rows in (table[table["rules"] == rules] for rules in (LAPTOP_RULES, TEXT_RULES))
    )
    return (
        f"By the rules of the laptop: {laptop}. As the text at figure 4.12 has it, with a lazy writer launched "
        f"frequently and flushes that make room: {text}. The line is the book's 722 s."
    )


STUDIES = (
    Study(
        "record_size",
        "Chapter 4: what a 3600 rpm disc transfers when the same record is read again and again, by its size.",
        [
            Runs(same_record, UNTIMED, {"check": "size"}, pages=PAGES),
            Runs(run_disc_alone, NEAR_WINDOW, {"check": "near"}, work="disc_512", disc=list(DISCS)),
            Runs(run_disc_alone, NEAR_WINDOW, {"check": "queued"}, work="disc_512_by_5", disc=list(DISCS)),
            Runs(run_disc_alone, FAR_WINDOW, {"check": "far"}, work="disc_60k", disc=list(DISCS)),
            Runs(run_disc_alone, FAR_WINDOW, {"check": "wide"}, work="disc_60k", wide=True, disc=list(DISCS)),
        ],
        Figure(by_size, picture, caption), measures,
    ),
    Study(
        "record_size_far", "Chapter 4: what that disc transfers at random from 500 MB, by the size of a record.",
        [Runs(far_record, FAR_WINDOW, pages=PAGES)], measures=linear,
    ),
    Study(
        "createfil", "Chapter 4: a file of 500 MB written through the cache of the 486/50, by its memory.",
        [Runs(create_file, FIGURE, {"rules": LAPTOP_RULES}, memory_mb=MEMORY_MB, flushing=KeepsPages,
              waking=EachPeriod),
         Runs(create_file, FIGURE, {"rules": TEXT_RULES}, memory_mb=MEMORY_MB, flushing=MakesRoom,
              waking=WhileWritersWait)],
        Figure(by_memory, draw_by_memory, caption_by_memory), measure_creation, replications=1,
    ),
)  # fmt: skip
