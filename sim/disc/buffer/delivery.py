"""Blocks on their way between the medium and the host: the link takes them in order, one after the other."""

from collections.abc import Iterable, Sequence

from sim.disc.passing import Pass


def delivered(begin: float, first: int, stop: int, link: float, passes: Iterable[Pass]) -> float:
    """When the host has the blocks *first* up to *stop*, at *link* seconds a block and not before *begin*.

    Those that *passes* bring in cannot leave before they have passed. Where blocks leave and pass at steady rates,
    the last block of a pass or its first decides.
    """
    end = begin + (stop - first) * link
    for each in passes:
        end = max(end, each.end + (stop - each.stop + 1) * link,
                  each.instant(1) + (stop - max(each.first, first)) * link)
    return end


def gathered(passes: Sequence[Pass], blocks: int) -> float:
    """When the first *blocks* that *passes* bring in are there."""
    for each in passes:
        if blocks <= each.stop - each.first:
            return each.instant(blocks)
        blocks -= each.stop - each.first
    return passes[-1].end
