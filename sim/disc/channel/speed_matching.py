"""Drives with a buffer between medium and channel: they wait for the channel, and lose no revolution by it."""

from collections.abc import Callable
from functools import partial
from math import inf

from sim.clock import pause
from sim.disc.buffer.delivery import delivered
from sim.disc.channel.channel import Channel, Granted
from sim.disc.channel.link import Link
from sim.disc.channel.sharing import SharingDrive
from sim.disc.layout import SectorRun
from sim.disc.mechanism import ArmPosition
from sim.disc.passing import Pass
from sim.request import READ, WRITE, Request, Service, Span


class SpeedMatching:
    """An Attachment: the command goes over the channel, then the data; in between others may have it.

    A read calls the host when all that it wants of its first track is in the buffer, and not before: medium and
    channel work one after the other, but for the tracks after the first. A write gets its data while the arm moves;
    the head waits until the buffer can no longer run empty before the last sector. The buffer holds any request.
    """

    def __init__(self, channel: Channel, link: Link) -> None:
        self.channel = channel
        self.link = link

    def serve(self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float) -> None:
        self.channel.seize(partial(self._command, drive, request, arm, detour, drive.env._now))

    def _command(
        self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float, turn: float, now: float
    ) -> float:
        access, moving = request.access, drive.moving
        overhead = self.link.command + moving.disc.overhead
        off = now + overhead + detour
        passes = moving.passes(arm, off, access.op, access.span)
        drive.arm = ArmPosition(passes[-1].place.cylinder, passes[-1].place.head)
        queue, before = turn - request.submitted, now + overhead - turn
        moves, waits, transfers = _added(passes)
        # Here and below Service(...) would do the same in twice the time, and an access takes two or three of them.
        if access.op is READ:
            timing = tuple.__new__(Service, (queue, before, detour + moves, waits, transfers, inf))
            self._call(drive, passes[0].end - now, partial(self._send, drive, request, timing, passes))
        else:
            timing = tuple.__new__(Service, (queue, before, detour + moves, inf, transfers, 0.0))
            self._call(drive, overhead, partial(self._receive, drive, request, timing, arm, off))
        drive.counts.revise(timing)
        return self.link.command

    def _call(self, drive: SharingDrive, seconds: float, granted: Granted) -> None:
        """Seize the channel *seconds* from now."""
        pause(drive.env, seconds).callbacks.append(lambda _: self.channel.seize(granted))

    def _send(self, drive: SharingDrive, request: Request, timing: Service, passes: list[Pass], now: float) -> float:
        size = drive.moving.sector_bytes
        first, stop = _blocks(request.access.span, size)
        end = delivered(now + self.link.connect, first, stop, size / self.link.bytes_per_second, passes)
        service = tuple.__new__(Service, (*timing[:-1], end - passes[-1].end))
        drive.finish(request, service, end - now)
        return end - now

    def _receive(
        self, drive: SharingDrive, request: Request, timing: Service, arm: ArmPosition, off: float, now: float
    ) -> float:
        moving = drive.moving
        first, stop = _blocks(request.access.span, moving.sector_bytes)
        sector = moving.sector_bytes / self.link.bytes_per_second
        data = now + self.link.connect
        ready = _lead(first, stop, data, sector, moving.disc.revolution)
        passes = moving.passes(arm, off, WRITE, request.access.span, ready)
        _, waits, transfers = _added(passes)
        service = tuple.__new__(Service, (*timing[:3], waits, transfers, 0.0))
        drive.finish(request, service, passes[-1].end - now)
        return self.link.connect + (stop - first) * sector


def _blocks(span: Span, size: int) -> tuple[int, int]:
    first, length = span
    return first // size, -(-(first + length) // size)


def _added(passes: list[Pass]) -> tuple[float, float, float]:
    """The moves, the waits and the transfers of *passes*."""
    moves = waits = transfers = 0.0
    for each in passes:
        moves += each.move
        waits += each.wait
        transfers += each.transfer
    return moves, waits, transfers


def _lead(first: int, stop: int, data: float, sector: float, revolution: float) -> Callable[[SectorRun, int], float]:
    """When the head may begin with the blocks *first* up to *stop*, which come from *data* on in *sector* seconds each.

    As if all of them went by without a pause: a head switch between them is not counted on.
    """

    def ready(run: SectorRun, begin: int) -> float:
        if begin != first:
            return data
        behind = max(0.0, sector - revolution / run.place.sectors_per_track)
        return data + sector + (stop - first - 1) * behind

    return ready
