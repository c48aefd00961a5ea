"""The times of all requests of a replay: eight bytes for each request and source."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.request import READ, Op

MEASURED, PREDICTED, DISKSIM = "measured", "predicted", "DiskSim"
RESPONSE, SERVICE = "response", "service"
Times = npt.NDArray[np.float64]


class QuantitySeries(NamedTuple):
    """A *quantity*, response or service, as its *source* has it."""

    quantity: str
    source: str


class ReplayTally:
    """Takes for each request one number of each of the *series*, and keeps reads and writes apart."""

    def __init__(self, series: Sequence[QuantitySeries]) -> None:
        self.series = tuple(series)
        self._reads, self._writes = ([array("d") for _ in series] for _ in Op)

    def add(self, op: Op, seconds: Sequence[float]) -> None:
        """A request was done; *seconds* in the order of the series."""
        for times, value in zip(self._reads if op is READ else self._writes, seconds, strict=True):
            times.append(value)

    def of(self, quantity: str, source: str, op: Op | None = None) -> Times:
        """The seconds of the reads or the writes, or of the reads and then the writes."""
        place = self.series.index(QuantitySeries(quantity, source))
        groups = [self._reads, self._writes] if op is None else [self._reads if op is READ else self._writes]
        return np.concatenate([np.asarray(times[place], float) for times in groups])

    def count(self, op: Op | None = None) -> int:
        reads, writes = len(self._reads[0]), len(self._writes[0])
        return reads + writes if op is None else reads if op is READ else writes
