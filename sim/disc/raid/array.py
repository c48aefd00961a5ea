"""Raid turns reads, writes and flushes of an array into requests to its drives, and rebuilds failed drives.

A request of the array costs no event beside those of the drives.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import simpy

from spindle.sim.clock import Account, Ledger, Phase, Population, Wait, happen, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.raid.bitmap import Bitmap
from spindle.sim.disc.raid.delayed import DelayedStripes
from spindle.sim.disc.raid.layout import AnyCopies, RaidType, ShiftedLayout, fragments
from spindle.sim.disc.raid.members import CountDown, Member, Members
from spindle.sim.disc.raid.stripes import WAYS, Branches, StripeCache, Then, Trail
from spindle.sim.error import UserError
from spindle.sim.parts import agree, register
from spindle.sim.request import READ, WRITE, Access, Request, Span, StartedDevice
from spindle.sim.units import KIB, MIB


class Raid(StartedDevice):
    """A BlockDevice that spreads its bytes over *drives* by the RAID layout of *kind*.

    A request is done when the last of its requests to members is; it is charged the phases of those that it waited for,
    and WRITE_WAIT for a wait for the stripe cache or the bitmap.

    >>> env = simpy.Environment()
    >>> drives = [Drive(env, HP7933, name=f"drive{number}") for number in range(4)]
    >>> round(Raid(env, RaidType("5", 4), drives).capacity / drives[0].capacity, 2)
    3.0
    """

    def __init__(self, env: simpy.Environment, kind: RaidType, drives: Sequence[Member], name: str = "raid") -> None:
        if len(drives) != kind.drives or len(set(drives)) != len(drives):
            raise UserError(f"{name}: raid {kind.level} takes {kind.drives} different drives, not {len(drives)}")
        self.env = env
        self.name = name
        self.kind = kind
        self.members = Members(kind, drives)
        self.layout = kind.layout_of(self.members.capacity // kind.chunk)
        self.sector_bytes = max(drive.sector_bytes for drive in drives)
        # RAID 1 mirrors a drive as one chunk, which no request crosses.
        self.chunk = self.members.capacity if kind.level == "1" else kind.chunk
        if kind.chunk % self.sector_bytes:
            raise UserError(f"raid {kind.level}: a chunk of {kind.chunk} bytes must be whole sectors of "
                            f"{self.sector_bytes}")  # fmt: skip
        if not self.members.capacity:
            raise UserError(f"raid {kind.level}: a chunk of {kind.chunk} bytes does not fit on a drive")
        self.capacity = kind.capacity(min(drive.capacity for drive in drives))
        self.under_way = Population(env)
        self.reads = self.writes = self.bytes_read = self.bytes_written = 0
        self.degraded_reads = self.corrected = self.lost = self.rebuilt_bytes = 0
        self.rebuilds = Rebuilds(env)
        self._seconds = 0.0
        self._writes: dict[Request, None] = {}
        self.bitmap = Bitmap(env, kind, self.members) if kind.bitmap else None
        self.stripes = self._stripes()
        for drive in kind.failed_drives:
            self.members.fail(drive)
        if kind.rebuild:
            self.begin_rebuild(kind.rebuild)
        register(env, self)

    def begin_rebuild(self, slowest: int) -> None:
        """Rebuild the drives that failed before the first request, at *slowest* bytes a second at least."""
        self.env.process(_recover(self, self.kind.failed_drives, slowest, max(slowest, MAX_REBUILD_RATE)))

    def _stripes(self) -> StripeCache | None:
        """The cache of an array with parity."""
        if isinstance(self.layout, AnyCopies):
            return None
        step: Callable[[Then], None] = _at_once if self.bitmap is None else self.bitmap.step
        if self.kind.delayed:
            return DelayedStripes(self.env, self.kind, self.layout, self.members, step)
        return StripeCache(self.kind, self.layout, self.members, step)

    def start(self, access: Access) -> Request:
        """Start *access* by requests to the members."""
        first, length = access.span
        if first < 0 or length <= 0 or first + length > self.capacity:
            raise UserError(f"{self.name}: {length} bytes at {first} are not on an array of {self.capacity} bytes")
        request = Request(self.env, access, Ledger("raid"))
        self.under_way.enter()
        if access.op is READ:
            self.reads += 1
            self.bytes_read += length
            self._read(request)
        else:
            self.writes += 1
            self.bytes_written += length
            self._writes[request] = None
            self._write(request)
        return request

    def _end(self, request: Request, trail: Trail) -> None:
        """End *request*: charge it the requests of *trail* and the waits between them."""
        ledger, at = request.ledger, request.submitted
        assert ledger is not None, "a request of an array has a ledger"
        for waited in trail:
            if waited.submitted > at:
                ledger.charge(Phase.WRITE_WAIT, at, waited.submitted)
            for phase, begin, end in waited.pieces():
                ledger.charge(phase, begin, end)
                at = end
        self.under_way.leave()
        self._seconds += self.env.now - request.submitted
        if request.access.op is WRITE:
            del self._writes[request]
            if self.bitmap is not None:
                self.bitmap.end(self._regions(request.access.span))
        happen(request)

    # Reads: each chunk from its drive, or from the others where that has failed.

    def _read(self, request: Request) -> None:
        wanted = list(_join_neighbours(self._member_reads(request.access.span)))
        task = Branches(len(wanted), partial(self._end, request))
        for drive, span in wanted:
            self.read_member(drive, span, request.access.account, task)

    def _member_reads(self, span: Span) -> Iterator[tuple[int, Span]]:
        for chunk, offset, length in fragments(span, self.chunk):
            drive, first = self._source(chunk, offset, length)
            yield drive, Span(first, length)

    def _source(self, chunk: int, offset: int, length: int) -> tuple[int, int]:
        """Return the drive that *chunk* is read from, failed or not, and its byte."""
        layout = self.layout
        if isinstance(layout, AnyCopies):
            places = [(drive, row * self.chunk + offset) for drive, row in layout.places(chunk)]
            if len(places) == 1:
                return places[0]
            readable = [place for place in places if self.members.is_readable(place[0], place[1] + length)] or places
            # read_balance (raid10.c) takes the lowest address of far and offset copies, whatever the arms do.
            return readable[0] if isinstance(layout, ShiftedLayout) else self.members.nearest(readable)
        row, index = divmod(chunk, layout.data)
        return layout.drive(row, index), row * self.chunk + offset

    def read_member(self, drive: int, span: Span, account: Account, task: "Branches") -> None:
        """Read *span* of *drive*, or compute it from the other members if the drive or the read has failed."""

        def read(request: Request) -> None:
            if self.members.draw_read_error(request):
                self._correct(drive, span, account, task, request)
            else:
                task.end((request,))

        if self.members.is_readable(drive, span.end):
            self.members.ask(drive, READ, span, account, read)
        else:
            self.degraded_reads += 1
            self.read_sources([drive], span, account, task.end)

    def read_sources(
        self, drives: Sequence[int], span: Span, account: Account, then: Callable[[Trail], None], whole: bool = False
    ) -> None:
        """Read the spans that compute *span* of each of *drives*, which have failed, or the *whole* rows."""
        wanted = dict.fromkeys(each for drive in drives for each in _join_neighbours(self.sources(drive, span, whole)))
        task = Branches(len(wanted), then)
        for drive, there in wanted:
            self.read_member(drive, there, account, task)

    def _correct(self, drive: int, span: Span, account: Account, task: "Branches", bad: Request) -> None:
        """Compute a span that could not be read, give it to the host and write it again; or count it as lost."""

        def compute(last: Request) -> None:
            self.corrected += 1
            self.members.ask(drive, WRITE, span, account, lambda _: None)
            task.end((bad, last))

        if all(len(others) >= self._row_needs for others in self._others(drive, span)):
            self._compute(drive, span, account, compute)
        else:
            self.lost += 1
            task.end((bad,))

    @property
    def _row_needs(self) -> int:
        """Return the number of drives of a row from which any other is computed."""
        return 1 if isinstance(self.layout, AnyCopies) else self.layout.data

    def _others(self, drive: int, span: Span) -> Iterator[list[tuple[int, Span]]]:
        """For each chunk of *span* of *drive* the other drives that hold its row or its copies, data before parity."""
        layout = self.layout
        for row, offset, length in fragments(span, self.chunk):
            if isinstance(layout, AnyCopies):
                places = layout.places(layout.chunk_at(drive, row))
            else:
                order = [layout.drive(row, index) for index in range(layout.data)] + layout.parity(row)
                places = [(each, row) for each in order]
            spans = [(each, Span(at * self.chunk + offset, length)) for each, at in places if each != drive]
            yield [(each, there) for each, there in spans if self.members.is_readable(each, there.end)]

    def sources(self, drive: int, span: Span, whole: bool = False) -> list[tuple[int, Span]]:
        """List the spans of other drives that give *span* of *drive*, or all of its rows; UserError if data is lost."""
        wanted = []
        for others in self._others(drive, span):
            if len(others) < self._row_needs:
                raise UserError(f"{self.name}: data of drive {drive} is lost, for too many of the others have failed")
            wanted += others if whole else others[: self._row_needs]
        return wanted

    def _compute(self, drive: int, span: Span, account: Account, then: Callable[[Request], None]) -> None:
        wanted = self.sources(drive, span)

        def read(request: Request) -> None:
            self.lost += self.members.draw_read_error(request)
            count_down(request)

        count_down = CountDown(len(wanted), then)
        for each, there in wanted:
            self.members.ask(each, READ, there, account, read)

    # Writes: once the bitmap has their bits, to all copies, or through the stripe cache.

    def _write(self, request: Request) -> None:
        if self.bitmap is None:
            self._write_members(request)
        else:
            self.bitmap.begin(self._regions(request.access.span), partial(self._write_members, request))

    def _write_members(self, request: Request) -> None:
        access, end = request.access, partial(self._end, request)
        if self.stripes is not None:
            self.stripes.write(access, end)
            return
        wanted = list(self._copies(access.span))
        task = Branches(len(wanted), end)
        for drive, span in wanted:
            self.members.ask(drive, WRITE, span, access.account, task.one, access.durable)

    def _regions(self, span: Span) -> range:
        """Return the regions of *span* in the bitmap, which are of the drives with parity, and else of the array."""
        first, end = span.first, span.end
        if not isinstance(self.layout, AnyCopies):
            rows = [(each.chunk // self.layout.data * self.chunk + each.offset, each.length)
                    for each in fragments(span, self.chunk)]  # fmt: skip
            first, end = min(at for at, _ in rows), max(at + length for at, length in rows)
        return range(first // self.kind.bitmap, (end - 1) // self.kind.bitmap + 1)

    def _copies(self, span: Span) -> Iterator[tuple[int, Span]]:
        """All copies of *span* on drives that have not failed. UserError where a chunk has none."""
        layout = self.layout
        assert isinstance(layout, AnyCopies), "parity has no copies"
        for chunk, offset, length in fragments(span, self.chunk):
            places = [(drive, Span(row * self.chunk + offset, length)) for drive, row in layout.places(chunk)]
            readable = [place for place in places if self.members.is_readable(place[0], place[1].end)]
            if not readable:
                raise UserError(f"{self.name}: data is lost, for all drives with chunk {chunk} have failed")
            yield from readable

    def flush(self, span: Span) -> Wait:
        """Wait for the writes to *span* that are under way, and until the members have them on their media."""
        yield from [request for request in self._writes if request.access.span.overlaps(span)]
        for drive, there in self._rows(span):
            if self.members.is_readable(drive, there.end):
                yield from self.members.flush(drive, there)

    def _rows(self, span: Span) -> Iterator[tuple[int, Span]]:
        layout, first, last = self.layout, span.first // self.chunk, (span.end - 1) // self.chunk
        if isinstance(layout, AnyCopies):
            begin, end = layout.places(first)[0][1], layout.places(last)[-1][1]
        else:
            begin, end = first // layout.data, last // layout.data
        there = Span(begin * self.chunk, (end - begin + 1) * self.chunk)
        yield from ((drive, there) for drive in range(self.kind.drives))

    def discard(self, span: Span) -> None:
        """Pass the discard on to whole copies; with parity ignore it, as md does, because parity would become wrong."""
        if isinstance(self.layout, AnyCopies):
            for drive, there in self._copies(span):
                self.members.discard(drive, there)

    def fail(self, drive: int) -> None:
        """Fail the drive number *drive*: from now on the array is degraded. UserError where data is lost."""
        self.members.fail(drive)

    def busy(self) -> float:
        """Return the sum of the members' busy seconds."""
        return sum(drive.busy() for drive in self.members.drives)

    def check(self) -> None:
        """Check Little's law."""
        if not self.under_way.now:
            agree(f"{self.name}: Little's law", self._seconds, self.under_way.seconds(), self.under_way.entered,
                  self.env.now)  # fmt: skip

    def reading(self) -> dict[str, float]:
        names = ("reads", "writes", "bytes_read", "bytes_written", "degraded_reads", "corrected", "lost",
                 "rebuilt_bytes")
        entered, seconds = self.under_way.entered, self.under_way.seconds()
        counts = {"issued": float(entered), "completed": float(entered - self.under_way.now), "number_seconds": seconds}
        counts |= {name: float(getattr(self, name)) for name in names}
        if self.stripes is not None:
            counts |= {way: float(self.stripes.ways[way]) for way in WAYS} | {"waits": float(self.stripes.waits)}
        if self.bitmap is not None:
            counts["bitmap_writes"] = float(self.bitmap.written)
        counts |= self.rebuilds.reading()
        return {**counts, "read_errors": float(self.members.read_errors), "busy": self.busy()}


def _at_once(then: Then) -> None:
    then()


def _join_neighbours(spans: Iterable[tuple[int, Span]]) -> Iterator[tuple[int, Span]]:
    last: dict[int, Span] = {}
    for drive, span in spans:
        before = last.get(drive)
        if before is not None and before.end == span.first:
            last[drive] = Span(before.first, before.length + span.length)
            continue
        if before is not None:
            yield drive, before
        last[drive] = span
    yield from last.items()


def drive_or_array(
    env: simpy.Environment, sheet: DriveType, kind: RaidType | None, name: str = "drive"
) -> dict[str, Drive | Raid]:
    """Build a drive of *sheet*, or an array of them if *kind* is given; by name, first the one that takes requests."""
    if kind is None:
        return {name: drive_of(env, sheet, name=name)}
    names = [f"{name}{number}" for number in range(1, kind.drives + 1)]
    members = {each: drive_of(env, sheet, name=each) for each in names}
    return {name: Raid(env, kind, [*members.values()], name), **members}


# The rebuild of drives that failed, by md_do_sync (md.c) of Linux 4.1 and later, which changed how it gives way: while
# the host asks, and the rebuild is faster than speed_limit_min, it waits after each window until all that it asked for
# is done. Before 4.1 it slept until it was slower than that. All drives that are missing are rebuilt at once. Not
# followed: that reads go to a spare only as far as it was said in the superblock, every sixteenth or five minutes.

MIN_REBUILD_RATE, MAX_REBUILD_RATE = 1000 * KIB, 200_000 * KIB
"""Bytes a second of a rebuild by md's speed_limit_min and speed_limit_max: with requests of the host, and without."""
REBUILD_REQUEST, SYNC_WINDOW = 512 * KIB, 128 * KIB
"""Bytes of a request of a rebuild, as the block layer joins its pages (max_sectors_kb), and of md_do_sync's window."""
COPIES_AHEAD = 2 * MIB
"""Bytes under way in a rebuild from copies: RESYNC_WINDOW of raid1.c. A rebuild from parity fills the stripe cache."""
SPEED_MARKS, MARK_STEP, REBUILD_NAP = 10, 3.0, 0.5
"""SYNC_MARKS and SYNC_MARK_STEP: speed is taken since the oldest mark. Seconds of sleep at the highest speed."""


def rebuild(
    raid: Raid, drive: int, spare: Member, slowest: float = MIN_REBUILD_RATE, fastest: float = MAX_REBUILD_RATE,
    unit: int = REBUILD_REQUEST,
) -> Wait:
    """Put *spare* in the place of number *drive*, which failed, and write the computed data on it; a process.

    Faster than *slowest* it pauses while the host has requests, and it is never faster than *fastest*; bytes a second.
    """
    if not 0.0 < slowest <= fastest or unit < raid.kind.page:
        raise UserError(f"{raid.name}: a rebuild needs positive speeds and a unit of a page at least")
    raid.members.replace(drive, spare)
    yield from _recover(raid, [drive], slowest, fastest, unit)


class Rebuilds:
    """The rebuilds of an array: the bytes that they are to write, and the seconds that they have taken until now."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._bytes = 0
        self._seconds = 0.0
        self._under_way: list[float] = []
        """The instants at which the rebuilds began that are not done."""

    def begin(self, size: int) -> None:
        self._bytes += size
        self._under_way.append(self._env.now)

    def end(self, began: float) -> None:
        self._under_way.remove(began)
        self._seconds += self._env.now - began

    def reading(self) -> dict[str, float]:
        """Its counters; none without a rebuild."""
        seconds = self._seconds + sum(self._env.now - began for began in self._under_way)
        return {"bytes_to_rebuild": float(self._bytes), "rebuilding": seconds} if self._bytes else {}


class _Progress:
    """Bytes *done* of a rebuild, and its speed since the mark of half a minute ago."""

    def __init__(self, env: simpy.Environment) -> None:
        self.done = 0
        self._env = env
        self._marks = deque([(env.now, 0)], SPEED_MARKS)

    def speed(self) -> float:
        """Bytes a second, which md counts as whole ones from 1 on."""
        now = self._env.now
        if now >= self._marks[-1][0] + MARK_STEP:
            self._marks.append((now, self.done))
        began, before = self._marks[0]
        return (self.done - before) / (int(now - began) + 1)


def _recover(raid: Raid, drives: Sequence[int], slowest: float, fastest: float, unit: int = REBUILD_REQUEST) -> Wait:
    """Compute the data of failed *drives*, unit by unit, and write them on the spares in their places."""
    progress, copies, first, asked = _Progress(raid.env), deque[tuple[Span, simpy.Event]](), 0, 0
    began = raid.env.now
    raid.rebuilds.begin(raid.members.capacity * len(drives))
    max_under_way = raid.kind.stripes * raid.kind.page if raid.stripes else COPIES_AHEAD
    while first < raid.members.capacity or copies:
        speed, shares = progress.speed(), raid.under_way.entered > asked or raid.under_way.now > 0
        gives_way, asked = shares and speed > slowest, raid.under_way.entered
        length = min(unit, SYNC_WINDOW if gives_way else unit, raid.members.capacity - first)
        if copies and (gives_way or not length or first + length - copies[0][0].first > max_under_way):
            span, copied = copies.popleft()
            yield copied
            progress.done = span.end
            raid.rebuilt_bytes += span.length * len(drives)
            for drive in drives:
                raid.members.rebuilt(drive, span.end)
        elif speed > fastest:
            yield pause(raid.env, REBUILD_NAP)
        else:
            copies.append((Span(first, length), _copy(raid, drives, Span(first, length))))
            first += length
    raid.rebuilds.end(began)


def _copy(raid: Raid, drives: Sequence[int], span: Span) -> simpy.Event:
    """Compute *span* of *drives* from the others and write it; return the event of the end."""
    done, account = raid.env.event(), Account("rebuild")

    def end(_: Request) -> None:
        done.succeed()

    def write(_: object) -> None:
        count_down = CountDown(len(drives), end)
        for drive in drives:
            raid.members.ask(drive, WRITE, span, account, count_down)

    # While md syncs rows with parity it reads all of them (need_this_block, raid5.c).
    raid.read_sources(drives, span, account, write, whole=raid.stripes is not None)
    return done
