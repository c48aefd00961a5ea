"""The parts of the Modcomp and of its cache that may be exchanged, by name."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from models.max_iv.cache.disc_address import reversed_bits, sector_low, track_low
from models.max_iv.cache.eligibility import AS_BUILT, FpiFilter, MarksCached
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.instead.reading_ahead import FhlReadingAhead
from models.max_iv.cache.instead.units import FhlOfUnits
from models.max_iv.cache.instead.writing_back import FhlWritingBack
from models.max_iv.files.placing import AtTheEdge, InTheMiddle
from models.max_iv.machine import MaxIvOptions
from models.max_iv.tools.habits import LibraryLoop, NoHabit, PathLoop, PrivateLoops
from models.parts import POLICIES, SCHEDULERS, STORES


def choose(**chosen: Any) -> MaxIvOptions:
    """The parts of a Modcomp, those in *chosen* exchanged."""
    return MaxIvOptions(**chosen)


PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": STORES,
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "code": {"fhl": Fhl, "read-ahead": FhlReadingAhead, "write-back": FhlWritingBack, "tracks": FhlOfUnits,
             "cylinders": partial(FhlOfUnits, tracks=9)},
    "rules": {"as-built": AS_BUILT, "marks-cached": MarksCached(), "fpi-filter": FpiFilter(8)},
    "order": {"sector-low": sector_low, "track-low": track_low, "reversed": reversed_bits},
    "placing": {"at-the-edge": AtTheEdge(), "in-the-middle": InTheMiddle()},
    "habit": {"none": NoHabit(), "path-loop": PathLoop(), "private-loops": PrivateLoops(),
              "library-loop": LibraryLoop()},
}  # fmt: skip
