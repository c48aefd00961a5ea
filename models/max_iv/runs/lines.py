"""Characters that lines lose while the cache works, of the lock-outs of a short run."""

from dataclasses import replace
from typing import Any

from models.max_iv.lines.lock_outs import LockOuts
from models.max_iv.lines.receiver import DATA, Lines, lost
from models.max_iv.machine import SECTORS
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.run import run
from models.max_iv.runs.tools import USERS
from sim.parameter import changed
from sim.streams import stream
from sim.units import MS, US

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
        random, lines = stream(seed, f"{count} lines"), Lines(count, interrupt=interrupt)
        losses["copies"].append(1000.0 * lost(copies, lines, random) / len(copies))
        for name, each in (("all", lines), ("two_buffers", replace(lines, buffer=2)),
                           ("data_level", replace(lines, level=DATA))):
            losses[name].append(1000.0 * lost(seen.seen, each, random) / len(seen.seen))
    return {**losses, "longest_ms": max(each.seconds for each in seen.seen) / MS}
