"""Coordinate descent as the paper's weekend had it: change one thing, shoot, keep what gains, undo what does not."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from typing import Any, NamedTuple

from models.hp3000.runs.loads import SECTOR, hybrid

Setting = tuple[int, ...]
"""For each way that may be tuned, which of its values."""

WAYS: Mapping[str, Sequence[int | str]] = {
    "random fetch": (4, 16, 48, 96), "sequential fetch": (16, 48, 96), "writes": ("block-on-write", "serial", "behind"),
    "flush": ("never", "read-through"),
}  # fmt: skip
"""What is tuned, in this order, and to what: sectors of a fetch, how writes end, when a domain is let go."""

START: Setting = (0, 0, 0, 0)
MOST_SHOTS = 10


class TuningShot(NamedTuple):
    """A *setting* tried by a change in *way*; how far the logarithm of the response fell, and whether it was *kept*."""

    setting: Setting
    way: int
    gained: float
    kept: bool


class Descent:
    """From *start*, one value further in a way as long as that gains, else the other way; *most* shots in all.

    *shoot* gives the logarithm of the mean response with a setting.
    """

    def __init__(self, shoot: Callable[[Setting], float], start: Setting, counts: Sequence[int], most: int) -> None:
        self._shoot = shoot
        self._counts = counts
        self._most = most
        self._tried = {start}
        self.setting = start
        self.best = shoot(start)
        self.shots: list[TuningShot] = []

    def run(self) -> list[TuningShot]:
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
        wanted = 0 <= value < self._counts[way] and new not in self._tried and len(self.shots) < self._most
        return new if wanted else None

    def _try(self, new: Setting, way: int) -> bool:
        self._tried.add(new)
        reached = self._shoot(new)
        gained = self.best - reached
        self.shots.append(TuningShot(new, way, gained, gained > 0.0))
        if gained > 0.0:
            self.setting, self.best = new, reached
        return gained > 0.0


def tuned(terminals: int, **others: Any) -> dict[str, list[Any]]:
    """A night of tuning the hybrid load: for each shot its change, whether it was kept, and gains in percent.

    ``gain`` is over the best before it, ``total`` over no caching.
    """

    def shoot(setting: Setting) -> float:
        random, sequential, write, flush = (
            choices[value] for choices, value in zip(WAYS.values(), setting, strict=True)
        )
        sizes = {"fetch_random": int(random) * SECTOR, "fetch_sequential": int(sequential) * SECTOR}
        return log(hybrid(terminals, write=str(write), flush=str(flush), **{**others, **sizes})["response_mean"])

    plain = log(hybrid(terminals, caching=False, **others)["response_mean"])
    descent = Descent(shoot, START, [len(choices) for choices in WAYS.values()], MOST_SHOTS)
    best = descent.best
    rows = [("first build", True, 0.0, plain - best)]
    for shot in descent.run():
        reached = best - shot.gained
        rows.append((change(shot), shot.kept, shot.gained, plain - reached))
        best = reached if shot.kept else best
    changes, kept, gains, totals = zip(*rows, strict=True)
    return {
        "change": list(changes), "kept": list(kept),
        "gain": [percent(each) for each in gains], "total": [percent(each) for each in totals],
    }  # fmt: skip


def change(shot: TuningShot) -> str:
    return f"{list(WAYS)[shot.way]} {list(WAYS.values())[shot.way][shot.setting[shot.way]]}"


def percent(fallen: float) -> float:
    """By how many percent a response is shorter whose logarithm has *fallen* so far."""
    return 100.0 * (1.0 - exp(-fallen))
