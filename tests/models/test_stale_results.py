"""No stale result stands: tables of sensitivity and of ensembles are of today's models, and every file has a maker."""

from pathlib import Path

import pytest

from spindle.cli.ensemble import read_members
from spindle.studies.claims.global_sensitivity import read_global
from spindle.studies.claims.sensitivity import newer_claims, read_sensitivity
from spindle.system import System
from spindle.systems import systems

RESULTS = Path(__file__).parents[2] / "results"
SYSTEMS = [each for each in systems(None) if (RESULTS / each.name).is_dir()]
READERS = {"sensitivity": read_sensitivity, "sensitivity_global": read_global, "ensemble": read_members}
OF_PAPERS = {"hp3000", "max_iv", "windows_nt", "unix_stdio", "sata_ncq"}
"""Systems whose table of sensitivity is made anew whenever a model changes; ``spindle sensitivity SYSTEM``, minutes."""
OF_ENSEMBLE = {"ensemble_bands", "ensemble_joint", "ensemble_together"}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_tables_of_assumptions_are_of_todays_models(system: System) -> None:
    for name, read in READERS.items():
        table = RESULTS / system.name / f"{name}.csv"
        last = read(table, system)
        assert table.with_suffix(".png").exists() == (last is not None)
        assert last is None or not last.stale, f"spindle {name.partition('_')[0]} {system.name}, or delete {table}"
    alone = read_sensitivity(RESULTS / system.name / "sensitivity.csv", system)
    assert (alone is None) <= (system.name not in OF_PAPERS)
    assert alone is None or newer_claims(system, alone.frame) == []


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_table_and_picture_is_of_a_study_that_there_is(system: System) -> None:
    made = {study.name for study in system.studies if study.figure is not None} | READERS.keys() | OF_ENSEMBLE
    found = {path.stem for kind in ("csv", "png") for path in (RESULTS / system.name).glob(f"*.{kind}")}
    assert found <= made
