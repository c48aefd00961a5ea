"""Arrays of small drives that record which bytes were read and written, and when."""

import simpy

from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import AnyCopies, RaidType, fragments
from spindle.sim.request import Access, Op, Request, Span
from tests.sim.watched_drives import Watched

CHUNK = 1024


class WatchedRaid(Raid):
    """An array that says of its own bytes what its drives remember of theirs."""

    def __init__(
        self, env: simpy.Environment, level: str, drives: int, bitmap: int = 0, delayed: bool = False
    ) -> None:
        self.watched = [Watched(env) for _ in range(drives)]
        super().__init__(env, RaidType(level, drives, CHUNK, 16, bitmap=bitmap, delayed=delayed), self.watched)
        self.transferred: list[tuple[Span, float]] = []

    def start(self, access: Access) -> Request:
        request = super().start(access)
        if access.op is Op.READ:
            request.callbacks.append(lambda _: self.transferred.append((access.span, self.env.now)))
        return request

    @property
    def written(self) -> list[tuple[Span, float]]:
        return [each for drive in self.watched for each in drive.written]

    def has(self, span: Span, since: float) -> bool:
        """Whether all drives that hold *span* have written it since then."""
        for chunk, offset, length in fragments(span, self.chunk):
            if isinstance(self.layout, AnyCopies):
                places = self.layout.places(chunk)
            else:
                row, index = divmod(chunk, self.layout.data)
                places = [(self.layout.drive(row, index), row)]
                places += [(drive, row) for drive in self.layout.parity(row)]
            for drive, row in places:
                there, first = Span(row * self.chunk + offset, length), self.members.first
                on_drive = there._replace(first=first + there.first)
                if self.members.is_readable(drive, there.end) and not self.watched[drive].has(on_drive, since):
                    return False
        return True

    def faults(self) -> list[str]:
        self.check()
        return [fault for drive in self.watched for fault in drive.faults()]

    def reading(self) -> dict[str, float]:
        """As a drive's: sums over all drives, of which the laws hold as well."""
        readings = [drive.reading() for drive in self.watched]
        return {name: sum(each[name] for each in readings) for name in readings[0]}
