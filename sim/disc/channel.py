"""Channel is a bus that several drives share, one transfer at a time, such as HP-IB (Hewlett-Packard's, IEEE 488).

A SharingDrive uses a Channel by the rules of an Attachment. SpeedMatching is one, for drives with a buffer of a track.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf, ulp
from typing import Protocol

import simpy

from spindle.sim.clock import Pause, check_delay, pause, succeed_after
from spindle.sim.disc.drive import Drive, Scheduler
from spindle.sim.disc.kernel.arm import Pass, TrackRun, delivery
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource, read_sources
from spindle.sim.request import READ, WRITE, AccessTiming, Request
from spindle.sim.units import MS

# A drive on a shared channel: the phases of a request are known only as the channel becomes free.

class Attachment(Protocol):
    """A rule by which drives share a channel. It keeps no state of a drive, so that one may serve all drives."""

    def serve(self, drive: "SharingDrive", request: Request, arm: ArmPosition, detour: float, now: float) -> None:
        """Make *drive* begin to serve *request* *now*: move its arm, occupy the channel and finish the request.

        The arm needs *detour* seconds to reach *arm*, where its move begins.
        """


class SharingDrive(Drive):
    """A Drive whose requests cross a channel by the rules of its *attachment*.

    An access takes one event more than a Drive's, and the channel one more if a drive waits for it.
    """

    def __init__(
        self,
        env: simpy.Environment,
        disc: DiscType,
        attachment: Attachment,
        scheduler: Scheduler | None = None,
        name: str = "drive",
    ) -> None:
        self.moving = MovingArm(disc)
        super().__init__(env, self.moving, scheduler, name)
        self._begin = partial(attachment.serve, self)  # type: ignore[method-assign]

    def finish(self, request: Request, service: AccessTiming, seconds: float) -> None:
        """End *request* *seconds* from now, with the phases *service*, which are final."""
        self.counts.serving = service
        succeed_after(request, seconds, service)


Granted = Callable[[float], float]
"""Callback with the instant at which the channel is granted; returns the seconds for which it will be occupied."""


class Channel:
    """A channel that one drive has at a time, first come, first served.

    It schedules an event only where a drive waits.
    """

    def __init__(self, env: simpy.Environment, name: str = "channel") -> None:
        self.env = env
        self.name = name
        self.grants = 0
        self.waited = 0.0
        self._held = 0.0
        self._until: float = env.now
        self._queue: deque[tuple[float, Granted]] = deque()
        self._coming = False

    def seize(self, granted: Granted, _: simpy.Event | None = None) -> None:
        """Call *granted* when all earlier drives have had the channel; at once if it is free.

        A hold that ends at this very instant has ended, also where the clock's rounding puts it just behind.
        """
        now: float = self.env._now
        if not self._queue and self._until - now <= 4.0 * ulp(now):
            self._grant(now, granted)
        else:
            self._queue.append((now, granted))
            self._watch(now)

    def _grant(self, now: float, granted: Granted) -> None:
        self._until = inf  # A seizure from within *granted* must wait, it is not known yet until when.
        seconds = granted(now)
        if not 0.0 <= seconds < inf:
            check_delay(seconds)
        self.grants += 1
        self._held += seconds
        self._until = now + seconds
        if self._queue:
            self._watch(now)

    def _watch(self, now: float) -> None:
        """Put the end of the hold on the clock, for the drives that wait."""
        if not self._coming and self._until < inf:
            self._coming = True
            pause(self.env, self._until - now).callbacks.append(self._grant_next)

    def _grant_next(self, _: simpy.Event) -> None:
        now: float = self.env._now
        self._coming = False
        came, granted = self._queue.popleft()
        self.waited += now - came
        self._grant(now, granted)

    def busy(self) -> float:
        """Seconds until now in which the channel was held; exact at any instant."""
        return self._held - max(0.0, self._until - self.env.now)

    def reading(self) -> dict[str, float]:
        return {"busy": self.busy(), "grants": float(self.grants), "refusals": 0.0, "waited": self.waited}


# How a drive that has a buffer talks to its host over a channel: messages, and data at the channel's rate.

@dataclass(frozen=True)
class Link:
    """The times of a bus: seconds to send a *command*, and for drive and host to *connect* again before the data.

    Both occupy the channel. Between command and data the drive releases it.
    """

    name: str
    command: float
    connect: float
    bytes_per_second: float
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("command", "connect"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"link {self.name}: {name} {getattr(self, name)} s must be finite and not negative")
        if not 0.0 < self.bytes_per_second < inf:
            raise UserError(f"link {self.name}: bytes_per_second {self.bytes_per_second} must be positive and finite")


_HPLAJW = "HP C2200A discs of the host hplajw, May 1992"
_LOCKED = ("the rotation of these discs can be followed from one completion to the next, which tells for each request "
           "when its first sector came under the head")

HP_IB = Link(
    name="HP-IB",
    command=0.9 * MS,
    connect=1.6 * MS,
    bytes_per_second=1.006e6,
    sources=read_sources({
        "command": f"fitted: {_HPLAJW}: the greatest share of requests on the right revolution; with the report, which "
                   "cannot be separated from it; each half of the trace gives it to 0.1 ms",
        "connect": f"fitted: {_HPLAJW}: end of medium to completion of reads within a track, straight line over 1 to 8 "
                   f"KB at no bytes; {_LOCKED}",
        "bytes_per_second": f"fitted: {_HPLAJW}: the slope of the same line, 0.2545 ms a sector of 256 bytes; the "
                            "trace gives 1.2 MB/s as the most that the bus can do",
    }),
)
"""A drive with HP's CS/80 command set: for command, execution and report the host is called by a poll each."""


# Drives with a buffer between medium and channel: they wait for the channel, and lose no revolution by it.

class SpeedMatching:
    """An Attachment: the command goes over the channel, then the data; in between other drives may use it.

    A read calls the host only when all its blocks of its first track are in the buffer: medium and channel work one
    after the other, except for the tracks after the first. A write gets its data while the arm moves; the head waits
    until the buffer can no longer run empty before the last sector. The buffer holds any request.
    """

    def __init__(self, channel: Channel, link: Link) -> None:
        self.channel = channel
        self.link = link

    def serve(self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float, now: float) -> None:
        drive.counts.begin(now, AccessTiming(now - request.submitted, inf, 0.0, 0.0, 0.0, 0.0))
        self.channel.seize(partial(self._command, drive, request, arm, detour, now))

    def _command(
        self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float, turn: float, now: float
    ) -> float:
        access, moving = request.access, drive.moving
        overhead = self.link.command + moving.disc.overhead
        off = now + overhead + detour
        passes = moving.passes(arm, off, access.op, access.span)
        drive.arm = ArmPosition(passes[-1].cylinder, passes[-1].head)
        queue, before = turn - request.submitted, now + overhead - turn
        moves, waits, transfers = total_seconds(passes)
        # Here and below AccessTiming(...) would take twice the time, and an access makes two or three of them.
        if access.op is READ:
            timing = tuple.__new__(AccessTiming, (queue, before, detour + moves, waits, transfers, inf))
            seconds, granted = passes[0].end - now, partial(self._send, drive, request, timing, passes)
        else:
            timing = tuple.__new__(AccessTiming, (queue, before, detour + moves, inf, transfers, 0.0))
            seconds, granted = overhead, partial(self._receive, drive, request, timing, arm, off)
        Pause(drive.env, seconds).callbacks.append(partial(self.channel.seize, granted))
        drive.counts.serving = timing
        return self.link.command

    def _send(
        self, drive: SharingDrive, request: Request, timing: AccessTiming, passes: list[Pass], now: float
    ) -> float:
        sector = drive.moving.sector_bytes / self.link.bytes_per_second
        first, stop = passes[0].first, passes[-1].stop
        end = now + self.link.connect + (stop - first) * sector
        for each in passes:
            end = max(end, delivery(each, first, stop, sector))
        service = tuple.__new__(AccessTiming, (*timing[:-1], end - passes[-1].end))
        drive.finish(request, service, end - now)
        return end - now

    def _receive(
        self, drive: SharingDrive, request: Request, timing: AccessTiming, arm: ArmPosition, off: float, now: float
    ) -> float:
        moving, (begin, length) = drive.moving, request.access.span
        size = moving.sector_bytes
        first, stop = begin // size, -(-(begin + length) // size)
        sector = size / self.link.bytes_per_second
        data = now + self.link.connect
        ready = _lead(first, stop, data, sector, moving.disc.revolution)
        passes = moving.passes(arm, off, WRITE, request.access.span, ready)
        _, waits, transfers = total_seconds(passes)
        service = tuple.__new__(AccessTiming, (*timing[:3], waits, transfers, 0.0))
        drive.finish(request, service, passes[-1].end - now)
        return self.link.connect + (stop - first) * sector


def total_seconds(passes: list[Pass]) -> tuple[float, float, float]:
    """Sum over *passes* the seconds of moving the arm, waiting for blocks and passing them."""
    move = wait = transfer = 0.0
    for passed in passes:
        move += passed.move
        wait += passed.wait
        transfer += passed.transfer
    return move, wait, transfer


def _lead(first: int, stop: int, data: float, sector: float, revolution: float) -> Callable[[TrackRun], float]:
    """Build the function that returns when the head may begin with blocks *first* up to *stop*.

    The blocks arrive from *data* on, in *sector* seconds each, and are taken to pass without a pause: a head switch
    between them is not counted on.
    """

    def ready(run: TrackRun) -> float:
        if run.first != first:
            return data
        behind = max(0.0, sector - revolution / run.per_track)
        return data + sector + (stop - first - 1) * behind

    return ready
