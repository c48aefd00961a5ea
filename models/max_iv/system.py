"""Max-IV as the command line and the report see it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from models.max_iv.cache.disc_address import reversed_bits, sector_low, track_low
from models.max_iv.cache.eligibility import AS_BUILT, FpiFilter, MarksCached
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.instead.reading_ahead import FhlReadingAhead
from models.max_iv.cache.instead.units import FhlOfUnits
from models.max_iv.cache.instead.writing_back import FhlWritingBack
from models.max_iv.files.placing import AtTheEdge, InTheMiddle
from models.max_iv.machine import MaxIvOptions
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.run import run
from models.max_iv.studies import STUDIES
from models.max_iv.tools.habits import LibraryLoop, NoHabit, PathLoop, PrivateLoops
from models.parts import DRIVES, POLICIES, SCHEDULERS
from sim.study.system import System


def choose(**chosen: Any) -> MaxIvOptions:
    """The parts of a Modcomp, those in *chosen* exchanged."""
    return MaxIvOptions(**chosen)


PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": DRIVES,
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "code": {"fhl": Fhl, "read-ahead": FhlReadingAhead, "write-back": FhlWritingBack, "tracks": FhlOfUnits,
             "cylinders": partial(FhlOfUnits, tracks=9)},
    "rules": {"as-built": AS_BUILT, "marks-cached": MarksCached(), "fpi-filter": FpiFilter(8)},
    "order": {"sector-low": sector_low, "track-low": track_low, "reversed": reversed_bits},
    "placing": {"at-the-edge": AtTheEdge(), "in-the-middle": InTheMiddle()},
    "habit": {"none": NoHabit(), "path-loop": PathLoop(), "private-loops": PrivateLoops(),
              "library-loop": LibraryLoop()},
}  # fmt: skip

SYSTEM = System(
    name="max_iv",
    title="Modcomp under Max-IV with a sector cache",
    paper="Van Jacobson, A Max-IV Disc Cache, Lawrence Berkeley Laboratory, LBL-15552, 1982",
    question="What do 512 sectors of main memory, searched and copied at interrupt level, save a disc "
    "whose file system takes 8 to 10 accesses to open a file?",
    run=run,
    parameters=MaxIvParameters(),
    studies=STUDIES,
    claims=Path(__file__).with_name("claims.toml"),
    parts=PARTS,
    choose=choose,
    examples=(
        "--users 6 --sectors 256",
        "--code write-back --rules marks-cached --placing in-the-middle",
        "--habit path-loop --set cold=0.7",
    ),
)
