"""Buffered I/O on Unix as the command line and the report see it."""

from pathlib import Path

from models.unix_stdio.page import page
from models.unix_stdio.parameters import UnixParameters
from models.unix_stdio.parts import PARTS, choose
from models.unix_stdio.run import run
from models.unix_stdio.studies import STUDIES
from sim.study.system import PaperCase, System

RATES = {"w01": "S2-02", "w02": "S2-03", "w03": "S2-08", "w05": "S2-11"}
"""Claims on the rates of programs as they stand."""

SYSTEM = System(
    name="unix_stdio",
    title="Buffered I/O on Unix: stdio over a page cache over a disc",
    paper="CS61, Systems Programming and Machine Organization, lecture 17: Caching and Buffered I/O, Harvard, 2012",
    question="Why does the same program write 26 bytes a second or 400 million, and what does it risk for it?",
    run=run,
    parameters=UnixParameters(),
    studies=STUDIES,
    claims=Path(__file__).with_name("claims.toml"),
    parts=PARTS,
    choose=choose,
    page=page,
    says={
        "program": "of the lecture, or FILE.toml",
        "block": "of a call; default the program's own",
        "size": "of the file; default the program's own",
        "stride": "from call to call; default the program's own, 0 is in sequence",
        "seconds": "after which it is interrupted",
        "warm": "the file is in the page cache when it begins",
        "flags": "of open: O_SYNC, O_DSYNC, O_DIRECT; default the program's own",
        "advice": "of posix_fadvise: normal, sequential, random; default the program's own",
        "strace": "list the system calls",
    },
    answers=("rate", "us_per_call", "system_calls", "device_reads", "device_writes", "most_at_risk"),
    cases=tuple(PaperCase({"rate": claim}, {"program": name}) for name, claim in RATES.items()),
)
