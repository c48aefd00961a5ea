"""LeCaR, compiled: an entry is in a queue by last use and in one by number of uses, and its ghost in one of two."""

from math import exp

import numpy as np
from numpy.typing import NDArray

from sim.curve.compiled.links import Links, enter, leave, move, rings
from sim.jit import compiled
from sim.streams import stream

LEARNING, DISCOUNT = 0.45, 0.005
RECENCY, FREQUENCY, NOWHERE = 0, 1, 2


def lecar(numbers: Links, unique: int, capacity: int, early: int) -> int:
    """The draws are those that the policy makes."""
    most = int(np.bincount(numbers).max()) if len(numbers) else 0
    return _lecar(numbers, unique, most, capacity, early, _draws(len(numbers) + 1), DISCOUNT ** (1.0 / capacity))


def _draws(count: int) -> NDArray[np.float64]:
    """numpy draws the same numbers from the state of Python's generator."""
    *key, place = stream(0, "lecar").getstate()[1]
    random = np.random.RandomState()
    random.set_state(("MT19937", np.array(key, dtype=np.uint32), place, 0, 0.0))
    return random.random_sample(count)


@compiled
def _lecar(
    numbers: Links, unique: int, most: int, capacity: int, early: int, draws: NDArray[np.float64], discount: float
) -> int:
    after, before = rings(unique, 1)
    upper, lower = rings(unique, most + 2)  # by uses
    later, earlier = rings(unique, 2)  # ghosts
    uses = np.zeros(unique, dtype=np.int32)
    ghost = np.full(unique, NOWHERE, dtype=np.uint8)
    went = np.zeros(unique, dtype=np.int32)
    lengths = np.zeros(2, dtype=np.int64)
    weights = np.full(2, 0.5)
    hits = entries = fewest = evicted = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if uses[block]:
            hits += now >= early
            leave(upper, lower, block)
            if uses[block] == fewest and upper[unique + fewest] == unique + fewest:
                fewest += 1
            move(after, before, unique, block)
        else:
            if entries == capacity:
                chosen = RECENCY if draws[evicted] < weights[RECENCY] else FREQUENCY
                evicted += 1
                oldest, rarest = after[unique], upper[unique + fewest]
                victim = oldest if chosen == RECENCY else rarest
                leave(after, before, victim)
                leave(upper, lower, victim)
                uses[victim] = 0
                if oldest != rarest:
                    _remember(later, earlier, unique + chosen, lengths, ghost, victim, capacity)
                    went[victim] = now
            else:
                entries += 1
            fewest = 1
            enter(after, before, unique, block)
            if ghost[block] != NOWHERE:
                leave(later, earlier, block)
                lengths[ghost[block]] -= 1
                weights[1 - ghost[block]] *= exp(LEARNING * discount ** float(now - went[block]))
                total = weights[0] + weights[1]
                weights[0], weights[1] = weights[0] / total, weights[1] / total
                ghost[block] = NOWHERE
        uses[block] += 1
        enter(upper, lower, unique + uses[block], block)
    return hits


@compiled
def _remember(
    later: Links, earlier: Links, end: int, lengths: np.ndarray, ghost: np.ndarray, victim: int, most: int
) -> None:
    """As the last ghost of the queue with that *end*, of which there are as many as *most*."""
    chosen = end - len(ghost)
    enter(later, earlier, end, victim)
    ghost[victim] = chosen
    lengths[chosen] += 1
    if lengths[chosen] > most:
        oldest = later[end]
        leave(later, earlier, oldest)
        ghost[oldest] = NOWHERE
        lengths[chosen] -= 1
