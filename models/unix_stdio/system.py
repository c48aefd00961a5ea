"""Buffered I/O on Unix as the command line and the report see it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.parts import DRIVES
from models.unix_stdio.machines import MACHINES
from models.unix_stdio.page import page
from models.unix_stdio.page_cache.read_ahead import FileReadAhead, OracleReadAhead
from models.unix_stdio.parameters import UnixParameters
from models.unix_stdio.run import UnixOptions, run
from models.unix_stdio.studies import STUDIES
from sim.study.system import System


def choose(**parts: Any) -> UnixOptions:
    """The lecture's machine and disc, those in *parts* exchanged."""
    return UnixOptions(**parts)


PREFETCHERS = {"linux": FileReadAhead, "oracle": OracleReadAhead}
PARTS: Mapping[str, Mapping[str, Any]] = {"machine": MACHINES, "drive": DRIVES, "prefetcher": PREFETCHERS}

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
