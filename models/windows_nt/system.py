"""Windows NT as the command line and the report see it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.parts import DRIVES, SCHEDULERS
from models.windows_nt.cache.lazy_writer import KeepsPages, MakesRoom
from models.windows_nt.machine import NtOptions
from models.windows_nt.memory.trim_rule import ByReference, ByShare
from models.windows_nt.page_of_run import page
from models.windows_nt.parameters import NtParameters
from models.windows_nt.run import run
from models.windows_nt.studies import STUDIES
from models.windows_nt.work.beside import ClearMem, FileServer, Nobody
from sim.study.system import System


def choose(**parts: Any) -> NtOptions:
    """The parts of the laptop, those in *parts* exchanged."""
    return NtOptions(**parts)


PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": DRIVES, "scheduler": SCHEDULERS, "trimming": {"share": ByShare, "reference": ByReference},
    "flushing": {"keeps": KeepsPages, "makes-room": MakesRoom},
    "beside": {"nobody": Nobody, "clearmem": ClearMem, "server": FileServer},
}  # fmt: skip

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
)
