"""Answers ``spindle ensemble``: tries machines with drawn parameters, keeps machines that match a paper's numbers
without caching, and shows the range that they give for its claims on caching.
"""

from pathlib import Path
from shutil import rmtree

import pandas as pd

from spindle.cli.judged import effort_of
from spindle.cli.named_files import folder
from spindle.cli.paper_questions import FULL_MEMBERS, QUICK_MEMBERS, USUAL_MEMBERS, EnsembleQuestion
from spindle.output.kept_tables import LastTable, keep_table, last_table
from spindle.studies.claims.ensemble import MemberTrial, member_trial, try_members
from spindle.studies.claims.ensemble_bands import bands, joint, remark
from spindle.studies.plots.files import save
from spindle.studies.report.sensitivity_board import ensemble_pairs, ensemble_strips
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.system import System
from spindle.systems import find_system

DIGEST_ENTRY = "parameters"
"""The entry of a kept table's metadata with a digest of the parameters that it was computed from."""


def fit_members(asked: EnsembleQuestion) -> int:
    """Try the machines of an ensemble, and write their tables and pictures into the results; the exit status."""
    system, effort = find_system(asked.system), effort_of(asked.effort, asked.runners)
    usual = QUICK_MEMBERS if asked.effort.quick else FULL_MEMBERS if asked.effort.full else USUAL_MEMBERS
    bench, members = member_trial(system), usual if asked.members is None else asked.members
    path = folder("--results", asked.effort.place / system.name) / "ensemble"
    store = path.with_suffix(".sweep")
    frame = try_members(system, members, asked.effort.quick, effort.workers, effort.progress, store)
    _write(path, frame, system, bench)
    rmtree(store, ignore_errors=True)
    return 0


def _write(path: Path, frame: pd.DataFrame, system: System, bench: MemberTrial) -> None:
    metadata = {"system": system.name, DIGEST_ENTRY: _digest(system)}
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
    """Read the table of machines that were tried, in *path*; None if there is no file."""
    return last_table(path, DIGEST_ENTRY, lambda _: _digest(system))


def _digest(system: System) -> str:
    """Return a digest of the model number, the parameters and the description of the ensemble."""
    return fingerprint((system.models, system.parameters, system.ensemble)).hex()
