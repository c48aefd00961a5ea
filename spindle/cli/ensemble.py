"""``spindle ensemble``: many machines that match the uncached measurements, and caching claims as bands over them."""

from argparse import Namespace
from pathlib import Path
from shutil import rmtree

import pandas as pd

from spindle.cli.arguments import folder
from spindle.cli.efforts import FULL_MEMBERS, QUICK_MEMBERS, USUAL_MEMBERS
from spindle.cli.results import effort_of, results_of
from spindle.output.kept_tables import LastTable, keep_table, last_table
from spindle.questions.words import count
from spindle.studies.claims.ensemble import MemberTrial, bands, bench_of, joint, remark, try_members
from spindle.studies.plots.files import save
from spindle.studies.report.sensitivity_board import ensemble_pairs, ensemble_strips
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.systems import System, find_system

MAX_MEMBERS = 100_000
MADE_FROM = "parameters"


def run_members(options: Namespace) -> int:
    system, effort = find_system(options.system), effort_of(options)
    bench, members = bench_of(system), _members(options)
    path = folder("--results", results_of(options) / system.name) / "ensemble"
    store = path.with_suffix(".sweep")
    frame = try_members(system, members, options.quick, effort.workers, effort.progress, store)
    _write(path, frame, system, bench)
    rmtree(store, ignore_errors=True)
    return 0


def _members(options: Namespace) -> int:
    if options.members is None:
        return QUICK_MEMBERS if options.quick else FULL_MEMBERS if options.full else USUAL_MEMBERS
    return count("--members", options.members, most=MAX_MEMBERS)


def _write(path: Path, frame: pd.DataFrame, system: System, bench: MemberTrial) -> None:
    metadata = {"system": system.name, MADE_FROM: _digest(system)}
    banded, together = bands(bench, frame), joint(bench, frame)
    keep_table(frame, path.with_suffix(".csv"), metadata)
    keep_table(banded, path.with_name("ensemble_bands.csv"), metadata)
    keep_table(together, path.with_name("ensemble_joint.csv"), metadata)
    save(ensemble_strips(bench, frame), path.with_suffix(".png"))
    pairs = ensemble_pairs(bench, frame)
    if pairs is not None:
        save(pairs, path.with_name("ensemble_together.png"))
    shown = banded[["id", "measure", "published", "band_low", "median", "band_high", "default", "role"]]
    print(shown.to_string(index=False, float_format=lambda value: f"{value:.3g}"))
    print(f"{path}.csv and .png: {remark(bench, frame)}")


def read_members(path: Path, system: System) -> LastTable | None:
    """Read the members in *path*; None if there is no file."""
    return last_table(path, MADE_FROM, lambda _: _digest(system))


def _digest(system: System) -> str:
    """Return a digest of the model number, the parameters and the description of the ensemble."""
    return fingerprint((system.models, system.parameters, system.ensemble)).hex()
