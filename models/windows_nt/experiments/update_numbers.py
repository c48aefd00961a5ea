"""What is read off figures 6.6 to 6.18, number by number."""

from statistics import fmean

from models.windows_nt.experiments.chart import most_frequent, quarter
from models.windows_nt.experiments.observe import (
    AVAILABLE,
    CACHE,
    CACHE_FAULTS,
    CPU,
    DISC_READ,
    DISC_WRITE,
    FAST,
    FAULTS,
    FLUSH_PAGES,
    FLUSHES,
    INPUT,
    LAZY,
    LAZY_PAGES,
    OUTPUT,
    PAGE_READS,
    PAGE_WRITES,
    READ_BYTES,
    READS,
    SYSTEM_CALLS,
    SYSTEM_CPU,
    WRITE_BYTES,
    Seen,
    working_set,
)
from workloads.probe.script import PAGE

BEHIND = 3
"""Seconds after a spike of the memory manager in which the cache manager backs off."""


def sequential_numbers(seen: Seen, growth: Seen) -> dict[str, float]:
    """Means over the second half; *growth* is figure 6.3, with whose cache this one is compared."""
    later, log = Seen(seen.result, seen.log.tail(len(seen.log) // 2)), seen.result.counters
    lazy = [pages for pages in later.line(LAZY_PAGES) if pages]
    return {
        "cpu_busy": later.mean(CPU) / 100,
        "cache_smaller": float(quarter(seen.mb(CACHE), 3) < quarter(growth.mb(CACHE), 3)),
        "flush_pages": later.mean(FLUSH_PAGES),
        "flushes": later.mean(FLUSHES),
        "pages_a_flush": later.mean(FLUSH_PAGES) / later.mean(FLUSHES),
        "lazy_is_a_part": float(later.mean(LAZY) <= later.mean(FLUSHES)),
        "system_calls": later.mean(SYSTEM_CALLS),
        "copy_reads": later.mean(READS),
        "fast_way": float(later.mean(FAST) > 0.95 * later.mean(READS)),
        "system_cpu": later.mean(SYSTEM_CPU) / 100,
        "pages_written": later.mean(FLUSH_PAGES, OUTPUT),
        "write_identity": float(abs(PAGE * later.mean(FLUSH_PAGES, OUTPUT) / later.mean(WRITE_BYTES) - 1) < 0.02),
        "pages_input": later.mean(INPUT),
        "read_identity": float(abs(PAGE * later.mean(INPUT) / later.mean(READ_BYTES) - 1) < 0.001),
        "lazy_pages_usual": most_frequent(lazy),
        "lazy_flushes_usual": most_frequent([flushes for flushes in later.line(LAZY) if flushes]),
        "backs_off": float(backs_off(seen)),
        "writes_hit": float(log["cache.pin_reads"] == log["cache.pin_reads_hits"]),
    }


def backs_off(seen: Seen) -> bool:
    """Whether the lazy writer writes less in the seconds behind a spike of the memory manager's than otherwise."""
    lazy, output = seen.line(LAZY_PAGES), seen.line(OUTPUT)
    first = next((place for place, pages in enumerate(lazy) if pages), len(lazy))
    spikes = [place for place, pages in enumerate(output) if pages and place >= first]
    behind = {place + step for place in spikes for step in range(BEHIND + 1)}
    affected = [pages for place, pages in enumerate(lazy) if place in behind]
    others = [pages for place, pages in enumerate(lazy) if place > first and place not in behind]
    return bool(affected and others) and fmean(affected) < fmean(others)


def random_numbers(seen: Seen, sequence: Seen) -> dict[str, float]:
    """Means over the whole trial; *sequence* is figure 6.7, with whose rate this one is compared."""
    read, write, cpu = seen.line(DISC_READ), seen.line(DISC_WRITE), seen.line(CPU)
    cache, available = seen.mb(CACHE), seen.mb(AVAILABLE)
    return {
        "reads_fall": float(quarter(read, 0) > 2 * quarter(read, 3) and quarter(cache, 3) > quarter(cache, 0)),
        "writes_rise": float(quarter(write, 3) > max(80.0, quarter(write, 0))),
        "cpu_rises": float(quarter(cpu, 0) < quarter(cpu, 1) < quarter(cpu, 3)),
        "available_level": float(abs(quarter(available, 0) - quarter(available, 3)) < 1),
        "csrss_mb": seen.mb(working_set("CSRSS"))[-1],
        "cache_faults": seen.mean(CACHE_FAULTS),
        "page_faults": seen.mean(FAULTS),
        "page_reads": seen.mean(PAGE_READS),
        "pages_input": seen.mean(INPUT),
        "flush_pages": seen.mean(FLUSH_PAGES),
        "pages_output": seen.mean(OUTPUT),
        "pages_a_write": seen.mean(OUTPUT) / seen.mean(PAGE_WRITES) if seen.mean(PAGE_WRITES) else 0.0,
        "fewer_reads": float(seen.mean(READS) < sequence.mean(READS)),
        "dirty_at_the_end": float(seen.result.intervals[-1]["cache.dirty_pages"] > 0),
    }
