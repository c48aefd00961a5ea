"""The trial of the shot sequence at NBS: without a cache, with it, and where computing always covers a seek."""

from collections.abc import Mapping

from models.max_iv.parameters import Parameters
from models.max_iv.shot.sequence import shots
from sim.parameter import changed
from sim.units import MS, US

OVERLAPPED = 30.0 * MS
"""Jacobson 1: "if there was always a task that needed to do 30ms of computing during someone else's seek"."""
LONGER = 4
"""Times the requests of a shot, so that its end, where few tasks are left to overlap, does not count."""


def shot(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Means over the later ones of several shots."""
    count = 2 + round(6 * length)
    plain = shots(0, seed, count, **parameters)  # type: ignore[arg-type]
    cached = shots(512, seed, count, **parameters)  # type: ignore[arg-type]
    requests = LONGER * changed(Parameters(), **parameters).shot_requests
    covered = {**parameters, "shot_requests": requests, "shot_cpu": OVERLAPPED * requests, "shot_tasks": 16}
    busy = [shots(sectors, seed, 2, **covered).seconds for sectors in (0, 512)]  # type: ignore[arg-type]
    return {
        "plain_s": plain.seconds, "cached_s": cached.seconds,
        "plain_cpu": plain.cpu_busy, "cached_cpu": cached.cpu_busy,
        "hit_ratio": cached.hit_ratio, "plain_disc": plain.disc_busy,
        "covered_gain": 1.0 - busy[1] / busy[0],
    }


def dip(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Whether 4 sectors and the older copy of 900 us make a shot of 16 tasks, which saturates the CPU, longer."""
    saturated = {**parameters, "shot_tasks": 16, "shot_cpu": 20.0, "copy": 900 * US}
    count = 2 + round(6 * length)
    plain, small = (shots(sectors, seed, count, **saturated).seconds for sectors in (0, 4))  # type: ignore[arg-type]
    return {"dips": float(small > plain), "longer": small / plain - 1.0}
