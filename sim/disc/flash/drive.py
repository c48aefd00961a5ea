"""FlashDrive, a solid-state drive that serves as many requests at a time as its host interface has tags.

Functions here build the drive or mechanism of any drive file, disc or flash.
"""

from collections.abc import Mapping
from math import nan

import simpy

from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.drive import Drive, DriveCounts, Scheduler
from spindle.sim.disc.flash.mechanism import Flash
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType, Mechanism
from spindle.sim.parts import credit
from spindle.sim.request import SERVICE_PHASES, Access, AccessTiming, Request, Span

# The counters of a drive that serves several requests at a time; they only grow, and are exact at any instant.

class ParallelCounts(DriveCounts):
    """The counters of a drive that serves several requests at a time; ``serving_seconds`` integrates their number.

    The drive is busy while any request is in service. Requests end in any order.
    """

    def __init__(self, now: float, sector_bytes: int) -> None:
        super().__init__(now, sector_bytes)
        self._under_way: dict[int, tuple[float, AccessTiming]] = {}
        self._serving_seconds = 0.0
        self._since = now

    @property
    def in_service(self) -> int:
        return len(self._under_way)

    def begin(self, now: float, service: AccessTiming) -> None:
        self._integrate_to(now)
        self._queue += service.queue
        self.waiting -= 1
        self._submitted = self._submitted - (now - service.queue) if self.waiting else 0.0
        self._under_way[id(service)] = now, service

    def leave(self, now: float, access: Access, service: AccessTiming) -> None:
        self._integrate_to(now)
        del self._under_way[id(service)]
        self._began = now
        super().leave(now, access, service)

    def _integrate_to(self, now: float) -> None:
        passed, number = now - self._since, len(self._under_way)
        self._serving_seconds += number * passed
        self._busy += passed if number else 0.0
        self._since = now

    def busy(self, now: float) -> float:
        return self._busy + (now - self._since if self._under_way else 0.0)

    def _phases(self, now: float) -> dict[str, float]:
        totals = {name: float(getattr(self, name)) for name in SERVICE_PHASES}
        for began, service in self._under_way.values():
            left = now - began
            for name, seconds in zip(SERVICE_PHASES, service[1:], strict=True):
                totals[name] += min(seconds, left)
                left -= min(seconds, left)
        return totals

    def reading(self, now: float) -> dict[str, float]:
        serving = self._serving_seconds + len(self._under_way) * (now - self._since)
        return {**super().reading(now), "serving_seconds": serving}


def write_amplification(reading: Mapping[str, float]) -> float:
    """Return the units programmed for each that the host wrote, by the counters of flash; NaN if it wrote none."""
    units = reading["units_written"]
    return (units + reading["units_copied"]) / units if units else nan


def words_of_wear(counters: Mapping[str, float]) -> list[str]:
    """Return a line with the write amplification of all flash, or none where nothing was written.

    Names of *counters* may begin with those of their drives and a dot.
    """
    totals = dict.fromkeys(("units_written", "units_copied", "blocks_erased"), 0.0)
    for name, value in counters.items():
        if (counter := name.rpartition(".")[2]) in totals:
            totals[counter] += value
    if not totals["units_written"]:
        return []
    return [f"flash: write amplification {write_amplification(totals):.3f}, "
            f"{totals['blocks_erased']:,.0f} blocks erased"]  # fmt: skip


DriveType = DiscType | FlashType
"""The data sheet of a drive, disc or flash."""


class FlashDrive(Drive):
    """A Drive with several tags; requests without a tag wait in the host, in the order of its scheduler.

    >>> FlashDrive(simpy.Environment(), INTEL_S3700).capacity > 100 * GIB
    True
    """

    def __init__(
        self, env: simpy.Environment, sheet: FlashType, scheduler: Scheduler | None = None, name: str = "drive"
    ) -> None:
        self.flash = Flash(sheet)
        super().__init__(env, self.flash, scheduler, name)
        self.counts = ParallelCounts(env.now, sheet.sector_bytes)
        self._tags = sheet.front.tags
        credit(env, sheet)
        self._under_way = 0

    def _serve(self, now: float) -> None:
        """Take and begin the next request, unless the scheduler keeps all."""
        if len(self.scheduler):
            super()._serve(now)
            self._under_way += 1
        self._idle = self._has_room()

    def _has_room(self) -> bool:
        return self._under_way < self._tags

    def _complete(self, request: Request) -> None:
        self._under_way -= 1
        super()._complete(request)
        if self._idle and len(self.scheduler):  # it lets more than one go at once
            self._idle = False
            self._wait_for_all(self.env._now)

    def faults(self) -> list[str]:
        return [*super().faults(), *self.flash.faults()]

    def discard(self, span: Span) -> None:
        """Trim *span*: its units are no longer valid, and need not be copied."""
        self.flash.discard(span)


def drive_of(
    env: simpy.Environment, sheet: DriveType | Mechanism, scheduler: Scheduler | None = None, name: str = "drive"
) -> Drive:
    """Build the drive of the *sheet*, disc or flash."""
    if isinstance(sheet, FlashType):
        return FlashDrive(env, sheet, scheduler, name)
    return Drive(env, sheet, scheduler, name)


def mechanism_in(sheet: DriveType) -> Mechanism:
    """Build the mechanism for a drive of the *sheet*, disc or flash."""
    return Flash(sheet) if isinstance(sheet, FlashType) else mechanism_of(sheet)
