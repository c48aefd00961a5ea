"""The parts of the lecture's machine that may be exchanged, by name."""

from collections.abc import Mapping
from typing import Any

from models.parts import STORES
from models.unix_stdio.machines import MACHINES
from models.unix_stdio.page_cache.read_ahead import FileReadAhead, OracleReadAhead
from models.unix_stdio.run import UnixOptions


def choose(**parts: Any) -> UnixOptions:
    """The lecture's machine and disc, those in *parts* exchanged."""
    return UnixOptions(**parts)


PREFETCHERS = {"linux": FileReadAhead, "oracle": OracleReadAhead}
PARTS: Mapping[str, Mapping[str, Any]] = {"machine": MACHINES, "drive": STORES, "prefetcher": PREFETCHERS}
