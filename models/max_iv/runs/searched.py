"""A search through loads for one that hits 30 % with 256 sectors: points spread evenly over all that is not known."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from models.max_iv.machine import MaxIvOptions
from models.max_iv.runs.tools import SIZES, tools
from models.max_iv.tools.habits import LibraryLoop, PathLoop, PrivateLoops, SeveralHabits
from sim.sweep.design import Range, sobol

POINTS = 64
"""In each of BOXES."""
LOOPS = ("path_directories", "path_share", "private_sectors", "private_share", "library_sectors", "library_share")
"""Directories that are scanned whole, and libraries that are read from end to end, each user's own or shared."""
WIDE: Mapping[str, Range] = {
    "users": (2, 3), "cold": (0.1, 0.8), "inputs": (0.5, 4.0), "account_files": (20, 400), "working_files": (2, 30),
    "own_sectors": (1, 4), "lists": (1, 12), "names_a_sector": (4, 16), "local_tools": (5, 100),
    "own_commands": (1, 200), "more_directories": (0, 8), "pipe_sectors": (4.0, 6.0), "pipelines": (0.3, 3.0),
    "editing": (0.3, 3.0), "path_directories": (0, 30), "path_share": (0.0, 0.5), "private_sectors": (1, 200),
    "private_share": (0.0, 0.5), "library_sectors": (1, 400), "library_share": (0.0, 0.5),
}
"""What the paper does not print, as wide as is plausible; more than one user, as in the paper."""
NEAR: Mapping[str, Range] = {
    "users": (2, 3), "cold": (0.2, 0.6), "inputs": (1.3, 4.0), "account_files": (75, 300), "working_files": (3, 10),
    "own_sectors": (1, 3), "lists": (2, 8), "names_a_sector": (4, 16), "local_tools": (15, 60),
    "own_commands": (2, 40), "more_directories": (0, 3), "pipe_sectors": (4.0, 6.0), "pipelines": (0.5, 2.0),
    "editing": (0.5, 2.0), "path_directories": (0, 12), "path_share": (0.0, 0.3), "private_sectors": (1, 120),
    "private_share": (0.0, 0.2), "library_sectors": (1, 250), "library_share": (0.0, 0.15),
}
"""The same about the main load, which meets the other facts, with shorter loops."""
BOXES = {"wide": WIDE, "near": NEAR}


@cache
def design(box: str) -> tuple[Mapping[str, Any], ...]:
    """The points of one of BOXES, by name of the parameter; always the same ones."""
    rows = sobol(POINTS, BOXES[box]).to_dict("records")
    return tuple({str(name): value for name, value in row.items()} for row in rows)


def searched(box: str, number: int, seed: object, minutes: float, warm_up: float) -> dict[str, Any]:
    """Point *number* of the *box*: the paper's measures of such a load, and what 256, 512 and 768 sectors hit."""
    point = dict(design(box)[number])
    loops = [point.pop(name) for name in LOOPS]
    habits = (PathLoop(loops[0], share=loops[1]), PrivateLoops(loops[2], loops[3]), LibraryLoop(loops[4], loops[5]))
    row = tools(seed, minutes, warm_up, choices=MaxIvOptions(habit=SeveralHabits(habits)), **point)
    lru = row.pop("lru")
    return {**row, **{f"hits_{size}": lru[SIZES.index(size)] for size in (256, 512, 768)}}
