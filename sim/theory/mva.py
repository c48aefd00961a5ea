"""Mean value analysis: throughput and response of closed queueing networks in product form.

A station is FCFS with exponential service times, or processor sharing; a delay has no queue. Exact for one class
(Reiser & Lavenberg, JACM 1980), and Bard and Schweitzer's approximation for several (Bard 1979, Schweitzer 1979).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from sim.error import UserError
from sim.theory.bounds import check_network


@dataclass(frozen=True)
class Solution:
    """What the customers of one class see: responses a second, and the seconds for which each station keeps them.

    *delay* is the part of the *response* that is spent at no station.
    """

    throughput: float
    delay: float
    residences: tuple[float, ...]

    @property
    def response(self) -> float:
        return self.delay + fsum(self.residences)

    @property
    def queues(self) -> tuple[float, ...]:
        """The mean number at each station, in service or waiting, by Little's law."""
        return tuple(self.throughput * residence for residence in self.residences)


def mva(users: int, think: float, demands: Sequence[float], delay: float = 0.0) -> Solution:
    """*users* who *think* between responses, each with *demands* at the stations and *delay* besides.

    An arriving customer sees the network with one user fewer; so users are added one after the other.
    """
    check_network(users, think + delay, demands)
    queues: tuple[float, ...] = (0.0,) * len(demands)
    for count in range(1, users + 1):
        residences = tuple([demand * (1.0 + queue) for demand, queue in zip(demands, queues, strict=True)])
        throughput = count / (think + delay + fsum(residences))
        queues = tuple([throughput * residence for residence in residences])
    return Solution(throughput, delay, residences)


@dataclass(frozen=True)
class Customers:
    """A class of customers: so many *users*, their *think* time, and their demands at the stations."""

    users: int
    think: float
    demands: tuple[float, ...]


ROUNDS = 100_000


def schweitzer(classes: Sequence[Customers], precision: float = 1e-9) -> list[Solution]:
    """A solution for each of *classes*: an arriving customer sees its own class as it is, less its own share of it.

    The equations are iterated until no queue changes by more than *precision*.
    """
    for each in classes:
        check_network(each.users, each.think, each.demands)
    queues = [tuple(each.users / len(each.demands) for _ in each.demands) for each in classes]
    for _ in range(ROUNDS):
        solutions = [_solve(each, own, queues) for each, own in zip(classes, queues, strict=True)]
        before, queues = queues, [each.queues for each in solutions]
        changes = [abs(n - o) for new, old in zip(queues, before, strict=True) for n, o in zip(new, old, strict=True)]
        if max(changes, default=0.0) <= precision:
            return solutions
    raise UserError(f"the approximate mean value analysis does not settle within {ROUNDS} rounds")


def _solve(each: Customers, own: Sequence[float], queues: Sequence[Sequence[float]]) -> Solution:
    """One round for one class, whose own queues are *own*."""
    met = [fsum(at) - mine / each.users for at, mine in zip(zip(*queues, strict=True), own, strict=True)]
    residences = tuple(demand * (1.0 + queue) for demand, queue in zip(each.demands, met, strict=True))
    return Solution(each.users / (each.think + fsum(residences)), 0.0, residences)
