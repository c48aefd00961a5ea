"""A replay that is filmed."""

from collections.abc import Mapping
from typing import Any

from spindle.traces.replay.drives import StoragePlan
from spindle.web.moving.film import FilmTrace
from spindle.web.moving.filming import FilmedStorage, close_film


class FilmedReplay:
    """Makes the storage of a replay one that is filmed for *film*."""

    def __init__(self, film: FilmTrace) -> None:
        self._film = film

    def __call__(self, plan: StoragePlan) -> FilmedStorage:
        self._storage = FilmedStorage(plan, self._film)
        return self._storage

    def close(self, title: str) -> Mapping[str, Any]:
        self._storage.finish()
        return close_film(self._film, title)
