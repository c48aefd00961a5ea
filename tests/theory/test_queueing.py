"""Queueing theory through the real parts: what a drive, a CPU and a whole machine should answer in closed form.

First customer by customer, which needs no patience. Then in the mean: every answer is that of independent
replications, the seeds of which are 0, 1, 2 and so on. Its 99 % confidence interval must be no wider than 1 % of it to
either side, and theory must lie inside; one such queue is tried here, and all others by ``make soak``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt
from statistics import fmean, stdev

import pandas as pd
import pytest
import simpy

from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import INTERRUPT, Cpu, FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType, Mechanism, MovingArm
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals, Window
from spindle.sim.measure.result import Result
from spindle.sim.request import Access, Op, Request, Span, access
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Exponential, pick, stream
from spindle.sim.terminal import Session
from spindle.sim.units import MS
from spindle.studies.plots.theory_curves import MEAN_VALUE_ANALYSIS, remark
from spindle.studies.theory import BEYOND, add_theory, mva, summarise_beside
from tests.drawn_service import DrawnService

SEEDS = range(31)
STUDENT = 2.750
"""Two-sided 99 % point of Student's t with 30 degrees of freedom."""

WARM_UP = 0.02
"""The share of a replication that is not measured: hundreds of mean services, or ten think times."""


def confirm(theory: float, estimates: Sequence[float]) -> None:
    """Whether *estimates*, one of each replication, are precise, and agree with *theory*."""
    assert len(estimates) == len(SEEDS)
    mean = fmean(estimates)
    half_width = STUDENT * stdev(estimates) / sqrt(len(estimates))
    assert half_width <= 0.01 * mean
    assert mean - half_width <= theory <= mean + half_width


soak = pytest.mark.soak


def arrive(env: simpy.Environment, rate: float, seed: int, name: str, ask: Callable[[], object]) -> Wait:
    """Poisson arrivals, *rate* a second."""
    random, gap = stream(seed, f"{name} arrivals"), Exponential(1.0 / rate)
    while True:
        yield env.timeout(gap.draw(random))
        ask()


# Open queues on a drive ----------------------------------------------------------------------------------


BYTE = [access(Op.READ, 0, 1, Account("reader"))]


@dataclass(frozen=True)
class Customer:
    """A read that a drive has done: when it was *asked*, how long it took from then on, and how long it was served."""

    asked: float
    response: float
    service: float


def customers(mechanism: Mechanism, reads: Sequence[Access], rate: float, seconds: float) -> list[Customer]:
    """Those whom *mechanism* has served in *seconds*, in their order."""
    env, served = simpy.Environment(), list[Customer]()
    drive, draws = Drive(env, mechanism), stream(0, "draws")

    def done(request: simpy.Event) -> None:
        assert isinstance(request, Request)
        served.append(Customer(request.submitted, env.now - request.submitted, request.value.total))

    def ask() -> None:
        drive.start(reads[pick(draws, len(reads))]).callbacks.append(done)

    env.process(arrive(env, rate, 0, "reads", ask))
    env.run(until=seconds)
    return served


@pytest.mark.parametrize(("mechanism", "rate"), [
    (DrawnService(Exponential(1.0), stream(0, "service")), 0.7), (FixedService(1.0), 0.8), (MovingArm(HP7933), 20.0),
], ids=["M/M/1", "M/D/1", "HP 7933"])  # fmt: skip
def test_each_waits_for_what_those_before_him_leave(mechanism: Mechanism, rate: float) -> None:
    """Lindley's recursion: a response is one's own service, and what was left of the last response when one came."""
    reads = [access(Op.READ, sector, 1, Account("reader")) for sector in range(0, 400_000_000, 1_000_003)]
    served = customers(mechanism, reads, rate, 1000.0 / rate)
    assert len(served) > 900
    assert sum(each.response > each.service + 1e-9 for each in served) > 300
    for before, each in pairwise(served):
        left = before.asked + before.response - each.asked
        assert each.response == pytest.approx(max(0.0, left) + each.service, abs=1e-9)


def drive_response(mechanism: Mechanism, reads: Sequence[Access], rate: float, seconds: float, seed: int) -> float:
    """The mean response of *mechanism* to *rate* of *reads* a second, drawn at random."""
    env = simpy.Environment()
    drive = Drive(env, mechanism)
    draws = stream(seed, "draws")
    responses = [0.0, 0.0]

    def done(request: Request) -> None:
        responses[0] += env.now - request.submitted
        responses[1] += 1

    def ask() -> None:
        drive.start(reads[pick(draws, len(reads))]).callbacks.append(done)

    env.process(arrive(env, rate, seed, "reads", ask))
    env.run(until=WARM_UP * seconds)
    early = tuple(responses)
    env.run(until=seconds)
    return (responses[0] - early[0]) / (responses[1] - early[1])


def pollaczek_khinchine(rate: float, mean: float, variance: float) -> float:
    """The mean response of M/G/1, first come first served."""
    return mean + rate * (variance + mean * mean) / (2.0 * (1.0 - rate * mean))


@pytest.mark.parametrize(("rate", "response", "seconds"), [
    (0.3, 1 / 0.7, 40_000), pytest.param(0.5, 2.0, 70_000, marks=soak),
])  # fmt: skip
def test_mm1_on_a_drive(rate: float, response: float, seconds: float) -> None:
    def one(seed: int) -> float:
        return drive_response(DrawnService(Exponential(1.0), stream(seed, "service")), BYTE, rate, seconds, seed)

    confirm(response, [one(seed) for seed in SEEDS])


@soak
def test_md1_on_a_drive() -> None:
    response = 1.75  # 1 s, and 0.6 / (2 x 0.4) s of waiting
    assert pollaczek_khinchine(0.6, 1.0, 0.0) == pytest.approx(response)
    confirm(response, [drive_response(FixedService(1.0), BYTE, 0.6, 20_000, seed) for seed in SEEDS])


@soak
def test_mg1_on_a_turning_disc() -> None:
    """A tenth of a track is read, from a random sector on: however the disc stands, the delay is uniform.

    Revolution 10 ms, so that a service lies between 1 and 11 ms: mean 6, variance 100 / 12. A read that begins near the
    end of the first track ends on the second, which costs no time. (From the end of a sector on, a delay is a whole
    number of sectors: its mean is half a sector short, 0.0005 ms.)
    """
    disc = DiscType("two tracks", uniform(1, 2, 10_000, 1), 6000, LinearSeek(0.0, 0.0, 1))
    reads = [access(Op.READ, sector, 1000, Account("reader")) for sector in range(10_000)]
    theory = pollaczek_khinchine(100.0, 6 * MS, 100 / 12 * MS * MS)
    assert theory == pytest.approx((6 + 133 / 24) * MS)
    confirm(theory, [drive_response(MovingArm(disc), reads, 100.0, 130.0, seed) for seed in SEEDS])


# Open queues on a CPU ------------------------------------------------------------------------------------


def cpu_responses(
    make: Callable[[simpy.Environment], Cpu], classes: Sequence[tuple[float, float]], seconds: float, seed: int
) -> list[float]:
    """The mean response of each of *classes*, (rate, mean burst), the first of which is the most urgent."""
    env = simpy.Environment()
    cpu = make(env)
    totals: list[list[float]] = []
    for level, (rate, mean) in enumerate(classes, INTERRUPT + 1):
        totals.append(_ask_cpu(env, cpu, level, rate, Exponential(mean), seed))
    env.run(until=WARM_UP * seconds)
    early = [tuple(total) for total in totals]
    env.run(until=seconds)
    return [(total - was) / (count - had) for (total, count), (was, had) in zip(totals, early, strict=True)]


def _ask_cpu(env: simpy.Environment, cpu: Cpu, level: int, rate: float, burst: Exponential, seed: int) -> list[float]:
    """Let bursts of one class arrive; the sum and the number of their responses."""
    service, account, totals = stream(seed, f"class {level} service"), Account(f"class {level}"), [0.0, 0.0]

    def ask() -> None:
        asked = env.now

        def done(_: simpy.Event) -> None:
            totals[0] += env.now - asked
            totals[1] += 1

        event = cpu.burst(burst.draw(service), level, Phase.CPU, account)
        event.callbacks.append(done)

    env.process(arrive(env, rate, seed, f"class {level}", ask))
    return totals


@soak
def test_mm1_on_a_cpu() -> None:
    confirm(2.0, [cpu_responses(FcfsCpu, [(0.5, 1.0)], 70_000, seed)[0] for seed in SEEDS])


@soak
def test_two_classes_on_a_preemptive_cpu() -> None:
    """Rates 0.25 and 0.125 of bursts of 1 and 2 s: each class loads the CPU by a quarter.

    The urgent do not notice the others: 1 / (1 - 1/4). For the others (Conway, Maxwell & Miller 1967, preemptive
    resume) it is (2 x (1 - 1/2) + 1/4 x 1 + 1/4 x 2) / ((1 - 1/4) x (1 - 1/2)).
    """
    responses = [cpu_responses(PreemptiveCpu, [(0.25, 1.0), (0.125, 2.0)], 125_000, seed) for seed in SEEDS]
    confirm(4 / 3, [urgent for urgent, _ in responses])
    confirm(14 / 3, [other for _, other in responses])


# A closed network: terminals, CPU, disc ------------------------------------------------------------------

USERS = 10
THINK = 1.0
VISITS = 4
CPU_BURST = 10 * MS
DISC_READ = 16 * MS
LINE = 10 / 9600
"""One character at 9600 baud: the RETURN before a response, and the reply that ends it."""


class Interactive:
    """Terminals whose program computes and reads a record, VISITS times; all the while it holds a *lock* if given."""

    def __init__(self, env: simpy.Environment, seed: int, lock: Lock | None = None) -> None:
        cpu = PreemptiveCpu(env)
        drive = Drive(env, DrawnService(Exponential(DISC_READ), stream(seed, "disc")))
        # The call itself costs nothing. At interrupt level it does not queue for that, as it would in no closed form.
        self.machine = Machine(env, {"drive": drive}, cpu, SystemCalls(level=INTERRUPT))
        self.file = File("records", drive, [Span(0, 1000)])
        self.lock = lock

    def perform(self, burst: object, session: Session) -> tuple[Wait]:
        assert isinstance(burst, Exponential)
        return (self._work(burst, session),)

    def _work(self, burst: Exponential, session: Session) -> Wait:
        file = OpenFile(self.file)
        if self.lock is not None:
            yield from self.lock.acquire(session.account)
        for _ in range(VISITS):
            yield self.machine.cpu.burst(burst.draw(session.random), 1, Phase.CPU, session.account)
            yield from self.machine.read(file, 0, 1, session.account)
        if self.lock is not None:
            self.lock.release()


def closed_network(seconds: float, seed: int, locked: bool = False) -> Result:
    env = simpy.Environment()
    system = Interactive(env, seed, Lock(env, "records") if locked else None)
    steps = (Loop((Think(Exponential(THINK)), Call(Exponential(CPU_BURST), "read"))),)
    script = Script("users", steps, USERS)
    window = Window(WARM_UP * seconds, seconds)
    result = engine.run(system.machine, Terminals([script], system.perform), window, seed, keep_rows=False)
    return replace(result, system="closed", parameters={"users": USERS})


def rows(results: Sequence[Result]) -> pd.DataFrame:
    return pd.DataFrame([{**each.parameters, **each.summary()} for each in results])


@pytest.fixture(scope="module")
def answers() -> list[Result]:
    return [closed_network(600.0, seed) for seed in SEEDS]


@soak
def test_terminals_cpu_and_disc(answers: Sequence[Result]) -> None:
    solved = mva(USERS, THINK + LINE, [VISITS * CPU_BURST, VISITS * DISC_READ], delay=LINE)
    throughput = solved.throughput
    assert 0.4 < throughput * VISITS * DISC_READ < 0.6
    confirm(throughput, [answer.response()["throughput"] for answer in answers])
    confirm(solved.response, [answer.recorder.mean for answer in answers])
    confirm(throughput * VISITS * CPU_BURST, [answer.rate("cpu.busy") for answer in answers])
    confirm(throughput * VISITS * DISC_READ, [answer.rate("drive.busy") for answer in answers])


@soak
def test_theory_beside_a_network_in_product_form_agrees_with_it(answers: Sequence[Result]) -> None:
    """From demands that each run measured itself; the difference is no larger than chance, and every bound is held."""
    each = add_theory(rows(answers), "users")
    assert (each["bound"] < each["response_mean"]).all()
    table = summarise_beside(rows(answers), "users", ["users"], [])
    assert table["beyond_mva_low"][0] < 0.0 < table["beyond_mva_high"][0]
    assert table["beyond_mva_high"][0] - table["beyond_mva_low"][0] < 0.02 * table["mva"][0]
    assert remark(table, "users", "users", MEAN_VALUE_ANALYSIS).startswith("The simulation agrees with mean value")


def test_a_lock_is_what_parts_them() -> None:
    """Ten users who hold it as long as they work are served one after the other."""
    answers = [closed_network(60.0, seed, locked=True) for seed in range(5)]
    table = summarise_beside(rows(answers), "users", ["users"], [])
    row = table.iloc[0]
    assert row["beyond_mva"] == pytest.approx(sum(row[name] for name in BEYOND[1:]))
    assert row["beyond_lock"] > row["beyond_mva"] > 0.2 * row["mva"]
    said = remark(table, "users", "users", MEAN_VALUE_ANALYSIS)
    assert said.startswith("The mean response at 10 users is 0.")
    assert "s longer than by mean value analysis: 0." in said
    assert said.index("waiting for the lock") < said.index("s less waiting for the discs")
