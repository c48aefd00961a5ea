"""How many requests an experiment asks for, and how large its caches are."""

from sim.study.system import Effort

A_MINUTE = 2000
"""Requests for each minute that others would simulate."""
SHARES = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""Caches, of the blocks that are used at all."""
MIDDLE = 0.06


def requests(effort: Effort) -> int:
    return round(A_MINUTE * effort.minutes)
