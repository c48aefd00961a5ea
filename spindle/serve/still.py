"""Copies the counters of storage at an instant, as work after the last reply, such as a rebuild, must not count."""

from collections.abc import Mapping

import simpy

from spindle.traces.replay.replay import BusyCounting, Counting
from spindle.traces.replay.storage import Places, Storage


class Still:
    """A copy of the counters of a part, and of a drive's busy seconds."""

    def __init__(self, part: Counting, busy: float = 0.0) -> None:
        self._reading = part.reading()
        self._busy = busy

    def busy(self) -> float:
        return self._busy

    def reading(self) -> dict[str, float]:
        return dict(self._reading)


class StillStorage:
    """A copy of the counters of all parts of *storage*."""

    def __init__(self, storage: Storage) -> None:
        self.env: simpy.Environment = storage.env
        self.places: Places = storage.places
        self.drives: Mapping[str, BusyCounting] = {name: Still(drive, drive.busy())
                                                   for name, drive in storage.drives.items()}  # fmt: skip
        self.caches = [Still(cache) for cache in storage.caches]
        self.arrays = [Still(array) for array in storage.arrays]
        self.flash_drives = [Still(drive, drive.busy()) for drive in storage.flash_drives]
        self.flash_tiers = [Still(tier) for tier in storage.flash_tiers]
        self.has_layers = storage.has_layers
