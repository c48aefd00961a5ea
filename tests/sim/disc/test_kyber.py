"""Tests Linux's kyber scheduler by hand: tokens, batches, and depths that follow the latencies of requests."""

from collections.abc import Callable

import pytest
import simpy

from spindle.sim.clock import Account, happen
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType, Nand, nvme
from spindle.sim.disc.kyber import LATENCY_BUCKETS, Kyber, _Domain, _Latencies
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request, access
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MS, US

ARM = ArmPosition(0, 0)


class Host:
    """A queue, and a drive that ends requests when the test says so."""

    def __init__(self, queue: Kyber | None = None) -> None:
        self.env, self.queue = simpy.Environment(), Kyber() if queue is None else queue

    def add(self, op: Op, *places: int) -> None:
        for place in places:
            self.queue.add(Request(self.env, access(op, place, 1, Account("test"))))

    def take(self, count: int) -> list[Request]:
        return [self.queue.take(ARM, self.env.now) for _ in range(count)]

    def finish(self, *requests: Request) -> None:
        for request in requests:
            happen(request)

    def wait(self, seconds: float) -> None:
        self.env.run(self.env.timeout(seconds))

    def serve(self, op: Op, count: int, waits: float, takes: float, slow: int = 0) -> None:
        """Let *count* requests come together, wait in the host, and be in the drive for so long.

        The last *slow* of them are there for 19 ms more.
        """
        self.add(op, *range(count))
        self.wait(waits)
        taken = self.take(count)
        self.wait(takes)
        self.finish(*taken[: count - slow])
        if slow:
            self.wait(19 * MS)
            self.finish(*taken[count - slow :])

    def tokens(self, op: Op) -> int:
        """How many of *op* may be in the drive by now."""
        self.queue._look(self.env.now)
        return (self.queue._reads if op is READ else self.queue._writes).tokens


def firsts(requests: list[Request]) -> list[int]:
    return [each.access.span.first for each in requests]


def test_tokens_bound_what_is_in_the_drive() -> None:
    """256 reads and 128 writes; who ends gives a token to one of the same direction."""
    host = Host()
    host.add(READ, *range(300))
    host.add(WRITE, *range(1000, 1200))
    taken = host.take(256 + 128)
    assert sorted(firsts(taken)) == [*range(256), *range(1000, 1128)]
    assert len(host.queue) == 0
    host.finish(taken[firsts(taken).index(1100)])
    assert len(host.queue) == 1
    assert firsts(host.take(1)) == [1128]
    host.finish(*(taken[firsts(taken).index(place)] for place in (7, 3)))
    assert firsts(host.take(2)) == [256, 257]
    assert len(host.queue) == 0


def test_a_batch_is_sixteen_reads_or_eight_writes() -> None:
    host = Host()
    host.add(READ, *range(20))
    host.add(WRITE, *range(100, 120))
    expected = [*range(16), *range(100, 108), *range(16, 20), *range(108, 120)]
    assert firsts(host.take(40)) == expected
    host.add(WRITE, 200)
    assert firsts(host.take(1)) == [200], "the batch of who is alone begins anew"


def test_a_direction_without_tokens_ends_its_batch() -> None:
    host = Host()
    host.add(WRITE, *range(100, 300))
    host.take(127)
    host.add(READ, 1, 2)
    assert firsts(host.take(3)) == [227, 1, 2]


def test_requests_that_came_first_go_first() -> None:
    host = Host()
    host.add(READ, 9, 2, 5)
    assert firsts(host.take(3)) == [9, 2, 5]


@pytest.mark.parametrize(("reads", "writes", "tokens"), [
    (1.99, 2.49, 128),  # 90 % of the reads within their target: the drive is not congested
    (2.01, 2.49, 32), (2.01, 2.51, 64), (2.01, 7.49, 96), (2.01, 10.0, 128), (2.01, 99.0, 128),
])  # fmt: skip
def test_writes_of_a_congested_drive_lose_tokens_by_how_quick_they_are(
    reads: float, writes: float, tokens: int
) -> None:
    """A quarter of the target leaves a quarter of the tokens, and so on."""
    host = Host()
    for _ in range(2):
        host.serve(READ, 250, 0.0, reads * MS)
    for _ in range(5):
        host.serve(WRITE, 100, 0.0, writes * MS)
    host.wait(1.0)
    assert (host.tokens(WRITE), host.tokens(READ)) == (tokens, 256)


def test_time_in_the_host_makes_no_congestion_and_keeps_tokens() -> None:
    """Writes that were in the drive for 1 ms but came 8 ms before lose none."""
    waiting = Host()
    for _ in range(2):
        waiting.serve(READ, 250, 8 * MS, 1 * MS)
    waiting.wait(1.0)
    assert waiting.tokens(READ) == 256, "there are no more than these"
    host = Host()
    for _ in range(5):
        host.serve(WRITE, 100, 8 * MS, 1 * MS)
    for _ in range(2):
        host.serve(READ, 250, 0.0, 3 * MS)
    host.wait(1.0)
    assert host.tokens(WRITE) == 128


def host_of_writes(seconds: float) -> Host:
    """A host whose drive has served 500 writes, each in *seconds*."""
    host = Host()
    for _ in range(5):
        host.serve(WRITE, 100, 0.0, seconds)
    return host


def congest(host: Host) -> None:
    """Let 500 reads be in the drive for too long, and look."""
    for _ in range(2):
        host.serve(READ, 250, 0.0, 3 * MS)
    host.wait(0.2)


@pytest.mark.parametrize(("slow", "tokens"), [(25, [128, 128]), (26, [32, 8])])
def test_a_tenth_of_the_reads_may_take_longer_than_their_target(slow: int, tokens: list[int]) -> None:
    """Of 500 reads 50 or 52 are slow, twice."""
    host, seen = Host(), []
    for _ in range(2):
        for _ in range(20):
            host.serve(WRITE, 25, 0.0, 1 * MS)
        for _ in range(2):
            host.serve(READ, 250, 0.0, 1 * MS, slow)
        host.wait(0.2)
        seen.append(host.tokens(WRITE))
        host.wait(1.0)
    assert seen == tokens


@pytest.mark.parametrize(("slow", "tokens"), [(1, 32), (2, 128)])
def test_a_hundredth_of_the_writes_tells_their_tokens(slow: int, tokens: int) -> None:
    """Of 500 writes 5 or 10 are slow."""
    host = Host()
    for _ in range(5):
        host.serve(WRITE, 100, 0.0, 1 * US, slow)
    host.wait(0.2)
    congest(host)
    assert host.tokens(WRITE) == tokens


def test_one_token_is_left() -> None:
    """128, 32, 8, 2, 1."""
    host, seen = Host(), []
    for _ in range(6):
        while host.queue._writes._total.count < 500:
            host.serve(WRITE, 1, 0.0, 1 * US)
        congest(host)
        seen.append(host.tokens(WRITE))
    assert seen == [32, 8, 2, 1, 1, 1]


def test_a_direction_that_is_a_little_late_gets_a_quarter_more() -> None:
    host = host_of_writes(1 * MS)
    congest(host)
    host.wait(1.0)
    for _ in range(16):
        host.serve(WRITE, 32, 10 * MS, 1 * MS)
    host.wait(0.2)
    assert host.tokens(WRITE) == 40


def test_a_look_and_a_second_come_at_their_instants() -> None:
    """A look at 0.1 s finds one read, and that at 1.1 s is a second later."""
    host = Host()
    host.add(READ, *range(10))
    slow = host.take(10)
    for _ in range(5):
        host.serve(WRITE, 100, 0.0, 0.0)
    host.serve(READ, 1, 0.0, 0.0)
    host.env.run(1.0)
    assert host.tokens(WRITE) == 128
    host.finish(*slow)
    host.env.run(1.1)
    assert host.tokens(WRITE) == 32


def test_a_direction_that_waits_for_long_gets_tokens_back() -> None:
    """Down to a quarter; then writes that take more than 1.75 times their target, in the host, double what is left."""
    host = host_of_writes(1 * MS)
    congest(host)
    assert host.tokens(WRITE) == 32
    for _ in range(16):
        host.serve(WRITE, 32, 20 * MS, 1 * MS)
    host.wait(0.2)
    assert host.tokens(WRITE) == 64


def test_what_was_seen_of_writes_is_used_at_the_next_congestion_and_once() -> None:
    host = host_of_writes(4 * MS)
    host.wait(0.2)
    assert host.tokens(WRITE) == 128
    for _ in range(3):
        congest(host)
        assert host.tokens(WRITE) == 64


def test_a_look_forgets_what_both_directions_took() -> None:
    """Reads and writes were both too long in the drive, and each keeps its tokens; later only quick reads come."""
    host = host_of_writes(12 * MS)
    congest(host)
    assert (host.tokens(READ), host.tokens(WRITE)) == (256, 128)
    for _ in range(2):
        host.serve(READ, 250, 0.0, 0.4 * MS)
    host.wait(0.2)
    assert (host.tokens(READ), host.tokens(WRITE)) == (256, 128)


def test_few_latencies_count_a_second_after_a_look_has_found_them() -> None:
    host = host_of_writes(4 * MS)
    host.serve(READ, 10, 0.0, 3 * MS)
    host.wait(0.11)  # the first look is at 0.104 s
    for seconds in (0.9, 0.2):
        host.serve(READ, 1, 0.0, 3 * MS)
        assert host.tokens(WRITE) == 128
        host.wait(seconds)
    assert host.tokens(WRITE) == 64


@pytest.mark.parametrize("act", [lambda host, slow: host.add(WRITE, 100), lambda host, slow: host.finish(slow)],
                         ids=["one comes", "one is done"])  # fmt: skip
def test_a_look_that_is_due_is_had_before_the_next_act(act: Callable[[Host, Request], None]) -> None:
    """Of a hundred writes in the host 32 may go from then on."""
    host = host_of_writes(1 * MS)
    for _ in range(2):
        host.serve(READ, 250, 0.0, 3 * MS)
    host.add(READ, 7)
    [slow] = host.take(1)
    host.add(WRITE, *range(100))
    host.wait(0.2)
    assert len(host.queue) == 100
    act(host, slow)
    assert len(host.queue) == 32


def test_the_last_bucket_has_no_end() -> None:
    assert LATENCY_BUCKETS == 8
    host = Host(Kyber(read=1 * US, write=1 * US))
    for _ in range(2):
        host.serve(READ, 250, 0.0, 1.0)
    host.wait(1.0)
    assert host.tokens(READ) == 256


NAND = Nand(channels=8, ways=4, planes=1, blocks=64, pages=64, page_bytes=16 * KIB, read=50 * US, program=200 * US,
            erase=3 * MS, bus=4096 / US)
QUICK = FlashType("quick", NAND, nvme(4096 / (20 * US), 1 * US), 16384 * 4096, buffer=1024 * 4096)
"""A unit takes 20 us on the link, which is what limits it."""


def read_times(scheduler: Scheduler) -> list[float]:
    """Milliseconds of one read after another, while 255 writes are always under way, after the first second."""
    env = simpy.Environment()
    drive = FlashDrive(env, QUICK, scheduler)
    random = stream(1, "kyber")
    times: list[float] = []

    def go_on(op: Op) -> None:
        request = drive.start(access(op, int(random.random() * 16384) * 4096, 4096, Account("test")))

        def done(_: simpy.Event) -> None:
            if op is READ and env.now > 1.0:
                times.append((env.now - request.submitted) / MS)
            go_on(op)

        request.callbacks.append(done)

    for _ in range(255):
        go_on(WRITE)
    for _ in range(8):
        go_on(READ)
    env.run(3.0)
    assert not drive.faults()
    return times


def test_reads_beside_a_flood_of_writes_keep_their_target() -> None:
    """Behind 255 writes of 20 us a read takes 5.1 ms. 128 of them are still too many, and 96 are not."""
    flooded = sorted(read_times(Fcfs()))
    assert flooded[len(flooded) // 2] > 5.0
    kept = sorted(read_times(Kyber()))
    assert 1.5 < kept[len(kept) * 9 // 10] < 2.1
    assert len(kept) > 2 * len(flooded)
    strict = sorted(read_times(Kyber(read=1 * MS)))
    assert strict[len(strict) * 9 // 10] < 1.1


def test_who_ends_leaves_its_token_to_the_next() -> None:
    env = simpy.Environment()
    queue = Kyber()
    drive = FlashDrive(env, QUICK, queue)
    queue._writes.tokens = 1
    done = [drive.start(access(WRITE, place * 4096, 4096, Account("test"))) for place in range(4)]
    env.run()
    assert all(each.processed for each in done)
    assert len(queue) == drive.counts.in_service == 0


def test_more_than_one_may_go_at_once() -> None:
    """Tokens that a look gives back are used at the next completion, by all who wait."""
    env = simpy.Environment()
    queue = Kyber()
    drive = FlashDrive(env, QUICK, queue)
    queue._writes.tokens = 1
    done = [drive.start(access(WRITE, place * 4096, 4096, Account("test"))) for place in range(4)]
    assert (drive.counts.in_service, len(queue)) == (1, 0)
    queue._writes.tokens = 3
    env.run(done[0])
    env.run(env.timeout(1 * US))
    assert drive.counts.in_service == 3
    env.run()
    assert all(each.processed for each in done)


@pytest.mark.parametrize("make", [lambda: TaggedQueue(Kyber(), Sptf(), 4), lambda: DriveQueue(4).scheduler(Kyber())])
def test_a_drive_with_a_queue_of_its_own_has_no_kyber(make: object) -> None:
    with pytest.raises(UserError) as error:
        make()  # type: ignore[operator]
    assert str(error.value) == ("kyber counts all requests in the drive, and a drive with a queue takes some past it; "
                                "choose another scheduler, or a solid-state drive")


@pytest.mark.parametrize(("targets", "said"), [
    ({"read": 0.0}, "kyber: read 0.0 must be seconds, and more than 0"),
    ({"write": float("inf")}, "kyber: write inf must be seconds, and more than 0"),
])  # fmt: skip
def test_targets_are_positive(targets: dict[str, float], said: str) -> None:
    with pytest.raises(UserError) as error:
        Kyber(**targets)
    assert str(error.value) == said


def test_it_serves_one_drive() -> None:
    queue = Kyber()
    queue.attach(FixedService(1.0))
    with pytest.raises(UserError):
        queue.attach(FixedService(1.0))


def test_latencies_are_counted_by_quarters_of_the_target() -> None:
    latencies = _Latencies(4.0)
    for seconds in (0.0, 1.0, 1.5, 2.0, 7.5, 100.0):
        latencies.add(seconds)
    assert latencies._counts == [2, 2, 0, 0, 0, 0, 0, 2]
    assert (latencies.count, latencies.take_percentile(50), latencies.count) == (6, 1, 0)


def test_a_percentile_is_of_500_latencies_or_of_those_of_a_second() -> None:
    domain = _Domain(4.0, 256, 16)
    for _ in range(499):
        domain.finish(1.5, 1.5)
    assert domain._percentile(domain._in_drive, 90, 0.0) is None
    domain.finish(1.5, 1.5)
    assert domain._percentile(domain._in_drive, 90, 0.0) == 1
    domain.finish(1.5, 1.5)
    assert [domain._percentile(domain._in_drive, 90, now) for now in (5.0, 5.9, 6.0, 6.0, 8.0)] == [
        None, None, 1, None, None], "what nobody asked for has no percentile"
