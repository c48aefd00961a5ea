"""A reading of the paper on FAC: one named choice for each thing that its text leaves open."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from sim.eviction.partitions import DynamicMaximum, Maximum, Partitions, Rounding, round_up
from sim.eviction.policy import Traffic

Gain = Callable[[float], float]
"""What an access in partition N adds to an entry's worth."""


def nothing(number: float) -> float:
    return 0.0


def count_alone(number: float) -> float:
    """LFU."""
    return 1.0


def number_alone(number: float) -> float:
    """Both at first and again, the worth is N times the number of uses."""
    return number


def count_and_number(number: float) -> float:
    return 1.0 + number


Used = Callable[[Partitions, float, float], float]
"""The N of a hit, from the seconds of the entry's last access to the disc, and from what its N was then."""


def number_of_then(partitions: Partitions, seconds: float, then: float) -> float:
    return then


def number_of_now(partitions: Partitions, seconds: float, then: float) -> float:
    """The same access time in the partitions of the hit."""
    return partitions.number(seconds) if seconds else then


Tie = Callable[[int], int]
"""Decides between entries of equal worth, by their running number of arrival: the lower goes."""


def least_recent_gain(arrival: int) -> int:
    """No difference, so that whose worth has been what it is for longest goes."""
    return 0


def first_arrival(arrival: int) -> int:
    return arrival


Unit = Callable[[Sequence[Hashable]], Iterable[Sequence[Hashable]]]
"""What of the entries that an access to the disc was for counts as one access time."""


def by_request(keys: Sequence[Hashable]) -> Iterable[Sequence[Hashable]]:
    return (keys,)


def by_block(keys: Sequence[Hashable]) -> Iterable[Sequence[Hashable]]:
    return ((key,) for key in keys)


@dataclass(frozen=True)
class Reading:
    """Kim adds a "normalized value of access time" to "the access frequency update of the worth value".

    Left open, and by default: what the *maximum* is measured from (dynamic, begun anew with each average; the
    static one is the paper's first policy), how N is rounded (up), what a block is worth at *first* (its first use
    and its N), what a hit adds *again* (one use and N), the N *used* on a hit, where there is no access time (that
    of the last access to the disc), which of equals goes (*tie*: the least recent), whether the counter advances by
    request or by block (*unit*: request), and which traffic is *heeded* (fetches).
    """

    maximum: Callable[[], Maximum] = DynamicMaximum
    partitions: int = 10
    rounding: Rounding = round_up
    first: Gain = count_and_number
    again: Gain = count_and_number
    used: Used = number_of_then
    tie: Tie = least_recent_gain
    unit: Unit = by_request
    heeded: frozenset[Traffic] = frozenset({Traffic.FETCH})
