"""Runs of Tools users that also give what LRU of any other size would have hit, and the time of a line of `who`."""

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Any

from models.max_iv.cache.references import SectorReferences
from models.max_iv.lines.lock_outs import LockOuts
from models.max_iv.lines.receiver import DATA, Lines, lost
from models.max_iv.machine import SECTORS, MaxIvOptions
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.run import run
from models.max_iv.tools.habits import LibraryLoop, PathLoop, PrivateLoops
from sim.error import UserError
from sim.parameter import changed
from sim.streams import stream
from sim.units import MS, US

USERS = 2
"""Those of the main load: Jacobson had 1 to 3 on (fig. 4)."""
SIZES = (*range(1, 16), *range(16, 1537, 8))
"""Of caches, for each of which ``lru`` has a hit ratio, of all requests."""
LOADS: Mapping[str, Mapping[str, object]] = {
    "path loop": {"choices": MaxIvOptions(habit=PathLoop()), "cold": 0.7, "think": 74.0},
    "private loops": {"choices": MaxIvOptions(habit=PrivateLoops()), "cold": 0.5, "think": 70.0},
    "library loop": {"choices": MaxIvOptions(habit=LibraryLoop()), "cold": 0.7, "think": 74.0},
}
"""Loops with as many cold files as leave 512 sectors near 65 %, and about as many requests a second."""


def tools(
    seed: object, minutes: float, warm_up: float, users: int = USERS, sectors: int = SECTORS, **others: object
) -> dict[str, Any]:
    """The summary of a run; with a cache also its theory, ``lru`` by SIZES, and what a hit takes."""
    if not sectors:
        return {**run(users, sectors, seed, minutes, warm_up, **others).summary()}  # type: ignore[arg-type]
    seen = SectorReferences()
    result = run(users, sectors, seed, minutes, warm_up, watch=seen, **others)  # type: ignore[arg-type]
    references, requests = seen.references(), result.extras["op_rate"] * result.seconds
    parameters = {name: value for name, value in others.items() if name != "choices"}
    return {
        **seen.beside(result, sectors).summary(),
        "lru": [references.lru_hits(size) / requests if requests else nan for size in SIZES],
        "hit_service": changed(MaxIvParameters(), **parameters).copy + result.extras["search_mean"],
    }


def looping(load: str, **others: object) -> dict[str, Any]:
    """The same with one of LOADS; without the think time, which the load itself sets."""
    row = tools(**{**others, **LOADS[load]})  # type: ignore[arg-type]
    del row["think"]
    return row


COUNTS = (1, 2, 4, 6, 8)
"""Lines of 9600 baud, for each of which the lists of ``characters`` have a number."""
SEARCH = 200 * US
"""What is longer than a copy and so long a search is the forgetting of a large write, sector by sector."""


def characters(
    seed: object, minutes: float, warm_up: float, copy: float, users: int = USERS, **parameters: object
) -> dict[str, Any]:
    """Characters lost for a thousand lock-outs with such a *copy* loop, by COUNTS of lines.

    ``copies`` counts searches and copies only; ``all`` every lock-out; ``two_buffers`` and ``data_level`` the same
    with receivers of two characters, and with lines that interrupt on the level that the paper gives to data.
    """
    seen = LockOuts()
    run(users, SECTORS, seed, minutes, warm_up, watch=seen, copy=copy, **parameters)  # type: ignore[arg-type]
    copies = [each for each in seen.seen if each.seconds < copy + SEARCH]
    interrupt = changed(MaxIvParameters(), **parameters).character
    losses: dict[str, list[float]] = {"copies": [], "all": [], "two_buffers": [], "data_level": []}
    for count in COUNTS:
        try:
            random, lines = stream(seed, f"{count} lines"), Lines(count, interrupt=interrupt)
        except UserError:  # fewer of them the CPU can follow
            for numbers in losses.values():
                numbers.append(nan)
            continue
        losses["copies"].append(1000.0 * lost(copies, lines, random) / len(copies))
        for name, each in (("all", lines), ("two_buffers", replace(lines, buffer=2)),
                           ("data_level", replace(lines, level=DATA))):
            losses[name].append(1000.0 * lost(seen.seen, each, random) / len(seen.seen))
    return {**losses, "longest_ms": max(each.seconds for each in seen.seen) / MS}
