"""``spindle sweep``: a grid or a design of a system's arguments, parameters and parts, as a tidy table."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from inspect import signature
from math import prod
from os.path import isfile
from pathlib import Path
from typing import Any

from models import own
from models.commands import designs, workers
from models.commands.arguments import ArgumentParser, find_system, folder, outputs, system_names
from models.commands.printing import complain, finish
from models.commands.run_options import SHEET, named, parts, settings_of, split
from models.commands.values import whole
from sim.error import PointFailed, UserError, unknown
from sim.output.table_file import TableFile, signed
from sim.output.tables import cell
from sim.study.system import System
from sim.sweep.sweep import sweep

EXAMPLES = """\
  spindle sweep hp3000 --set terminals=21,63 --set caching=false,true --seeds 3 --set minutes=5
  spindle sweep hp3000 --set fetch_random=1024,4096,24576 --set memory=6MiB,8MiB --out fetch.csv
  spindle sweep max_iv --set sectors=128,256,512 --workers 2 --store sizes --out sectors.csv
  spindle sweep hp3000 --sample 64 --latin terminals=10:120 memory=4M:12M --seeds 1 --out sample.csv
  spindle sweep hp3000 --design points.csv --seeds 3 --out points_run.csv"""

MOST_POINTS = 1_000_000
USUAL_SEEDS = "5"


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    system = find_system(options.system)
    grid = _grid(system, options.set)
    points = designs.design(system, options)
    if points is None or designs.SEED not in points:
        grid[designs.SEED] = _seeds(USUAL_SEEDS if options.seeds is None else options.seeds)
    elif options.seeds is not None:
        raise UserError("the design has a column of seeds; leave out --seeds")
    _check(grid, points)
    words = {name: values for name, values in {**grid, **(points or {})}.items() if name in system.parts}
    who = workers.workers(options)
    metadata = {"system": system.name}
    words_of_points = {str(each) for values in (*grid.values(), *(points or {}).values()) for each in values}
    reads = [Path(name) for name in (*words_of_points, options.design or "") if isfile(name)]
    out = outputs(reads, {"--out": options.out})["--out"]
    table = None if out is None else TableFile(out, metadata)
    store = None if options.store is None else folder("--store", Path(options.store))
    # A worker that makes no parts by name starts without the modules of their names: pandas, matplotlib.
    run = _assembling(options.system, words) if words or options.system not in system_names() else system.run
    try:
        frame = sweep(_keeping(system, run), workers=who, progress=True, out=table, store=store, design=points, **grid)
    except PointFailed as failure:
        complain(" ".join(str(failure).split()))
        return 1
    if table is None:
        return finish(signed(frame, metadata).map(cell).to_csv(index=False, lineterminator="\n").removesuffix("\n"))
    return finish(f"{options.out}: {len(frame)} rows")


def _parser() -> ArgumentParser:
    parser = ArgumentParser("sweep", "Run a system at every combination of values; one row each.", EXAMPLES)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=A,B,C", help="values of one axis")
    designs.add_options(parser)
    parser.add_argument("--seeds", metavar="N", help=f"replications of each point; default {USUAL_SEEDS}")
    workers.add_options(parser, "its workers must see the folder of --store or --out")
    parser.add_argument("--out", metavar="FILE", help=".csv or .parquet; default: to the screen")
    parser.add_argument(
        "--store", metavar="FOLDER", help="keep finished points there, and go on from those; default: FILE.sweep, "
        "until FILE is written",
    )  # fmt: skip
    return parser


def _keeping(system: System, run: Callable[..., Any]) -> Callable[..., Any]:
    """With rows, from which percentiles are exact, where the system keeps any."""
    return partial(run, keep_rows=True) if "keep_rows" in signature(system.run).parameters else run


def _assembling(name: str, words: Mapping[str, Sequence[str]]) -> Callable[..., Any]:
    """A run of the system *name* with the parts which *words* name.

    The source of a part from a file or a package belongs to the key of the run, and is passed to the workers.
    """
    names = {name for values in words.values() for name in values if name.endswith(SHEET)}
    sheets = {name: sha256(Path(name).read_bytes()).hexdigest() for name in sorted(names)}
    texts = own.sources("system", [name])
    for part, values in words.items():
        texts |= own.sources(part, values)
    return partial(_assembled, name, sheets, texts)


def _assembled(name: str, _sheets: Mapping[str, str], texts: Mapping[str, str], **point: Any) -> Any:
    """A run of the system *name*, the parts of which *point* names."""
    with own.told(texts):
        system = find_system(name)
        choices = parts(system, point)
    return system.run(**{name: value for name, value in point.items() if name not in system.parts}, **choices)


def _seeds(text: str) -> range:
    seeds = whole("--seeds", text)
    if seeds < 1:
        raise UserError(f"--seeds must be at least 1, not {seeds}")
    return range(1, seeds + 1)


def _check(grid: Mapping[str, Sequence[Any]], points: Mapping[str, Sequence[Any]] | None) -> None:
    runs = prod(map(len, grid.values())) * (len(next(iter(points.values()))) if points else 1)
    if runs > MOST_POINTS:
        raise UserError(f"a sweep of {runs} runs is more than {MOST_POINTS}; give fewer values")


def _grid(system: System, pairs: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Each axis with its values: arguments of the run, parameters, or parts, in that order of search."""
    known = settings_of(system)
    grid: dict[str, Sequence[Any]] = {}
    for name, text in map(split, pairs):
        if name in grid:
            raise UserError(f"--set {name} is given twice; list all its values in one")
        if name in known:
            grid[name] = [known[name].read(name, each) for each in text.split(",")]
        elif name in system.parts:
            grid[name] = own.split(text)
            for each in grid[name]:
                named(name, each, system.parts[name])
        else:
            raise unknown("name to set", name, [*known, *system.parts])
    return grid
