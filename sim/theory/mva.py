"""Mean value analysis: throughput and response of closed queueing networks in product form.

A station is FCFS with exponential service times, or processor sharing; a delay has no queue. Exact for one class
(Reiser & Lavenberg, JACM 1980). Beside it the least response, which no network of such demands can beat, whatever its
services and its order of service (Denning & Buzen, Computing Surveys 1978; Lazowska and others, Quantitative System
Performance, ch. 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from sim.error import UserError


def check_network(users: int, delay: float, demands: Sequence[float]) -> None:
    """UserError unless such a network can be: with customers, no time negative, and not all of them zero."""
    if users < 1:
        raise UserError(f"users of a closed network must be at least 1, not {users!r}")
    for seconds in (delay, *demands):
        if not 0.0 <= seconds < float("inf"):
            raise UserError(f"a demand and a delay must be finite and not negative, not {seconds!r} s")
    if not delay + fsum(demands) > 0.0:
        raise UserError("a closed network without any demand or delay has an endless throughput")


@dataclass(frozen=True)
class Solution:
    """What the customers see: responses a second, and the seconds for which each station keeps them.

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


def least_response(users: int, think: float, work: float, busiest: float) -> float:
    """No response is shorter than its own *work*, and none comes sooner than the *busiest* station serves all users."""
    return max(work, users * busiest - think)
