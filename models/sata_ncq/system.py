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
)
