"""Draws machines until the time is over: ``python -m tests.fuzz MINUTES [FIRST_SEED]``."""

import sys
from itertools import count
from time import monotonic

from tests.fuzz.machines_of_seed import try_machines

MACHINES = 100
"""That a seed stands for."""


def main(minutes: float, first: int) -> None:
    began, tried, refused = monotonic(), 0, 0
    for seed in count(first):
        drawn = try_machines(seed, MACHINES)
        tried, refused = tried + drawn.tried, refused + drawn.refused
        if monotonic() - began > 60.0 * minutes:
            break
    print(f"seeds {first} to {seed}: {tried} machines ran, {refused} were refused when they were built, none failed")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
