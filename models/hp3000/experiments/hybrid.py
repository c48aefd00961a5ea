"""The load of most experiments, transactions and development sessions mixed, and what their pictures call things."""

from models.hp3000.run import run
from sim.measure.result import Result

DEVELOPMENT = 38 / 101
"""The share of development sessions in the hybrid load of 63 + 38 terminals (McBride & Boles 1983)."""

SECTOR = 256
CACHED = {True: "disc caching", False: "no caching"}
RULES = "domains are of any length, and sequential files are fetched further ahead"
NO_THINKING = 1e-9
"""Multiplies think times, for which 0 is no factor."""

RESPONSE = "inquiry to first response, s"


def hybrid(terminals: int, **others: object) -> Result:
    """A run of *terminals*, as many of them in development as in the paper's hybrid load."""
    development = round(terminals * DEVELOPMENT)
    return run(terminals=terminals - development, development=development, **others)  # type: ignore[arg-type]
