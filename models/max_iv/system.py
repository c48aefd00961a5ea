"""Max-IV as the command line and the report see it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.max_iv.experiments import EXPERIMENTS, breakdown
from models.max_iv.machine import Choices
from models.max_iv.parameters import Parameters
from models.max_iv.run import run
from models.max_iv.trials import TRIALS
from models.parts import DRIVES, POLICIES, SCHEDULERS
from sim.experiment.system import System


def choose(**chosen: Any) -> Choices:
    """The parts of a Modcomp, those in *chosen* exchanged."""
    return Choices(**chosen)


PARTS: Mapping[str, Mapping[str, Any]] = {"drive": DRIVES, "scheduler": SCHEDULERS, "policy": POLICIES}

SYSTEM = System(
    name="max_iv",
    title="Modcomp under Max-IV with a sector cache",
    paper="Van Jacobson, A Max-IV Disc Cache, Lawrence Berkeley Laboratory, LBL-15552, 1982",
    question="What do 512 sectors of main memory, searched and copied at interrupt level, save a disc "
    "whose file system takes 8 to 10 accesses to open a file?",
    run=run,
    parameters=Parameters(),
    experiments=EXPERIMENTS,
    trials=TRIALS,
    claims=Path(__file__).with_name("claims.toml"),
    parts=PARTS,
    choose=choose,
    breakdown=breakdown,
    anatomy="3 users: with the cache about a third of a response is the tools' own computing; seek, rotation and "
    "transfer of what passes the cache by or misses it are most of the rest.",
)
