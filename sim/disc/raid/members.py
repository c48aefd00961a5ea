"""Members, through which an array sends all requests to its drives: it knows failed drives, rebuilt spares, errors.

It also chooses the copy that is read.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import expm1, log1p

from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.network import NetworkDrive
from spindle.sim.disc.raid.layout import AnyCopies, RaidType
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.sim.streams import stream

Member = Drive | WriteCache | NetworkDrive
"""A drive, perhaps with a write cache, or across a network."""
Done = Callable[[Request], None]


class CountDown:
    """A counter of *left* requests, which calls *then* with the last one to finish."""

    __slots__ = ("left", "_then")

    def __init__(self, left: int, then: Done) -> None:
        self.left = left
        self._then = then

    def __call__(self, request: Request) -> None:
        self.left -= 1
        if not self.left:
            self._then(request)


class Members:
    """The *drives* of an array of type *kind*, and the bytes of each that are up to date: all, unless the drive failed.

    Data begin at byte *first* of each drive.
    """

    def __init__(self, kind: RaidType, drives: Sequence[Member]) -> None:
        self.drives = list(drives)
        smallest = min(drive.capacity for drive in drives)
        self.first = kind.reserved_bytes(smallest)
        self.capacity = kind.data_bytes(smallest)
        self.read_errors = 0
        self._kind = kind
        self._in_step = [self.capacity] * len(self.drives)
        self._heads = [0] * len(self.drives)
        self._waiting = [0] * len(self.drives)
        self._random = stream(kind.seed, "unrecoverable") if kind.unrecoverable else None

    def fail(self, drive: int) -> None:
        """Stop reading and writing *drive*, which has failed. UserError where the array loses data."""
        if not 0 <= drive < len(self.drives):
            raise UserError(f"raid {self._kind.level}: there is no drive {drive} among {len(self.drives)}")
        self._in_step[drive] = 0
        failed = sum(each < self.capacity for each in self._in_step)
        if failed > self._kind.layout.redundancy and not self._has_copies():
            raise UserError(f"raid {self._kind.level}: {failed} of {len(self.drives)} drives have failed, and data is "
                            "lost")  # fmt: skip

    def _has_copies(self) -> bool:
        """Tell if each chunk of RAID 10 has a copy left, although more drives have failed than it always survives."""
        layout = self._kind.layout
        if not isinstance(layout, AnyCopies):
            return False
        chunks = range(layout.chunks(2 * layout.drives))
        return all(any(self._in_step[drive] for drive, _ in layout.places(chunk)) for chunk in chunks)

    def replace(self, drive: int, spare: Member) -> None:
        """Put *spare*, with no data yet, in the place of *drive*, which failed."""
        if self._in_step[drive] == self.capacity:
            raise UserError(f"raid {self._kind.level}: drive {drive} has not failed")
        if spare.capacity < self.first + self.capacity:
            raise UserError(f"raid {self._kind.level}: a spare of {spare.capacity} bytes is smaller than the "
                            f"{self.first + self.capacity} of the others")  # fmt: skip
        self.drives[drive] = spare
        self._in_step[drive] = 0

    def rebuilt(self, drive: int, end: int) -> None:
        """Note that *drive* is up to date again up to byte *end*."""
        self._in_step[drive] = end

    def is_readable(self, drive: int, end: int) -> bool:
        """Tell if *drive* is up to date up to byte *end*, so that it can be read there."""
        return end <= self._in_step[drive]

    def nearest(self, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Choose the drive and byte to read, of *places* with the same data: an idle drive, or else the nearest arm.

        The rule of md's read_balance (raid1.c, raid10.c) for drives with arms.
        """
        idle = [place for place in places if not self._waiting[place[0]]]
        if idle:
            return idle[0]
        return min(places, key=lambda place: abs(place[1] - self._heads[place[0]]))

    def ask(self, drive: int, op: Op, span: Span, account: Account, then: Done, durable: bool = False) -> None:
        """Start a request at *drive*; call *then* when it is done."""
        asked = access(op, self.first + span.first, span.length, account)
        if durable:
            asked = asked._replace(durable=True)
        self._heads[drive] = span.end
        self._waiting[drive] += 1
        request = self.drives[drive].start(asked)
        assert request.callbacks is not None

        def finish(request: Request) -> None:
            self._waiting[drive] -= 1
            then(request)

        request.callbacks.append(finish)

    @property
    def is_degraded(self) -> bool:
        """Tell if some drive is not up to date."""
        return any(each < self.capacity for each in self._in_step)

    def flush(self, drive: int, span: Span) -> Wait:
        yield from self.drives[drive].flush(Span(self.first + span.first, span.length))

    def discard(self, drive: int, span: Span) -> None:
        self.drives[drive].discard(Span(self.first + span.first, span.length))

    def write_reserved(self, spans: Sequence[Span], account: Account, then: Done) -> None:
        """Write *spans*, which lie before the data, on all drives that have not failed, after a flush of each drive.

        md_super_write (md.c) writes with REQ_PREFLUSH and REQ_FUA.
        """
        working = [drive for drive, in_step in zip(self.drives, self._in_step, strict=True) if in_step]
        count_down = CountDown(len(working) * len(spans), then)
        for drive in working:
            write = partial(_write_through, drive, spans, account, count_down)
            follow(drive.flush(Span(0, drive.capacity)), write)

    def draw_read_error(self, request: Request) -> bool:
        """Draw whether *request*, a read, came to an unrecoverable error, and count the error."""
        if self._random is None or request.access.op is not READ:
            return False
        bits = 8.0 * request.access.span.length
        bad: bool = self._random.random() < -expm1(bits * log1p(-self._kind.unrecoverable))
        self.read_errors += bad
        return bad


def follow(wait: Wait, then: Callable[[], None]) -> None:
    """Call *then* when *wait* is over: a process that costs no event of its own."""
    for event in wait:
        if event.callbacks is not None:
            event.callbacks.append(lambda _: follow(wait, then))
            return
    then()


def _write_through(drive: Member, spans: Sequence[Span], account: Account, then: Done) -> None:
    for span in spans:
        request = drive.start(access(WRITE, span.first, span.length, account)._replace(durable=True))
        assert request.callbacks is not None
        request.callbacks.append(then)
