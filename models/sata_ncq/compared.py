"""Contenders side by side on one load: runs with a cache of a share of what is used, and what one saves another."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from models.sata_ncq.contenders import CONTENDERS
from models.sata_ncq.machine import TAGS, Choices
from models.sata_ncq.parameters import Parameters
from models.sata_ncq.run import run
from sim.measure.result import Result
from sim.parameter import changed
from sim.units import Bytes
from workloads.traces.blocks import references
from workloads.traces.pc.places import places
from workloads.traces.reader import Trace


def share_run(
    policy: str, share: float, load: str = "pcfat32", requests: int = 8000, depth: int = TAGS, seed: object = 1,
    **parameters: Any,
) -> Result:
    """A run of a contender with a cache of so large a *share* of the blocks that *load* uses at all."""
    chosen = changed(Parameters(), **parameters)
    used = sum(place.length for place in places(chosen.load(load), requests))
    return run(load=load, requests=requests, cache=_cache(share, used, chosen), depth=depth, seed=seed,
               choices=_choices(policy), keep_rows=False, **parameters)


def file_run(policy: str, share: float, trace: str, requests: int, used: int) -> Result:
    """The same with the first *requests* of a file, which use so many blocks."""
    return run(Path(trace), requests=requests, cache=_cache(share, used, Parameters()), choices=_choices(policy),
               keep_rows=False)


def blocks_used(trace: Path, requests: int) -> int:
    """How many blocks the first *requests* of a file use at all."""
    records = (record for _, record in zip(range(requests), Trace(trace), strict=False))
    pieces = [np.unique(piece) for piece in references(records, Parameters().block)]
    return len(np.unique(np.concatenate(pieces)))


def _cache(share: float, used: int, parameters: Parameters) -> Bytes:
    return Bytes(max(1, round(share * used)) * parameters.block)


def _choices(policy: str) -> Choices:
    contender = CONTENDERS[policy]
    return replace(Choices(), policy=contender.policy, cost=contender.cost)


def gain(better: Any, worse: Any) -> Any:
    """How much less *better* is, as a share of *worse*; numbers, or columns of them."""
    return 1.0 - better / worse
