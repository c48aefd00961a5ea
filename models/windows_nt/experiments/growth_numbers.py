"""What is read off figures 6.3 to 6.5, number by number."""

from models.windows_nt.experiments.chart import crossing, quarter, teeth, together, turns
from models.windows_nt.experiments.growth import TOOTH
from models.windows_nt.experiments.observe import (
    AVAILABLE,
    CACHE,
    CACHE_FAULTS,
    CPU,
    DISC,
    FAST,
    FLUSH_PAGES,
    HITS,
    INPUT,
    MAP_HITS,
    MAPS,
    READS,
    Seen,
)

KINDS = ("Copy Reads", "Fast Reads", "MDL Reads", "Pin Reads", "Data Maps")
SPIKE = 20.0
"""Percent."""
DIP = 0.05
"""MB that the cache must lose to have been trimmed."""
SOON, ASIDE = 20, 12
"""Samples in which it recovers quickly, and those before and behind a dip that are compared."""


def growth_numbers(seen: Seen, closely: Seen) -> dict[str, float]:
    """Numbers and, as 1 or 0, whether the lines have the shapes that the book describes; dips are seen *closely*."""
    cpu, disc, cache, available = seen.line(CPU), seen.line(DISC), seen.mb(CACHE), seen.mb(AVAILABLE)
    hits, reads, whole = seen.line(HITS), seen.line(READS), seen.result.extras
    return {
        "crossing_mb": crossing(disc, cpu, cache),
        "final_available_mb": quarter(available, 3),
        "teeth": float(teeth(available, TOOTH)),
        "correlation": together(hits, reads),
        "rise_together": float(together(hits, reads) > 0.5),
        "begins_at_the_disc": float(cpu[1] < 50 < disc[1] and cache[10] > 1.5 * cache[1]),
        "sawtooth": float(teeth(available, TOOTH) >= 2),
        "cache_recovers": float(recovers(closely)),
        "hits_at_the_end": float(quarter(hits, 3) >= 95 and quarter(reads, 3) >= 200),
        "little_output": float(0 < seen.mean(FLUSH_PAGES) < 0.01 * seen.mean(READS)),
        "few_data_maps": float(whole[MAP_HITS] > 90 and 0 < seen.mean(MAPS) < 0.1 * seen.mean(READS)),
        "early_spike": float(spikes_early(seen)),
        "disc_falls": float(quarter(disc, 0) > 2 * quarter(disc, 3) and quarter(cpu, 3) > 1.2 * quarter(cpu, 0)),
        "fast_reads": float(seen.mean(FAST) > 0.9 * seen.mean(READS)),
        "sync_and_async": float(all(adds_up(seen, kind) for kind in KINDS)),
    }


def spikes_early(seen: Seen) -> bool:
    """Whether, before or as the trial begins, more hits than a little later, at a rate that does not matter."""
    hits, reads = ([*seen.lead[counter].tolist(), *seen.line(counter)] for counter in (HITS, READS))
    begin = len(seen.lead)
    spike = max(range(begin + 2), key=lambda place: hits[place])
    return bool(hits[spike] > min(hits[begin : begin + 8]) + SPIKE and 0 < reads[spike] < 0.25 * quarter(reads, 3))


def recovers(seen: Seen) -> bool:
    """Whether the cache dips, is soon where it was, and reads no more pages for that than it did before the dip."""
    cache, pages, faults = seen.mb(CACHE), seen.line(INPUT), seen.line(CACHE_FAULTS)
    bends = turns(cache, DIP)[1:]  # the first is where it begins
    dips = [(peak, valley) for peak, valley in zip(bends[::2], bends[1::2], strict=False)]
    if not dips:
        return False
    back = [max(cache[valley : valley + SOON + 1]) >= cache[peak] for peak, valley in dips]
    before = sum(sum(pages[max(0, peak + 1 - ASIDE) : peak + 1]) for peak, _ in dips)
    after = sum(sum(pages[valley + 1 : valley + 1 + ASIDE]) for _, valley in dips)
    soft = sum(sum(faults[valley + 1 : valley + 1 + ASIDE]) for _, valley in dips) - after
    return sum(back) * 2 >= len(back) and after <= 1.25 * before and soft > 0


def adds_up(seen: Seen, kind: str) -> bool:
    """Whether synchronous and asynchronous requests of a *kind* are all of them, in every interval."""
    every, waited, others = (seen.line(f"Cache: {which}{kind}/sec") for which in ("", "Sync ", "Async "))
    return all(abs(a - b - c) < 1e-9 for a, b, c in zip(every, waited, others, strict=True))
