"""Which block of a die is emptied when it runs out of empty ones: the victim of garbage collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from sim.error import UserError
from sim.streams import pick, stream


class Chooser(Protocol):
    def __call__(self, full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
        """The block of *full* to clean; units *valid* by block, and the count of writes when it was filled."""


class Cleaning(Protocol):
    """A rule of cleaning; each die has a chooser of its own, for it may remember."""

    def chooser(self, die: int, units: int) -> Chooser:
        """For number *die*, whose blocks have so many *units*."""


@dataclass(frozen=True)
class Greedy:
    """The block with the fewest valid units, the one filled first among equals."""

    def chooser(self, die: int, units: int) -> Chooser:
        return fewest


def fewest(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
    least = min([valid[block] for block in full])
    return min([block for block in full if valid[block] == least], key=written.__getitem__)


@dataclass(frozen=True)
class CostBenefit:
    """The block with the most age x free / (2 x valid): Kawaguchi, Nishioka & Motoda (USENIX 1995)."""

    def chooser(self, die: int, units: int) -> Chooser:
        def choose(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
            return max(full, key=lambda block: ((now - written[block] + 1) * (units - valid[block])
                                                / (2.0 * valid[block] or 1e-9), -written[block]))  # fmt: skip

        return choose


@dataclass(frozen=True)
class Choices:
    """The best of *d* blocks drawn at random: Van Houdt, A mean field model for a class of garbage collection
    algorithms in flash-based solid state drives (SIGMETRICS 2013).

    Where all that were drawn are full of valid units, one is copied for nothing, and the next are drawn.
    """

    d: int
    seed: int = 1

    def __post_init__(self) -> None:
        if self.d < 1:
            raise UserError(f"cleaning: d {self.d} must be at least 1")

    def chooser(self, die: int, units: int) -> Chooser:
        random: Random = stream(self.seed, f"cleaning {die}")

        def choose(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
            return fewest([full[pick(random, len(full))] for _ in range(self.d)], valid, written, now)

        return choose
