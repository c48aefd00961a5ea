"""``spindle sweep``: a full factorial of a system's arguments and parameters, as a tidy table."""

import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models.commands.arguments import Parser, folder, system, value, whole
from models.commands.given import arguments_of, named, parameters_of, parts, split
from sim.experiment.sweep import sweep
from sim.experiment.system import System
from sim.experiment.tables import cell, write_table
from sim.mistake import Mistake, unknown

EXAMPLES = """\
  spindle sweep hp3000 --set terminals=21,63 --set caching=false,true --seeds 3 --set minutes=5
  spindle sweep hp3000 --set fetch_random=1024,4096,24576 --set memory=6291456,8388608 --out fetch.csv
  spindle sweep max_iv --set sectors=128,256,512 --workers 2 --out sectors.csv"""

MOST_POINTS = 1_000_000


def main(arguments: Sequence[str]) -> int:
    parser = Parser("sweep", "Run a system at every combination of values; one row each.", EXAMPLES)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=A,B,C", help="values of one axis")
    parser.add_argument("--seeds", default="5", metavar="N", help="replications of each point; default 5")
    parser.add_argument("--workers", metavar="N", help="processes; default: one a core")
    parser.add_argument("--out", metavar="FILE.csv", help="default: to the screen")
    taken = parser.take(arguments)
    chosen = system(taken.system)
    grid = _grid(chosen, taken.set)
    seeds = whole("--seeds", taken.seeds)
    workers = None if taken.workers is None else whole("--workers", taken.workers)
    _check(grid, seeds, workers)
    out = None if taken.out is None else _file(taken.out)
    # A worker that is to make no parts by name starts without all that knows them: pandas, matplotlib.
    run = partial(_assembled, chosen.name) if grid.keys() & chosen.parts.keys() else chosen.run
    frame = sweep(partial(run, keep_rows=True), workers=workers, progress=True, **grid, seed=range(1, seeds + 1))
    if out is None:
        frame.map(cell).to_csv(sys.stdout, index=False, lineterminator="\n")
        return 0
    said = {"system": chosen.name, "spindle": version("spindle"), "seeds": f"1..{seeds}"}
    write_table(frame, out, said)
    print(f"{taken.out}: {len(frame)} rows")
    return 0


def _file(text: str) -> Path:
    """Where the table will be; Mistake where it cannot, before anything is computed."""
    path = Path(text)
    if not text or path.is_dir():
        raise Mistake(f"--out must name a file, not {text!r}")
    folder("--out", path.parent)
    return path


def _assembled(name: str, **point: Any) -> Any:
    """A run of the system *name*, the parts of which *point* names."""
    chosen = system(name)
    others = {argument: value for argument, value in point.items() if argument not in chosen.parts}
    return chosen.run(**others, **parts(chosen, point))


def _check(grid: dict[str, Any], seeds: int, workers: int | None) -> None:
    if seeds < 1:
        raise Mistake(f"--seeds must be at least 1, not {seeds}")
    if workers is not None and not 1 <= workers <= 1024:
        raise Mistake(f"--workers must be between 1 and 1024, not {workers}")
    points = seeds
    for values in grid.values():
        points *= len(values)
    if points > MOST_POINTS:
        raise Mistake(f"a sweep of {points} runs is more than {MOST_POINTS}; give fewer values")


def _grid(chosen: System, pairs: Sequence[str]) -> dict[str, list[Any]]:
    """Each axis with its values: arguments of the run, parameters, or parts, in that order of search."""
    known = arguments_of(chosen) | parameters_of(chosen)
    grid: dict[str, list[Any]] = {}
    for name, text in map(split, pairs):
        if name in grid:
            raise Mistake(f"--set {name} is given twice; list all its values in one")
        if name in known:
            grid[name] = [value(name, each, known[name]) for each in text.split(",")]
        elif name in chosen.parts:
            grid[name] = text.split(",")
            for each in grid[name]:
                named(name, each, chosen.parts[name])
        else:
            raise unknown("name to set", name, [*known, *chosen.parts])
    return grid
