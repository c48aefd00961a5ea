"""How long the programs of a study may run, and where its claims are."""

from functools import partial
from pathlib import Path

from sim.claims.claims import printed
from sim.study.study import StudyWindow

PROGRAM = StudyWindow({"seconds": 120.0}, {"seconds": 60.0})
"""Every program ends before, but for those that wait for the disc byte by byte: these show their rate."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
PAPER = partial(printed, CLAIMS)
