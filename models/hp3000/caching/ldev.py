"""Switches the caching of discs (LDEVs, MPE's logical devices) on or off while the system runs."""

from collections.abc import Collection, Iterable, Sequence

import simpy

from spindle.models.hp3000.caching.at_risk import Loss
from spindle.models.hp3000.caching.control import Control
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.discs import PlainDisc
from spindle.sim.clock import Account, Gate, Phase, Wait
from spindle.sim.cpu import Cpu, Stopped
from spindle.sim.error import UserError
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, BlockDevice, Request, Span, work_behind


class Ldev:
    """The disc with the logical device *number*: a BlockDevice that passes each access to its cache or to the driver.

    A switch waits until the accesses under way are done and all written bytes are on the medium. Later accesses wait
    for the switch. So no access reads old bytes from the disc before a post (write-back), and no domain (cached bytes)
    stays in memory while an uncached write changes the disc. Without a switch this adds no event and no CPU time.
    """

    def __init__(
        self, env: simpy.Environment, number: int, plain: PlainDisc, cache: DiscCache, cached: bool = True
    ) -> None:
        self._env = env
        self.number = number
        self.cache = cache
        self._plain = plain
        self._device: BlockDevice = cache if cached else plain
        self._under_way = 0
        self._quiet: Gate | None = None
        self._switched: Gate | None = None

    @property
    def is_cached(self) -> bool:
        return self._device is self.cache

    def start_cache(self) -> Wait:
        yield from self._switch(self.cache)

    def stop_cache(self) -> Wait:
        yield from self._switch(self._plain)

    def _switch(self, device: BlockDevice) -> Wait:
        while self._switched is not None:
            yield self._switched
        if device is self._device:
            return
        self._switched = Gate(self._env, f"LDEV {self.number} to be switched")
        if self._under_way:
            self._quiet = Gate(self._env, f"accesses to LDEV {self.number}")
            yield self._quiet
            self._quiet = None
        whole = Span(0, self.cache.drive.capacity)
        yield from self._device.flush(whole)
        self._device.discard(whole)
        self._device = device
        switched, self._switched = self._switched, None
        switched.succeed()

    def read(self, access: Access) -> Wait:
        if self._switched is not None:
            yield from self._wait_for_switch(access.account)
        self._under_way += 1
        yield from self._device.read(access)
        self._under_way -= 1
        if self._quiet is not None and not self._under_way:
            self._quiet.succeed()

    def write(self, access: Access) -> Wait:
        if self._switched is not None:
            yield from self._wait_for_switch(access.account)
        self._under_way += 1
        yield from self._device.write(access)
        self._under_way -= 1
        if self._quiet is not None and not self._under_way:
            self._quiet.succeed()

    def _wait_for_switch(self, account: Account) -> Wait:
        """Wait for the switch, which mainly waits for posts: a write wait."""
        asked = self._env.now
        while self._switched is not None:
            yield self._switched
        account.charge(Phase.WRITE_WAIT, asked, self._env.now)

    def start(self, access: Access) -> Request:
        return work_behind(self, self._env, f"LDEV {self.number}", access)

    def flush(self, span: Span) -> Wait:
        yield from self._device.flush(span)

    def discard(self, span: Span) -> None:
        self._device.discard(span)


def losses(ldevs: Iterable[Ldev]) -> list[Loss]:
    """List the acknowledged writes of all LDEVs that would be lost if the power failed now."""
    all_ldevs = list(ldevs)
    newest = max(ldev.cache.at_risk.newest for ldev in all_ldevs)
    return [loss for ldev in all_ldevs for loss in ldev.cache.at_risk.losses(ldev.number, newest)]


class Caching:
    """Disc caching of a machine: an LDEV for each of the *discs*, numbered from 1, with one *control* for all caches.

    The LDEVs *cached* have caching on at first; None is all of them. The caches share *memory*.
    """

    def __init__(
        self, env: simpy.Environment, discs: Sequence[PlainDisc], cpu: Cpu, memory: SharedMemory, costs: CacheCosts,
        control: Control, stopped: Stopped, cached: Collection[int] | None = None,
    ) -> None:
        unknown = sorted(set(cached or ()) - set(range(1, len(discs) + 1)))
        if unknown:
            raise UserError(f"cached_ldevs: there is no LDEV {unknown[0]!r}; there are 1 to {len(discs)}")
        self.control = control
        self.ldevs: list[Ldev] = []
        for number, plain in enumerate(discs, 1):
            cache = DiscCache(env, plain.drive, cpu, memory, costs, control, stopped)
            self.ldevs.append(Ldev(env, number, plain, cache, cached is None or number in cached))

    @property
    def caches(self) -> list[DiscCache]:
        return [ldev.cache for ldev in self.ldevs]
