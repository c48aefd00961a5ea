"""Tests spans, requests and arrivals that several processes wait for: each is charged the phases during its wait."""

from types import SimpleNamespace

import pytest
import simpy

from spindle.sim.clock import Account, Ledger, Phase, Wait, succeed_after
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import (
    BOUNDLESS,
    Access,
    AccessTiming,
    Arrival,
    Hint,
    Op,
    Request,
    Span,
    access,
    capacity_of,
    ledger_of,
    wait_for,
    work_behind,
)  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (Span(0, 10), Span(10, 5), False), (Span(0, 10), Span(9, 5), True), (Span(5, 1), Span(0, 100), True),
        (Span(0, 10), Span(20, 5), False),
    ],
)
def test_overlaps(one: Span, other: Span, overlap: bool) -> None:
    assert (one.overlaps(other), other.overlaps(one)) == (overlap, overlap)
    assert one.end == one.first + one.length


def test_an_access_of_its_own() -> None:
    account = Account("a")
    assert access(Op.READ, 5, 10, account) == Access(
        Op.READ, Span(5, 10), Span(5, 10), None, Hint.NONE, False, account
    )
    assert access(Op.WRITE, 5, 10, account, Span(0, 100)).within == Span(0, 100)


def spent(account: Account) -> dict[str, float]:
    return {part.name: account.seconds[part] for part in Phase if account.seconds[part]}


SERVICE = AccessTiming(queue=1.0, overhead=0.5, seek=2.0, rotation=0.0, transfer=0.25, channel=0.25)


def test_pieces_lie_one_after_the_other(env: simpy.Environment) -> None:
    request = Request(env, access(Op.READ, 0, 1, Account("a")))
    request.succeed(SERVICE)
    assert request.pieces() == [
        (Phase.QUEUE, 0.0, 1.0), (Phase.OVERHEAD, 1.0, 1.5), (Phase.SEEK, 1.5, 3.5),
        (Phase.TRANSFER, 3.5, 3.75), (Phase.CHANNEL, 3.75, 4.0),
    ]
    assert (SERVICE.total, request.cost()) == (3.0, 3.0)


def test_a_phase_of_no_length_is_no_charge(env: simpy.Environment) -> None:
    account = Account("a")
    request = Request(env, access(Op.READ, 0, 1, account))
    succeed_after(request, 4.0, SERVICE)
    env.process(wait_for(request, account))
    env.run()
    assert (account.total(), account.charges) == (4.0, 5)


def test_everybody_pays_from_when_he_joined(env: simpy.Environment, log: list[object]) -> None:
    request = Request(env, access(Op.READ, 0, 1, Account("a")))
    succeed_after(request, 4.0, SERVICE)

    def join(at: float) -> Wait:
        yield env.timeout(at)
        account = Account("")
        yield from wait_for(request, account)
        log.append((env.now, at, spent(account)))

    for at in (0, 1.25, 3.75, 4, 5):
        env.process(join(at))
    env.run()
    assert log == [
        (4, 0, {"QUEUE": 1.0, "OVERHEAD": 0.5, "SEEK": 2.0, "TRANSFER": 0.25, "CHANNEL": 0.25}),
        (4, 1.25, {"OVERHEAD": 0.25, "SEEK": 2.0, "TRANSFER": 0.25, "CHANNEL": 0.25}),
        (4, 3.75, {"CHANNEL": 0.25}),
        (4, 4, {}),
        (5, 5, {}),
    ]


@pytest.mark.parametrize(("joined", "cache"), [(0.0, 2.0), (1.5, 0.5)])
def test_work_of_many_accesses_is_shared_by_its_ledger(
    joined: float, cache: float, env: simpy.Environment
) -> None:
    ledger, account = Ledger("fetch"), Account("a")
    request = Request(env, access(Op.READ, 0, 1, ledger), ledger)

    def work() -> Wait:
        yield env.timeout(2)
        ledger.charge(Phase.CACHE, 0, 2)
        yield env.timeout(1)
        ledger.charge(Phase.MEMORY, 2, 3)
        request.succeed()

    def join() -> Wait:
        yield env.timeout(joined)
        yield from wait_for(request, account)

    env.process(work())
    env.process(join())
    env.run()
    assert (account.seconds[Phase.CACHE], account.seconds[Phase.MEMORY], account.total()) == (cache, 1.0, cache + 1.0)


def wait(env: simpy.Environment, arrival: Arrival, at: float, log: list[object]) -> Wait:
    yield env.timeout(at)
    account = Account("")
    yield from arrival.wait(env, account)
    assert account.total() == env.now - at
    log.append((env.now, at, spent(account)))


def test_room_first_and_then_the_disc(env: simpy.Environment, log: list[object]) -> None:
    drive, arrival = Drive(env, FixedService(5.0)), Arrival()
    env.timeout(3).callbacks.append(lambda _: arrival.start(drive.start(access(Op.READ, 0, 1, Account("")))))
    for at in (0, 1, 3, 6, 8, 9):
        env.process(wait(env, arrival, at, log))
    env.run()
    assert log == [
        (8, 3, {"OVERHEAD": 5}), (8, 0, {"MEMORY": 3, "OVERHEAD": 5}), (8, 1, {"MEMORY": 2, "OVERHEAD": 5}),
        (8, 6, {"OVERHEAD": 2}), (8, 8, {}), (9, 9, {}),
    ]


def test_nothing_to_bring(env: simpy.Environment, log: list[object]) -> None:
    arrival = Arrival()
    env.process(wait(env, arrival, 0, log))
    env.timeout(3).callbacks.append(lambda _: arrival.start(None))
    env.run()
    assert log == [(3, 0, {"MEMORY": 3})]


def test_a_device_that_tells_no_capacity_has_no_end() -> None:
    assert (capacity_of(SimpleNamespace(capacity=512)), capacity_of(SimpleNamespace())) == (512, BOUNDLESS)


def test_a_drive_in_anybodys_environment(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(0.25, capacity=1 << 20))
    first, second = drive.read_bytes(0, 4096), drive.write_bytes(4096, 4096)
    assert env.run(second).queue == 0.25
    assert (env.now, first.value.queue, first.access.op, second.access.op) == (0.5, 0.0, Op.READ, Op.WRITE)
    assert (drive.counts.bytes_read, drive.counts.bytes_written) == (4096, 4096)


def test_a_device_that_starts_accesses_reads_writes_and_charges_them(env: simpy.Environment) -> None:
    """The second waits a quarter of a second for the first."""
    drive, read, written = Drive(env, FixedService(0.25)), Account("read"), Account("written")
    drive.start(access(Op.READ, 0, 512, Account("first")))
    env.process(drive.read(access(Op.READ, 0, 4096, read)))
    env.process(drive.write(access(Op.WRITE, 0, 1024, written)))
    env.run()
    assert (spent(read), spent(written)) == ({"QUEUE": 0.25, "OVERHEAD": 0.25}, {"QUEUE": 0.5, "OVERHEAD": 0.25})
    assert (drive.counts.bytes_read, drive.counts.bytes_written) == (4608, 1024)
    for do, op, word in ((drive.read, Op.WRITE, "read"), (drive.write, Op.READ, "write")):
        with pytest.raises(AssertionError, match=f"is not a {word}"):
            do(access(op, 0, 512, read))
    for do, op in ((drive.read_bytes, Op.READ), (drive.write_bytes, Op.WRITE)):
        asked = do(1024, 512).access
        assert (asked, asked.account.name) == (access(op, 1024, 512, asked.account), "host")


@pytest.mark.parametrize("op", Op)
def test_work_behind_a_device_is_shared_by_who_joins_it(op: Op, env: simpy.Environment) -> None:
    drive, asked, joined = Drive(env, FixedService(2.0)), Account("asked"), Account("joined")
    request = work_behind(drive, env, "fetch", access(op, 0, 512, asked))
    assert (ledger_of(request).name, request.access.account) == ("fetch", asked)
    env.run(0.5)
    env.run(env.process(wait_for(request, joined)))
    assert (env.now, request.value, spent(joined)) == (2.0, None, {"OVERHEAD": 1.5})
    assert (asked.total(), ledger_of(request).total()) == (0.0, 2.0)
    assert (drive.counts.bytes_read, drive.counts.bytes_written) == ((512, 0) if op is Op.READ else (0, 512))


def test_a_request_to_a_drive_has_no_ledger(env: simpy.Environment) -> None:
    with pytest.raises(AssertionError, match="requests with a ledger"):
        ledger_of(Request(env, access(Op.READ, 0, 1, Account("a"))))
