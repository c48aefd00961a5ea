"""Buffered I/O on Unix as the command line and the report see it."""

from pathlib import Path

from models.unix_stdio.page import page
from models.unix_stdio.parameters import UnixParameters
from models.unix_stdio.parts import PARTS, choose
from models.unix_stdio.run import run
from models.unix_stdio.studies import STUDIES
from sim.study.system import System

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
)
