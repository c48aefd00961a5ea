"""How often the interval of an inverse question holds the true root: M/M/1 queues and machine repairmen, roots known.

``python -m benchmarks.roots 300`` takes some minutes. Every second pair of problems begins with pilots.
"""

import sys
from functools import partial
from heapq import heapify, heapreplace
from math import fsum
from random import Random

from scipy.optimize import brentq

from spindle.studies.sweep.find import Condition, find

CUSTOMERS = 2000
PILOTS = CUSTOMERS // 8


def queue(rate: float, seed: int, customers: int = CUSTOMERS) -> dict[str, float]:
    """M/M/1 with a mean service of 1: the mean response of *customers* from the stationary wait on (Lindley)."""
    random = Random(f"queue {seed}")
    wait = random.expovariate(1.0 - rate) if random.random() < rate else 0.0
    responses = []
    for _ in range(customers):
        service = random.expovariate(1.0)
        responses.append(wait + service)
        wait = max(0.0, wait + service - random.expovariate(1.0) / rate)
    return {"response_mean": fsum(responses) / customers}


def repair(think: float, machines: int, seed: int, customers: int = CUSTOMERS) -> dict[str, float]:
    """The mean time to repair of one repairman with a mean service of 1, first come first served, after a warm-up."""
    random = Random(f"repair {seed}")
    failures = [random.expovariate(1.0) * think for _ in range(machines)]
    heapify(failures)
    free, responses = 0.0, []
    for _ in range(customers + 200):
        failed = failures[0]
        free = max(free, failed) + random.expovariate(1.0)
        responses.append(free - failed)
        heapreplace(failures, free + random.expovariate(1.0) * think)
    return {"response_mean": fsum(responses[200:]) / customers}


def repaired(think: float, machines: int) -> float:
    """The exact mean of ``repair``: N / X - Z, X from the share of idle time (Kleinrock 1975)."""
    terms = [1.0]
    for number in range(machines):
        terms.append(terms[-1] * (machines - number) / think)
    return machines / (1.0 - 1.0 / fsum(terms)) - think


def held(problem: int) -> bool:
    """Whether the interval holds the root of the *problem*, which is drawn with its own seeds."""
    random = Random(f"problem {problem}")
    first = 1000 * problem
    if problem % 2:
        bound = random.uniform(1.5, 6.0)
        run, name, root, between = queue, "rate", 1.0 - 1.0 / bound, (0.05, 0.97)
    else:
        machines = random.randint(3, 15)
        root = random.uniform(1.0, 2.0 * machines)
        bound, between = repaired(root, machines), (0.2, 6.0 * machines)
        run, name = partial(repair, machines=machines), "think"
        assert abs(brentq(lambda think: repaired(think, machines) - bound, *between) - root) < 1e-6
    whole = partial(_shifted, run, first)
    pilot = partial(whole, customers=PILOTS) if problem // 2 % 2 else None
    answer = find(whole, name, Condition("response_mean", bound), between, workers=1, pilot=pilot)
    return answer.low <= root <= answer.high


def _shifted(run: object, first: int, *, seed: int, **point: float) -> dict[str, float]:
    return run(seed=first + seed, **point)  # type: ignore[operator, no-any-return]


def main(problems: int) -> None:
    hits = sum(held(problem) for problem in range(problems))
    print(f"{hits} of {problems} intervals hold the root: {hits / problems:.1%}; asked are 93 to 97 %")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
