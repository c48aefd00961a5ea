"""Tests both CPUs: the order of service, exact counters, charges that add up, numbers of events, idle time by cause."""

from collections.abc import Callable
from math import inf, nan

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.clock import Account, Ledger, Phase, Piece, Wait, begin
from spindle.sim.cpu import INTERRUPT, Cpu, FcfsCpu, IdleTime, PreemptiveCpu, Stopped
from spindle.sim.parts import parts_on

Who = tuple[str, float, float, int]
"""Name, when he asks, for how long, at which level."""


def scheduled(env: simpy.Environment) -> int:
    """How many events have been put on the clock so far."""
    return int(repr(env._eid)[len("count("):-1])


def run(env: simpy.Environment, cpu: Cpu, asked: list[Who]) -> tuple[list[tuple[float, str]], dict[str, Account]]:
    """When each was done, and his account. Beside the bursts it takes one event for each instant of asking."""
    ended: list[tuple[float, str]] = []
    accounts = {who: Account(who) for who, *_ in asked}

    def ask(at: float) -> None:
        for who, when, seconds, level in asked:
            if when == at:
                event = cpu.burst(seconds, level, Phase.CPU, accounts[who])
                event.callbacks.append(lambda _, who=who: ended.append((round(env.now, 9), who)))

    for at in sorted({at for _, at, _, _ in asked}):
        env.timeout(at, at).callbacks.append(lambda event: ask(event.value))
    env.run()
    return ended, accounts


def parts(account: Account) -> tuple[float, float]:
    return round(account.seconds[Phase.CPU], 9), round(account.seconds[Phase.CPU_WAIT], 9)


@pytest.fixture(params=[FcfsCpu, PreemptiveCpu])
def cpu(request: pytest.FixtureRequest, env: simpy.Environment) -> Cpu:
    made: Cpu = request.param(env)
    return made


@pytest.mark.parametrize("seconds", [nan, inf, -1.0])
def test_no_such_burst(cpu: Cpu, seconds: float) -> None:
    account = Account("a")
    with pytest.raises(ValueError, match="finite and not negative"):
        cpu.burst(seconds, 1, Phase.CPU, account)
    assert (cpu.reading()["bursts"], account.total(), cpu.busy()) == (0, 0, 0)


def test_first_come_first_served(env: simpy.Environment, cpu: Cpu) -> None:
    ended, accounts = run(env, cpu, [("a", 0, 3, 1), ("b", 1, 1, 1), ("c", 1, 2, 1), ("d", 8, 1, 1)])
    assert ended == [(3, "a"), (4, "b"), (6, "c"), (9, "d")]
    assert [parts(accounts[who]) for who in "abcd"] == [(3, 0), (1, 2), (2, 3), (1, 0)]
    assert (cpu.busy(), cpu.reading()["bursts"], env.now) == (7, 4, 9)


def test_levels_mean_nothing_to_the_fcfs_cpu(env: simpy.Environment) -> None:
    assert run(env, FcfsCpu(env), [("a", 0, 3, 9), ("b", 1, 1, 0)])[0] == [(3, "a"), (4, "b")]


def test_bursts_of_nothing_take_their_turn(env: simpy.Environment, cpu: Cpu) -> None:
    ended, accounts = run(env, cpu, [("a", 0, 0, 1), ("b", 0, 2, 1), ("c", 1, 0, 1)])
    assert ended == [(0, "a"), (2, "b"), (2, "c")]
    assert parts(accounts["c"]) == (0, 1)
    assert cpu.busy() == 2


def test_busy_and_kinds_are_exact_in_the_middle_of_a_burst(env: simpy.Environment, cpu: Cpu) -> None:
    def ask() -> Wait:
        yield env.timeout(1)
        cpu.burst(2, 1, Phase.CACHE, Account("a"))
        cpu.burst(4, 1, Phase.MANAGER, Account("b"))

    env.process(ask())
    seen = []
    for instant in (0.5, 1.5, 3, 4, 6.5, 8):
        env.run(instant)
        reading = cpu.reading()
        seen.append((reading["busy"], reading["busy_cpu"], reading["busy_cache"], reading["busy_manager"]))
        assert reading["busy"] == cpu.busy()
    assert seen == [(0, 0, 0, 0), (0.5, 0, 0.5, 0), (2, 0, 2, 0), (3, 0, 2, 1), (5.5, 0, 2, 3.5), (6, 0, 2, 4)]


def test_one_event_a_burst_on_the_fcfs_cpu(env: simpy.Environment) -> None:
    cpu = FcfsCpu(env)
    for number in range(250):
        cpu.burst(number % 3, 1, Phase.CPU, Account("a"))
    assert scheduled(env) == 250
    env.run()
    assert scheduled(env) == 250
    cpu.burst(0, 1, Phase.CPU, Account("a"))
    assert len(cpu._unfinished) <= 1, "what is over is not remembered one by one"
    assert cpu.reading()["busy_cpu"] == cpu.busy() == sum(number % 3 for number in range(250))


def events(asked: list[Who], make: Callable[[simpy.Environment], Cpu] = PreemptiveCpu) -> int:
    env = simpy.Environment()
    run(env, make(env), asked)
    return scheduled(env) - len({at for _, at, _, _ in asked})


def test_events_on_the_preemptive_cpu() -> None:
    assert events([("a", 0, 5, 3), ("b", 0, 5, 3)]) == 2
    assert events([("a", 0, 5, 3), ("b", 1, 5, 2)]) == 3  # one more for a preemption
    assert events([("a", 0, 5, 3), ("b", 1, 5, 2), ("c", 2, 5, 1)]) == 5
    assert events([("a", 0, 5, 3)], lambda env: PreemptiveCpu(env, {3: 2})) == 3  # two slices ended before the last


def test_preemption_resumes_where_it_stopped(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env)
    ended, accounts = run(env, cpu, [("low", 0, 10, 5), ("mid", 2, 4, 3), ("high", 3, 2, 1), ("other low", 1, 1, 5)])
    # low 0-2, mid 2-3, high 3-5, mid 5-8, low 8-16 (ahead of its level), other low 16-17
    assert ended == [(5, "high"), (8, "mid"), (16, "low"), (17, "other low")]
    assert parts(accounts["low"]) == (10, 6)
    assert parts(accounts["mid"]) == (4, 2)
    assert parts(accounts["other low"]) == (1, 15)
    assert cpu.reading()["preemptions"] == 2


def test_the_last_who_was_preempted_is_the_first_of_his_level(env: simpy.Environment) -> None:
    asked: list[Who] = [("a", 0, 3, 2), ("b", 0, 3, 2), ("x", 1, 1, 1), ("y", 3, 1, 1)]
    # a 0-1, x 1-2, a 2-3, y 3-4, a 4-5, b 5-8
    assert run(env, PreemptiveCpu(env), asked)[0] == [(2, "x"), (4, "y"), (5, "a"), (8, "b")]


@pytest.mark.parametrize("joined", [1.0, 3.0])
def test_who_waits_late_for_a_burst_that_lost_the_cpu_is_told_in_time(env: simpy.Environment, joined: float) -> None:
    """At 1.5, when it has lost the CPU; at 3.5, when the instant at which it was to end has gone by."""
    cpu, ended = PreemptiveCpu(env), []
    burst = cpu.burst(2, 2, Phase.CPU, Account("a"))
    env.run(1)
    cpu.burst(5, 1, Phase.CPU, Account("urgent"))
    env.run(joined + 0.5)
    burst.callbacks.append(lambda _: ended.append(env.now))
    env.run()
    assert ended == [7]


def test_a_burst_may_begin_and_be_preempted_at_one_instant(env: simpy.Environment, log: list[object]) -> None:
    """Begun work waits for its burst only when its process begins, which is after the urgent one has come."""
    cpu, account = PreemptiveCpu(env), Account("hit")

    def hit() -> Wait:
        yield cpu.burst(2, 5, Phase.CACHE, account)
        log.append((env.now, "hit"))

    def urgent() -> Wait:
        yield cpu.burst(3, 1, Phase.CPU, Account("urgent"))
        log.append((env.now, "urgent"))

    begin(env, hit())
    begin(env, urgent())
    env.run()
    assert log == [(3, "urgent"), (5, "hit")]
    assert (account.seconds[Phase.CACHE], account.seconds[Phase.CPU_WAIT]) == (2, 3)


def test_a_slice_that_was_cut_short_ends_nothing(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env, {2: 2.0})
    ended, _ = run(env, cpu, [("a", 0, 5, 2), ("x", 1, 3, 1), ("b", 1, 1, 2)])
    # a 0-1, x 1-4 while a's first slice would have ended at 2; a 4-6, b 6-7, a 7-9
    assert ended == [(4, "x"), (7, "b"), (9, "a")]


def test_interrupts_are_not_preempted(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env)
    asked: list[Who] = [("task", 0, 4, 2), ("one", 1, 2, INTERRUPT), ("two", 2, 1, INTERRUPT), ("odd", 2, 1, -1)]
    # task 0-1, one 1-3; then the smaller level first
    assert run(env, cpu, asked)[0] == [(3, "one"), (4, "odd"), (5, "two"), (8, "task")]
    assert cpu.preemptions == 1


def test_the_next_burst_has_begun_when_the_waiters_of_one_go_on(env: simpy.Environment) -> None:
    """Who asks for more at the end of a preempts b, of his own level before, at the instant at which it begins."""
    cpu, ended = PreemptiveCpu(env), []

    def ask(who: str, seconds: float, level: int) -> simpy.Event:
        event = cpu.burst(seconds, level, Phase.CPU, Account(who))
        event.callbacks.append(lambda _: ended.append((env.now, who)))
        return event

    ask("a", 2, 2).callbacks.append(lambda _: ask("urgent", 1, 1))
    ask("b", 1, 2)
    env.run()
    assert (ended, cpu.preemptions) == ([(2, "a"), (3, "urgent"), (4, "b")], 1)


def test_equal_levels_do_not_preempt(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env)
    assert run(env, cpu, [("a", 0, 4, 2), ("b", 1, 1, 2)])[0] == [(4, "a"), (5, "b")]
    assert cpu.preemptions == 0


def test_slices_go_round(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env, slices := {2: 1.0})
    slices.clear()  # which is no longer the CPU's
    ended, accounts = run(env, cpu, [("a", 0, 3, 2), ("b", 0, 1.5, 2), ("c", 0, 1, 2), ("d", 0, 2, 4)])
    # a b c a b a (1 1 1 1 0.5 1), and then d, whose level has no slices
    assert ended == [(3, "c"), (4.5, "b"), (5.5, "a"), (7.5, "d")]
    assert parts(accounts["b"]) == (1.5, 3)


def test_who_is_preempted_gets_a_fresh_slice(env: simpy.Environment) -> None:
    cpu = PreemptiveCpu(env, {2: 2.0})
    ended, _ = run(env, cpu, [("a", 0, 3, 2), ("b", 0, 1, 2), ("x", 1, 1, 1)])
    # a 0-1, x 1-2, a 2-4 with the whole slice, which is all it needs; b 4-5
    assert ended == [(2, "x"), (4, "a"), (5, "b")]


@pytest.mark.parametrize("seconds", [0.0, -1.0, nan])
def test_a_slice_must_be_positive(env: simpy.Environment, seconds: float) -> None:
    with pytest.raises(ValueError, match="time slice of level 2"):
        PreemptiveCpu(env, {2: seconds})


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 7), st.integers(0, 4)), min_size=1, max_size=25),
    st.sampled_from([None, {1: 1.0}, {2: 0.7, 3: 2.5}]),
)
def test_charges_are_the_time_that_passed(asked: list[tuple[int, int, int]], slices: dict[int, float] | None) -> None:
    """Whoever asks when: service and wait add up to the elapsed time, and the CPU idles only when nobody asks."""
    env = simpy.Environment()
    fcfs, preemptive = FcfsCpu(env), PreemptiveCpu(env, slices)

    def ask(cpu: Cpu, at: float, seconds: float, level: int) -> Wait:
        yield env.timeout(at)
        account = Account("")
        yield cpu.burst(seconds, level, Phase.CPU, account)
        assert account.total() == pytest.approx(env.now - at, abs=1e-9)
        assert account.seconds[Phase.CPU] == pytest.approx(seconds, abs=1e-9)

    for at, tenths, level in asked:
        for cpu in (fcfs, preemptive):
            env.process(ask(cpu, at, tenths / 10, level))
    for instant in range(1, 40):
        env.run(instant + 0.05)
        assert fcfs.busy() == pytest.approx(preemptive.busy(), abs=1e-9)
        for cpu in (fcfs, preemptive):
            reading = cpu.reading()
            kinds = sum(value for key, value in reading.items() if key.startswith("busy_"))
            assert kinds == pytest.approx(reading["busy"], abs=1e-9)
    env.run()
    assert fcfs.busy() == pytest.approx(sum(tenths for _, tenths, _ in asked) / 10)


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_the_system_call_that_led_to_a_burst_is_charged_as_such(
    cpu: Cpu, start: float, env: simpy.Environment
) -> None:
    ledger = Ledger("a")
    env.run(start or None)
    cpu.burst(5.0, 2, Phase.CACHE, ledger, call=2.0)
    seen = []
    for passed in (1.0, 2.0, 3.0, 5.0, 6.0):
        env.run(start + passed)
        seen.append(tuple(cpu.reading()[name] for name in ("busy", "busy_cpu", "busy_cache")))
    assert seen == [(1, 1, 0), (2, 2, 0), (3, 2, 1), (5, 2, 3), (5, 2, 3)]
    assert ledger.pieces == [(Phase.CPU, start, start + 2.0), (Phase.CACHE, start + 2.0, start + 5.0)]


@pytest.mark.parametrize(
    ("at", "pieces"),
    [
        (2.0, [(Phase.CPU, 1, 2), (Phase.CACHE, 2, 2), (Phase.CPU_WAIT, 2, 12), (Phase.CPU, 12, 13),
               (Phase.CACHE, 13, 16)]),
        (5.0, [(Phase.CPU, 1, 3), (Phase.CACHE, 3, 5), (Phase.CPU_WAIT, 5, 15), (Phase.CACHE, 15, 16)]),
    ],
)  # fmt: skip
def test_a_system_call_is_preempted_like_the_rest_of_its_burst(
    at: float, pieces: list[Piece], env: simpy.Environment
) -> None:
    cpu, ledger = PreemptiveCpu(env), Ledger("a")
    env.run(1.0)
    cpu.burst(5.0, 2, Phase.CACHE, ledger, call=2.0)
    env.run(at)
    cpu.burst(10.0, 1, Phase.CPU, Account("urgent"))
    env.run(20.0)
    assert ledger.pieces == pieces
    assert (cpu.reading()["busy_cpu"], cpu.reading()["busy_cache"]) == (12, 3)


def test_a_burst_may_be_waited_for_together_with_others(env: simpy.Environment, cpu: Cpu) -> None:
    env.run(cpu.burst(2, 1, Phase.CPU, Account("a")) & cpu.burst(1, 1, Phase.CPU, Account("b")))
    assert env.now == 3


@pytest.mark.parametrize("make", [FcfsCpu, PreemptiveCpu])
def test_a_cpu_that_comes_later_was_not_busy_before(env: simpy.Environment, make: Callable[..., Cpu]) -> None:
    """It comes at 3 s and works from 4 to 6; of 7 s that it is there, none is idle twice."""
    env.run(3)
    cpu = make(env)
    idle = IdleTime(env, cpu, (0,))
    assert (cpu.busy(), idle.seconds()) == (0, [0, 0])
    env.run(4)
    cpu.burst(2, 1, Phase.CPU, Account("a"))
    for instant, busy in ((5, 1), (6, 2), (10, 2)):
        env.run(instant)
        assert (cpu.busy(), cpu.reading()["busy_cpu"]) == (busy, busy)
    assert idle.seconds() == [0, 5]
    later = IdleTime(env, cpu, (0,))
    env.run(11)
    assert (later.seconds(), parts_on(env)) == ([0, 1], [cpu])


def test_processes_that_are_stopped_are_counted_and_the_first_and_the_last_told() -> None:
    told: list[int] = []
    stopped = Stopped(lambda: told.append(stopped.now))
    for step in (1, 1, 0, 1, 0, 0, 1):
        (stopped.enter if step else stopped.leave)()
    assert (told, stopped.ever, stopped.now) == ([1, 0, 1], 4, 1)


def test_nobody_goes_on_who_was_not_stopped() -> None:
    stopped = Stopped()
    stopped.enter()
    stopped.leave()
    with pytest.raises(AssertionError, match="was not stopped"):
        stopped.leave()


def test_idle_time_is_that_of_the_first_cause_for_which_somebody_is_stopped(env: simpy.Environment) -> None:
    """Two causes of the second sum come before one of the first; the last sum is that of no cause."""
    cpu = FcfsCpu(env)
    idle = IdleTime(env, cpu, (1, 1, 0))
    one, two, last = idle.causes
    steps = [
        ([], (0, 0, 1)),
        ([last.enter], (2, 0, 1)),
        ([one.enter], (2, 1, 1)),
        ([lambda: cpu.burst(2, 1, Phase.CPU, Account("a"))], (2, 1, 1)),
        ([two.enter, one.leave], (2, 2, 1)),
        ([last.enter, two.leave], (4, 2, 1)),
        ([last.leave], (5, 2, 1)),
        ([last.leave], (5, 2, 2)),
    ]
    for (changes, sums), until in zip(steps, (1, 3, 4, 6, 7, 9, 10, 11), strict=True):
        for change in changes:
            change()
        env.run(until - 0.5)
        idle.seconds()  # changes nothing
        env.run(until)
        assert idle.seconds() == list(sums)
    assert [each.ever for each in idle.causes] == [1, 1, 2]
