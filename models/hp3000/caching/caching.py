"""Disc caching built into a machine: an LDEV before each drive, and what all of them have in common."""

from collections.abc import Collection, Sequence

import simpy

from models.hp3000.caching.alignment import Alignment
from models.hp3000.caching.control import CacheSettings, Control, WriteMode
from models.hp3000.caching.costs import cache_costs
from models.hp3000.caching.disc_cache import DiscCache
from models.hp3000.caching.ldev import Ldev
from models.hp3000.discs.plain import plain_disc
from models.hp3000.dispatcher import Dispatcher
from models.hp3000.parameters import MpeParameters
from sim.cpu import Cpu
from sim.disc.drive import Drive
from sim.error import UserError
from sim.memory import SharedMemory


class Caching:
    """The *ldevs*, numbered from 1, of which those *cached* have caching on, or all; the *control* of their caches."""

    def __init__(
        self,
        env: simpy.Environment,
        drives: Sequence[Drive],
        cpu: Cpu,
        memory: SharedMemory,
        parameters: MpeParameters,
        level: int,
        mode: WriteMode,
        flushed: bool,
        alignment: Alignment,
        dispatcher: Dispatcher,
        cached: Collection[int] | None = None,
    ) -> None:
        unknown = sorted(set(cached or ()) - set(range(1, len(drives) + 1)))
        if unknown:
            raise UserError(f"cached_ldevs: there is no LDEV {unknown[0]!r}; there are 1 to {len(drives)}")
        settings = CacheSettings(parameters.fetch_random, parameters.fetch_sequential, mode, flushed)
        costs = cache_costs(parameters, level)
        self.control = Control(env, settings, alignment)
        self.ldevs: list[Ldev] = []
        for number, drive in enumerate(drives, 1):
            plain = plain_disc(drive, cpu, parameters, level, dispatcher.disc)
            cache = DiscCache(env, drive, cpu, memory, costs, self.control, dispatcher.cache)
            self.ldevs.append(Ldev(env, number, plain, cache, cached is None or number in cached))

    @property
    def caches(self) -> list[DiscCache]:
        return [ldev.cache for ldev in self.ldevs]
