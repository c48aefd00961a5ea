"""Simulates tiers above the drives of a replay: caches below each other, each of which serves requests one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import simpy

from spindle.sim.cache.blocks import runs
from spindle.sim.clock import Account, Ledger, Phase, Wait, begin
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.raid.members import Member
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.measure.laws import check_hits
from spindle.sim.parts import register
from spindle.sim.request import READ, Op, Request, Span, access, wait_for
from spindle.traces.blocks import DEVICE_BLOCKS
from spindle.traces.curve.tier_contents import NO_TIER, TierBlocks, TierStack
from spindle.traces.curve.tiers import Inclusion, Tier
from spindle.traces.replay.replay import Counting
from spindle.traces.replay.storage import AskedDrive, Places, ReplayStorage, across, network_of
from spindle.workloads.traces.record import MIN_BLOCK


@dataclass(frozen=True)
class TierPlan:
    """A plan of *tiers*, fastest first, with blocks of *block* bytes, exclusive or inclusive, each under *policy*."""

    tiers: Sequence[Tier]
    block: int
    inclusion: Inclusion
    policy: Callable[..., EvictionPolicy] = Lru

    def __post_init__(self) -> None:
        if not self.tiers:
            raise UserError("a stack has one tier at least")
        if self.block < MIN_BLOCK:
            raise UserError(f"a block of {self.block} bytes is too small for tiers above a drive: {MIN_BLOCK} is the "
                            "least")


class TierServer:
    """Serves the blocks of one *tier*, one request after another.

    It counts the requests *asked*, and the seconds that they *waited* and that it was *busy*; *answered* counts the
    references to blocks that this tier had and no faster one.
    """

    def __init__(self, env: simpy.Environment, tier: Tier) -> None:
        self.tier = tier
        self.answered = self.asked = 0
        self.busy = self.waited = 0.0
        self._env = env
        self._free = 0.0

    def serve(self, blocks: int, account: Account) -> Wait:
        """Wait for *blocks* to be read or written; *account* is charged."""
        came, work = self._env.now, blocks * self.tier.seconds
        begins = max(came, self._free)
        self._free = begins + work
        self.asked += 1
        self.busy += work
        self.waited += begins - came
        yield self._env.timeout(self._free - came)
        if begins > came:
            account.charge(Phase.QUEUE, came, begins)
        account.charge(Phase.CACHE, begins, self._env.now)


class TieredDrive:
    """Requests to a *drive* through tiers that it shares with others; *first* is the number of its first block there.

    A read takes each block from the first tier that has it, and adjacent missing blocks in one access to the drive; a
    request for a block that is on its way waits for it. A write goes into the first tier and through to the drive, and
    waits for both. Moves of blocks between tiers take no time.

    Hit: all blocks are in tiers; late hit: or on their way; miss: anything less.
    """

    def __init__(
        self, drive: Member, block: int, first: int, contents: TierStack, servers: Sequence[TierServer]
    ) -> None:
        self.capacity = drive.capacity // block * block
        self.below = 0
        """References to blocks that no tier had."""
        self._env = drive.env
        self._drive = drive
        self._block = block
        self._first = first
        self._contents = contents
        self._servers = servers
        self._coming: dict[int, Request] = {}
        self._background = Account("tiers")
        self._requests = 0
        self._counts = {f"{kind}{what}": 0 for kind in ("", "write_") for what in ("hits", "late_hits", "misses")}
        register(self._env, self)

    def __call__(self, op: Op, span: Span) -> Request:
        ledger = Ledger(op.value)
        request = Request(self._env, access(op, span.first, span.length, ledger), ledger)
        self._requests += 1
        begin(self._env, self._work(request, op, span, ledger))
        return request

    def _work(self, request: Request, op: Op, span: Span, ledger: Ledger) -> Wait:
        blocks = range(span.first // self._block, (span.end - 1) // self._block + 1)
        places = [self._use(self._first + block) for block in blocks]
        coming = [each for block in blocks if (each := self._coming.get(block)) is not None]
        absent = [block for block, place in zip(blocks, places, strict=True) if place == NO_TIER]
        what = "misses" if absent else "late_hits" if coming else "hits"
        self._counts[what if op is READ else f"write_{what}"] += 1
        self.below += len(absent)
        for tier, server in enumerate(self._servers):
            server.answered += places.count(tier)
        if op is READ:
            fetches = [self._fetch(first, count) for first, count in runs(absent)]
        else:
            fetches, places = [self._drive.start(access(op, *span, self._background))], [0] * len(blocks)
        for tier, server in enumerate(self._servers):
            if tier in places:
                yield from server.serve(places.count(tier), ledger)
        for each in dict.fromkeys([*coming, *fetches]):
            yield from wait_for(each, ledger)
        request.succeed()

    def _use(self, block: int) -> int:
        """Use *block*, and return the first tier that had it, or NO_TIER."""
        place = self._contents.place(block)
        self._contents.use((block,))
        return place

    def _fetch(self, first: int, count: int) -> Request:
        request = self._drive.start(access(READ, first * self._block, count * self._block, self._background))
        blocks = range(first, first + count)
        self._coming |= dict.fromkeys(blocks, request)
        assert request.callbacks is not None
        request.callbacks.append(lambda _: self._finish_arrival(blocks, request))
        return request

    def _finish_arrival(self, blocks: range, request: Request) -> None:
        for block in blocks:
            if self._coming.get(block) is request:
                del self._coming[block]

    def check(self) -> None:
        """Check that each request was a hit, a late hit or a miss."""
        hits, late, misses = (self._counts[what] + self._counts[f"write_{what}"]
                              for what in ("hits", "late_hits", "misses"))  # fmt: skip
        check_hits("requests to tiers", self._requests, hits, late, misses)

    def reading(self) -> dict[str, float]:
        return {name: float(count) for name, count in self._counts.items()}


class TieredStorage:
    """The drives of a *plan* below *tiers*, which all of them share."""

    def __init__(self, env: simpy.Environment, plan: ReplayStorage, tiers: TierPlan) -> None:
        self.env = env
        self.drives = plan.drives(env)
        self._network = network_of(plan)
        self.servers = [TierServer(env, tier) for tier in tiers.tiers]
        self.caches: list[TieredDrive] = []
        self.arrays: list[Counting] = []
        self.flash_drives: list[Drive] = []
        self.flash_tiers: list[Counting] = []
        self.has_layers = True
        if plan.raid is not None:
            raise UserError("tiers lie above drives, and not above an array of them")
        self.places = Places(self._build, tiers.block, plan.count, plan.wrap)
        self._contents = TierStack([TierBlocks(tier.blocks, tiers.policy) for tier in tiers.tiers], tiers.inclusion)
        self.block = tiers.block

    def _build(self, name: str) -> AskedDrive:
        first = len(self.caches) * DEVICE_BLOCKS
        drive = across(self._network, self.drives[name])
        self.caches.append(TieredDrive(drive, self.block, first, self._contents, self.servers))
        return self.caches[-1], self.caches[-1].capacity
