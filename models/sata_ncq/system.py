"""Kim's drive with NCQ and a cache as the command line and the report see it."""

from pathlib import Path

from models.sata_ncq.page import page
from models.sata_ncq.parameters import NcqParameters
from models.sata_ncq.parts import PARTS, choose
from models.sata_ncq.run import run
from models.sata_ncq.studies import STUDIES
from sim.study.system import System

SYSTEM = System(
    name="sata_ncq",
    title="SATA drive with NCQ and a cache under FAC",
    paper="Young-Jin Kim, Frequency-based NCQ-aware disk cache algorithm, IEICE Electronics Express 11, 2014",
    question="Where a drive may choose among 32 commands, does it pay to keep the blocks that took long?",
    run=run,
    parameters=NcqParameters(),
    studies=STUDIES,
    claims=Path(__file__).with_name("claims.toml"),
    parts=PARTS,
    choose=choose,
    page=page,
    instead=("load", "trace"),
    says={
        "trace": "to be replayed, in any format of spindle replay; default the load",
        "load": "made up, where no --trace is given: pcfat32, smalldiskmon",
        "requests": "of it",
        "cache": "0 is none",
        "depth": "tags of the drive; 1 is no NCQ",
        "under_way": "requests at any time, unless --timed",
        "timed": "submit each request at its time",
        "warm_up": "minutes that are not counted",
    },
    answers=("total_service", "response_mean", "response_p95", "hit_ratio", "service_mean", "disc_busy"),
)
