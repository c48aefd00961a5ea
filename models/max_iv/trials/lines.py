"""The trial of asynchronous lines: characters lost while FHL works, by the copy loop it has."""

from collections.abc import Mapping

from models.max_iv.lines.lock_outs import LockOut, LockOuts
from models.max_iv.lines.receiver import DATA, Lines, lost
from models.max_iv.run import run
from models.max_iv.trials.load import measured
from sim.streams import stream
from sim.units import US

LOOPS = (218, 250, 320, 400, 900)
"""Microseconds to copy a sector, of all loops in the paper."""
SEARCH = 200 * US
"""What is longer than a copy and so long a search is the forgetting of a large write, sector by sector."""


def lock_outs(seed: object, length: float, parameters: Mapping[str, object]) -> list[LockOut]:
    """Those of up to ten minutes of 3 users with the copy loop of *parameters*."""
    seen = LockOuts()
    run(3, 512, seed, measured(10.0, length), 9.0, watch=seen, **parameters)  # type: ignore[arg-type]
    return seen.seen


def copies_of(seen: list[LockOut], loop: int) -> list[LockOut]:
    """The searches and copies among them, with a copy *loop* of so many microseconds."""
    return [each for each in seen if each.seconds < loop * US + SEARCH]


def characters(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Characters lost for a thousand lock-outs, of copies only, and of everything."""
    said: dict[str, float] = {}
    for microseconds in (400, 900):
        seen = lock_outs(seed, length, {**parameters, "copy": microseconds * US})
        copies = copies_of(seen, microseconds)
        random = stream(seed, f"characters {microseconds}")
        said[f"lost_{microseconds}"] = 1000.0 * lost(copies, Lines(4), random) / len(copies)
        said[f"lost_all_{microseconds}"] = 1000.0 * lost(seen, Lines(1), random) / len(seen)
        said[f"lost_data_{microseconds}"] = 1000.0 * lost(seen, Lines(4, level=DATA), random) / len(seen)
        said["longest_ms"] = 1e3 * max(each.seconds for each in seen)
    return said | {"fear": float(said["lost_900"] > 0.0), "first_cut": float(said["lost_400"] == 0.0)}
