"""Max-IV as the command line and the report see it."""

from pathlib import Path

from models.max_iv.parameters import MaxIvParameters
from models.max_iv.parts import PARTS, choose
from models.max_iv.run import run
from models.max_iv.studies import STUDIES
from sim.study.system import System

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
