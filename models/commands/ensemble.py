"""``spindle ensemble``: every machine that is like the paper's uncached one, and what caching does to all of them."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

import pandas as pd

from models.commands.arguments import Parser, folder, system
from models.commands.results import effort_of, effort_options, results_of
from models.commands.values import whole
from sim.error import UserError
from sim.output.tables import read_table, write_table
from sim.plots.pictures import save
from sim.study.system import Ensemble, System
from sim.sweep.answer import PointFailed
from sim.sweep.fingerprint import fingerprint

QUICK, USUAL, FULL = 4, 40, 200
"""Members tried, beside the default machine."""
MADE_FROM = "parameters"


def main(arguments: Sequence[str]) -> int:
    examples = "  spindle ensemble hp3000 --full\n  spindle ensemble hp3000 --members 10"
    parser = Parser("ensemble", "Fit many machines to what was measured without caching, keep those that meet it, and "
                    "show each claim about caching as the band of all of them.", examples)  # fmt: skip
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--members", metavar="N", help=f"default: {USUAL}; --quick {QUICK}, --full {FULL}")
    effort_options(parser)
    taken = parser.take(arguments)
    chosen, effort = system(taken.system), effort_of(taken)
    if chosen.ensemble is None:
        raise UserError(f"{chosen.name} has no ensemble: no part of it was varied for want of a source")
    members = _members(taken)
    path = folder("--results", results_of(taken) / chosen.name) / "ensemble"
    store = path.with_suffix(".sweep")
    try:
        frame = chosen.ensemble.tried(members, taken.quick, effort.workers, effort.progress, store)
    except PointFailed as failure:
        print(f"spindle: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print(f"spindle: {stop}", file=sys.stderr)
        return 130
    _write(path, frame, chosen, chosen.ensemble)
    rmtree(store, ignore_errors=True)
    return 0


def _members(taken: Namespace) -> int:
    if taken.members is None:
        return QUICK if taken.quick else FULL if taken.full else USUAL
    count = whole("--members", taken.members)
    if not 1 <= count <= 100_000:
        raise UserError(f"--members must be between 1 and 100000, not {count}")
    return count


def _write(path: Path, frame: pd.DataFrame, chosen: System, ensemble: Ensemble) -> None:
    said = {"system": chosen.name, "spindle": version("spindle"), MADE_FROM: fingerprint(chosen.parameters).hex()}
    found = ensemble.bands(frame)
    write_table(frame, path.with_suffix(".csv"), said)
    write_table(found, path.with_name("ensemble_bands.csv"), said)
    save(ensemble.draw(frame), path.with_suffix(".png"))
    shown = found[["id", "measure", "published", "band_low", "median", "band_high", "default", "role"]]
    print(shown.to_string(index=False, float_format=lambda value: f"{value:.3g}"))
    print(f"{path}.csv and .png: {ensemble.remark(frame)}")


def recorded(places: Sequence[Path], chosen: System) -> tuple[pd.DataFrame, bool] | None:
    """What was written last in the first of *places* that has it, and whether parameters were changed since."""
    for place in places:
        path = place / chosen.name / "ensemble.csv"
        if path.exists():
            frame = read_table(path)
            return frame, frame.attrs["provenance"].get(MADE_FROM) != fingerprint(chosen.parameters).hex()
    return None
