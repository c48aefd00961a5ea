"""Tests the engine on one run: the window by difference, its intervals, the laws, observers, and failures."""

import json
from math import inf, nan
from pathlib import Path

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.clock import Account, Daemon, Gate, Phase, Wait, pause
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.measure import engine
from spindle.sim.measure import engine as stuck
from spindle.sim.measure.engine import Stuck
from spindle.sim.measure.load import Load, Programs, Terminals, Window
from spindle.sim.measure.observer import Observer, Observers
from spindle.sim.measure.result import Result
from spindle.sim.measure.timeline import Timeline
from spindle.sim.memory import SharedMemory
from spindle.sim.parts import LawBroken
from spindle.sim.request import Op, Span, access
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Exponential
from spindle.sim.terminal import ResponseLog, Session, Transaction


class Site:
    """A machine with one drive, and *terminals* whose every transaction reads a record."""

    def __init__(self, terminals: int = 1, think: float = 3.0, start: float = 0.0, times: int | None = None) -> None:
        self.env = env = simpy.Environment()
        self.drive = Drive(env, FixedService(1.0))
        self.machine = Machine(env, {"drive": self.drive}, FcfsCpu(env), SystemCalls(read=0.5))
        self.file = OpenFile(File("records", self.drive, [Span(0, 1000)]))
        thinking = Think(Constant(think) if terminals == 1 else Exponential(think))
        steps = (Loop((thinking, Call(None, "read")), times),)
        self.script = Script("clerk", steps, terminals, 10.0, start=Constant(start))
        self.load = Terminals([self.script], lambda _, session: [self.perform(session)])

    def perform(self, session: Session) -> Wait:
        yield from self.machine.read(self.file, 0, 10, session.account)
        yield from session.reply(3)

    def run(self, end: float, warm_up: float = 0.0, interval: float | None = None, **given: object) -> Result:
        return engine.run(self.machine, self.load, Window(warm_up, end, interval), **given)  # type: ignore[arg-type]


def test_a_cycle_by_hand() -> None:
    """Think 3, RETURN 1, system call 0.5, disc 1, first character 1, two more 2: a cycle takes 8.5 s."""
    site = Site()
    counted = site.run(86.0)
    assert (counted.counters["desk.inquiries"], counted.counters["desk.responses"]) == (10, 10)
    assert [row.responded - row.began for row in counted.recorder.rows] == pytest.approx([2.5] * 10)
    assert counted.counters["cpu.busy"] == pytest.approx(5.0)
    assert counted.counters["drive.completed"] == 10
    # the beginning, its pause of no length; then think, RETURN, burst, disc, character, the rest of the reply
    assert counted.events == 2 + 10 * 6


def test_the_warm_up_is_taken_off_by_difference() -> None:
    site = Site()
    counted = site.run(60.0, warm_up=30.0)
    # inquiries at 4 + 8.5 k until 6.5 + 8.5 k: open at 30 is that from 29.5 on, the last within is that from 55 on
    assert [row.began for row in counted.recorder.rows] == pytest.approx([29.5, 38.0, 46.5, 55.0])
    assert (counted.counters["desk.inquiries"], counted.counters["desk.responses"]) == (3, 4)
    assert counted.counters["desk.waiting_seconds"] == pytest.approx(2.0 + 3 * 2.5)
    assert counted.counters["drive.completed"] == 4
    assert counted.recorder.clipped == pytest.approx(9.5)


def test_who_waits_at_the_end_is_clipped() -> None:
    site = Site()
    counted = site.run(14.0)
    assert (len(counted.recorder.rows), counted.counters["desk.responses"]) == (1, 1)
    assert counted.recorder.clipped == pytest.approx(2.5 + 1.5) == counted.counters["desk.waiting_seconds"]


def test_who_is_still_being_printed_at_the_end_has_a_row() -> None:
    site = Site()
    counted = site.run(7.5)
    (row,) = counted.recorder.rows
    assert (row.responded, row.ended != row.ended) == (6.5, True)


def test_intervals_add_up_to_the_window() -> None:
    site = Site(terminals=5)
    counted = site.run(100.0, warm_up=20.0, interval=12.0)
    assert [each["until"] for each in counted.intervals] == [32, 44, 56, 68, 80, 92, 100]
    for name, value in counted.counters.items():
        assert sum(each[name] for each in counted.intervals) == pytest.approx(value), name
    whole = Site(terminals=5)
    once = whole.run(100.0, warm_up=20.0)
    assert once.counters == pytest.approx(counted.counters)
    assert once.recorder.rows == counted.recorder.rows


@pytest.mark.parametrize(
    ("end", "warm_up", "interval", "instants"),
    [
        (0.3, 0.0, 0.1, [0.1, 0.2, 0.3]),
        (1.4, 1.1, 0.1, [1.2, 1.3, 1.4]),
        (0.7, 0.0, 0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        (2.2, 0.1, 0.7, [0.8, 1.5, 2.2]),
        (10.0, 0.0, 4.0, [4, 8, 10]),
        (10.0, 0.0, 10.0, [10]),
        (10.0, 0.0, 11.0, [10]),
        (10.0, 0.0, inf, [10]),
    ],
)
def test_the_last_interval_ends_with_the_run_and_is_no_sliver(
    end: float, warm_up: float, interval: float, instants: list[float]
) -> None:
    site = Site()
    counted = site.run(end, warm_up, interval)
    assert [each["until"] for each in counted.intervals] == pytest.approx(instants)
    assert counted.intervals[-1]["until"] == end
    assert site.env.now == pytest.approx(end, abs=1e-12)


@pytest.mark.parametrize("interval", [0.0, -1.0, nan, 1e-6])
def test_no_such_interval(interval: float) -> None:
    with pytest.raises(UserError, match="interval must be positive and give at most a million readings"):
        Site().run(10.0, interval=interval)


class Curious(Observer):
    """Keeps all that it is told."""

    def __init__(self) -> None:
        self.machine: Machine | None = None
        self.rows: list[Transaction] = []
        self.told: list[tuple[float, float]] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        assert machine.env.now == 0.0
        self.machine = machine

    def record(self, row: Transaction) -> None:
        self.rows.append(row)

    def progress(self, now: float, end: float) -> None:
        self.told.append((now, end))


def test_all_observers_are_told_and_callbacks_of_progress_alone() -> None:
    one, told, first, second = Site(terminals=7), [], Curious(), Curious()
    watch = Observers(first, lambda now, end: told.append((now, end)), None, Observers(second))
    result = one.run(90.0, watch=watch)
    assert first.machine is second.machine is one.machine
    assert first.told == second.told == told
    assert told[-1] == (90.0, 90.0)
    assert first.rows == second.rows == [row for row in result.transactions if row.ended == row.ended]


def test_a_row_that_breaks_a_law_is_shown_to_nobody() -> None:
    """The log refuses a row of which more than 5 charges are said."""
    class Strict:
        def record(self, row: Transaction, charges: int) -> None:
            if charges > 5:
                raise LawBroken

    curious, row = Curious(), Transaction("host", "read", 0.0, 1.0, 1.0, (0.0,) * len(Phase))
    log = Observers(curious).tee(Strict())
    log.record(row, 5)
    with pytest.raises(LawBroken):
        log.record(row, 6)
    assert curious.rows == [row]


def test_progress_of_a_known_end_is_told_fifty_times_an_interval() -> None:
    """A window from 50 to 150 s: its warm-up, the window and the tail are an interval each."""
    told: list[tuple[float, float]] = []
    engine.run(Site().machine, Programs({}), Window(50.0, 150.0, tail=5.0), watch=lambda *each: told.append(each))
    instants = [*range(1, 51), *range(52, 151, 2), *(150.0 + step / 10 for step in range(1, 51))]
    assert [now for now, _ in told] == pytest.approx(instants)
    assert {end for _, end in told} == {155.0}
    told.clear()
    engine.run(Site().machine, Programs({}), Window(0.0, 50.0), watch=lambda *each: told.append(each))
    assert told == [(float(second), 50.0) for second in range(1, 51)]


def test_who_is_not_watched_is_not_stopped_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    stops: list[float] = []
    advance = engine.advance

    def noted(env: simpy.Environment, until: float) -> int:
        stops.append(until)
        return advance(env, until)

    monkeypatch.setattr(engine, "advance", noted)
    Site().run(90.0, 10.0)
    assert stops == [10.0, 90.0]


def test_intervals_end_at_the_instants_that_were_asked_for() -> None:
    counted = Site().run(2.0, 0.3, 0.4)
    assert [each["until"] for each in counted.intervals] == [0.3 + number * 0.4 for number in range(1, 5)] + [2.0]


def test_being_watched_changes_nothing() -> None:
    one, other, curious = Site(terminals=7), Site(terminals=7), Curious()
    watched = one.run(90.0, 10.0, watch=curious)
    alone = other.run(90.0, 10.0)
    assert repr(watched.transactions) == repr(alone.transactions)
    assert (watched.counters, watched.events) == (alone.counters, alone.events)
    assert curious.told == sorted(curious.told)
    assert (curious.told[0][0] > 0, curious.told[-1]) == (True, (90.0, 90.0))
    assert len(curious.rows) > len(alone.transactions)  # those of the warm-up, too


def test_nothing_of_the_first_instant_is_lost_without_warm_up() -> None:
    """A process that asks the drive as soon as it lives: issued is counted as completed is."""
    site = Site(start=1000.0)
    site.machine.spawn("early", site.drive.read(access(Op.READ, 0, 1, Account("early"))))
    counters = site.run(10.0).counters
    assert (counters["drive.issued"], counters["drive.completed"]) == (1, 1)


def test_nor_is_what_a_load_asks_for_as_it_starts() -> None:
    class Eager(Programs):
        def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
            site.drive.read_bytes(0, 512)
            super().start(machine, seed, log)

    site = Site(start=1000.0)
    counters = engine.run(site.machine, Eager({}), Window(0.0, 10.0)).counters
    assert (counters["drive.issued"], counters["drive.completed"]) == (1, 1)


@pytest.mark.parametrize("terminals", [2, 20])
def test_the_laws_hold_on_a_busy_machine(terminals: int) -> None:
    site = Site(terminals)
    counted = site.run(1100.0, warm_up=100.0)
    counters = counted.counters
    mean_response = counters["desk.waiting_seconds"] / counters["desk.responses"]
    throughput = counters["desk.responses"] / 1000.0
    away = counters["desk.away_seconds"] / counters["desk.responses"]
    assert mean_response == pytest.approx(terminals / throughput - away)
    assert counted.recorder.mean == pytest.approx(mean_response, rel=0.05)
    assert counted.recorder.clipped == pytest.approx(counters["desk.waiting_seconds"])


def test_a_cpu_that_lies_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()
    monkeypatch.setattr(site.machine.cpu, "busy", lambda: 5.0)
    with pytest.raises(LawBroken, match="cpu"):
        site.run(10.0)


def test_a_drive_that_lies_breaks_the_law() -> None:
    site = Site()
    site.drive.counts.seek = 1.0
    with pytest.raises(LawBroken, match="drive"):
        site.run(10.0)


def test_a_drive_that_finds_a_fault_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()
    monkeypatch.setattr(site.drive, "faults", lambda: ["a request was lost"])
    with pytest.raises(LawBroken, match="drive: a request was lost"):
        site.run(10.0)


def test_an_inquiry_that_is_lost_breaks_the_law() -> None:
    class Loses(Observer):
        def attend(self, machine: Machine, load: Load, window: Window) -> None:
            assert isinstance(load, Terminals)
            load.users.waiting.enter()

    with pytest.raises(LawBroken, match="Little"):
        Site().run(10.0, watch=Loses())


def test_time_that_was_not_charged_breaks_the_law() -> None:
    site = Site()

    def perform(session: Session) -> Wait:
        yield site.env.timeout(1.0)
        session.account.charge(Phase.CPU, 0.0, 0.9)

    site.perform = perform  # type: ignore[method-assign]
    with pytest.raises(LawBroken, match=r"clerk 1 read: 2\.0 s of response are not the sum of its phases: cpu 0\.9"):
        site.run(10.0)


def test_a_drive_that_nobody_listed_is_under_the_law_too() -> None:
    site = Site()
    hidden = Drive(site.env, FixedService(1.0), name="hidden")
    hidden.counts.seek = 1.0
    with pytest.raises(LawBroken, match="hidden: utilisation law"):
        site.run(10.0)


def test_a_cache_that_loses_a_read_breaks_the_law() -> None:
    site = Site()
    cache = BlockCache(site.env, site.drive, 100, SharedMemory(site.env, 200, Lru()), name="pool")
    cache.hits += 1
    with pytest.raises(LawBroken, match="pool: 1 hits, 0 late hits and 0 misses of 0 requests"):
        site.run(10.0)


def test_a_part_with_laws_of_its_own_is_asked() -> None:
    class Scales:
        def reading(self) -> dict[str, float]:
            return {}

        def check(self) -> None:
            raise LawBroken("scales: nothing weighs something")

    site = Site()
    site.machine.parts["scales"] = Scales()
    with pytest.raises(LawBroken, match="scales"):
        site.run(10.0)


def test_a_stuck_process_stops_the_run() -> None:
    site = Site(start=1000.0)
    site.machine.spawn("Estragon", waits_in(site.env))
    site.run(10.0)  # the clerk is yet to come, and might bring him
    alone = Machine(simpy.Environment(), {})
    alone.spawn("Vladimir", waits_in(alone.env))
    with pytest.raises(Stuck, match="stuck at 10 s: Vladimir waits for Godot"):
        engine.run(alone, Programs({}), Window(0.0, 10.0))


def waits_in(env: simpy.Environment) -> Wait:
    yield Gate(env, "Godot")


def test_a_process_that_takes_no_time_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "EVENTS_AT_ONE_INSTANT", 1000)
    site = Site()

    def spins() -> Wait:
        while True:
            yield site.env.timeout(0)

    site.machine.spawn("spinner", spins())
    with pytest.raises(Stuck, match="time stands still at 0 s"):
        site.run(10.0)
    looks: list[float] = []
    with pytest.raises(Stuck, match="time stands still at 0 s"):
        engine.advance(site.env, inf, lambda: looks.append(site.env.now), every=10_000)
    assert looks == [0.0], "it need not wait for the look after ten thousand"
    assert next(site.env._eid) < 3000


# A window whose end is that of the load -------------------------------------------------------------


class Batch:
    """A machine without a CPU, and a program on no terminal that reads *count* times, a second each."""

    def __init__(self, count: int = 10) -> None:
        self.env = simpy.Environment()
        self.drive = Drive(self.env, FixedService(1.0))
        self.machine = Machine(self.env, {"drive": self.drive})
        self.count = count
        self.done = 0
        self.load = Programs({"batch": self.work}, lambda: self.done / count)

    def work(self, log: ResponseLog) -> Wait:
        for _ in range(self.count):
            account, began = Account("batch"), self.env.now
            yield from self.drive.read(access(Op.READ, 0, 1, account))
            self.done += 1
            now = self.env.now
            log.record(Transaction("batch", "read", began, now, now, tuple(account.seconds)), account.charges)


def test_the_window_ends_with_the_load() -> None:
    batch = Batch(10)
    result = engine.run(batch.machine, batch.load, Window(2.5))
    assert (result.start, result.end, result.seconds) == (2.5, 10.0, 7.5)
    assert [row.responded for row in result.transactions] == [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert result.counters["drive.completed"] == 8
    assert result.breakdown()["overhead"] == 1.0
    assert not any(name.startswith("cpu") for name in result.counters)


def test_a_load_of_programs_ends_with_the_last_of_them() -> None:
    env = simpy.Environment()

    def work(seconds: float) -> Wait:
        yield pause(env, seconds)

    load = Programs({"short": lambda _: work(1.0), "long": lambda _: work(3.0)})
    assert engine.run(Machine(env, {}), load, Window()).end == 3.0


def test_a_batch_has_intervals_and_progress_too() -> None:
    batch, curious = Batch(200), Curious()
    result = engine.run(batch.machine, batch.load, Window(interval=30.0), watch=curious)
    assert [each["until"] for each in result.intervals] == [30, 60, 90, 120, 150, 180, 200]
    assert [each["drive.completed"] for each in result.intervals] == pytest.approx([30] * 6 + [20], abs=1)
    assert curious.told == sorted(curious.told)
    assert 5 < len(curious.told) <= engine.PROGRESS_CALLS + 1
    assert all(end == pytest.approx(200.0, rel=0.05) for _, end in curious.told)
    alone = Batch(200)
    assert engine.run(alone.machine, alone.load, Window(interval=30.0)).events == result.events


def test_a_run_without_a_known_end_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ninth event where nobody watches; watched, each second one for progress, and each fourth of these looks.

    A read of the batch is an event. The load begins by one before the first, and the end of the run looks once more.
    """
    monkeypatch.setattr(engine, "PROGRESS_EVENTS", 2)
    monkeypatch.setattr(engine, "STUCK_EVENTS", 9)
    looks: list[float] = []
    monkeypatch.setattr(engine, "check_not_stuck", lambda env, _: looks.append(env.now))
    for watch, seen in ((None, [8.0, 17.0, 20.0]), (lambda now, end: None, [7.0, 15.0, 20.0])):
        looks.clear()
        result = engine.run(*_batch(20), Window(), watch=watch)
        assert (looks, result.events) == (seen, 22)


def test_progress_is_told_at_equal_parts_of_a_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """A load of 64 s in 32 parts: told after each second one, with the end that it would have by that."""
    monkeypatch.setattr(engine, "PROGRESS_EVENTS", 1)
    monkeypatch.setattr(engine, "PROGRESS_CALLS", 32)
    told: list[tuple[float, float]] = []
    engine.run(*_batch(64), Window(), watch=lambda *each: told.append(each))
    assert [now for now, _ in told[:-1]] == [float(second) for second in range(2, 65, 2)]
    assert {end for _, end in told} == {64.0}


def test_progress_is_told_once_of_a_load_that_is_half_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PROGRESS_EVENTS", 1)
    env, told = simpy.Environment(), []

    def work(_: object) -> Wait:
        for _ in range(8):
            yield env.timeout(1.0)

    load = Programs({"work": work}, share=lambda: 0.5 if env.now >= 4.0 else 0.0)
    engine.run(Machine(env, {}), load, Window(), watch=lambda *each: told.append(each))
    assert told == [(4.0, 8.0), (8.0, 8.0)]


def test_a_load_without_a_known_end_has_so_many_readings_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_READINGS", 4)
    assert len(engine.run(*_batch(20), Window(interval=6.0)).intervals) == 4
    with pytest.raises(UserError, match=r"interval must give at most 4 readings, not 5\.0 s"):
        engine.run(*_batch(20), Window(interval=5.0))


def test_events_of_all_intervals_are_counted() -> None:
    assert engine.run(*_batch(20), Window(interval=3.0)).events == engine.run(*_batch(20), Window()).events == 22


def test_users_whose_end_is_unknown_are_told_of_at_the_end_alone() -> None:
    told: list[tuple[float, float]] = []
    Site(times=30).run(inf, watch=lambda *each: told.append(each))
    assert told == [(255.0, 255.0)]


def test_a_load_ends_with_its_own_users_whoever_else_goes_on() -> None:
    site = Site(times=3)

    def lives() -> Wait:
        while True:
            yield site.env.timeout(1.0)

    site.machine.spawn("for ever", lives())
    assert site.run(inf).end == 25.5


def test_a_result_says_what_was_run() -> None:
    """The load gets the seed; sheets and policies are there to be cited; a model adds its name and arguments."""
    seeds: list[object] = []

    class Noting(Programs):
        def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
            seeds.append(seed)
            super().start(machine, seed, log)

    def run(**given: object) -> Result:
        machine, _ = _batch(1)
        SharedMemory(machine.env, 200, Lru())
        return engine.run(machine, Noting({}), Window(0.0, 1.0), **given)  # type: ignore[arg-type]

    first, other = run(), run(seed=7)
    assert (first.system, first.parameters, first.seed, other.seed, seeds) == ("machine", {}, 1, 7, [1, 7])
    assert Lru in first.built_of
    kept, summed = (engine.run(*_batch(3), Window(), keep_rows=keep) for keep in (True, False))
    assert (len(kept.transactions), len(summed.transactions), summed.recorder.count) == (3, 0, 3)


def test_users_differ_by_the_seed_and_their_programs_are_prepared() -> None:
    prepared: list[tuple[object, str]] = []

    def began(seed: int) -> list[float]:
        site = Site(terminals=2)
        script = Script("clerk", (Loop((Think(Exponential(3.0)), Call("program", "read"))),), 2, 10.0)
        site.load = Terminals([script], lambda _, session: [site.perform(session)],
                              prepare=lambda program, session: prepared.append((program, session.name)))  # fmt: skip
        return [row.began for row in site.run(60.0, seed=seed).transactions]

    assert began(1) == began(1) != began(2)
    assert prepared[:2] == [("program", "clerk 1"), ("program", "clerk 2")]


def test_terminals_may_come_to_an_end() -> None:
    """Three cycles of 8.5 s."""
    result = Site(times=3).run(inf)
    assert (result.end, len(result.transactions)) == (25.5, 3)


def test_a_load_that_ends_within_the_warm_up_leaves_nothing_to_observe() -> None:
    batch = Batch(10)
    with pytest.raises(UserError, match=r"all was done after 0\.167 minutes, within the warm-up"):
        engine.run(batch.machine, batch.load, Window(60.0))


def test_a_load_that_will_never_end_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing happens any more, and where only a daemon goes on for ever."""
    monkeypatch.setattr(engine, "STUCK_EVENTS", 64)

    def ticks(env: simpy.Environment) -> Wait:
        while True:
            yield pause(env, 1.0)

    for daemons in (0, 1):
        env = simpy.Environment()
        for _ in range(daemons):
            Daemon(env, ticks(env))
        with pytest.raises(Stuck, match="Vladimir waits for Godot"):
            engine.run(Machine(env, {}), Programs({"Vladimir": lambda _, env=env: waits_in(env)}), Window())


def test_the_tail_is_not_measured_and_readings_may_be_kept_throughout() -> None:
    result = engine.run(*_batch(20), Window(5.0, 10.0, 4.0, tail=3.0, throughout=True))
    assert (result.end, result.counters["drive.completed"], len(result.transactions)) == (10.0, 5, 5)
    assert [each["until"] for each in result.intervals] == [4.0, 8.0, 12.0, 13.0]
    assert sum(each["drive.completed"] for each in result.intervals) == 12


def _batch(count: int) -> tuple[Machine, Load]:
    batch = Batch(count)
    return batch.machine, batch.load


def test_a_timeline_shows_what_programs_did(tmp_path: Path) -> None:
    with Timeline(tmp_path / "batch.json") as timeline:
        engine.run(*_batch(3), Window(1.0), watch=timeline)
    events = json.loads((tmp_path / "batch.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    begun = [(names[event["tid"]], event["name"], event["ts"]) for event in events if event["ph"] == "B"]
    assert [each for each in begun if each[0] == "batch"] == [("batch", "read", second * 1e6) for second in range(3)]
    assert [each for each in begun if each[1] == "overhead"] == [("drive", "overhead", n * 1e6) for n in range(3)]
    assert sorted(each for each in begun if each[0] == "run") == [("run", "measured", 1e6), ("run", "warm-up", 0)]
