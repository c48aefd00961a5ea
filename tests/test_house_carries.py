"""What the systems to come will ask of sim/, each in about thirty lines of its own: nothing in sim/ is bent for it."""

import csv
import gzip
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

import pytest
import simpy

from sim.account import Account, Phase
from sim.cache.block_cache import BlockCache
from sim.cache.overhead import CpuOverhead
from sim.cache.posts import FreePosts, Posts, SerialPosts
from sim.cache.read_ahead import Sequential
from sim.clock import Wait, pause, succeed_after
from sim.cpu import FcfsCpu
from sim.disc.drive import Drive
from sim.disc.layout import uniform
from sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from sim.disc.scheduling import Sptf
from sim.disc.seek import LinearSeek
from sim.disc.virtual import FixedService
from sim.eviction.arc import Arc
from sim.eviction.clock import Clock
from sim.eviction.lfu import Lfu
from sim.eviction.lru import Lru
from sim.eviction.policy import EvictionPolicy
from sim.memory import SharedMemory
from sim.request import Access, Hint, Op, Request, Service, Span, access, wait_for
from sim.units import MS, US

SECTOR = 512
PAGE = 4096
# A revolution of 16 ms, a sector of 1 ms, d cylinders in 1 + d ms. A cylinder has 32 sectors.
DISC = DiscType("sixteen", uniform(10, 2, 16, SECTOR), 3750, LinearSeek(1 * MS, 10 * MS, 10))


def sectors(op: Op, first: int, count: int = 1, account: Account | None = None) -> Access:
    return access(op, first * SECTOR, count * SECTOR, account or Account("somebody"))


def ms(seconds: float) -> float:
    return round(seconds / MS, 6)


def spent(account: Account) -> dict[str, float]:
    """The milliseconds of *account* by part, where there are any."""
    return {part.name.lower(): ms(account.seconds[part]) for part in Phase if account.seconds[part]}


def scheduled(env: simpy.Environment) -> int:
    """How many events have been put on the clock so far."""
    return int(repr(env._eid)[len("count("):-1])


# A working set that is trimmed, and pages that come back by a soft fault --------------------------------


class WorkingSet:
    """Pages in use are pinned; a trimmed one stays in memory as long as nobody needs its room."""

    def __init__(self, memory: SharedMemory, drive: Drive) -> None:
        self._memory = memory
        self._drive = drive
        self.pages: deque[int] = deque()
        self.soft = self.hard = 0

    def use(self, page: int, account: Account) -> Wait:
        if page in self.pages:
            return
        if page in self._memory:
            self.soft += 1
            self._memory.pin(page)
        else:
            self.hard += 1
            yield from self._memory.claim(self, page, PAGE, account)
            yield from self._drive.read(access(Op.READ, page * PAGE, PAGE, account))
        self.pages.append(page)

    def trim(self, count: int) -> None:
        for _ in range(count):
            page = self.pages.popleft()
            self._memory.touch(page)
            self._memory.unpin(page)

    def surrender(self, key: Hashable) -> None:
        return None

    def forget(self, key: Hashable) -> None:
        assert key not in self.pages


def test_a_trimmed_page_comes_back_by_a_soft_fault(env: simpy.Environment, log: list[object]) -> None:
    drive, account = Drive(env, FixedService(10 * MS)), Account("process")
    pages = WorkingSet(SharedMemory(env, 3 * PAGE, Lru()), drive)

    def process() -> Wait:
        for use, trim in ((0, 0), (1, 0), (2, 2), (0, 0), (3, 0), (2, 1), (1, 0), (3, 0)):
            yield from pages.use(use, account)
            pages.trim(trim)
            log.append((ms(env.now), use, pages.hard, pages.soft))

    env.process(process())
    env.run()
    # 0 and 1 are trimmed, 0 comes back without the disc, 3 takes the room of 1; 2 is trimmed for 1, which is lost.
    assert log == [
        (10, 0, 1, 0), (20, 1, 2, 0), (30, 2, 3, 0), (30, 0, 3, 1), (40, 3, 4, 1), (40, 2, 4, 1), (50, 1, 5, 1),
        (50, 3, 5, 1),
    ]
    assert drive.reading()["reads"] == 5
    assert spent(account) == {"overhead": 50}


# One byte at a time through stdio, over pages, over sectors ---------------------------------------------


def test_single_bytes_through_stdio_over_pages_over_sectors(env: simpy.Environment) -> None:
    cpu, drive, account = FcfsCpu(env), Drive(env, DISC), Account("getc")
    kernel = BlockCache(env, drive, PAGE, SharedMemory(env, 16 * PAGE, Lru()), name="kernel",
                        overhead=CpuOverhead(cpu, 100 * US, 0.0))
    stdio = BlockCache(env, kernel, PAGE, SharedMemory(env, PAGE, Lru()), name="stdio",
                       overhead=CpuOverhead(cpu, 1 * US, 0.0))
    file = Span(0, 3 * PAGE)

    def reader() -> Wait:
        for position in range(10_000):
            yield from stdio.read(access(Op.READ, position, 1, account, within=file))

    env.process(reader())
    env.run()
    # Page 0 until 8 ms, 0.1 in the kernel, 4096 bytes until 12.196; page 1 begins at 24, page 2 at 48, 1808 bytes.
    assert ms(env.now) == 57.908
    assert spent(account) == {"cache": 10.3, "rotation": 23.608, "transfer": 24}
    assert (drive.counts.reads, drive.counts.bytes_read) == (3, 3 * 8 * SECTOR)
    assert cpu.bursts == 10_000 + 3
    assert (stdio.hits, stdio.misses, kernel.hits, kernel.misses) == (9_997, 3, 0, 3)
    # A fill is the disc's event, the kernel's burst, and the beginning, the end and the result of its process.
    assert scheduled(env) == 10_000 + 3 * 5 + 2


# A bus that is busy when the sector arrives -------------------------------------------------------------


@dataclass
class Bus:
    """Carries one transfer at a time."""

    free_at: float = 0.0


class DriveOnBus:
    """A drive without a buffer: when its sector arrives and the *bus* is busy, it tries again a revolution later."""

    def __init__(self, env: simpy.Environment, disc: DiscType, bus: Bus) -> None:
        self._env, self._bus, self._revolution = env, bus, disc.revolution
        self._mechanism = MovingArm(disc)
        self._arm = ArmPosition(0, 0)
        self._queue: deque[Request] = deque()

    def start(self, access: Access) -> Request:
        request = Request(self._env, access)
        request.callbacks.append(self._next)
        self._queue.append(request)
        if len(self._queue) == 1:
            self._serve()
        return request

    def _serve(self) -> None:
        request, now = self._queue[0], self._env.now
        op, span = request.access.op, request.access.span
        service, self._arm = self._mechanism.serve(self._arm, now, op, span, now - request.submitted)
        self._connect_after(service.total - service.transfer, service)

    def _connect_after(self, seconds: float, service: Service) -> None:
        pause(self._env, seconds).callbacks.append(lambda _: self._connect(service))

    def _connect(self, service: Service) -> None:
        if self._bus.free_at > self._env.now:
            missed = service._replace(channel=service.channel + self._revolution)
            self._connect_after(self._revolution, missed)
        else:
            self._bus.free_at = self._env.now + service.transfer
            succeed_after(self._queue[0], service.transfer, service)

    def _next(self, _: Request) -> None:
        self._queue.popleft()
        if self._queue:
            self._serve()

    def read(self, access: Access) -> Wait:
        yield from wait_for(self.start(access), access.account)


def test_a_busy_bus_costs_revolutions(env: simpy.Environment, log: list[object]) -> None:
    bus = Bus()
    one, other = DriveOnBus(env, DISC, bus), DriveOnBus(env, DISC, bus)

    def reader(name: str, drive: DriveOnBus, first: int, count: int) -> Wait:
        account = Account(name)
        yield from drive.read(sectors(Op.READ, first, count, account))
        assert account.total() == pytest.approx(env.now, rel=1e-12)
        log.append((ms(env.now), name, spent(account)))

    for name, drive, first, count in (("a", one, 2, 2), ("b", other, 3, 1), ("c", one, 2, 2), ("d", other, 5, 1)):
        env.process(reader(name, drive, first, count))
    env.run()
    # The one uses the bus from 2 to 4 and from 18 to 20; the other's sector passes at 3, 19 and 35.
    assert log == [
        (4, "a", {"rotation": 2, "transfer": 2}),
        (20, "c", {"queue": 4, "rotation": 14, "transfer": 2}),
        (36, "b", {"rotation": 3, "transfer": 1, "channel": 32}),
        (38, "d", {"queue": 36, "rotation": 1, "transfer": 1}),
    ]


# A write that is reported when it is in the drive's buffer ----------------------------------------------


class ImmediateReport:
    """A drive that reports a write *seconds* after it was asked for, when its buffer has the bytes."""

    def __init__(self, drive: Drive, seconds: float) -> None:
        self._drive = drive
        self._seconds = seconds
        self._coming: list[Request] = []

    def start(self, access: Access) -> Request:
        if access.op is Op.READ:
            return self._drive.start(access)
        request = Request(self._drive.env, access)
        request.callbacks.append(self._buffered)
        self._coming.append(request)
        succeed_after(request, self._seconds, Service(0.0, 0.0, 0.0, 0.0, 0.0, self._seconds))
        return request

    def _buffered(self, request: Request) -> None:
        self._coming.remove(request)
        self._drive.start(request.access)

    def read(self, access: Access) -> Wait:
        yield from self._drive.read(access)

    def write(self, access: Access) -> Wait:
        yield from wait_for(self.start(access), access.account)

    def flush(self, span: Span) -> Wait:
        for request in [request for request in self._coming if request.access.span.overlaps(span)]:
            if not request.processed:
                yield request
        yield from self._drive.flush(span)

    def discard(self, span: Span) -> None:
        self._drive.discard(span)


def test_an_immediate_report_is_not_the_medium(env: simpy.Environment, log: list[object]) -> None:
    drive, account = Drive(env, DISC), Account("writer")
    buffered = ImmediateReport(drive, 0.5 * MS)
    cache = BlockCache(env, buffered, SECTOR, SharedMemory(env, 8 * SECTOR, Lru()))

    def writer() -> Wait:
        yield from cache.write(sectors(Op.WRITE, 5, account=account))
        log.append((ms(env.now), "reported", drive.counts.writes))
        yield from cache.write(sectors(Op.WRITE, 9, account=account)._replace(durable=True))
        log.append((ms(env.now), "on the medium", drive.counts.writes))
        buffered.start(sectors(Op.WRITE, 12))
        yield from buffered.flush(Span(0, 16 * SECTOR))
        log.append((ms(env.now), "flushed", drive.counts.writes))

    env.process(writer())
    env.run()
    # Sector 5 is on the medium at 6, sector 9 at 10, sector 12 at 13.
    assert log == [(0.5, "reported", 0), (10, "on the medium", 2), (13, "flushed", 3)]
    assert spent(account) == {"write_wait": 9, "channel": 1}


# A serial write queue over a drive that would reorder it ------------------------------------------------


@pytest.mark.parametrize(
    ("posting", "order"),
    [
        (FreePosts, [(3, "one", 2), (4, "one", 3), (5, "other", 4), (10, "one", 9)]),
        (SerialPosts, [(3, "one", 2), (10, "one", 9), (21, "other", 4), (36, "one", 3)]),
    ],
)
def test_serial_posts_over_sptf(
    env: simpy.Environment, posting: Callable[[simpy.Environment], Posts], order: list[object]
) -> None:
    posts, done = posting(env), []
    drives = {name: Drive(env, DISC, Sptf(), name) for name in ("one", "other")}

    def post(name: str, sector: int) -> None:
        posts.post(drives[name], sectors(Op.WRITE, sector), lambda: done.append((ms(env.now), name, sector)))

    for name, sector in (("one", 2), ("one", 9), ("other", 4), ("one", 3)):
        post(name, sector)
    env.run()
    assert done == order


# CLOCK where every region is pinned or dirty ------------------------------------------------------------


class DirtyOwner:
    """An owner all of whose regions but the *clean* ones must be written before they go."""

    def __init__(self, drive: Drive, clean: set[Hashable]) -> None:
        self._drive = drive
        self._clean = clean
        self.lost: list[Hashable] = []

    def surrender(self, key: Hashable) -> Wait | None:
        return None if key in self._clean else self._drive.write(access(Op.WRITE, 0, PAGE, Account("cleaner")))

    def forget(self, key: Hashable) -> None:
        self.lost.append(key)


def test_clock_where_everything_is_pinned_or_dirty(env: simpy.Environment, log: list[object]) -> None:
    memory = SharedMemory(env, 3 * PAGE, Clock())
    owner = DirtyOwner(Drive(env, FixedService(10 * MS)), {"a"})

    def claimant(key: str) -> Wait:
        account = Account(key)
        yield from memory.claim(owner, key, PAGE, account)
        assert account.total() == pytest.approx(env.now)
        log.append((ms(env.now), key))

    for key in "abc":
        env.process(claimant(key))
    env.run()
    memory.unpin("b")
    memory.unpin("c")
    for key in "bc":
        memory.touch(key)
    for key in "def":
        env.process(claimant(key))
    env.run(until=25 * MS)
    # d waits until b was written, e until c was; f can wait for nothing but an unpinning, here of a, which is clean.
    assert log == [(0, "a"), (0, "b"), (0, "c"), (10, "d"), (20, "e")]
    assert owner.lost == ["b", "c"]
    memory.unpin("a")
    env.run()
    assert log[5:] == [(25, "f")]
    assert owner.lost == ["b", "c", "a"]
    assert memory.used == 3 * PAGE


# Two readers who join one read-ahead --------------------------------------------------------------------


def test_two_readers_share_one_read_ahead(env: simpy.Environment, log: list[object]) -> None:
    drive = Drive(env, DISC)
    cache = BlockCache(env, drive, PAGE, SharedMemory(env, 8 * PAGE, Lru()), Sequential(2 * PAGE))

    def reader(name: str, at: float, pages: tuple[int, ...], hint: Hint) -> Wait:
        for page in pages:
            yield env.timeout(at * MS - env.now)
            began, account = env.now, Account(name)
            asked = access(Op.READ, page * PAGE, PAGE, account, within=Span(0, 3 * PAGE))
            yield from cache.read(asked._replace(stream=name, hint=hint))
            assert account.total() == pytest.approx(env.now - began, rel=1e-12)
            log.append((ms(env.now), name, page, spent(account)))
            at += 10

    env.process(reader("one", 0, (0, 1), Hint.SEQUENTIAL))
    env.process(reader("other", 22, (2,), Hint.NONE))
    env.run()
    # Page 0 until 8. The read-ahead of pages 1 and 2 is asked for with it, and follows it without a pause until 24.
    assert log == [
        (8, "one", 0, {"transfer": 8}),
        (24, "one", 1, {"transfer": 14}),
        (24, "other", 2, {"transfer": 2}),
    ]
    assert (cache.misses, cache.late_hits, cache.hits, cache.fetched_ahead) == (1, 2, 0, 2)
    assert drive.counts.reads == 2


# Policies in a memory that nobody ever waits for --------------------------------------------------------


class Replay:
    """An owner of regions of one byte each, who counts how often the wanted one is in memory."""

    def __init__(self, memory: SharedMemory) -> None:
        self._memory = memory
        self._account = Account("replay")
        self.hits = 0

    def refer(self, block: int) -> None:
        if block in self._memory:
            self.hits += 1
            self._memory.touch(block)
            return
        for event in self._memory.claim(self, block, 1, self._account):
            raise AssertionError(f"nothing is dirty or pinned, but a claim waits for {event}")
        self._memory.unpin(block)

    def surrender(self, key: Hashable) -> None:
        return None

    def forget(self, key: Hashable) -> None:
        assert key not in self._memory


@pytest.fixture(scope="module")
def oltp(shared: Path) -> list[int]:
    """The blocks of 512 bytes that a data base asked for."""
    with gzip.open(shared / "data" / "traces" / "arc_oltp.csv.gz", "rt") as lines:
        next(lines)
        requests = [(int(first), int(count)) for _, first, count, _ in (line.split(",") for line in lines)]
    return [block for first, count in requests for block in range(first, first + count)]


@pytest.mark.parametrize(("kind", "column"), [(lambda: Arc(2000), "ARC_hits"), (Lfu, "LFU_hits")], ids=["Arc", "Lfu"])
def test_hits_on_oltp_in_shared_memory(
    env: simpy.Environment, shared: Path, oltp: list[int], kind: Callable[[], EvictionPolicy], column: str
) -> None:
    with (shared / "data" / "traces" / "truth_arc_oltp.csv").open() as lines:
        truth = {row["cache_blocks"]: int(row[column]) for row in csv.DictReader(lines)}
    memory = SharedMemory(env, 2000, kind(), uniform=1)
    replay = Replay(memory)
    for block in oltp:
        replay.refer(block)
    assert replay.hits == truth["2000"]
    assert memory.claims == 914_145 - replay.hits
    assert memory.evictions == memory.claims - 2000
