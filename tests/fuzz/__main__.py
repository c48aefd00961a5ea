"""Draws machines, and runs of the systems, until the time is over: ``python -m tests.fuzz MINUTES [FIRST_SEED]``."""

import sys
from itertools import count
from time import monotonic

from tests.fuzz.seeds import try_machines, try_systems

MACHINES, RUNS = 100, 2
"""That a seed stands for; runs of each system."""


def main(minutes: float, first: int) -> None:
    began, ran, refused = monotonic(), [0, 0], [0, 0]
    for seed in count(first):
        for kind, drawn in enumerate((try_machines(seed, MACHINES), try_systems(seed, RUNS))):
            ran[kind] += drawn.ran
            refused[kind] += drawn.refused
        if monotonic() - began > 60.0 * minutes:
            break
    print(f"seeds {first} to {seed}: {ran[0]} machines and {ran[1]} runs of systems kept every law; "
          f"{refused[0]} machines and {refused[1]} runs were refused")  # fmt: skip


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
