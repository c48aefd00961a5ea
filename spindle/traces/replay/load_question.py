"""Defines the options of ``spindle load``: random requests at a given rate, as iostat and fio report it, on drives."""

from dataclasses import dataclass

from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import ask
from spindle.questions.host import NO_ENGINE, HostOptions
from spindle.questions.storage import MAX_UNDER_WAY, NO_FLASH, CacheOptions, DriveOptions, FlashTierOptions
from spindle.sim.quantity import quantity
from spindle.sim.units import KIB, Bytes

MAX_IOPS, MAX_REQUESTS, MAX_SIZE, MAX_PAUSE = 1e8, 10**8, 1 << 30, 1e6
"""Limits of the options: requests a second, number of requests, bytes of a request, seconds of a pause."""


@dataclass(frozen=True)
class LoadOptions:
    """Requests of one size at places of one or several devices."""

    iops: float = ask(0.0, "requests a second, at random instants (Poisson)", least=0.0, most=MAX_IOPS,
                      nought="as fast as the threads get them done")
    threads: int = ask(0, "most requests under way; others wait outside the drives, and that is no part of their "
                          "response", least=0, most=MAX_UNDER_WAY, nought="no limit, and without --iops one")
    writes: float = ask(0.0, "share of the requests that write, as 40%", least=0.0, most=1.0, metavar="SHARE")
    size: Bytes = ask(Bytes(4 * KIB), "bytes of each request", "bytes", least=1, most=MAX_SIZE)
    random: float = ask(1.0, "share of the requests that go anywhere, as 70%; others go on where the last of their "
                             "device ended", least=0.0, most=1.0, metavar="SHARE")  # fmt: skip
    span: Bytes = ask(Bytes(0), "bytes of each device that are asked for, from its beginning on", "bytes", least=0,
                      nought="all")
    requests: int = ask(10_000, "number of requests", least=1, most=MAX_REQUESTS)
    burst: int = ask(0, "requests one after another before a pause, as fio's thinktime_blocks", least=0,
                     most=MAX_REQUESTS, nought="no pause", needs=("pause",), because="a pause; {} gives it",
                     excludes=("iops", "threads"))  # fmt: skip
    pause: float = ask(0.0, "time between the end of a burst and the next, as fio's thinktime", "s", least=0.0,
                       most=MAX_PAUSE, needs=("burst",), because="a burst; {} gives its length")

    def text(self) -> str:
        rate = f"{self.iops:g} requests/s" if self.iops else f"{self.threads or 1} always under way"
        most = f", at most {self.threads} under way" if self.threads and self.iops else ""
        if self.burst:
            rate = f"bursts of {self.burst} requests, {quantity(self.pause, 's')} apart"
        size, span = (quantity(int(each), "bytes") for each in (self.size, self.span))
        where = f", within the first {span} of a device" if self.span else ""
        return f"{rate}, of {size}, {self.writes:.0%} writes, {self.random:.0%} random{where}{most}"


@dataclass(frozen=True)
class LoadQuestion:
    """A load on drives or arrays, perhaps below a cache: how long its requests take, and how many are done."""

    load: LoadOptions = LoadOptions()
    device: DriveOptions = DriveOptions()
    array: ArrayOptions = NO_ARRAY
    memory: CacheOptions = CacheOptions()
    front: FlashTierOptions = NO_FLASH
    host: HostOptions = NO_ENGINE
    seed: object = 1

    @property
    def devices(self) -> int:
        """The number of devices: drives, or one array of all of them."""
        return 1 if self.array.raid else self.array.drives or 1
