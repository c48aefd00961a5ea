"""Tests spans, and requests that several processes wait for: each is charged the phases during its wait."""

from types import SimpleNamespace

import pytest
import simpy

from spindle.sim.clock import Account, Ledger, Phase, Wait, succeed_after
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import BOUNDLESS, Access, AccessTiming, Hint, Op, Request, Span, access, capacity_of, wait_for


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
        log.append((env.now, at, {part.name: account.seconds[part] for part in Phase if account.seconds[part]}))

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


def test_a_device_that_tells_no_capacity_has_no_end() -> None:
    assert (capacity_of(SimpleNamespace(capacity=512)), capacity_of(SimpleNamespace())) == (512, BOUNDLESS)


def test_a_drive_in_anybodys_environment(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(0.25, capacity=1 << 20))
    first, second = drive.read_bytes(0, 4096), drive.write_bytes(4096, 4096)
    assert env.run(second).queue == 0.25
    assert (env.now, first.value.queue, first.access.op, second.access.op) == (0.5, 0.0, Op.READ, Op.WRITE)
    assert (drive.counts.bytes_read, drive.counts.bytes_written) == (4096, 4096)
