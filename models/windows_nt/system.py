"""Windows NT as the command line and the report see it."""

from pathlib import Path

from models.windows_nt.page_of_run import page
from models.windows_nt.parameters import NtParameters
from models.windows_nt.parts import PARTS, choose
from models.windows_nt.run import run
from models.windows_nt.studies import STUDIES
from sim.study.system import System

SYSTEM = System(
    name="windows_nt",
    title="Windows NT with a file cache that is a working set",
    paper="Russ Blake, Optimizing Windows NT, chapter 6: Basic Cache Experiments, Microsoft Press, 1993",
    question="What does a cache of no fixed size do on a laptop with 12 MB, when it is one working set among others, "
    "all of which are trimmed once memory runs short?",
    run=run,
    parameters=NtParameters(),
    studies=STUDIES,
    claims=Path(__file__).with_name("claims.toml"),
    parts=PARTS,
    choose=choose,
    page=page,
    says={
        "probe": "a script of Response Probe, FILE.scr; default figure 6.3 of the book",
        "seconds": "of its trial, the second half of which is measured; default its own, 95 s for figure 6.3",
        "cache": "of a fixed size; default a working set among others",
        "tail": "after the trial's end",
    },
    answers=("cycles_per_second", "response_ms", "Cache: Copy Read Hits %", "Memory: Available Bytes",
             "LogicalDisk: % Disk Time", "Processor: % Processor Time"),
)
