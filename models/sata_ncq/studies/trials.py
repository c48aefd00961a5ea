"""Serves all studies of Kim's paper: his eviction policies, FAC (his own) with one ingredient, a run of LRU."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from spindle.models.sata_ncq.fac_readings import READINGS
from spindle.models.sata_ncq.machine import NcqOptions
from spindle.models.sata_ncq.run import run
from spindle.models.sata_ncq.weighed_time import AccessTime, response, service
from spindle.sim.eviction.fac import Atca, Fac
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.measure.result import Result
from spindle.sim.units import Bytes
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.claim_points import with_points

# The policies that Kim compares, and FAC with one of its ingredients at a time.

class Contender(NamedTuple):
    """One policy in a comparison: *policy*, and the *cost* of an access that it weighs."""

    policy: Callable[..., EvictionPolicy]
    cost: AccessTime = service


COMPARED: Mapping[str, Contender] = {
    "LRU": Contender(Lru), "ATCA": Contender(Atca), "LFU": Contender(Lfu), "FAC": Contender(Fac),
}  # fmt: skip

INGREDIENTS: Mapping[str, Contender] = {
    "frequency": Contender(READINGS["fac-count"]),
    "access time": Contender(READINGS["fac-time"]),
    "both, static": Contender(READINGS["fac-static"]),
    "FAC": COMPARED["FAC"],
    "both, with the wait": Contender(Fac, response),
    "both, N on hits alone": Contender(READINGS["fac-hits"]),
}
"""FAC's worth from the number of uses alone, from access times alone, or from both; the wait is that in the queue."""

CONTENDERS = {**COMPARED, **INGREDIENTS}


def lru_run(cache: int, depth: int, requests: int, seed: object, **parameters: Any) -> Result:
    """Run LRU in a cache of *cache* bytes, or none at 0."""
    return run(requests=requests, cache=Bytes(cache), depth=depth, seed=seed, choices=options_of("LRU"),
               keep_rows=False, **parameters)


def options_of(policy: str) -> NcqOptions:
    """Return the options of a run of the contender *policy*."""
    contender = CONTENDERS[policy]
    return replace(NcqOptions(), policy=contender.policy, cost=contender.cost)


def gain(better: Any, worse: Any) -> Any:
    """Return the saving of *better* as a share of *worse*; numbers, or columns of them."""
    return 1.0 - better / worse


with_paper = partial(with_points, partial(published_by_id, Path(__file__).parents[1] / "claims.toml"))
"""Decorate a function that draws with the points that the paper prints."""
