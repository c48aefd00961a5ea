"""Asymptotic bounds: what no closed network of given demands can beat, whatever its services and its order of service.

Denning & Buzen, Computing Surveys 1978; Lazowska, Zahorjan, Graham & Sevcik, Quantitative System Performance, ch. 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from sim.error import UserError


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest throughput, a second, and response, in seconds."""

    throughput: tuple[float, float]
    response: tuple[float, float]


def check_network(users: int, delay: float, demands: Sequence[float]) -> None:
    """UserError unless such a network can be: with customers, no time negative, and not all of them zero."""
    if users < 1:
        raise UserError(f"users of a closed network must be at least 1, not {users!r}")
    for seconds in (delay, *demands):
        if not 0.0 <= seconds < float("inf"):
            raise UserError(f"a demand and a delay must be finite and not negative, not {seconds!r} s")
    if not delay + fsum(demands) > 0.0:
        raise UserError("a closed network without any demand or delay has an endless throughput")


def asymptotic(users: int, think: float, demands: Sequence[float]) -> Bounds:
    """Bounds for *users* with think time *think* and *demands* at the stations, all in seconds a transaction.

    At best no customer waits for another, or the busiest station is never idle; at worst each waits for all others.
    """
    check_network(users, think, demands)
    work = fsum(demands)
    least = least_response(users, think, work, max(demands, default=0.0))
    return Bounds((users / (think + users * work), users / (think + least)), (least, users * work))


def least_response(users: int, think: float, work: float, busiest: float) -> float:
    """No response is shorter than its own *work*, and none comes sooner than the *busiest* station serves all users."""
    return max(work, users * busiest - think)
