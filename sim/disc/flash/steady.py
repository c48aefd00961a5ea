"""Computes the valid units of each block of a die after long random writes, with greedy cleaning.

Blocks of b units lose valid ones in proportion to those they have, so that of all full blocks a share in proportion to
1/k has k; one is cleaned at the level x. All valid units together are those of the host: so many that the mean level is
(b - x) / (H_b - H_x). Desnoyers, Analytic Modeling of SSD Write Performance (SYSTOR 2012); Bux and Iliadis, Performance
of Greedy Garbage Collection in Flash-Based Solid-State Drives (Performance Evaluation, 2010); Van Houdt (SIGMETRICS
2013), whose limit for all blocks to choose from this is.
"""

from math import log

HALVINGS = 60


def cleaned_level(mean: float, size: int) -> float:
    """Return the level x at which blocks of *size* units are cleaned, of which *mean* are valid on average."""
    low, high = 0.0, float(size)
    for _ in range(HALVINGS):
        level = 0.5 * (low + high)
        if (size - level) / (_harmonic(size) - _harmonic(level)) < mean:
            low = level
        else:
            high = level
    return low


def steady_levels(units: int, blocks: int, size: int) -> list[int]:
    """Return the valid units of each of *blocks* full blocks, *units* in all, from the emptiest on."""
    least = max(cleaned_level(units / blocks, size), 0.5)
    levels = [round(least * (size / least) ** ((place + 0.5) / blocks)) for place in range(blocks)]
    missing = units - sum(levels)
    step = 1 if missing > 0 else -1
    while missing:
        for place in range(blocks):
            if missing and 0 <= levels[place] + step <= size:
                levels[place] += step
                missing -= step
    return sorted(levels)


def _harmonic(number: float) -> float:
    """Return the harmonic number, between whole ones too, less a constant: by its series, to 0.1 % from 1 on."""
    middle = number + 0.5
    return log(middle) + 1.0 / (24.0 * middle * middle)
