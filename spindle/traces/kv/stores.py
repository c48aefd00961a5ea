"""Simulates the stores of blocks of keys and values: memory without waits, memory behind links, and flash drives."""

from collections import deque
from collections.abc import Sequence

import simpy

from spindle.sim.clock import Account, pause
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import merge_dies
from spindle.sim.error import UserError
from spindle.sim.quantity import quantity
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.traces.kv.plan import KvDrives, KvMemory, KvPlan, KvTier, Linked, sequential_rate

REQUESTS_A_BLOCK = 4
"""Requests into which the reading of a block is split, so that flash and link work at the same time."""
SPARE_PLACES = 1 << 10
"""Places on drives beyond those of the tier, if there is room, so that a write need not go where a read is under way.
"""


class KvStore:
    """Stores the blocks of one tier; each method returns the events for which its caller waits.

    This class is the accelerators' own memory, where nothing is moved.
    """

    def read(self, block: int, instance: int) -> Sequence[simpy.Event]:
        """Read *block* into *instance*."""
        return ()

    def keep(self, block: int) -> int:
        """Return the place that *block* has from now on."""
        return 0

    def write(self, place: int, instance: int) -> Sequence[simpy.Event]:
        """Write a block from *instance* to its *place*."""
        return ()

    def fetch(self, block: int) -> Sequence[simpy.Event]:
        """Read *block*, to write it to the next tier without any instance."""
        return ()

    def forget(self, block: int) -> None:
        """Free the place of *block*."""

    def estimate(self, blocks: int, instance: int) -> float:
        """Estimate the seconds to read *blocks* blocks from now on."""
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}


class Lane:
    """One direction of a link, over which bytes follow one another at *rate* bytes a second."""

    def __init__(self, env: simpy.Environment, rate: float) -> None:
        self.bytes = 0
        self.waited = self._work = 0.0
        self._env = env
        self.rate = rate
        self._free = 0.0

    def send(self, size: int) -> float:
        """Send *size* bytes behind those before them; return the instant at which all have been sent."""
        now = self._env.now
        begins, work = max(now, self._free), size / self.rate
        self._free = begins + work
        self.bytes += size
        self._work += work
        self.waited += begins - now
        return self._free

    def backlog(self) -> float:
        return max(0.0, self._free - self._env.now)

    def busy(self) -> float:
        """Seconds until now in which bytes were sent."""
        return self._work - self.backlog()


class LinkedStore(KvStore):
    """A tier that is reached over a link of each instance, both ways at once, and perhaps over one that all share.

    A block that goes over both is there when it has passed the later of them.
    """

    def __init__(self, env: simpy.Environment, plan: Linked, block: int, instances: int) -> None:
        self._env, self._plan, self._block = env, plan, block
        self._up, self._down = ([Lane(env, plan.rate) for _ in range(instances)] for _ in range(2))
        self._shared_up, self._shared_down = ([Lane(env, plan.shared_rate)] if plan.shared_rate else []
                                              for _ in range(2))  # fmt: skip

    def read(self, block: int, instance: int) -> Sequence[simpy.Event]:
        return (self._send(self._up[instance], *self._shared_up),)

    def _send(self, *lanes: Lane) -> simpy.Event:
        sent = max([lane.send(self._block) for lane in lanes])
        return pause(self._env, sent + self._plan.latency - self._env.now)

    def write(self, place: int, instance: int) -> Sequence[simpy.Event]:
        return (self._send(self._down[instance], *self._shared_down),)

    def estimate(self, blocks: int, instance: int) -> float:
        lanes = [self._up[instance], *self._shared_up]
        return self._plan.latency + max(lane.backlog() + blocks * self._block / lane.rate for lane in lanes)

    def reading(self) -> dict[str, float]:
        lanes = [*self._up, *self._down, *self._shared_up, *self._shared_down]
        return {"bytes_read": float(sum(lane.bytes for lane in self._up)),
                "bytes_written": float(sum(lane.bytes for lane in self._down)),
                "busy": max(lane.busy() for lane in lanes),
                "queue": sum(lane.waited for lane in lanes)}  # fmt: skip


class DriveStore(KvStore):
    """Blocks on drives, which are filled in turn; a place is trimmed when its block is evicted."""

    def __init__(self, env: simpy.Environment, plan: KvDrives, block: int) -> None:
        sheet = merge_dies(plan.sheet, block // REQUESTS_A_BLOCK)
        self.drives = [FlashDrive(env, sheet, name=f"{plan.name} {number}") for number in range(plan.count)]
        self._rate = plan.count * sequential_rate(plan.sheet)
        self._step = -(-block // sheet.unit) * sheet.unit
        self._piece = -(-self._step // (REQUESTS_A_BLOCK * sheet.unit)) * sheet.unit
        self._block = block
        on_each = sheet.capacity // self._step
        count, wanted = plan.count * on_each, plan.size // block
        if count < wanted:
            raise UserError(f"{plan.name}: {quantity(plan.size, 'bytes')} in blocks of {quantity(block, 'bytes')} do "
                            f"not fit on {plan.count} x {sheet.name}: {count} fit, not {wanted}")
        self._places: dict[int, int] = {}
        self._fresh = iter(range(min(count, wanted + SPARE_PLACES)))
        self._free: deque[int] = deque()
        self._account = Account(plan.name)
        self._pending = 0

    def read(self, block: int, instance: int) -> Sequence[simpy.Event]:
        return self._ask(READ, self._places[block])

    def keep(self, block: int) -> int:
        fresh = next(self._fresh, None)
        self._places[block] = place = self._free.popleft() if fresh is None else fresh
        return place

    def write(self, place: int, instance: int) -> Sequence[simpy.Event]:
        return self._ask(WRITE, place)

    def fetch(self, block: int) -> Sequence[simpy.Event]:
        return self._ask(READ, self._places[block])

    def forget(self, block: int) -> None:
        place = self._places.pop(block)
        drive, first = self._drive_of(place)
        drive.discard(Span(first, self._step))
        self._free.append(place)

    def estimate(self, blocks: int, instance: int) -> float:
        return (self._pending + blocks * self._block) / self._rate

    def _drive_of(self, place: int) -> tuple[FlashDrive, int]:
        row, drive = divmod(place, len(self.drives))
        return self.drives[drive], row * self._step

    def _ask(self, op: Op, place: int) -> list[Request]:
        drive, first = self._drive_of(place)
        requests = []
        for at in range(0, self._step, self._piece if op is READ else self._step):
            length = min(self._piece, self._step - at) if op is READ else self._step
            request = drive.start(access(op, first + at, length, self._account))
            self._pending += length
            assert request.callbacks is not None
            request.callbacks.append(self._finish_write)
            requests.append(request)
        return requests

    def _finish_write(self, request: simpy.Event) -> None:
        assert isinstance(request, Request)
        self._pending -= request.access.span.length

    def reading(self) -> dict[str, float]:
        each = [drive.reading() for drive in self.drives]
        total: dict[str, float] = {name: sum(one[name] for one in each) for name in each[0]}
        return {**total, "busy": max(one["busy"] for one in each)}


def store_of(env: simpy.Environment, tier: KvTier, plan: KvPlan, block: int) -> KvStore:
    """Build the store for the blocks of *tier*, of *block* bytes each."""
    if isinstance(tier, KvMemory):
        return KvStore()
    if isinstance(tier, Linked):
        return LinkedStore(env, tier, block, plan.instances)
    if isinstance(tier, KvDrives):
        return DriveStore(env, tier, block)
    raise UserError(f"{tier.name}: a tier is memory, linked or drives, not {type(tier).__name__}")
