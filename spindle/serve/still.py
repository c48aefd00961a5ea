"""Storage as it stood at an instant: what drives do after the last reply, such as a rebuild, belongs to no request."""

from collections.abc import Mapping

import simpy

from spindle.traces.replay.replay import BusyCounting, Counting
from spindle.traces.replay.storage import Places, Storage


class Still:
    """The counters of a part, and if it is a drive the seconds that it was busy."""

    def __init__(self, part: Counting, busy: float = 0.0) -> None:
        self._reading = part.reading()
        self._busy = busy

    def busy(self) -> float:
        return self._busy

    def reading(self) -> dict[str, float]:
        return dict(self._reading)


class StillStorage:
    """The counters of *storage* now."""

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
