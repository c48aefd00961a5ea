"""Tests that a run that cannot continue is detected with its cause, and that one that can is not stopped."""

import pytest
import simpy

from spindle.sim.clock import Account, Daemon, Gate, Phase, Wait
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.lock import Lock
from spindle.sim.measure import engine as stuck
from spindle.sim.measure.engine import Stuck, advance, check_not_stuck
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Op, access


def waits(event: simpy.Event) -> Wait:
    yield event


def takes(env: simpy.Environment, lock: Lock, who: str, then: simpy.Event | None = None) -> Wait:
    """Takes the lock, waits for *then*, and ends without releasing."""
    yield from lock.acquire(Account(who))
    if then is not None:
        yield then


def child(env: simpy.Environment, lock: Lock) -> Wait:
    yield env.timeout(1)
    yield env.process(takes(env, lock, "b"))


def check(env: simpy.Environment, **work: Wait) -> None:
    """Whether these processes are stuck after 10 seconds."""
    processes = [(name, env.process(each)) for name, each in work.items()]
    advance(env, env.now + 10.0)
    check_not_stuck(env, processes)


def test_advance_counts_events_and_stops_where_it_should(env: simpy.Environment) -> None:
    for at in (1, 2, 3, 7):
        env.timeout(at)
    assert (advance(env, 3), env.now) == (2, 3)  # what happens at 3 comes after
    assert (advance(env, 3), env.now) == (0, 3)
    assert (advance(env, 10), env.now) == (2, 10)


def test_time_that_stands_still(env: simpy.Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "EVENTS_AT_ONE_INSTANT", 100)

    def spins() -> Wait:
        yield env.timeout(4)
        while True:
            yield env.timeout(0)

    env.process(spins())
    with pytest.raises(Stuck, match="time stands still at 4 s: something goes round and round in no time"):
        advance(env, 10)


@pytest.mark.parametrize(("moving", "done"), [(0, 10), (3, 15), (8, 20)])
def test_a_standstill_is_counted_from_the_last_look_at_which_the_clock_had_moved(
    env: simpy.Environment, monkeypatch: pytest.MonkeyPatch, moving: int, done: int
) -> None:
    """Ten events at one instant are too many, and each fifth is followed by a look. A process begins by an event."""
    monkeypatch.setattr(stuck, "EVENTS_AT_ONE_INSTANT", 10)
    steps: list[float] = []

    def work() -> Wait:
        for number in range(50):
            steps.append(env.now)
            yield env.timeout(0.5 if number < moving else 0.0)

    env.process(work())
    with pytest.raises(Stuck, match=f"time stands still at {moving / 2:g} s"):
        advance(env, 100.0, every=5)
    assert len(steps) == done


def test_many_events_are_no_standstill_while_time_passes(
    env: simpy.Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stuck, "EVENTS_AT_ONE_INSTANT", 100)

    def busy() -> Wait:
        while True:
            yield env.timeout(0.01)

    env.process(busy())
    assert 995 <= advance(env, 10) <= 1005


def test_a_holder_who_ended_without_releasing(env: simpy.Environment) -> None:
    lock = Lock(env, "control block")
    with pytest.raises(Stuck) as caught:
        check(env, clerk=takes(env, lock, "clerk 1"), boss=takes(env, lock, "boss 1"))
    assert str(caught.value) == "stuck at 10 s: boss waits for lock control block held by clerk 1"


def test_a_holder_who_waits_for_nothing_that_comes(env: simpy.Environment) -> None:
    lock = Lock(env, "L")
    with pytest.raises(Stuck) as caught:
        check(env, a=takes(env, lock, "a", Gate(env, "the postman")), b=takes(env, lock, "b"))
    assert str(caught.value) == "stuck at 10 s: a waits for the postman, b waits for lock L held by a"


def test_a_holder_who_goes_on(env: simpy.Environment) -> None:
    lock = Lock(env, "L")
    check(env, a=takes(env, lock, "a", env.timeout(20)), b=takes(env, lock, "b"), c=takes(env, lock, "c"))


def test_all_wait_for_memory(env: simpy.Environment) -> None:
    memory = SharedMemory(env, 100, Lru())
    claims = {name: memory.claim(None, name, 60, Account(name)) for name in "abc"}  # type: ignore[arg-type]
    with pytest.raises(Stuck) as caught:
        check(env, **claims)
    assert str(caught.value) == "stuck at 10 s: b waits for room in memory, c waits for room in memory"


def test_that_a_daemon_lives_on_keeps_no_hope_alive(env: simpy.Environment) -> None:
    def lives() -> Wait:
        while True:
            yield env.timeout(3)

    Daemon(env, lives())
    with pytest.raises(Stuck, match="a waits for the postman"):
        check(env, a=waits(Gate(env, "the postman")))


def test_a_gate_may_open_while_anybody_moves(env: simpy.Environment) -> None:
    check(env, a=waits(Gate(env, "the postman")), b=waits(env.timeout(20)))


def test_a_gate_may_open_by_work_in_the_background(env: simpy.Environment) -> None:
    """The only terminal waits for a post, and the post is at the drive: nobody is stuck."""
    drive, gate = Drive(env, FixedService(20.0)), Gate(env, "a post")
    drive.start(access(Op.WRITE, 0, 1, Account("post"))).callbacks.append(lambda _: gate.succeed())
    check(env, a=waits(gate))


def test_children_and_conditions_are_followed(env: simpy.Environment) -> None:
    lock, gate = Lock(env, "L"), Gate(env, "never")
    check(
        env, a=takes(env, lock, "a", env.timeout(20)),
        parent=child(env, lock),
        any_of=waits(env.timeout(30) | simpy.Event(env)), all_of=waits(env.timeout(30) & gate),
    )


@pytest.mark.parametrize("kind", ["event", "child", "any_of", "all_of"])
def test_nobody_will_cause_it(env: simpy.Environment, kind: str) -> None:
    never = simpy.Event(env)
    event = {
        "event": lambda: never, "child": lambda: env.process(waits(never)),
        "any_of": lambda: never | simpy.Event(env), "all_of": lambda: never & env.timeout(20),
    }[kind]()
    with pytest.raises(Stuck, match="stuck at 10 s: a waits for something that nobody will cause"):
        check(env, a=waits(event))


def test_bursts_and_requests_are_in_service(env: simpy.Environment) -> None:
    cpu, drive = PreemptiveCpu(env), Drive(env, FixedService(20.0))
    cpu.burst(20, 0, Phase.CPU, Account("first"))
    check(
        env, a=waits(cpu.burst(5, 1, Phase.CPU, Account("a"))),
        b=drive.read(access(Op.READ, 0, 1, Account("b"))), c=drive.read(access(Op.READ, 0, 1, Account("c"))),
    )


def test_who_has_ended_is_not_stuck(env: simpy.Environment) -> None:
    check(env, a=waits(env.timeout(1)))


def test_a_circle_of_locks_that_grew_behind_a_child_is_found(env: simpy.Environment) -> None:
    one, two = Lock(env, "one"), Lock(env, "two")

    def parent() -> Wait:
        yield from one.acquire(Account("parent"))
        yield env.timeout(1)
        yield env.process(takes(env, two, "child"))

    def other() -> Wait:
        yield from two.acquire(Account("other"))
        yield env.timeout(2)
        yield from one.acquire(Account("other"))

    with pytest.raises(Stuck, match="other waits for lock one held by parent"):
        check(env, parent=parent(), other=other())


@pytest.mark.parametrize(("stuck", "end"), [(8, "p7 waits for g"), (9, "p7 waits for g and 1 more"),
                                            (11, "p7 waits for g and 3 more")])  # fmt: skip
def test_a_long_list_is_cut(env: simpy.Environment, stuck: int, end: str) -> None:
    never = {f"p{number}": waits(Gate(env, "g")) for number in range(stuck)}
    with pytest.raises(Stuck, match=f"{end}$"):
        check(env, **never)


def test_who_waits_for_one_that_a_gate_may_wake_is_not_stuck(env: simpy.Environment) -> None:
    """A lock's holder and a child, both at a gate, which who moves may open."""
    lock = Lock(env, "L")
    check(
        env, holder=takes(env, lock, "holder", Gate(env, "the postman")), other=takes(env, lock, "other"),
        parent=waits(env.process(waits(Gate(env, "the milkman")))), postman=waits(env.timeout(20)),
    )  # fmt: skip
