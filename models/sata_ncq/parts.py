"""The parts of the drive that may be exchanged, by name."""

from collections.abc import Mapping
from typing import Any

from models.parts import DRIVES, POLICIES, SCHEDULERS
from models.sata_ncq.access_time import ACCESS_TIMES
from models.sata_ncq.machine import WRITING, NcqOptions
from models.sata_ncq.placement import PLACEMENTS


def choose(**chosen: Any) -> NcqOptions:
    """The parts of the drive, those in *chosen* exchanged."""
    return NcqOptions(**chosen)


PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": DRIVES, "scheduler": SCHEDULERS, "policy": POLICIES, "place": PLACEMENTS, "write": WRITING,
    "cost": ACCESS_TIMES,
}  # fmt: skip
