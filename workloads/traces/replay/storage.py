"""The storage that a trace is replayed on: a drive for each of its devices, below a cache that all of them share."""

from collections.abc import Callable, MutableMapping
from typing import Protocol

import simpy

from sim.cache.block_cache import BlockCache
from sim.disc.drive import Drive
from sim.disc.flash.drive import DriveType
from sim.error import UserError, shown
from sim.request import Op, Request, Span
from workloads.traces.replay.below import Ask, CachedDrive, bare
from workloads.traces.replay.caching import CachePlan

GOLDEN = 0.6180339887498949
"""Devices that share a drive begin where a walk in steps of so much of it comes by: far apart, however many."""

Behind = tuple[Ask, int]
"""A drive's function for requests, and its usable bytes."""


class ReplayStorage(Protocol):
    """Drives of one type, and perhaps a *cache* above all of them.

    There are as many as the trace has devices, or *count*, of which each serves every so many-th device. What lies
    beyond the end of a drive is refused, and so is a second device on one, unless addresses *wrap*: they then go on
    from the beginning of the drive, and its devices begin at places of it that are far apart.
    """

    @property
    def disc(self) -> DriveType: ...

    @property
    def cache(self) -> CachePlan | None: ...

    @property
    def count(self) -> int | None: ...

    @property
    def wrap(self) -> bool: ...

    def drives(self, env: simpy.Environment) -> MutableMapping[str, Drive]:
        """By name; each is made on its first use."""


class DevicePlace:
    """The place of a device of the trace: *offset* bytes into the *capacity* of a drive with function *ask*."""

    __slots__ = ("_ask", "_capacity", "_device", "_offset", "_unit", "_wrap")

    def __init__(self, device: str, ask: Ask, capacity: int, offset: int, unit: int, wrap: bool) -> None:
        self._device = device
        self._ask = ask
        self._capacity = capacity
        self._offset = offset
        self._unit = unit
        self._wrap = wrap

    def ask(self, op: Op, first: int, length: int) -> Request:
        """Submit a request for *length* bytes from *first* of the device on."""
        begin = first + self._offset
        if begin + length > self._capacity:
            begin = self._wrapped(first, length)
        return self._ask(op, tuple.__new__(Span, (begin, length)))  # in half the time of Span(...)

    def _wrapped(self, first: int, length: int) -> int:
        """Where that begins which goes beyond the end; none is cut in two."""
        end = self._capacity
        if not self._wrap or length > end:
            device = f" of device {shown(self._device)}" if self._device else ""
            raise UserError(f"{length} bytes from byte {first}{device} on go beyond {end}, where the drive ends"
                          + ("" if self._wrap else "; --wrap goes on from its beginning, --drive names a larger"))
        begin = (first + self._offset) % end
        return begin if begin + length <= end else (end - length) // self._unit * self._unit


class Places(dict[str, DevicePlace]):
    """Places by the name of a device; each is made on first use, on one of *count* drives or on a drive of its own.

    *built* gives a drive's function for requests and its usable bytes; devices that *wrap* around the end of a drive
    begin at whole *unit*s.
    """

    def __init__(self, built: Callable[[str], Behind], unit: int, count: int | None, wrap: bool) -> None:
        super().__init__()
        self._built = built
        self._unit = unit
        self._count = count
        self._wrap = wrap
        self._behind: dict[str, Behind] = {}

    def __missing__(self, device: str) -> DevicePlace:
        number = len(self)
        turn, drive = divmod(number, self._count) if self._count else (0, number)
        if turn and not self._wrap:
            raise UserError(f"device {shown(device)} is one more than the {self._count} drives that --drives says, and "
                          "would lie over another; --wrap lets them begin at different places of one")
        name = str(drive) if self._count else device
        if name not in self._behind:
            self._behind[name] = self._built(name)
        ask, capacity = self._behind[name]
        offset = int(turn * GOLDEN % 1.0 * capacity) // self._unit * self._unit
        self[device] = DevicePlace(device, ask, capacity, offset, self._unit, self._wrap)
        return self[device]


class Storage:
    """The drives of a *plan*, one a device by default, their caches, and the *places* of devices on them."""

    def __init__(self, env: simpy.Environment, plan: ReplayStorage) -> None:
        self.env = env
        self._cache = plan.cache
        self._memory = None if plan.cache is None else plan.cache.memory(env)
        self.drives = plan.drives(env)
        self.caches: list[CachedDrive] = []
        unit = plan.disc.layout.sector_bytes if plan.cache is None else plan.cache.block
        self.places = Places(self._built, unit, plan.count, plan.wrap)

    def _built(self, name: str) -> Behind:
        drive, cache = self.drives[name], self._cache
        if cache is None or self._memory is None:
            return bare(drive), drive.capacity
        above = BlockCache(self.env, drive, cache.block, self._memory, writing=cache.writing(cache.size),
                           name=f"cache {name}")
        self.caches.append(CachedDrive(above, drive.capacity // cache.block * cache.block))
        return self.caches[-1], self.caches[-1].extent.length

    def each(self) -> list[Drive]:
        return list(self.drives.values())
