"""What disc caching costs the CPU, and what a hit takes beside the CPU."""

from dataclasses import dataclass

from models.hp3000.parameters import MpeParameters
from sim.error import UserError


@dataclass(frozen=True)
class CacheCosts:
    """CPU seconds: to *search* the directory, to *copy* the bytes, to *initiate* a physical I/O, to *stop* a process.

    The stop includes taking up another. Before the first of these come the system calls, *read_call* and *write_call*,
    within the same burst. *rest* is what a hit takes beside them, ready to go on and without the CPU:
    an event a hit, where there is any.
    """

    search: float
    copy: float
    initiate: float
    level: int
    read_call: float = 0.0
    write_call: float = 0.0
    rest: float = 0.0
    stop: float = 0.0


def cache_costs(parameters: MpeParameters, level: int) -> CacheCosts:
    """The costs as *parameters* have them; a hit's CPU time includes the read call's."""
    least = parameters.read_call + parameters.miss_search
    if not least <= parameters.hit_cpu <= parameters.hit_elapsed:
        raise UserError(
            f"hit_cpu must be at least read_call + miss_search, {least:g} s, and at most hit_elapsed, "
            f"{parameters.hit_elapsed:g} s, not {parameters.hit_cpu!r} s"
        )
    rest = parameters.hit_elapsed - parameters.hit_cpu
    copy = parameters.hit_cpu - least
    return CacheCosts(
        parameters.miss_search, copy, parameters.initiate, level, parameters.read_call, parameters.write_call,
        rest, parameters.dispatch,
    )  # fmt: skip
