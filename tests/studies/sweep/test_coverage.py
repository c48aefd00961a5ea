"""Do 95 % intervals hold the true mean 95 times of 100? Queues M/M/1 at utilisation 0.6, whose mean response is 2.5."""

import numpy as np
import pytest
import simpy

from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.request import Op, Request, access
from spindle.sim.streams import Exponential, stream
from spindle.studies.confidence import Interval, confidence
from spindle.studies.sweep.precision import Series, until_precise
from tests.drawn_service import DrawnService
from tests.samples import sample

LOAD = 0.6
THEORY = 1.0 / (1.0 - LOAD)
RUNS = sample(500, 1000)


def exponential(generator: np.random.Generator, count: int) -> Series:
    """By inverse transform: what numpy's own method draws may change."""
    drawn: Series = -np.log1p(-generator.random(count))
    return drawn


def queue(seed: list[int], count: int) -> Series:
    """The responses of *count* customers, the first of whom finds nobody, by Lindley's recursion."""
    generator = np.random.default_rng(seed)
    services, gaps = exponential(generator, count), exponential(generator, count) / LOAD
    steps = np.concatenate([[0.0], services[:-1] - gaps[:-1]]).cumsum()
    responses: Series = steps - np.minimum.accumulate(steps) + services
    return responses


def covered(intervals: list[Interval]) -> float:
    return sum(each.low <= THEORY <= each.high for each in intervals) / len(intervals)


def test_lindley_by_hand() -> None:
    responses, slow, wait = queue([1], 50), [], 0.0
    generator = np.random.default_rng([1])
    services, gaps = exponential(generator, 50), exponential(generator, 50) / LOAD
    for service, gap in zip(services, gaps, strict=True):
        slow.append(wait + service)
        wait = max(0.0, wait + service - gap)
    assert responses == pytest.approx(np.array(slow))


def test_coverage_of_replications() -> None:
    """Ten each, of 1500 customers after a warm-up of 200."""
    intervals = [confidence([queue([run, seed], 1700)[200:].mean() for seed in range(10)]) for run in range(RUNS)]
    assert 0.93 <= covered(intervals) <= 0.97


def replication(load: float, customers: int, base: int, seed: int) -> dict[str, float]:
    """The same queue on a drive: SimPy and the parts of Spindle."""
    env = simpy.Environment()
    drive = Drive(env, DrawnService(Exponential(1.0), stream(f"{base}/{seed}", "service")))
    random, gap = stream(f"{base}/{seed}", "arrivals"), Exponential(1.0 / load)
    byte = access(Op.READ, 0, 1, Account("reader"))
    responses: list[float] = []

    def done(request: Request) -> None:
        responses.append(env.now - request.submitted)

    def arrive() -> Wait:
        for _ in range(customers):
            yield env.timeout(gap.draw(random))
            drive.start(byte).callbacks.append(done)

    env.process(arrive())
    env.run()
    return {"response_mean": sum(responses[100:]) / len(responses[100:])}


def test_precision_on_a_drive() -> None:
    """Twenty times: of intervals of 95 %, fewer than 16 would hold the mean once in 400 times."""
    intervals = []
    for base in range(20):
        found = until_precise(replication, precision=0.15, least=5, workers=1, progress=False, load=LOAD,
                              customers=600, base=base)  # fmt: skip
        assert found.is_precise
        intervals += found.intervals
    assert covered(intervals) >= 16 / 20
