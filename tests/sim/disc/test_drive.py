"""Tests a drive on SimPy's clock: the order and times of answers, the counters, and one event for each access."""

from dataclasses import replace

import pytest
import simpy

from spindle.sim.clock import Account, Ledger, Phase
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import CLook, CScan, Look, ReadsFirst, Scan, Sptf, Sstf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import Access, AccessTiming, Op, Request, Span, access, wait_for
from spindle.sim.streams import Exponential, stream
from spindle.sim.units import MS

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms.
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10))


def of(cylinder: int, sector: int, op: Op = Op.READ, sectors: float = 1, account: Account | None = None) -> Access:
    first = (cylinder * 20 + sector) * 100
    return access(op, first, int(sectors * 100), Account("test") if account is None else account)


def scheduled(env: simpy.Environment) -> int:
    """How many events have been put on the clock so far."""
    return int(repr(env._eid)[len("count("):-1])


def test_three_in_a_row(env: simpy.Environment, log: list[object]) -> None:
    drive = Drive(env, TEN)

    def reader(cylinder: int, sector: int) -> simpy.events.ProcessGenerator:
        yield from drive.read(of(cylinder, sector))
        log.append((round(env.now / MS, 9), cylinder))

    for place in ((0, 2), (3, 5), (0, 0)):
        env.process(reader(*place))
    env.run()
    # 2 + 1; then a seek of 4 from 3 until 7, sector 5 at 15, done at 16; a seek until 20, where sector 0 begins.
    assert log == [(3, 0), (16, 3), (21, 0)]


def test_value_is_the_service_with_its_queue(env: simpy.Environment) -> None:
    drive = Drive(env, replace(TEN, overhead=2 * MS))
    first, second = drive.start(of(0, 2)), drive.start(of(3, 5))
    env.run()
    assert first.value == pytest.approx(AccessTiming(0, 2 * MS, 0, 0, 1 * MS, 0))
    assert second.value == pytest.approx(AccessTiming(3 * MS, 2 * MS, 4 * MS, 6 * MS, 1 * MS, 0))
    assert drive.arm == (3, 0)


def test_the_arm_is_over_the_first_track_when_the_drive_is_switched_on(env: simpy.Environment) -> None:
    first = Drive(env, replace(TEN, head_switch=2 * MS)).start(of(0, 0))
    env.run()
    assert first.value == AccessTiming(0, 0, 0, 0, pytest.approx(1 * MS), 0)


class Early(FixedService):
    """Takes half a second and a tenth a sector, but has everything on the medium only at 5 s."""

    def settled_at(self) -> float:
        return 5.0


def test_a_durable_write_is_done_when_it_is_on_the_medium(env: simpy.Environment, log: list[object]) -> None:
    drive = Drive(env, Early(0.5, 0.001))

    def asker(at: float, op: Op, durable: bool) -> simpy.events.ProcessGenerator:
        yield env.timeout(at)
        yield drive.start(of(0, 0, op)._replace(durable=durable))
        log.append((round(env.now, 9), op, durable))

    for at, op, durable in ((0.0, Op.WRITE, False), (1.0, Op.READ, True), (2.0, Op.WRITE, True), (6.0, Op.WRITE, True)):
        env.process(asker(at, op, durable))
    env.run()
    assert log == [(0.6, Op.WRITE, False), (1.6, Op.READ, True), (5.0, Op.WRITE, True), (6.6, Op.WRITE, True)]


@pytest.mark.parametrize("scheduler", [Fcfs, Sstf, Scan, CScan, Look, CLook, ReadsFirst, Sptf])
def test_one_event_for_each_access(env: simpy.Environment, scheduler: type) -> None:
    drive = Drive(env, TEN, scheduler())
    for sector in range(0, 200, 7):
        drive.start(access(Op.WRITE if sector % 3 else Op.READ, sector * 100, 100, Account("test")))
    env.run()
    assert scheduled(env) == 29
    assert drive.reading()["completed"] == 29


def test_flush_and_discard_add_no_event(env: simpy.Environment, log: list[object]) -> None:
    drive = Drive(env, TEN)

    def flusher() -> simpy.events.ProcessGenerator:
        for sector in (5, 1, 3):
            drive.start(of(0, sector, Op.WRITE))
        drive.start(of(0, 4))
        drive.discard(Span(0, 20_000))
        before = scheduled(env)
        yield from drive.flush(Span(100, 50))
        log.append((round(env.now / MS, 9), "sector 1"))
        yield from drive.flush(Span(0, 400))
        log.append((round(env.now / MS, 9), "up to sector 3"))
        yield from drive.flush(Span(0, 20_000))
        log.append((round(env.now / MS, 9), "all"))
        log.append(scheduled(env) - before)

    env.process(flusher())
    env.run()
    # Sector 5 at 5 until 6, sector 1 at 11 until 12, sector 3 at 13 until 14. The last two requests are
    # scheduled while the flush waits; a read is nothing to flush.
    assert log == [(12, "sector 1"), (14, "up to sector 3"), (14, "all"), 3]


def test_flush_does_not_wait_for_what_comes_after_it(env: simpy.Environment, log: list[object]) -> None:
    drive = Drive(env, TEN)

    def flusher() -> simpy.events.ProcessGenerator:
        yield from drive.flush(Span(0, 20_000))
        log.append(round(env.now / MS, 9))

    drive.start(of(0, 1, Op.WRITE))
    env.process(flusher())
    env.run(until=1 * MS)
    drive.start(of(0, 2, Op.WRITE))
    env.run()
    assert log == [2]


def test_who_waits_is_charged_every_phase(env: simpy.Environment) -> None:
    account, ledger = Account("reader"), Ledger("writer")
    drive = Drive(env, replace(TEN, overhead=2 * MS))
    drive.start(of(0, 2))
    env.process(drive.read(of(3, 5, account=account)))
    env.process(drive.write(of(3, 7, Op.WRITE, account=ledger)))
    env.run()
    charged = {part: round(account.seconds[part] / MS, 9) for part in Phase if account.seconds[part]}
    assert charged == {Phase.QUEUE: 3, Phase.OVERHEAD: 2, Phase.SEEK: 4, Phase.ROTATION: 6, Phase.TRANSFER: 1}
    assert [part for part, _, _ in ledger.pieces] == [Phase.QUEUE, Phase.OVERHEAD, Phase.ROTATION, Phase.TRANSFER]
    assert ledger.total() == pytest.approx(env.now, abs=1e-12)


def test_who_joins_late_is_charged_the_rest(env: simpy.Environment) -> None:
    account = Account("late")
    drive = Drive(env, TEN)
    request = drive.start(of(3, 5))
    env.run(until=4.5 * MS)
    env.process(wait_for(request, account))
    env.run()
    assert account.seconds[Phase.SEEK] == 0.0
    assert account.seconds[Phase.ROTATION] == pytest.approx(0.5 * MS)
    assert account.seconds[Phase.TRANSFER] == pytest.approx(1 * MS)


def test_drive_is_served_before_who_waited_asks_again(env: simpy.Environment) -> None:
    drive = Drive(env, TEN)
    done: list[Request] = []

    def again() -> simpy.events.ProcessGenerator:
        for _ in range(2):
            request = drive.start(of(0, 0))
            yield request
            done.append(request)

    env.process(again())
    env.run(until=0.5 * MS)
    other = drive.start(of(0, 1))
    env.run()
    assert other.value.rotation == 0.0
    assert done[1].value.queue == pytest.approx(1 * MS)


def test_busy_time_and_phases_are_exact_at_any_instant(env: simpy.Environment) -> None:
    drive = Drive(env, replace(TEN, overhead=2 * MS))
    env.run(until=1 * MS)
    drive.start(of(3, 9))  # overhead until 3, seek until 7, rotation until 9, transfer until 10
    drive.start(of(3, 9))
    seen = {}
    for instant in (2, 5, 8, 9.5, 10):
        env.run(until=instant * MS)
        now = drive.reading()
        names = ("busy", "overhead", "seek", "rotation", "transfer", "queue", "number_seconds")
        seen[instant] = [round(now[name] / MS, 9) for name in names]
    assert seen == {
        2: [1, 1, 0, 0, 0, 1, 2],
        5: [4, 2, 2, 0, 0, 4, 8],
        8: [7, 2, 4, 1, 0, 7, 14],
        9.5: [8.5, 2, 4, 2, 0.5, 8.5, 17],
        10: [9, 2, 4, 2, 1, 9, 18],
    }
    assert drive.busy() == pytest.approx(9 * MS)
    assert drive.reading()["number_seconds"] == pytest.approx(18 * MS)


def test_counts(env: simpy.Environment) -> None:
    drive = Drive(env, TEN)
    for one in (of(0, 0), of(0, 1, sectors=2.5), of(1, 0, Op.WRITE, 2), of(2, 0, Op.WRITE, 1.5), of(3, 0, Op.WRITE)):
        drive.start(one)
    env.run(until=0.5 * MS)
    assert [drive.reading()[name] for name in ("issued", "completed", "reads")] == [5, 0, 0]
    env.run()
    reading = drive.reading()
    counted = {name: reading[name] for name in list(reading)[:7]}
    assert counted == {"issued": 5, "completed": 5, "reads": 2, "writes": 3, "partial_writes": 1,
                       "bytes_read": 350, "bytes_written": 450}
    assert all(type(value) is float for value in reading.values())


@pytest.mark.parametrize("scheduler", [Fcfs, Sstf, Scan, CScan, Look, CLook, ReadsFirst, Sptf])
def test_littles_law_holds_between_requests_and_integral(env: simpy.Environment, scheduler: type) -> None:
    drive = Drive(env, TEN, scheduler())
    random = stream(1, "arrivals")
    times = Exponential(9 * MS)
    requests: list[Request] = []

    def arrivals() -> simpy.events.ProcessGenerator:
        for _ in range(500):
            yield env.timeout(times.draw(random))
            requests.append(drive.start(of(int(random.random() * 10), int(random.random() * 10))))

    env.process(arrivals())
    env.run()
    reading = drive.reading()
    residence = sum(request.value.queue + request.value.total for request in requests)
    assert reading["number_seconds"] == pytest.approx(residence, rel=1e-10)
    assert reading["queue"] == pytest.approx(sum(request.value.queue for request in requests), rel=1e-9)
    phases = sum(reading[name] for name in ("overhead", "seek", "rotation", "transfer", "channel"))
    assert reading["busy"] == pytest.approx(phases, rel=1e-10)


@pytest.mark.parametrize(("first", "length"), [(-1, 10), (0, 0), (0, -5), (19_999, 2), (20_000, 1)])
def test_access_beyond_the_disc_is_refused(env: simpy.Environment, first: int, length: int) -> None:
    drive = Drive(env, TEN, name="disc 2")
    with pytest.raises(ValueError, match=f"disc 2: {length} bytes at {first} are not on a disc of 20000 bytes"):
        drive.start(access(Op.READ, first, length, Account("test")))
    assert drive.reading()["issued"] == 0.0
    drive.start(access(Op.READ, 19_999, 1, Account("test")))
    assert drive.reading()["issued"] == 1.0


def test_read_does_not_write(env: simpy.Environment) -> None:
    with pytest.raises(AssertionError, match="is not a read"):
        Drive(env, TEN).read(of(0, 0, Op.WRITE))
