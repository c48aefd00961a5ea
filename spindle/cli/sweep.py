"""``spindle sweep``: runs a system at each point of a grid or design of settings, and prints or writes a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from math import prod
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli import designs, plotting, run_options
from spindle.cli.batch import NO_JOBS, BatchOptions, batch_script
from spindle.cli.named_files import check_picture, folder, outputs, plot_file
from spindle.cli.printing import complain, finish
from spindle.cli.workers import HERE, WorkerOptions
from spindle.measures import measure
from spindle.output.files import same_file
from spindle.questions.field import ask
from spindle.questions.words import seeds
from spindle.sim.error import PointFailed, UserError
from spindle.studies.settings import TOGETHER
from spindle.studies.sweep.part import MAX_POINTS
from spindle.systems import installed_systems

if TYPE_CHECKING:
    import pandas as pd

    from spindle.system import System

USUAL_SEEDS = 5
"""Replications of each point, unless --seeds gives their number."""
ALL_COLUMNS = "all"
"""The value of --columns for all columns."""
MAX_TABLE_LINES = 100
"""Most lines of the table on the screen, where a file has all of them."""


@dataclass(frozen=True)
class SweepQuestion:
    """Options of ``spindle sweep``: a system, points and seeds, where runs are made, and the output."""

    named: run_options.SystemOptions = run_options.AS_IT_IS
    drawn: designs.DesignOptions = designs.NO_DESIGN
    jobs: BatchOptions = NO_JOBS
    seeds: int | None = ask(None, f"replications of each point; default {USUAL_SEEDS}, of a trace 1", least=1,
                            excludes=("seed",))
    seed: str = ask("", "these seeds instead, as 1,2,7 or 1-20; default 1 to N", metavar="A,B,C")
    runners: WorkerOptions = HERE
    columns: str = ask("", "more columns on the screen, or all; default the main ones", metavar="A,B,C")
    plot: str = plotting.plot_field()
    json: bool = ask(False, "every column of every run, as JSON")
    out: str = ask("", ".csv or .parquet, a row for each run; default to the screen", metavar="FILE")
    store: str = ask("", "keep finished points there, and reuse them; default FILE.sweep, until FILE is written",
                     metavar="FOLDER")  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    runs = run_options.take_runs("sweep", SweepQuestion, arguments, run_options.WRITTEN_FILES)
    question, system, name = runs.question, runs.system, runs.question.named.system
    _check_columns(name, question.columns)
    grid: dict[str, Sequence[Any]] = dict(run_options.axes(system, runs.texts))
    points = question.drawn.points(system)
    grid[designs.SEED_COLUMN] = _seeds(question, points, 1 if run_options.is_certain(name) else USUAL_SEEDS)
    if points is not None and designs.SEED_COLUMN in points:
        del grid[designs.SEED_COLUMN]
    run_options.refuse_both(system, [*(points or {}), *grid])
    _check(grid, points)
    if question.jobs.batch:
        return finish(batch_script(question.jobs.batch, arguments, _count(grid, points)).rstrip())
    run = run_options.run_of(name, system, {**grid, **(points or {})})
    files = _files(question, {**grid, **(points or {})})
    run_options.warn_of_guesses(name, {**grid, **(points or {})})
    run_options.warn_of_idle(system, {**grid, **(points or {})})
    frame = _sweep(system, run, grid, points, question, files["--out"])
    if frame is None:
        return 1
    from spindle.cli.sweep_table import as_json, columns_of, screen_table

    asked = [*(points or {}), *grid]
    run_options.warn_of_idle_axes(frame, asked)
    measures = columns_of(system, frame, asked, question.columns)
    wrote = ["", f"{question.out}: {len(frame)} rows"] if question.out else []
    if question.plot:
        wrote += _plot(system, frame, asked, measures, question.columns, files["--plot"])
    if question.json:
        return finish(as_json(system, frame))
    most = MAX_TABLE_LINES if question.out else None
    return finish("\n".join([screen_table(system, frame, asked, measures, most), *wrote]))


def _check_columns(system: str, columns: str) -> None:
    """Raise UserError for a measure that no run has, before one is made; a user's own system may have others."""
    if "=" in columns:
        raise UserError("--columns names measures of the table; what the columns of a trace are is said by "
                        f"--set columns={columns}")
    if columns not in ("", ALL_COLUMNS) and ".py" not in system and system not in installed_systems():
        for each in columns.split(","):
            measure(each)


def _plot(
    system: "System", frame: "pd.DataFrame", asked: Sequence[str], measures: Sequence[str], columns: str,
    path: Path | None,
) -> list[str]:  # fmt: skip
    from spindle.studies.sweep.grid import REFUSED

    wanted = measures[:1] if columns in ("", ALL_COLUMNS) else columns.split(",")
    whole = frame[frame[REFUSED].isna()] if REFUSED in frame else frame
    return plotting.plot_sweep(plotting.swept_table(system, whole, asked), plotting.numbers_of(frame, wanted), path)


def _files(question: SweepQuestion, axes: Mapping[str, Sequence[Any]]) -> Mapping[str, Path | None]:
    """Return the files to write, by option; UserError where one is a file that *axes* name."""
    words = {each for values in axes.values() for value in values for each in str(value).split(TOGETHER)}
    reads = [Path(name) for name in (*words, question.drawn.design) if isfile(name)]
    return outputs(reads, {"--out": question.out, "--plot": plot_file(question.plot)}, check_picture)


def _sweep(
    system: "System", run: Callable[..., Any], grid: Mapping[str, Any], points: Mapping[str, Sequence[Any]] | None,
    question: SweepQuestion, out: Path | None,
) -> Any:  # fmt: skip
    """Make all runs and return their table; where one fails, print a line about it and return None."""
    from spindle.output.tables import TableFile
    from spindle.studies.sweep.sweep import sweep

    who, part = question.runners.where(), question.jobs.points()
    table = None if out is None else TableFile(out, {"system": system.name})
    if out is not None and question.store and same_file(out, Path(question.store)):
        raise UserError(f"--out and --store are both {out}, but one is a file and the other a folder")
    store = folder("--store", question.store) if question.store else None
    try:
        return sweep(_keep_rows(system, run), workers=who, progress=True, out=table, store=store, design=points,
                     lenient=True, part=part, **grid)
    except PointFailed as failure:
        complain(" ".join(str(failure).split()))
        return None


def _keep_rows(system: "System", run: Callable[..., Any]) -> Callable[..., Any]:
    """Return *run* with a row kept for each response, for exact percentiles, where the system has rows."""
    return partial(run, keep_rows=True) if "keep_rows" in signature(system.run).parameters else run


def _seeds(question: SweepQuestion, points: Mapping[str, Sequence[Any]] | None, usual: int) -> Sequence[Any]:
    if points is not None and designs.SEED_COLUMN in points and (question.seeds or question.seed):
        raise UserError("the design has a column of seeds; leave out --seeds")
    if question.seed:
        return seeds(question.seed)
    return range(1, (usual if question.seeds is None else question.seeds) + 1)


def _check(grid: Mapping[str, Sequence[Any]], points: Mapping[str, Sequence[Any]] | None) -> None:
    from spindle.studies.sweep.grid import check_once

    runs = _count(grid, points)
    if runs > MAX_POINTS:
        raise UserError(f"a sweep of {runs} runs is more than {MAX_POINTS}; give fewer values")
    for name, values in grid.items():
        check_once(name, values)


def _count(grid: Mapping[str, Sequence[Any]], points: Mapping[str, Sequence[Any]] | None) -> int:
    return prod(map(len, grid.values())) * (len(next(iter(points.values()))) if points else 1)
