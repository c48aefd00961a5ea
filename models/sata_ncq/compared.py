"""Contenders side by side on one load: runs with a cache of a share of what is used, and what one saves another."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from models.sata_ncq.contenders import CONTENDERS
from models.sata_ncq.machine import TAGS, NcqOptions
from models.sata_ncq.parameters import NcqParameters
from models.sata_ncq.run import run
from sim.measure.result import Result
from sim.parameter import changed
from sim.units import Bytes
from workloads.traces.blocks import references
from workloads.traces.pc.places import places
from workloads.traces.reader import Trace

Row = Mapping[str, float]
FOLDER = "SPINDLE_SHARED"
"""The environment variable that names the folder above ``data/traces``; by default it lies beside this project's."""


def share_run(
    policy: str, share: float, load: str = "pcfat32", requests: int = 8000, depth: int = TAGS, seed: object = 1,
    **parameters: Any,
) -> Result:
    """A run of a contender with a cache of so large a *share* of the blocks that *load* uses at all."""
    chosen = changed(NcqParameters(), **parameters)
    used = sum(place.length for place in places(chosen.load(load), requests))
    return run(load=load, requests=requests, cache=_cache(share, used, chosen), depth=depth, seed=seed,
               choices=_choices(policy), keep_rows=False, **parameters)


def file_run(policy: str, share: float, trace: str, requests: int, seed: object = 1, **parameters: Any) -> Row:
    """The same with the first *requests* of the file of that name; nothing where it is not on this machine."""
    path = trace_file(trace)
    if not path.is_file():
        return {}
    chosen = changed(NcqParameters(), **parameters)
    cache = _cache(share, blocks_used(path, requests, chosen.block), chosen)
    return run(path, requests=requests, cache=cache, choices=_choices(policy), keep_rows=False, **parameters).summary()


def trace_file(name: str) -> Path:
    return Path(os.environ.get(FOLDER) or "../shared") / "data" / "traces" / f"{name}.csv.gz"


@lru_cache
def blocks_used(trace: Path, requests: int, block: int) -> int:
    """How many blocks the first *requests* of a file use at all."""
    records = (record for _, record in zip(range(requests), Trace(trace), strict=False))
    pieces = [np.unique(piece) for piece in references(records, block)]
    return len(np.unique(np.concatenate(pieces)))


def lru_run(cache: int, depth: int, requests: int, seed: object, **parameters: Any) -> Result:
    """A run of LRU in a cache of so many bytes, or of none at 0."""
    return run(requests=requests, cache=Bytes(cache), depth=depth, seed=seed, choices=_choices("LRU"), keep_rows=False,
               **parameters)


def _cache(share: float, used: int, parameters: NcqParameters) -> Bytes:
    return Bytes(max(1, round(share * used)) * parameters.block)


def _choices(policy: str) -> NcqOptions:
    contender = CONTENDERS[policy]
    return replace(NcqOptions(), policy=contender.policy, cost=contender.cost)


def gain(better: Any, worse: Any) -> Any:
    """How much less *better* is, as a share of *worse*; numbers, or columns of them."""
    return 1.0 - better / worse
