"""Coordinate descent as the paper's weekend had it: change one thing, shoot, keep what gains, undo what does not."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

Setting = tuple[int, ...]
"""For each way that may be tuned, which of its values."""

Shoot = Callable[[Setting], Sequence[float]]
"""Logarithms of the mean responses with a setting, seed by seed."""


class Shot(NamedTuple):
    """A *setting* tried, by a change in *way*; what each seed *gained* by it, and whether it was *kept*."""

    setting: Setting
    way: int
    gained: Sequence[float]
    kept: bool


class Descent:
    """From *start*, one value further in a way as long as that gains, else the other way; *most* shots in all."""

    def __init__(self, shoot: Shoot, start: Setting, counts: Sequence[int], most: int) -> None:
        self._shoot = shoot
        self._counts = counts
        self._most = most
        self._seen = {start}
        self.setting = start
        self.best = shoot(start)
        self.shots: list[Shot] = []

    def run(self) -> list[Shot]:
        """All shots, until nothing gains any more."""
        gaining = True
        while gaining:
            directions = [self._go(way, step) for way in range(len(self._counts)) for step in (1, -1)]
            gaining = any(directions)
        return self.shots

    def _go(self, way: int, step: int) -> bool:
        """On in one direction as long as it gains; whether it ever did."""
        gained = False
        while (new := self._next(way, step)) is not None and self._try(new, way):
            gained = True
        return gained

    def _next(self, way: int, step: int) -> Setting | None:
        """The next setting there, unless there is none, or it has been tried, or no shot is left."""
        value = self.setting[way] + step
        new = (*self.setting[:way], value, *self.setting[way + 1 :])
        wanted = 0 <= value < self._counts[way] and new not in self._seen and len(self.shots) < self._most
        return new if wanted else None

    def _try(self, new: Setting, way: int) -> bool:
        self._seen.add(new)
        logs = self._shoot(new)
        gained = [old - each for old, each in zip(self.best, logs, strict=True)]
        kept = fmean(gained) > 0.0
        self.shots.append(Shot(new, way, gained, kept))
        if kept:
            self.setting, self.best = new, logs
        return kept
