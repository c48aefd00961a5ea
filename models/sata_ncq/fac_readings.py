"""Readings of FAC where Kim leaves it open, by name: what a use adds to a block's worth, and against which maximum."""

from collections.abc import Callable, Mapping
from functools import partial

from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.eviction.fac import (
    DynamicMaximum,
    Fac,
    Maximum,
    Reading,
    StaticMaximum,
    count_alone,
    keep_maximum,
    number_alone,
)
from spindle.sim.eviction.policy import EvictionPolicy


def longest(disc: DiscType) -> float:
    """The longest time in which the head reaches a block: a full stroke and a whole revolution."""
    return disc.overhead + disc.seek(disc.layout.cylinders - 1) + disc.revolution


def maxima(disc: DiscType) -> Mapping[str, Callable[[], Maximum]]:
    """Return Kim's static maximum, his dynamic one, and a dynamic one over all accesses, by name."""
    most = longest(disc)
    return {"static": lambda: StaticMaximum(most), "dynamic": DynamicMaximum,
            "dynamic, of all": lambda: DynamicMaximum(keep_maximum)}


_MAXIMA = maxima(HITACHI_7K1000C)
READINGS: Mapping[str, Callable[..., EvictionPolicy]] = {
    # A worth of the number of uses alone, and of access times alone.
    "fac-count": partial(Fac, Reading(first=count_alone, again=count_alone)),
    "fac-time": partial(Fac, Reading(first=number_alone, again=number_alone)),
    # Maxima: Kim's static one; a dynamic one that never comes down; the last, not averaged; averaged at each access.
    "fac-static": partial(Fac, Reading(maximum=_MAXIMA["static"])),
    "fac-all": partial(Fac, Reading(maximum=_MAXIMA["dynamic, of all"])),
    "fac-last": partial(Fac, Reading(maximum=partial(DynamicMaximum, old_weight=0.0))),
    "fac-each": partial(Fac, Reading(maximum=partial(DynamicMaximum, counter_max=0))),
    "fac-halves": partial(Fac, Reading(partitions=2)),
    # A first use is worth 1: N updates the worth "of each block hit at the cache" (Kim 3).
    "fac-hits": partial(Fac, Reading(first=count_alone)),
}
"""Other readings of FAC than the one that is shipped, by name."""
