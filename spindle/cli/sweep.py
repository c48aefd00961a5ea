"""``spindle sweep``: runs of a system at a grid or a design of settings, as a tidy table and a picture."""

import json
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from math import isfinite, prod
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli import designs, plotting
from spindle.cli.arguments import ArgumentParser, add_worker_options, folder, outputs, workers_of
from spindle.cli.batch import add_batch, batch_script, part_of
from spindle.cli.printing import complain, finish
from spindle.cli.run_options import (
    WRITTEN,
    add_options,
    axes,
    given_texts,
    is_trace,
    refuse_both,
    run_of,
    system_of,
)
from spindle.output.files import same_file
from spindle.output.tables import TableFile
from spindle.questions.words import seeds, whole_number
from spindle.sim.error import PointFailed, UserError, unknown
from spindle.sim.quantity import common_unit, show, unit_of
from spindle.studies.confidence import confidence
from spindle.studies.settings import TOGETHER, settings_of
from spindle.studies.sweep.grid import REFUSED, check_once
from spindle.studies.sweep.sweep import sweep
from spindle.systems import System

if TYPE_CHECKING:
    import pandas as pd

EXAMPLES = """\
  spindle sweep hp3000 --terminals 21,63 --caching false,true --seeds 3 --minutes 5
  spindle sweep hp3000 --fetch-random 1K,4K,24K --memory 6MiB,8MiB --out fetch.csv --plot fetch.png
  spindle sweep sata_ncq --cache 1MiB,4MiB,16MiB --policy lru,fac --seeds 3 --plot -
  spindle sweep hp3000 --script shop.tepe --discs 4,5 --memory 4MB,5MB --minutes 10 --seeds 3
  spindle sweep max_iv --sectors 128,256,512 --workers 2 --store sizes --out sectors.csv
  spindle sweep hp3000 --sample 64 --latin terminals=10:120 memory=4M:12M --seeds 1 --out sample.csv
  spindle sweep trace.csv --drive hp7933,intels3700 --cache 0,1MiB --policy lru,s3-fifo
  spindle sweep max_iv --sectors 128,256,512 --store sizes --out sectors.csv --batch slurm:15
  spindle sweep hp3000 --design points.csv --seeds 3 --out points_run.csv"""

ABOUT = """\
Run a system at every combination of values: whatever is an option of spindle run takes several here,
separated by commas. Shown are means over the seeds; a file has a row for each run. A trace may take the
place of a system: its replays take --drive, --scheduler, --cache, --policy and more."""

MAX_POINTS = 1_000_000
USUAL_SEEDS = "5"
ALL = "all"
MAX_LINES = 100
"""Lines of a table on the screen, where a file has all of it."""
MIN_SEEDS = 2
"""Seeds for an interval."""
SHOWN_MEASURES = 2


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("sweep", ABOUT, EXAMPLES)
    _add_options(parser)
    system = system_of(parser, arguments)
    add_options(parser, system, without=WRITTEN)
    options = parser.take(arguments)
    grid: dict[str, Sequence[Any]] = dict(axes(system, given_texts(system, options, WRITTEN)))
    points = designs.design(system, options)
    grid[designs.SEED] = _seeds(options, points, "1" if is_trace(options.system) else USUAL_SEEDS)
    if points is not None and designs.SEED in points:
        del grid[designs.SEED]
    refuse_both(system, [*(points or {}), *grid])
    _check(grid, points)
    if options.batch is not None:
        return finish(batch_script(options, arguments, _count(grid, points)).rstrip())
    run = run_of(options.system, system, {**grid, **(points or {})})
    files = _files(options, {**grid, **(points or {})})
    frame = _sweep(system, run, grid, points, options, files["--out"])
    if frame is None:
        return 1
    if options.json and options.out is None:
        return finish(as_json(system, frame))
    asked = [*(points or {}), *grid]
    measures = columns_of(system, frame, asked, options.columns)
    wrote = [] if options.out is None else ["", f"{options.out}: {len(frame)} rows"]
    if options.plot is not None:
        wanted = measures[:1] if options.columns in (None, ALL) else options.columns.split(",")
        drawn = plotting.numbers_of(frame, wanted)
        whole = frame[frame[REFUSED].isna()] if REFUSED in frame else frame
        wrote += plotting.plot_sweep(plotting.swept_table(system, whole, asked), drawn, files["--plot"])
    return finish("\n".join([screen_table(system, frame, asked, measures, MAX_LINES if options.out else None), *wrote]))


def _add_options(parser: ArgumentParser) -> None:
    designs.add_options(parser)
    add_batch(parser)
    parser.add_argument("--seeds", metavar="N", help=f"replications of each point; default {USUAL_SEEDS}")
    parser.add_argument("--seed", metavar="A,B,C", help="these seeds instead, as 1,2,7 or 1-20; default 1 to N")
    add_worker_options(parser, "its workers must see the folder of --store or --out")
    parser.add_argument("--columns", metavar="A,B,C", help="more columns on the screen, or all; default the main ones")
    plotting.add_plot(parser)
    parser.add_argument("--json", action="store_true", help="every column of every run, as JSON")
    parser.add_argument("--out", metavar="FILE", help=".csv or .parquet, a row for each run; default to the screen")
    parser.add_argument(
        "--store", metavar="FOLDER", help="keep finished points there, and reuse them; default FILE.sweep, "
        "until FILE is written",
    )  # fmt: skip


def _files(options: Namespace, axes: Mapping[str, Sequence[Any]]) -> Mapping[str, Path | None]:
    """Return the output files; none may overwrite a file that *axes* name."""
    words = {each for values in axes.values() for value in values for each in str(value).split(TOGETHER)}
    reads = [Path(name) for name in (*words, options.design or "") if isfile(name)]
    return outputs(reads, {"--out": options.out, "--plot": plotting.plot_file(options.plot)})


def _sweep(
    system: System, run: Callable[..., Any], grid: Mapping[str, Any], points: Mapping[str, Sequence[Any]] | None,
    options: Namespace, out: Path | None,
) -> Any:  # fmt: skip
    """Return the frame of all runs; None, after a line about it, where one of them failed."""
    who, part = workers_of(options), part_of(options)
    table = None if out is None else TableFile(out, {"system": system.name})
    if out is not None and options.store is not None and same_file(out, Path(options.store)):
        raise UserError(f"--out and --store are both {out}, but one is a file and the other a folder")
    store = None if options.store is None else folder("--store", options.store)
    try:
        return sweep(_keep_rows(system, run), workers=who, progress=True, out=table, store=store, design=points,
                     lenient=True, part=part, **grid)
    except PointFailed as failure:
        complain(" ".join(str(failure).split()))
        return None


def _keep_rows(system: System, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return *run* with rows kept, which make percentiles exact, where the system has any."""
    return partial(run, keep_rows=True) if "keep_rows" in signature(system.run).parameters else run


def _seeds(options: Namespace, points: Mapping[str, Sequence[Any]] | None, usual: str) -> Sequence[Any]:
    if points is not None and designs.SEED in points and (options.seeds or options.seed):
        raise UserError("the design has a column of seeds; leave out --seeds")
    if options.seed is not None:
        if options.seeds is not None:
            raise UserError("--seed and --seeds contradict each other")
        return seeds(options.seed)
    number = whole_number("--seeds", usual if options.seeds is None else options.seeds)
    if number < 1:
        raise UserError(f"--seeds must be at least 1, not {number}")
    return range(1, number + 1)


def _check(grid: Mapping[str, Sequence[Any]], points: Mapping[str, Sequence[Any]] | None) -> None:
    runs = _count(grid, points)
    if runs > MAX_POINTS:
        raise UserError(f"a sweep of {runs} runs is more than {MAX_POINTS}; give fewer values")
    for name, values in grid.items():
        check_once(name, values)


def _count(grid: Mapping[str, Sequence[Any]], points: Mapping[str, Sequence[Any]] | None) -> int:
    return prod(map(len, grid.values())) * (len(next(iter(points.values()))) if points else 1)


def as_json(system: System, frame: "pd.DataFrame") -> str:
    """Every column of every run; NaN becomes null."""
    rows = json.loads(frame.to_json(orient="records", double_precision=15))
    return json.dumps({"system": system.name, "rows": rows}, indent=2)


def columns_of(system: System, frame: "pd.DataFrame", axes: Sequence[str], wanted: str | None) -> list[str]:
    """Return the measures to show: the system's main ones and those *wanted*, or all; UserError for an unknown one."""
    measures = [name for name in frame.columns if name not in (*axes, REFUSED)]
    if wanted == ALL:
        return measures
    for name in [] if wanted is None else wanted.split(","):
        if name not in measures:
            raise unknown("column", name, measures)
    answers = [name for name in system.answers if name in measures and not frame[name].isna().all()]
    more = wanted.split(",") if wanted is not None else [] if answers else measures[:SHOWN_MEASURES]
    return [*answers, *(name for name in more if name not in answers)]


def screen_table(
    system: System, frame: "pd.DataFrame", axes: Sequence[str], measures: Sequence[str], most: int | None = None
) -> str:
    """A line a point, *most* at most: what varies, and each measure with its unit and the half of its 95 % interval."""
    known = settings_of(system)
    points = [name for name in axes if name != designs.SEED]
    varying = [name for name in points if frame[name].nunique(dropna=False) > 1]
    groups = [group for _, group in frame.groupby(points, sort=False, dropna=False)] if points else [frame]
    units = {name: common_unit([value for value in frame[name] if isinstance(value, int | float)], unit_of(name))
             for name in measures}  # fmt: skip
    rows = [[*varying, *measures]]
    for group in groups[:most]:
        values = [known[name].text(group[name].tolist()[0]) for name in varying]
        rows.append([*values, *(_mean(name, group[name].dropna().tolist(), units[name]) for name in measures)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    left = len(groups) - len(rows) + 1
    lines += [f"... {left} lines more"] if left else []
    more = sum(name not in (*axes, *measures, REFUSED) for name in frame)
    return "\n".join([*lines, "", _foot(list(map(len, groups)), more)])


def _mean(name: str, samples: list[Any], unit: str) -> str:
    """Show the mean of *samples* of the measure *name* in the *unit* of its column, with half of its interval."""
    numbers = [each for each in samples if isinstance(each, int | float) and isfinite(each)]
    if len(numbers) < len(samples) or not numbers:
        return str(samples[0]) if samples else "n/a"
    if len(numbers) < MIN_SEEDS:
        return show(name, float(numbers[0]), shown_in=unit)
    interval = confidence(numbers)
    half = (interval.high - interval.low) / 2
    return f"{show(name, interval.mean, shown_in=unit)} ± {show(name, half, 2, unit)}"


def _foot(seeds: Sequence[int], more: int) -> str:
    """Return a line on the number of *seeds* of each line, and on *more* columns."""
    fewest, most = min(seeds), max(seeds)
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    means = f"means of {count} seeds ± half of the 95 % interval" if most >= MIN_SEEDS else "one seed"
    if not more:
        return f"{means}; --out FILE.csv has a row for each run"
    return f"{means}; {more} more columns: --columns {ALL}, --json, or --out FILE.csv with a row for each run"
