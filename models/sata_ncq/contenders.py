"""The policies that Kim compares, and FAC with one of its ingredients at a time."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from models.sata_ncq.access_time import AccessTime, response, service
from models.sata_ncq.machine import NcqOptions
from models.sata_ncq.spread import maxima
from sim.eviction.atca import Atca
from sim.eviction.fac import Fac, Reading, count_alone, number_alone
from sim.eviction.lfu import Lfu
from sim.eviction.lru import Lru
from sim.eviction.policy import EvictionPolicy


class Contender(NamedTuple):
    """A *policy*, and the *cost* of an access that it weighs."""

    policy: Callable[..., EvictionPolicy]
    cost: AccessTime = response


COMPARED: Mapping[str, Contender] = {
    "LRU": Contender(Lru), "ATCA": Contender(Atca), "LFU": Contender(Lfu), "FAC": Contender(Fac),
}  # fmt: skip

_MAXIMA = maxima(NcqOptions().drive)


def _fac(reading: Reading) -> Contender:
    return Contender(partial(Fac, reading))


INGREDIENTS: Mapping[str, Contender] = {
    "frequency": _fac(Reading(first=count_alone, again=count_alone)),
    "access time": _fac(Reading(first=number_alone, again=number_alone)),
    "both, static": _fac(Reading(maximum=_MAXIMA["static"])),
    "FAC": COMPARED["FAC"],
    "both, not the wait": Contender(Fac, service),
    "both, N on hits alone": _fac(Reading(first=count_alone)),
}
"""FAC's worth from the number of uses alone; from access times alone; from both with a static maximum and with the
dynamic one; that without the wait in the drive's queue, and that in which a first use is worth 1 whatever it took."""

CONTENDERS = {**COMPARED, **INGREDIENTS}
