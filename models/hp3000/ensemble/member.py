"""A member of the ensemble: one choice of everything that nobody published, each from a stated range."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from scipy.stats.qmc import Halton

from models.hp3000.caching.alignment import Alignment, Centred, FromRequest, InMultiples
from models.hp3000.image.control_block import CpuPart, Hold, WholeCall
from models.hp3000.parameters import Parameters
from sim.units import MS

SHIPPED_CALLS = 13.2
"""Data base calls an answer of the shipped ORDERS program, in the mean over what clerks ask for."""

SEED = 1
"""Of the scrambling."""


@dataclass(frozen=True)
class OneOf:
    """One of *values*, and *why* these."""

    values: tuple[Any, ...]
    why: str

    def at(self, share: float) -> Any:
        return self.values[int(share * len(self.values))]


@dataclass(frozen=True)
class Between:
    """Anything from *low* to *high*, in equal steps of its logarithm, and *why* so far."""

    low: float
    high: float
    why: str

    def at(self, share: float) -> float:
        return float(self.low * (self.high / self.low) ** share)


@dataclass(frozen=True)
class Ranges:
    """Where each choice of a Member comes from; all of them are assumptions."""

    calls: OneOf = OneOf((3, 6, 10, 20, 60), "of an answer: an inquiry takes a few, an order of ten lines 60")
    discs: OneOf = OneOf((3, 4, 6), "the paper names none; two HP 7933s are all busy with 49 accesses a second")
    hold: OneOf = OneOf((WholeCall, WholeCall, CpuPart), "single-threaded calls (McBride), or only their computing is")
    terminal_delay: OneOf = OneOf((0.0, 0.1), "a fixed part of a response is one reading of 20 % at 21 terminals")
    alignment: OneOf = OneOf((FromRequest, InMultiples, Centred), "where MPE puts a fetch is not published")
    hot_share: Between = Between(0.5, 0.95, "from little locality to nearly all references within the hot part")
    hot_size: Between = Between(0.003, 0.1, "from 6 to 200 Kbytes of a data set of 2 Mbytes")
    hit_cpu: Between = Between(3.0 * MS, 4.0 * MS, "a hit takes 4 ms; the share of it that is CPU time is assumed")
    fault_cpu: Between = Between(3.0 * MS, 9.0 * MS, "3000 to 9000 instructions to find room and bring a segment in")
    initiate: Between = Between(0.75 * MS, 1.5 * MS, "750 to 1500 instructions to start and complete a physical I/O")


@dataclass(frozen=True)
class Member:
    """What is varied. Seconds; the fields mean what they do in Parameters, but for *calls*, the mean of an answer."""

    number: int
    calls: float
    discs: int
    hold: Callable[[], Hold]
    terminal_delay: float
    alignment: Callable[[], Alignment]
    hot_share: float
    hot_size: float
    hit_cpu: float
    fault_cpu: float
    initiate: float

    def settings(self) -> dict[str, Any]:
        """As parameters of a run."""
        return {
            "calls_scale": self.calls / SHIPPED_CALLS, "discs": self.discs, "terminal_delay": self.terminal_delay,
            "hot_share": self.hot_share, "hot_size": self.hot_size, "hit_cpu": self.hit_cpu,
            "fault_cpu": self.fault_cpu, "initiate": self.initiate,
        }  # fmt: skip

    def row(self) -> dict[str, Any]:
        """As cells of a row, which has the number already; parts by the names of their classes."""
        cells = {name: getattr(value, "__name__", value) for name, value in asdict(self).items()}
        return {name: value for name, value in cells.items() if name != "number"}


def member(number: int, ranges: Ranges | None = None) -> Member:
    """Member *number*, the same however many there are; 0 is the default machine.

    A scrambled Halton sequence fills the ranges evenly, however many are drawn.
    """
    if number == 0:
        return _default()
    names = [each.name for each in fields(Ranges)]
    shares = Halton(len(names), seed=SEED).fast_forward(number - 1).random(1)[0]
    from_ranges = ranges or Ranges()
    return Member(number, **{n: getattr(from_ranges, n).at(share) for n, share in zip(names, shares, strict=True)})


def _default() -> Member:
    p = Parameters()
    return Member(0, p.calls_scale * SHIPPED_CALLS, p.discs, WholeCall, p.terminal_delay, FromRequest, p.hot_share,
                  p.hot_size, p.hit_cpu, p.fault_cpu, p.initiate)  # fmt: skip
