"""Computes the CPU seconds that disc caching takes, by kind of work."""

from dataclasses import dataclass

from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.error import UserError


@dataclass(frozen=True)
class CacheCosts:
    """CPU seconds to *search* the cache's directory, *copy* bytes, *initiate* a physical I/O, and *stop* a process.

    The stop includes dispatching another process. The system call, *read_call* or *write_call*, comes before the
    search, within the same burst.
    """

    search: float
    copy: float
    initiate: float
    level: int
    read_call: float = 0.0
    write_call: float = 0.0
    stop: float = 0.0


def cache_costs(parameters: MpeParameters, level: int) -> CacheCosts:
    """Compute the costs from *parameters*, whose *hit_cpu* includes the read call and the search."""
    least = parameters.read_call + parameters.miss_search
    if parameters.hit_cpu < least:
        raise UserError(
            f"hit_cpu must be at least read_call + miss_search, {least:g} s, not {parameters.hit_cpu!r} s"
        )
    return CacheCosts(
        parameters.miss_search, parameters.hit_cpu - least, parameters.initiate, level, parameters.read_call,
        parameters.write_call, parameters.dispatch,
    )  # fmt: skip
