"""Names readings of FAC, Kim's cache policy, where his paper leaves it open: a use's worth, and the maximum time."""

from collections.abc import Callable, Mapping
from functools import partial

from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.eviction import fac
from spindle.sim.eviction.policy import EvictionPolicy


def longest(disc: DiscType) -> float:
    """Return the longest time in which the head reaches a block: a full stroke and a whole revolution."""
    return disc.overhead + disc.seek(disc.layout.cylinders - 1) + disc.revolution


def maxima(disc: DiscType) -> Mapping[str, Callable[[], fac.Maximum]]:
    """Return Kim's static maximum, his dynamic one, and a dynamic one over all accesses, by name."""
    most = longest(disc)
    return {"static": lambda: fac.StaticMaximum(most), "dynamic": fac.DynamicMaximum,
            "dynamic, of all": lambda: fac.DynamicMaximum(fac.keep_maximum)}


_MAXIMA = maxima(HITACHI_7K1000C)
READINGS: Mapping[str, Callable[..., EvictionPolicy]] = {
    # A worth of the number of uses alone, and of access times alone.
    "fac-count": partial(fac.Fac, fac.Reading(first=fac.count_alone, again=fac.count_alone)),
    "fac-time": partial(fac.Fac, fac.Reading(first=fac.number_alone, again=fac.number_alone)),
    # Maxima: Kim's static one; a dynamic one that never comes down; the last, not averaged; averaged at each access.
    "fac-static": partial(fac.Fac, fac.Reading(maximum=_MAXIMA["static"])),
    "fac-all": partial(fac.Fac, fac.Reading(maximum=_MAXIMA["dynamic, of all"])),
    "fac-last": partial(fac.Fac, fac.Reading(maximum=partial(fac.DynamicMaximum, old_weight=0.0))),
    "fac-each": partial(fac.Fac, fac.Reading(maximum=partial(fac.DynamicMaximum, counter_max=0))),
    "fac-halves": partial(fac.Fac, fac.Reading(partitions=2)),
    # A first use is worth 1: N updates the worth "of each block hit at the cache" (Kim 3).
    "fac-hits": partial(fac.Fac, fac.Reading(first=fac.count_alone)),
}
"""Other readings of FAC than the one that is shipped, by name."""
