"""Studies Blake's figures 6.3 to 6.5: a cache that grows into free memory, and its counters over time."""

from collections.abc import Mapping
from functools import partial
from math import fsum

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.log import Log, NtLine, correlation, crossing, quarter, smooth, teeth, turns
from spindle.models.windows_nt.studies.trials import CLOSE_LOOK, FIGURE, run_logged, with_paper
from spindle.sim.units import MIB
from spindle.studies.plots.curves import DrawnLine, strips
from spindle.studies.plots.style import BLUE, GREEN, ORANGE, VERMILION
from spindle.studies.study import Figure, Runs, SeedRows, Study

READING = Runs(run_logged, FIGURE, work="large_read")
TOOTH_MB = 0.1
"""MB by which Available Bytes must jump to be a tooth."""
SPIKE = 20.0
"""Percent of hits by which a spike rises above the trial's first samples."""
DIP_MB = 0.05
"""MB that the cache must lose to have been trimmed."""
SOON_SAMPLES, ASIDE_SAMPLES = 20, 12
"""Samples within which the cache recovers quickly, and samples before and after a dip that are compared."""
TRIAL_END = 95.0
"""Seconds of a trial."""
GROWTH_LINES = {NtLine.CPU: "cpu_percent", NtLine.DISC: "disc_percent", NtLine.READS: "copy_reads",
                NtLine.HITS: "hit_percent"}  # fmt: skip


def measures(rows: SeedRows) -> Mapping[str, float]:
    """Measure the book's numbers and, as 1 or 0, the shapes of lines that it describes; dips by the closer run."""
    row, close = rows
    log = Log(row)
    cpu, disc, hits, reads = (log.line(name) for name in (NtLine.CPU, NtLine.DISC, NtLine.HITS, NtLine.READS))
    cache, available = log.mb(NtLine.CACHE), log.mb(NtLine.AVAILABLE)
    return {
        "crossing_mb": crossing(disc, cpu, cache),
        "final_available_mb": quarter(available, 3),
        "rise_together": float(correlation(hits, reads) > 0.5),
        "begins_at_the_disc": float(cpu[1] < 50 < disc[1] and cache[10] > 1.5 * cache[1]),
        "sawtooth": float(teeth(available, TOOTH_MB) >= 2),
        "cache_recovers": float(recovers(Log(close))),
        "hits_at_the_end": float(quarter(hits, 3) >= 95 and quarter(reads, 3) >= 200),
        "little_output": float(0 < log.mean(NtLine.FLUSH_PAGES) < 0.01 * log.mean(NtLine.READS)),
        "few_data_maps": float(row["map_hits"] > 90 and 0 < log.mean(NtLine.MAPS) < 0.1 * log.mean(NtLine.READS)),
        "early_spike": float(spikes_early(log, Log(row, lead=True))),
        "disc_falls": float(quarter(disc, 0) > 2 * quarter(disc, 3) and quarter(cpu, 3) > 1.2 * quarter(cpu, 0)),
        "fast_reads": float(log.mean(NtLine.FAST) > 0.9 * log.mean(NtLine.READS)),
        "sync_and_async": row["adds_up"],
    }


def spikes_early(log: Log, lead: Log) -> bool:
    """Return whether hits peak before or as the trial begins, while the rate of reads is too low to matter."""
    hits, reads = ([*lead.line(counter), *log.line(counter)] for counter in (NtLine.HITS, NtLine.READS))
    begin = len(lead.line(NtLine.HITS))
    spike = max(range(begin + 2), key=lambda place: hits[place])
    return bool(hits[spike] > min(hits[begin : begin + 8]) + SPIKE and 0 < reads[spike] < 0.25 * quarter(reads, 3))


def recovers(log: Log) -> bool:
    """Return whether the cache dips, recovers soon, and reads no more pages for that than before the dip."""
    cache, pages, faults = log.mb(NtLine.CACHE), log.line(NtLine.INPUT), log.line(NtLine.CACHE_FAULTS)
    bends = turns(cache, DIP_MB)[1:]  # the first is where it begins
    dips = [(peak, valley) for peak, valley in zip(bends[::2], bends[1::2], strict=False)]
    if not dips:
        return False
    back = [max(cache[valley : valley + SOON_SAMPLES + 1]) >= cache[peak] for peak, valley in dips]
    before = fsum(fsum(pages[max(0, peak + 1 - ASIDE_SAMPLES) : peak + 1]) for peak, _ in dips)
    after = fsum(fsum(pages[valley + 1 : valley + 1 + ASIDE_SAMPLES]) for _, valley in dips)
    soft = fsum(fsum(faults[valley + 1 : valley + 1 + ASIDE_SAMPLES]) for _, valley in dips) - after
    return sum(back) * 2 >= len(back) and after <= 1.25 * before and soft > 0


def logs_of(rows: pd.DataFrame) -> list[Log]:
    return [Log({str(name): value for name, value in row.items()}) for row in rows.to_dict("records")]


def of_one_seed(rows: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return the lines of the first run in *rows*, a row for each sample, by their names in *columns*."""
    row = rows.iloc[0]
    lines = {name: row[counter] for counter, name in columns.items()}
    megabytes = {f"{name}_mb": [value / MIB for value in row[counter]]
                 for name, counter in (("available", NtLine.AVAILABLE), ("cache", NtLine.CACHE))}  # fmt: skip
    return pd.DataFrame({"seconds": row["seconds"], **lines, **megabytes})


def table(rows: pd.DataFrame) -> pd.DataFrame:
    return of_one_seed(rows, GROWTH_LINES)


@with_paper(lambda paper: [(TRIAL_END, paper["S3-19"])])
def draw_cache_growth(table: pd.DataFrame) -> Axes:
    shown = table.assign(**{name: smooth(table[name].tolist()) for name in ("cpu_percent", "disc_percent")})
    lines = {
        "MB": (DrawnLine("available_mb", "Available Bytes", BLUE), DrawnLine("cache_mb", "Cache Bytes", GREEN)),
        "busy, %": (DrawnLine("cpu_percent", "processor", VERMILION), DrawnLine("disc_percent", "disc", ORANGE)),
    }
    title = "The cache takes what memory there is"
    return strips(shown, "seconds", lines, x_label="seconds of the trial", title=title)


def caption_cache_growth(table: pd.DataFrame) -> str:
    trial = table[table["seconds"] > 0]
    cpu, disc, cache, available = (trial[name].tolist() for name in (
        "cpu_percent", "disc_percent", "cache_mb", "available_mb"))
    return (
        f"The lines cross at {crossing(disc, cpu, cache):.2f} MB of cache (the book: about 3). Available Bytes has "
        f"{teeth(available, TOOTH_MB)} teeth and settles at {quarter(available, 3):.2f} MB (the book: 2.75)."
    )


HIT_LINES = {
    "hits, %": (DrawnLine("hit_percent", "Copy Read Hits %", BLUE),),
    "reads a second": (DrawnLine("copy_reads", "Copy Reads/sec", VERMILION),),
}
draw_hits_and_rate = partial(strips, x="seconds", panels=HIT_LINES, x_label="seconds of the trial",
                             title="A hit percentage is worth its rate")


def caption_hits_and_rate(table: pd.DataFrame) -> str:
    before = table[table["seconds"] <= 0]
    hits, reads = max(zip(before["hit_percent"].tolist(), before["copy_reads"].tolist(), strict=True))
    last = table.tail(len(table) // 4).mean()
    return (
        f"Before the trial, when Probe reads its scripts, {hits:.0f} % of {reads:.0f} reads in a second hit; "
        f"in the last quarter {last['hit_percent']:.1f} % of {last['copy_reads']:.0f}."
    )


STUDIES = (
    Study(
        "cache_growth", [READING, Runs(run_logged, CLOSE_LOOK, work="large_read", interval=0.25)],
        Figure(table, draw_cache_growth, caption_cache_growth), measures,
    ),
    Study("hits_and_rate", [READING], Figure(table, draw_hits_and_rate, caption_hits_and_rate), replications=1),
)  # fmt: skip
