"""A logical device: what the file system sees of one drive, cached or not, switched while the system runs."""

from collections.abc import Iterable

import simpy

from models.hp3000.caching.at_risk import Loss
from models.hp3000.caching.disc_cache import DiscCache
from models.hp3000.discs.plain import PlainDisc
from sim.account import Account, Ledger, Phase
from sim.clock import Gate, Wait, begin
from sim.request import READ, Access, BlockDevice, Request, Span


class Ldev:
    """LDEV *number*: a BlockDevice that hands every access to its cache or to the plain driver.

    A switch waits until the accesses under way are done, as they began, and all that was written is on the medium.
    Later accesses are held back, so that none can read around a post, nor leave in a domain what another overwrites
    on the disc. Where nothing is switched no event and no CPU time is spent here.
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
    def cached(self) -> bool:
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
            yield from self._held_back(access.account)
        self._under_way += 1
        yield from self._device.read(access)
        self._left()

    def write(self, access: Access) -> Wait:
        if self._switched is not None:
            yield from self._held_back(access.account)
        self._under_way += 1
        yield from self._device.write(access)
        self._left()

    def _held_back(self, account: Account) -> Wait:
        """Wait for the switch; what is waited for are posts, in the main."""
        asked = self._env.now
        while self._switched is not None:
            yield self._switched
        account.charge(Phase.WRITE_WAIT, asked, self._env.now)

    def _left(self) -> None:
        self._under_way -= 1
        if self._quiet is not None and not self._under_way:
            self._quiet.succeed()

    def start(self, access: Access) -> Request:
        ledger = Ledger(f"LDEV {self.number}")
        request = Request(self._env, access, ledger)
        begin(self._env, self._work(request, access._replace(account=ledger)))
        return request

    def _work(self, request: Request, access: Access) -> Wait:
        yield from self.read(access) if access.op is READ else self.write(access)
        request.succeed()

    def flush(self, span: Span) -> Wait:
        yield from self._device.flush(span)

    def discard(self, span: Span) -> None:
        self._device.discard(span)


def losses(ldevs: Iterable[Ldev]) -> list[Loss]:
    """What would be lost if the power failed now: acknowledged writes that are not on the medium."""
    return [loss for ldev in ldevs for loss in ldev.cache.at_risk.losses(ldev.number)]
