"""The parts of the laptop that may be exchanged, by name."""

from collections.abc import Mapping
from typing import Any

from models.parts import SCHEDULERS, STORES
from models.windows_nt.cache.lazy_writer import KeepsPages, MakesRoom
from models.windows_nt.machine import NtOptions
from models.windows_nt.memory.trim_rule import ByReference, ByShare
from models.windows_nt.work.beside import ClearMem, FileServer, Nobody


def choose(**parts: Any) -> NtOptions:
    """The parts of the laptop, those in *parts* exchanged."""
    return NtOptions(**parts)


PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": STORES, "scheduler": SCHEDULERS, "trimming": {"share": ByShare, "reference": ByReference},
    "flushing": {"keeps": KeepsPages, "makes-room": MakesRoom},
    "beside": {"nobody": Nobody, "clearmem": ClearMem, "server": FileServer},
}  # fmt: skip
