"""``spindle sensitivity``: which verdicts of the claims hang on a number that was assumed."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

import pandas as pd

from models.commands.arguments import Parser, folder, system
from models.commands.results import effort_of, effort_options, results_of
from sim.claims.sensitivity import IMPOSSIBLE, scored, sensitivity, stand, write_sensitivity
from sim.claims.variant import left_out, variants
from sim.claims.verdicts import Verdict
from sim.plots.pictures import save
from sim.report.sensitivity_board import sensitivity_board
from sim.study.system import System
from sim.sweep.answer import PointFailed

WORDS = {0.5: "halved", 2.0: "doubled"}


class Extent(NamedTuple):
    """So many *seeds*, and which share of a trial's minutes."""

    seeds: int
    length: float


QUICK, USUAL, FULL = Extent(3, 0.025), Extent(5, 0.3), Extent(10, 1.0)


def main(arguments: Sequence[str]) -> int:
    examples = "  spindle sensitivity hp3000 --quick\n  spindle sensitivity max_iv"
    parser = Parser("sensitivity", "Judge every claim of a system again with each of its assumed parameters halved "
                    "and doubled, one at a time: which verdicts flip.", examples)  # fmt: skip
    parser.add_argument("system", help="see: spindle list")
    effort_options(parser)
    taken = parser.take(arguments)
    chosen, (effort, _) = system(taken.system), effort_of(taken)
    extent = _extent(taken)
    path = folder("--results", results_of(taken) / chosen.name) / "sensitivity"
    print("\n".join(_plan(chosen, extent)), flush=True)
    store = path.with_suffix(".sweep")
    try:
        frame = sensitivity(chosen, range(1, extent.seeds + 1), extent.length, effort.workers, effort.progress, store)
    except PointFailed as failure:
        print(f"spindle: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print(f"spindle: {stop}", file=sys.stderr)
        return 130
    _write(path, frame, chosen, extent)
    rmtree(store)
    print("\n".join([*findings(frame), "", stand(frame), f"{path}.csv and .png"]))
    return 0


def _extent(taken: Namespace) -> Extent:
    return QUICK if taken.quick else FULL if taken.full else USUAL


def _write(path: Path, frame: pd.DataFrame, chosen: System, extent: Extent) -> None:
    said = {"system": chosen.name, "spindle": version("spindle"), "seeds": f"1..{extent.seeds}",
            "length": f"{extent.length:g} of each trial's minutes"}  # fmt: skip
    write_sensitivity(path.with_suffix(".csv"), frame, chosen, said)
    save(sensitivity_board(frame), path.with_suffix(".png"))


def _plan(chosen: System, extent: Extent) -> Iterator[str]:
    tried, claims = variants(chosen.parameters), scored(chosen)
    runs = (1 + len(tried)) * len({claim.experiment for claim in claims}) * extent.seeds
    yield (
        f"{chosen.name} sensitivity: {len(claims)} claims, as assumed and in {len(tried)} variants of "
        f"{len({each.parameter for each in tried})} parameters; {runs} trials of {extent.length:g} of their length"
    )
    same = [f"{each.parameter} {WORDS[each.factor]} ({each.usual:g})" for each in left_out(chosen.parameters)]
    if same:
        yield f"left out, for it stays what it is: {', '.join(same)}"
    if extent == QUICK:
        yield "so short that verdicts may differ from those of spindle claims, and much stays undecided"


def findings(frame: pd.DataFrame) -> Iterator[str]:
    """A line for each verdict that flips, and what flips none."""
    width = max(len(_said(row)) for row in _rows(frame))
    yield ""
    for row in _rows(frame[frame["flips"]]):
        yield (
            f"{_said(row) + ':':<{width + 1}} {row['id']:<5} {row['base_verdict']:<5} -> {row['verdict']:<5}  "
            f"{row['base']:.3g} -> {row['simulated']:.3g}, bounds {row['low']:.3g} to {row['high']:.3g}"
        )
    for row in _rows(frame[frame["verdict"].eq(IMPOSSIBLE)].drop_duplicates(["parameter", "factor", "why"])):
        yield f"{_said(row)}: impossible: {row['why']}"
    moving = frame.loc[frame["flips"], "parameter"]
    still = [name for name in frame["parameter"].unique() if name not in set(moving)]
    yield f"flip nothing: {', '.join(still) or 'none of them'}"
    open_ = frame.loc[frame["base_verdict"].eq(str(Verdict.UNDECIDED)), "id"].unique()
    if len(open_):
        yield f"undecided as assumed, with so many and so long replications: {', '.join(open_)}"


def _rows(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.to_dict("records")


def _said(row: dict[Any, Any]) -> str:
    return f"{WORDS[row['factor']]} {row['parameter']} ({row['usual']:g} to {row['value']:g})"
