"""One drive alone, the classic case: the same queue of requests in several orders, side by side."""

from collections.abc import Callable, Mapping
from typing import Any

import simpy

from models.moving.film import FilmTrace
from sim.account import Account
from sim.disc.drive import Drive
from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Fcfs, Look, Scheduler, Sptf, Sstf
from sim.disc.seek import LinearSeek
from sim.error import UserError
from sim.measure.tracing.counts import TracedCounts
from sim.measure.tracing.trace import nanoseconds
from sim.request import READ, access
from sim.streams import pick, stream
from sim.units import MS

ORDERS: Mapping[str, Callable[[], Scheduler]] = {"FCFS": Fcfs, "SSTF": Sstf, "LOOK": Look, "SPTF": Sptf}
TEXTBOOK = DiscType("a drive of 200 cylinders", uniform(200, 1, 16, 512), 3600, LinearSeek(2 * MS, 24 * MS, 200))
"""Of the size that textbooks draw; its speeds are assumed, of the kind of the nineteen-eighties."""
MOST_REQUESTS = 500


def alone(
    disc: DiscType = TEXTBOOK, requests: int = 20, seed: int = 1,
    orders: Mapping[str, Callable[[], Scheduler]] = ORDERS,
) -> dict[str, Any]:  # fmt: skip
    """The film of *requests* for a sector each, at random places of *disc*, all of them there at the beginning."""
    if not 1 <= requests <= MOST_REQUESTS:
        raise UserError(f"requests must be 1 to {MOST_REQUESTS}, not {requests}")
    trace = FilmTrace(-1, nanoseconds(3600.0))
    random = stream(seed, "alone")
    places = [pick(random, disc.layout.sectors) * disc.layout.sector_bytes for _ in range(requests)]
    end = max(_served(disc, places, order(), name, trace) for name, order in orders.items())
    film = trace.film(f"{requests} requests, {len(orders)} orders: {disc.name}", nanoseconds(end))
    return {**film, "begin": 0}


def _served(disc: DiscType, places: list[int], order: Scheduler, name: str, trace: FilmTrace) -> float:
    """When the last of the requests at *places* is done."""
    env = simpy.Environment()
    drive = Drive(env, disc, order, name)
    traced = TracedCounts(drive, trace, name)
    for number, place in enumerate(places, 1):
        drive.start(access(READ, place, disc.layout.sector_bytes, Account(f"request {number}")))
    env.run()
    traced.finish()
    return float(env.now)
