"""An independent prediction that does not hold says why, in its own row."""

from pathlib import Path

import pytest

from spindle.output.kept_tables import kept_table
from spindle.studies.claims.claims import read_claims
from spindle.studies.claims.sensitivity import PREDICTIONS
from spindle.system import System
from spindle.systems import systems

VERDICTS = Path(__file__).parents[2] / "results" / "claims.csv"
WORDS = ("fails", "undecided")


SYSTEMS = [each for each in systems(None) if each.claims is not None]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_what_does_not_hold_gives_its_reason(system: System) -> None:
    notes = {claim.id: claim.note.lower() for claim in read_claims(system.claims)}
    frame = kept_table(VERDICTS).frame
    rows = frame[frame["system"].eq(system.name) & frame["role"].isin(PREDICTIONS)].to_dict("records")
    missed = {str(row["id"]): str(row["verdict"]) for row in rows if row["verdict"] in WORDS}
    assert [name for name, word in missed.items() if word not in notes[name]] == []
