"""Records the drives of a replay for a moving picture."""

from collections.abc import Mapping
from typing import Any

from spindle.traces.replay.drives import StoragePlan
from spindle.web.moving.film import FilmTrace
from spindle.web.moving.filming import FilmedStorage, close_film


class FilmedReplay:
    """Makes the storage of a replay, in place of its plan, so that *film* records its drives."""

    def __init__(self, film: FilmTrace) -> None:
        self._film = film

    def __call__(self, plan: StoragePlan) -> FilmedStorage:
        self._storage = FilmedStorage(plan, self._film)
        return self._storage

    def close(self, title: str) -> Mapping[str, Any]:
        self._storage.finish()
        return close_film(self._film, title)
