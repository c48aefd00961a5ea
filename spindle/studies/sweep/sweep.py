"""Runs a sweep: many runs, of a grid or a design, on all cores or a cluster, with a table as result."""

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.output.progress import ProgressBar, progress_bar
from spindle.output.tables import TableFile
from spindle.sim.error import UserError
from spindle.studies.sweep.chunks import Chunk, ChunkResults, Chunks, Suspects
from spindle.studies.sweep.design import check_arguments, columns
from spindle.studies.sweep.executor import Executor, Lost, Workers, executor
from spindle.studies.sweep.grid import REFUSED, Grid, Run, answer
from spindle.studies.sweep.part import WHOLE
from spindle.studies.sweep.stored_sweep import StoredSweep

if TYPE_CHECKING:
    import pandas as pd


SEED, RESPONSES = "seed", "responses"
"""The columns with the seed of a run, and with the number of responses that it measured."""


def is_same_run(frame: "pd.DataFrame") -> bool | None:
    """Tell if the seeds of the point in *frame* gave the same run, in all that was measured.

    None where that is not known: of one seed, and where no run could be made, or none had a response.
    """
    refused = REFUSED in frame and bool(frame[REFUSED].notna().all())
    if len(frame) == 1 or refused or (RESPONSES in frame and not (frame[RESPONSES] > 0).any()):
        return None
    return bool(frame.drop(columns=SEED, errors="ignore").nunique(dropna=False).max() == 1)


def idle_axes(frame: "pd.DataFrame", axes: Sequence[str]) -> list[str]:
    """Return those of *axes* all of whose values gave the same runs, where the other axes and the seed are the same.

    None where no run had a response, and none of a design in which no two points differ in one axis alone.
    """
    from pandas.util import hash_pandas_object

    made = frame[frame[REFUSED].isna()].drop(columns=REFUSED) if REFUSED in frame else frame
    points = [name for name in dict.fromkeys((*axes, SEED)) if name in made]
    if RESPONSES in made and not (made[RESPONSES] > 0).any():
        return []
    runs = made[points].astype(str).assign(run=hash_pandas_object(made.drop(columns=points).astype(str), index=False))
    return [axis for axis in points if axis != SEED and _changes_nothing(runs, axis)]


def _changes_nothing(runs: "pd.DataFrame", axis: str) -> bool:
    """Tell if *runs* with several values of *axis* are the same wherever all else is."""
    others = [name for name in runs if name not in (axis, "run")]
    kinds = runs.groupby(others)[[axis, "run"]].nunique() if others else runs[[axis, "run"]].nunique().to_frame().T
    return bool((kinds[axis] > 1).any() and (kinds["run"] == 1).all())


def bar(points: int, done: int, shown: bool, unit: str = "point") -> ProgressBar:
    """Make a progress bar, of plain text in a notebook too: a widget is not visible in a saved notebook."""
    if shown and _in_notebook():  # in which text on stderr would be red
        from tqdm import tqdm

        drawn: ProgressBar = tqdm(total=points, initial=done, unit=unit, file=sys.stdout)
        return drawn
    return progress_bar(total=points, initial=done, unit=unit, leave=True) if shown else ProgressBar()


def _in_notebook() -> bool:
    """Tell if this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


Keeper = StoredSweep | ChunkResults
"""The destination of the rows of a sweep."""


def sweep(
    run: Run, /, *, workers: Workers = None, progress: bool = True,
    out: Any = None, store: Any = None, design: Any = None, lenient: Any = False, part: Any = WHOLE,
    **grid: object,
) -> "pd.DataFrame":  # fmt: skip
    """Run *run* at every combination of the *grid*; return one row each, its arguments first, then its summary.

    Lists, tuples, ranges and arrays are axes, everything else is a constant; a list that is to be one argument is put
    into a list. *run* returns a Result or a mapping. The last axis varies fastest, so that the table is the same for
    any *workers*: a number of processes, by default one on each core, or ``Dask("tls://host:8786")``. *progress* shows
    a bar on a terminal and in a notebook.

    A *design* is a frame, or a mapping of columns, whose rows are points that are no grid; each is run at every
    combination of the grid, such as the seeds. ``latin`` and ``sobol`` draw one.

    *out* is a Table, or the path of one: CSV or Parquet by its suffix. *store* is the path of a folder that keeps every
    finished point: whatever is killed, the same sweep goes on from there, and so does a longer one. With *out* alone
    the store is ``out.sweep``, until the table is written.

    A point that cannot be run is a UserError. If *lenient* its row has no numbers, the reason is in the column
    ``refused``, and a warning says so; it is a UserError only where no point can be run.

    Of a *part* only its own points are run and returned, and kept in a folder of its own in the store; the whole sweep
    with that store takes them over.
    """
    import pandas  # noqa: F401  # so that a missing pandas is found before hours of runs

    rows = None if design is None else columns(design)
    if rows is not None:
        check_arguments(run, rows, grid)
    points = Grid(grid, rows)
    who = executor(workers, len(points))
    do = partial(answer, run, points.axes, lenient)
    table = out if out is None or isinstance(out, TableFile) else TableFile(Path(out))
    folder = Path(store) if store is not None else table and _store_of(table.path)
    if part != WHOLE and store is None:
        raise UserError(f"part {part} of a sweep needs a store, which the others share")
    keeper: Keeper = StoredSweep(points, run, do, folder, part) if folder else ChunkResults(points, do)
    with closing(keeper):
        frame = _complete(keeper, points, who, progress)
        if REFUSED in frame:
            _say_refused(frame[REFUSED].dropna().tolist(), len(frame), lenient)
        if table is not None:
            table.save(frame)
    if store is None:
        keeper.remove()
    return frame


def _say_refused(reasons: Sequence[str], points: int, lenient: bool) -> None:
    """Warn of points that could not be run; UserError if none could be, or if none may be left out."""
    if len(reasons) == points or not lenient:
        raise UserError(reasons[0])
    more = f", and {len(reasons) - 1} more of {points} points" if len(reasons) > 1 else ""
    warnings.warn(f"n/a: {reasons[0]}{more}", stacklevel=3)


def _store_of(table: Path) -> Path:
    """Return the folder of the store of a sweep whose result is *table*; UserError if *table* is a link."""
    folder = table.with_name(f"{table.name}.sweep")
    if folder.is_symlink():
        raise UserError(f"cannot keep a sweep in {folder}: it is a link")
    return folder


def _complete(keeper: Keeper, grid: Grid, who: Executor, progress: bool) -> "pd.DataFrame":
    """Run rounds of chunks until no point is pending; one round is enough unless workers die."""
    pending = keeper.pending()
    with bar(len(grid), len(grid) - len(pending), progress) as shown:
        try:
            suspects = Suspects()
            do: Callable[[Chunk], Any] = keeper.do
            rounds: Iterable[Iterable[Chunk]] = [Chunks(grid, pending, who.workers, keeper.key)]
            while pending:
                for chunks in rounds:
                    for chunk, done in who.run_each(do, chunks):
                        if isinstance(done, Lost):
                            suspects.add(chunk, done.workers)
                            continue
                        if isinstance(chunks, Chunks):
                            chunks.took(len(chunk), done.seconds)
                        keeper.take(chunk, done)
                        shown.update(len(chunk))
                for index, workers in suspects.culprits():
                    keeper.fail(index, f"the point {grid.point_name(index)} failed: it has ended {workers} workers")
                pending = keeper.pending()
                shown.update(len(grid) - len(pending) - shown.n)
                rounds = suspects.rounds(pending)
            return keeper.frame()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(keeper.interrupt_text()) from None
