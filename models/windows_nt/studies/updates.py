"""Studies Blake's figures 6.6 to 6.18: sequential and random updates through the cache of Windows NT.

The lazy writer and the memory manager write its dirty pages.
"""

from collections.abc import Mapping
from functools import partial
from statistics import fmean

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.log import (
    KEPT_LINES,
    Log,
    NtLine,
    correlation,
    most_frequent,
    quarter,
    second_half,
    smooth,
    working_set,
)
from spindle.models.windows_nt.studies.growth import READING, TRIAL_END, of_one_seed
from spindle.models.windows_nt.studies.trials import FIGURE, run_logged, with_paper
from spindle.studies.plots.curves import DrawnLine, strips
from spindle.studies.plots.style import BLACK, BLUE, GREEN, ORANGE, VERMILION
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.workloads.probe.script import PAGE

SEQUENTIAL_RUNS, RANDOM_RUNS = (Runs(run_logged, FIGURE, work=work) for work in ("sequential_update", "random_update"))
BACK_OFF_SECONDS = 3
"""Seconds after a spike of the memory manager's writes in which the cache manager backs off."""
JUST_MORE = 1.1
"""Largest ratio that is "just a few more"."""
UPDATE_LINES = {
    NtLine.CPU: "cpu_percent", NtLine.DISC_READ: "read_percent", NtLine.DISC_WRITE: "write_percent",
    NtLine.READS: "copy_reads", NtLine.HITS: "hit_percent", NtLine.FLUSH_PAGES: "flush_pages",
    NtLine.LAZY: "lazy_flushes", NtLine.LAZY_PAGES: "lazy_pages", NtLine.OUTPUT: "pages_output",
}  # fmt: skip


def sequential(rows: SeedRows) -> Mapping[str, float]:
    """Measure means over the second half; the cache is compared with that of figure 6.3."""
    log, growth = (Log(rows.one(work=work)) for work in ("sequential_update", "large_read"))
    mean = {name: log.mean(name, half=True) for name in KEPT_LINES}
    written, lazy = mean[NtLine.FLUSH_PAGES] + mean[NtLine.OUTPUT], log.line(NtLine.LAZY_PAGES)
    behind = [lazy[place + 1 : place + 1 + BACK_OFF_SECONDS] for place in spikes(log)]
    return {
        "cpu_busy": mean[NtLine.CPU] / 100,
        "cache_smaller": float(quarter(log.mb(NtLine.CACHE), 3) < quarter(growth.mb(NtLine.CACHE), 3)),
        "flush_pages": mean[NtLine.FLUSH_PAGES],
        "flushes": mean[NtLine.FLUSHES],
        "pages_a_flush": mean[NtLine.FLUSH_PAGES] / mean[NtLine.FLUSHES],
        "lazy_is_a_part": float(mean[NtLine.LAZY] <= mean[NtLine.FLUSHES]),
        "just_more": float(mean[NtLine.LAZY] < mean[NtLine.FLUSHES] <= JUST_MORE * mean[NtLine.LAZY]),
        "system_calls": mean[NtLine.SYSTEM_CALLS],
        "copy_reads": mean[NtLine.READS],
        "slower_than_reading": float(mean[NtLine.READS] < growth.mean(NtLine.READS, half=True)),
        "fast_way": float(mean[NtLine.FAST] > 0.95 * mean[NtLine.READS]),
        "system_cpu": mean[NtLine.SYSTEM_CPU] / 100,
        "pages_written": written,
        "write_identity": float(abs(PAGE * written / mean[NtLine.WRITE_BYTES] - 1) < 0.02),
        "write_bytes": mean[NtLine.WRITE_BYTES],
        "read_bytes": mean[NtLine.READ_BYTES],
        "pages_input": mean[NtLine.INPUT],
        "read_identity": float(abs(PAGE * mean[NtLine.INPUT] / mean[NtLine.READ_BYTES] - 1) < 0.001),
        "lazy_pages_usual": most_frequent([pages for pages in second_half(log.line(NtLine.LAZY_PAGES)) if pages]),
        "lazy_flushes_usual": most_frequent([flushes for flushes in second_half(log.line(NtLine.LAZY)) if flushes]),
        "backs_off": float(backs_off(log)),
        "backs_off_to": min(behind[0], default=0.0) if behind else 0.0,
        "spikes": float(len(behind)),
        "writes_hit": float(log.row["missed_writes"] == 0),
    }


def spikes(log: Log) -> list[int]:
    """Return the seconds in which the memory manager's spikes begin, once the lazy writer is at work."""
    output = log.line(NtLine.OUTPUT)
    first = next((place for place, pages in enumerate(log.line(NtLine.LAZY_PAGES)) if pages), len(output))
    return [place for place in range(max(1, first), len(output)) if output[place] and not output[place - 1]]


def backs_off(log: Log) -> bool:
    """Return whether the lazy writer writes less in the seconds after a spike of the memory manager than otherwise."""
    lazy, output = log.line(NtLine.LAZY_PAGES), log.line(NtLine.OUTPUT)
    first = next((place for place, pages in enumerate(lazy) if pages), len(lazy))
    spikes = [place for place, pages in enumerate(output) if pages and place >= first]
    behind = {place + step for place in spikes for step in range(BACK_OFF_SECONDS + 1)}
    affected = [pages for place, pages in enumerate(lazy) if place in behind]
    others = [pages for place, pages in enumerate(lazy) if place > first and place not in behind]
    return bool(affected and others) and fmean(affected) < fmean(others)


def random(rows: SeedRows) -> Mapping[str, float]:
    """Measure means over the whole trial; the rate of reads is compared with that of figure 6.7."""
    log, sequence = (Log(rows.one(work=work)) for work in ("random_update", "sequential_update"))
    read, write, cpu = log.line(NtLine.DISC_READ), log.line(NtLine.DISC_WRITE), log.line(NtLine.CPU)
    cache, available = log.mb(NtLine.CACHE), log.mb(NtLine.AVAILABLE)
    hits, copies, flushed = log.line(NtLine.HITS), log.line(NtLine.READS), log.line(NtLine.FLUSH_PAGES)
    return {
        "hits_rise": float(all(quarter(hits, each) < quarter(hits, each + 1) for each in range(3))),
        "copies_rise": float(quarter(copies, 0) < quarter(copies, 3) and correlation(hits, copies) > 0.5),
        "flushes_rise": float(quarter(flushed, 0) < quarter(flushed, 3)),
        "page_writes": log.mean(NtLine.PAGE_WRITES),
        "reads_fall": float(quarter(read, 0) > 2 * quarter(read, 3) and quarter(cache, 3) > quarter(cache, 0)),
        "writes_rise": float(quarter(write, 3) > max(80.0, quarter(write, 0))),
        "cpu_rises": float(all(quarter(cpu, each) < quarter(cpu, each + 1) for each in range(3))),
        "available_level": float(abs(quarter(available, 0) - quarter(available, 3)) < 1),
        "csrss_mb": log.mb(working_set("CSRSS"))[-1],
        "cache_faults": log.mean(NtLine.CACHE_FAULTS),
        "page_faults": log.mean(NtLine.FAULTS),
        "page_reads": log.mean(NtLine.PAGE_READS),
        "pages_input": log.mean(NtLine.INPUT),
        "flush_pages": log.mean(NtLine.FLUSH_PAGES),
        "pages_output": log.mean(NtLine.OUTPUT),
        "pages_a_write": log.mean(NtLine.OUTPUT) / writes if (writes := log.mean(NtLine.PAGE_WRITES)) else 0.0,
        "fewer_reads": float(log.mean(NtLine.READS) < sequence.mean(NtLine.READS)),
        "dirty_at_the_end": float(log.row["dirty_pages"] > 0),
    }


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of the trial without its lead."""
    frame = of_one_seed(rows, UPDATE_LINES)
    return frame[frame["seconds"] > 0].reset_index(drop=True)


SEQUENTIAL_LINES = {
    "pages a second": (DrawnLine("lazy_pages", "lazy writer", BLUE),
                       DrawnLine("pages_output", "memory manager", BLACK)),
    "MB": (DrawnLine("cache_mb", "Cache Bytes", GREEN),),
}  # fmt: skip
draw_sequential = with_paper(lambda paper: [(TRIAL_END, paper["N-S7a"])])(
    partial(strips, x="seconds", panels=SEQUENTIAL_LINES, x_label="seconds of the trial",
            title="The lazy writer: three flushes of 64 KB a second"))


def caption_sequential(table: pd.DataFrame) -> str:
    later = table.tail(len(table) // 2)
    return (
        f"The lazy writer's usual second is {most_frequent(later['lazy_pages'].tolist()):.0f} pages in "
        f"{most_frequent(later['lazy_flushes'].tolist()):.0f} flushes (the book: 48 in 3), "
        f"{later['flush_pages'].mean():.1f} pages a second on the average (45); {later['copy_reads'].mean():.0f} "
        "records of 512 bytes are read and rewritten a second (338), at "
        f"{later['cpu_percent'].mean():.0f} % of the processor."
    )


def draw_random(table: pd.DataFrame) -> Axes:
    smoothed = table.assign(**{name: smooth(table[name].tolist(), 9) for name in (
        "cpu_percent", "read_percent", "write_percent")})
    lines = {"%": (
        DrawnLine("cpu_percent", "processor", VERMILION), DrawnLine("read_percent", "disc, reads", ORANGE),
        DrawnLine("write_percent", "disc, writes", BLACK), DrawnLine("hit_percent", "hits", BLUE),
    )}  # fmt: skip
    title = "As reads begin to hit, writes take the disc"
    return strips(smoothed, "seconds", lines, x_label="seconds of the trial", title=title)


def caption_random(table: pd.DataFrame) -> str:
    read, write, available = (table[name].tolist() for name in ("read_percent", "write_percent", "available_mb"))
    return (
        f"From the first quarter to the last Disk Read Time goes from {quarter(read, 0):.0f} to "
        f"{quarter(read, 3):.0f} %, Disk Write Time from {quarter(write, 0):.0f} to {quarter(write, 3):.0f} %, and "
        f"Available Bytes from {quarter(available, 0):.2f} to {quarter(available, 3):.2f} MB. Times count waiting, so "
        "that two writes at once are more than 100 %."
    )


STUDIES = (
    Study("sequential_update", [SEQUENTIAL_RUNS, READING],
          Figure(table, draw_sequential, caption_sequential), sequential),
    Study("random_update", [RANDOM_RUNS, SEQUENTIAL_RUNS], Figure(table, draw_random, caption_random), random),
)  # fmt: skip
