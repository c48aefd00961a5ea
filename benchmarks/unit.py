"""The unit of all times: one bare ``yield env.timeout()`` among a hundred processes, measured in the same run."""

from time import process_time

import simpy

from spindle.sim.clock import Wait

PROCESSES = 100
TIMEOUTS = 1000


def unit() -> float:
    """Seconds of the processor for one bare timeout; the best of three, because noise only ever adds."""
    return min(_once() for _ in range(3))


def _once() -> float:
    env = simpy.Environment()
    for _ in range(PROCESSES):
        env.process(_sleeper(env))
    began = process_time()
    env.run(until=TIMEOUTS + 0.5)
    return (process_time() - began) / (PROCESSES * TIMEOUTS)


def _sleeper(env: simpy.Environment) -> Wait:
    while True:
        yield env.timeout(1.0)
