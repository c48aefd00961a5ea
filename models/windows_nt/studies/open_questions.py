"""Studies what Blake's book leaves open: whether a flush frees pages; clearmem, which evicts all; a server."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.beside_probe import ClearMem, FileServer
from spindle.models.windows_nt.lazy_writer import MakesRoom
from spindle.models.windows_nt.log import Log, NtLine, quarter, working_set
from spindle.models.windows_nt.studies.growth import TRIAL_END, logs_of
from spindle.models.windows_nt.studies.trials import CLAIMS, FIGURE, run_logged, with_paper
from spindle.studies.claims.claims import published_by_measure
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, INK, VERMILION
from spindle.studies.study import Figure, Runs, SeedRows, Study

READINGS = {"keeps": ("a flush keeps pages", BLUE), "makes room": ("a flush makes room", VERMILION)}
COUNTED = {
    "cache_faults": NtLine.CACHE_FAULTS, "page_faults": NtLine.FAULTS, "page_reads": NtLine.PAGE_READS,
    "flush_pages": NtLine.FLUSH_PAGES, "pages_output": NtLine.OUTPUT,
}  # fmt: skip
"""Counters of figures 6.13 to 6.18 by the measure of the claim that has the book's number."""
PRINTED_CLAIMS = {
    "cache_faults": "N-R3a", "page_faults": "N-R3b", "page_reads": "N-R3c", "flush_pages": "N-R3e",
    "pages_output": "N-R3f", "csrss_mb": "N-R2",
}  # fmt: skip
COUNTER_NAMES = {**{name: name.replace("_", " ") for name in COUNTED}, "csrss_mb": "memory of CSRSS"}
COMPANIES = {"nobody": "Probe alone", "clearmem": "after clearmem", "server": "beside a server"}


def measure_trial(log: Log) -> dict[str, float]:
    """Measure the numbers that the book prints of the trial."""
    screen = log.mb(working_set("CSRSS"))[-1]
    return {**{name: log.mean(counter) for name, counter in COUNTED.items()}, "csrss_mb": screen}


def room_made(rows: SeedRows) -> Mapping[str, float]:
    """Measure the faults of figure 6.14 where a flush makes room, and numbers of the book that then fail."""
    log = Log(rows.one(reading="makes room"))
    numbers = measure_trial(log)
    return {name: numbers[name] for name in ("cache_faults", "page_faults", "pages_output", "csrss_mb")}


def by_reading(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each counter in the first run of each reading, beside the book's."""
    book = published_by_measure(CLAIMS, "random_update")
    firsts = rows.drop_duplicates("reading")
    return pd.DataFrame([
        {"reading": reading, "counter": name, "value": value, "book": book[name]}
        for reading, log in zip(firsts["reading"], logs_of(firsts), strict=True)
        for name, value in measure_trial(log).items()
    ])  # fmt: skip


def printed_counts(paper: Numbers) -> list[Point]:
    """Return the book's numbers as multiples of themselves, the unit in which the picture is drawn."""
    return [(paper[claim] / paper[claim], COUNTER_NAMES[name]) for name, claim in PRINTED_CLAIMS.items()]


@with_paper(printed_counts)
def draw_readings(table: pd.DataFrame) -> Axes:
    names = list(dict.fromkeys(table["counter"]))
    with drawing() as ax:
        for reading, rows in table.groupby("reading", sort=False):
            called, colour = READINGS[str(reading)]
            places = [names.index(name) for name in rows["counter"]]
            ax.plot((rows["value"] / rows["book"]).tolist(), places, "o", color=colour, label=called)
        ax.axvline(1.0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(names)), [COUNTER_NAMES[name] for name in names])
        ax.invert_yaxis()
        ax.set_xlim(left=0)
        ax.set(xlabel="as a multiple of what is published", title="Faults or everything else: no reading has both")
        legend_below(ax)
    return ax


def caption_readings(table: pd.DataFrame) -> str:
    at = table.set_index(["reading", "counter"])["value"]
    keeps, room = (at[reading] for reading in READINGS)
    return (
        "Random updates. Where a page that was flushed leaves the cache and stands by, nearly every update finds its "
        f"page by a soft fault: {room['cache_faults']:.0f} cache faults a second, not {keeps['cache_faults']:.0f} (the "
        f"book: 38.8), but the memory manager then writes {room['pages_output']:.1f} pages a second, not "
        f"{keeps['pages_output']:.1f} (3.1), because the cache needs too little to push the others out."
    )


def by_company(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Available Bytes through figure 6.3 in the first run of each, and values at the end of the trial."""
    tables = []
    for name, log in zip((firsts := rows.drop_duplicates("company"))["company"], logs_of(firsts), strict=True):
        ends = {"final_mb": quarter(log.mb(NtLine.AVAILABLE), 3), "cache_mb": quarter(log.mb(NtLine.CACHE), 3),
                "page_reads": log.mean(NtLine.PAGE_READS)}  # fmt: skip
        lines = {"seconds": log.line("seconds"), "available_mb": log.mb(NtLine.AVAILABLE)}
        tables.append(pd.DataFrame(lines).assign(company=name, **ends))
    return pd.concat(tables, ignore_index=True)


draw_company = with_paper(lambda paper: [(TRIAL_END, paper["S3-19"])])(
    partial(curve, x="seconds", y="available_mb", by="company", names=COMPANIES, x_label="seconds of the trial",
            y_label="Available Bytes, MB", title="clearmem changes the beginning, a server the end"))


def caption_company(table: pd.DataFrame) -> str:
    last = table.drop_duplicates("company").set_index("company").to_dict("index")
    alone, cleared, served = (last[name] for name in COMPANIES)
    return (
        f"At the end {alone['final_mb']:.2f} MB are available, after clearmem {cleared['final_mb']:.2f}, and "
        f"{served['final_mb']:.2f} beside a server that hands over a file by MDL reads, whose pages stay in the cache "
        f"({served['cache_mb']:.2f} MB, alone {alone['cache_mb']:.2f})."
    )


STUDIES = (
    Study(
        "flushes",
        [Runs(run_logged, FIGURE, {"reading": "keeps"}, work="random_update"),
         Runs(run_logged, FIGURE, {"reading": "makes room"}, work="random_update", flushing=MakesRoom)],
        Figure(by_reading, draw_readings, caption_readings), room_made,
    ),
    Study(
        "company",
        [Runs(run_logged, FIGURE, {"company": "nobody"}, work="large_read"),
         Runs(run_logged, FIGURE, {"company": "clearmem"}, work="large_read", beside=ClearMem),
         Runs(run_logged, FIGURE, {"company": "server"}, work="large_read", beside=FileServer)],
        Figure(by_company, draw_company, caption_company), replications=2,
    ),
)  # fmt: skip
