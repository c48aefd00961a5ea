"""A run that leaves behind what the paper's six figures show: the cache at its end, and ten seconds after another."""

from typing import Any

from models.max_iv.cache.disc_address import track_of, unit_of
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.sampler import SAMPLING
from models.max_iv.machine import SECTORS
from models.max_iv.run import run
from models.max_iv.runs.tools import USERS
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.window import Window

OPERATIONS = 396
"""So many are in the paper's distribution of service times."""


class CacheWatch(Observer):
    """Observer of one run: its cache code, and how long each request took its handler."""

    fhl: Fhl

    def __init__(self) -> None:
        self.service: list[float] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, env, service = machine.parts["fhl"], machine.env, self.service
        assert isinstance(fhl, Fhl)
        self.fhl = fhl
        perform = fhl.perform

        def timed(io: Any, disc: Any) -> Any:
            began = env.now
            failed = yield from perform(io, disc)
            if env.now > window.start:
                service.append(env.now - began)
            return failed

        fhl.perform = timed  # type: ignore[method-assign]



def day(seed: object, minutes: float, warm_up: float, users: int = USERS, **others: object) -> dict[str, Any]:
    """The summary of a run with Jacobson's cache, and lists.

    ``tracks`` of the last disc's sectors in the cache (Jacobson's figure is of Disc 2) and ``lengths`` of the hash
    lists are those at the end; ``hits`` of the requests and ``rates`` of them are those of each ten seconds;
    ``service`` has the seconds of some requests.
    """
    seen = CacheWatch()
    result = run(users, SECTORS, seed, minutes, warm_up, interval=SAMPLING, watch=seen, **others)  # type: ignore[arg-type]
    requests = [
        sum(value for name, value in each.items() if name.startswith("handler")) for each in result.intervals
    ]
    resident = sorted(seen.fhl.cache.resident)
    step = max(1, len(seen.service) // OPERATIONS)
    return {
        **result.summary(),
        "tracks": [track_of(dpi) for dpi in resident if unit_of(dpi) == unit_of(resident[-1])],
        "lengths": seen.fhl.cache.lengths(),
        "hits": [each["fhl.hits"] / count for each, count in zip(result.intervals, requests, strict=True) if count],
        "rates": [count / SAMPLING for count in requests],
        "service": seen.service[::step][:OPERATIONS],
    }


def management(
    seed: object, minutes: float, warm_up: float, users: int = USERS, **parameters: object
) -> dict[str, Any]:
    """``share`` of management space in the cache in each five minutes from the start on, and the ``hours`` then."""
    result = run(users, SECTORS, seed, minutes, warm_up, keep_rows=False, interval=30 * SAMPLING, **parameters)  # type: ignore[arg-type]
    filled = [each for each in result.intervals if each["sampler.resident"]]
    return {
        "hours": [each["until"] / 3600.0 for each in filled],
        "share": [each["sampler.management"] / each["sampler.resident"] for each in filled],
    }
