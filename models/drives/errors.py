"""Where a model of a drive errs: its errors request by request, against what sets one request apart from another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from models.drives.timed import Answers, TimedRequests, Times, answers
from sim.disc.mechanism import DiscType
from sim.request import READ, Service
from sim.units import MS

BINS = 10
"""Of numbers: tenths of the requests, fewer where many are equal."""
FEW = 4
"""Requests for each group; of fewer, chance alone tells more than a quarter of the mean square error."""
PHASES = Service._fields[1:]

GroupOf = npt.NDArray[np.int_]


@dataclass(frozen=True)
class Axis:
    """One way to part requests into groups: the *names* of these, and the number *of* that of each request."""

    names: Sequence[str]
    of: GroupOf

    @property
    def tells(self) -> bool:
        """Whether there are requests enough for its groups; one request a group would tell all by itself."""
        return len(self.of) >= FEW * len(np.unique(self.of))

    def share(self, errors: Times) -> float:
        """The part of the mean square of *errors* that lies in the means of the groups, 0 to 1."""
        square = float(np.sum(errors**2))
        counts = np.bincount(self.of, minlength=len(self.names))
        sums = np.bincount(self.of, errors, minlength=len(self.names))
        some = counts > 0
        return float(np.sum(sums[some] ** 2 / counts[some])) / square if square else 0.0


def by_size(values: Times, form: str = "{:.3g}") -> Axis:
    """Groups of about equally many requests, each named by its least value."""
    edges = np.unique(np.quantile(values, np.arange(1, BINS) / BINS, method="inverted_cdf"))
    edges = edges[edges > values.min()]
    return Axis([form.format(edge) for edge in (values.min(), *edges)], np.searchsorted(edges, values, side="right"))


def by_name(names: Sequence[str]) -> Axis:
    kinds = sorted(set(names))
    return Axis(kinds, np.array([kinds.index(name) for name in names]))


@dataclass(frozen=True)
class ErrorBudget:
    """What *disc* answers to requests that were *asked* of the real one, and DiskSim's answers if they are known."""

    disc: DiscType
    asked: TimedRequests
    modelled: Answers
    foretold: Times | None

    @property
    def errors(self) -> Times:
        """Seconds; positive where the model is slower than the drive."""
        return self.modelled.times - self.asked.measured

    @cached_property
    def axes(self) -> Mapping[str, Axis]:
        """By what the errors are parted; the first request comes from the first sector of the disc."""
        layout, block = self.disc.layout, self.disc.layout.sector_bytes
        firsts = [layout.locate(span.first // block) for span in self.asked.spans]
        lasts = [layout.locate(0), *(layout.locate((span.end - 1) // block) for span in self.asked.spans[:-1])]
        moves = np.array([to.cylinder - at.cylinder for at, to in zip(lasts, firsts, strict=True)])
        turns = np.array([(to.angle - at.angle) % 1.0 for at, to in zip(lasts, firsts, strict=True)])
        starts = [zone.first_cylinder for zone in layout.zones]
        zones = np.searchsorted(starts, [place.cylinder for place in firsts], side="right")
        ops = [op.value for op in self.asked.ops]
        outcomes = zip(ops, self.modelled.outcomes, strict=True)
        return {
            "seek distance, cylinders": by_size(np.abs(moves)),
            "rotational distance, turns": by_size(turns, "{:.3f}"),
            "size, sectors": by_size(np.array([span.length / block for span in self.asked.spans])),
            "arm moves": by_name(["in" if move > 0 else "out" if move < 0 else "not" for move in moves]),
            "buffer": by_name([f"{op} {outcome}".strip() for op, outcome in outcomes]),
            "pause before, ms": by_size(self.asked.gaps / MS),
            "after": by_name([f"{op} after {before}" for before, op in pairwise([READ.value, *ops])]),
            "zone": by_name([f"{zone:2}" for zone in zones]),
            "head": by_name(["same" if at.head == to.head else "other" for at, to in zip(lasts, firsts, strict=True)]),
        }

    @cached_property
    def too_few(self) -> list[str]:
        """The axes for whose groups there are too few requests."""
        phases = {f"phase {name}": axis for name, axis in self.phase_axes.items()}
        return [name for name, axis in {**phases, **self.axes}.items() if not axis.tells]

    @cached_property
    def phase_axes(self) -> Mapping[str, Axis]:
        """By how long each phase was in the model."""
        columns = np.array(self.modelled.services)[:, 1:].T
        return {name: by_size(column) for name, column in zip(PHASES, columns, strict=True)}

    def shares(self) -> dict[str, float]:
        """By each axis: the part of the mean square error that it tells; the largest first."""
        return _largest_first({name: axis.share(self.errors) for name, axis in self.axes.items()})

    def phases(self) -> dict[str, float]:
        """The same by how long each phase was in the model: one that is wrong is told by its own length."""
        return _largest_first({name: axis.share(self.errors) for name, axis in self.phase_axes.items()})


def _largest_first(shares: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(shares.items(), key=lambda each: -each[1]))


def budget(disc: DiscType, asked: TimedRequests, foretold: Times | None = None) -> ErrorBudget:
    return ErrorBudget(disc, asked, answers(disc, asked), foretold)
