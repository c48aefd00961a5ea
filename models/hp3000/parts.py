"""The parts of a Series 64 that may be exchanged, by name."""

from collections.abc import Mapping
from typing import Any

from models.hp3000.caching.alignment import ALIGNMENTS
from models.hp3000.caching.control import FLUSHES, WRITES
from models.hp3000.image.control_block import HOLDS
from models.hp3000.machine import MpeOptions
from models.hp3000.series import SERIES
from models.parts import DRIVES, POLICIES, SCHEDULERS
from sim.cpu import FcfsCpu, PreemptiveCpu


def choose(**chosen: Any) -> MpeOptions:
    """The parts of a Series 64, those in *chosen* exchanged."""
    return MpeOptions(**chosen)


PARTS: Mapping[str, Mapping[str, Any]] = {
    "series": SERIES,
    "cpu": {"preemptive": PreemptiveCpu, "fcfs": FcfsCpu},
    "drive": DRIVES,
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "hold": HOLDS,
    "alignment": ALIGNMENTS,
    "write": WRITES,
    "flush": FLUSHES,
}
