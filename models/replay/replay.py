"""One replay: the requests of a list asked of the drives of a sheet, and what both sides say of each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import fsum

import simpy

from models.replay.drives import Drives
from models.replay.tally import DISKSIM, MEASURED, PREDICTED, QuantitySeries, ReplayTally
from sim.disc.scheduling import Scheduler
from sim.disc.sheet_file.sheet import DriveSheet
from sim.request import Service
from workloads.request_list.asking import Asking, Done
from workloads.request_list.foretold import Foretold
from workloads.request_list.reader import RESPONSE, SERVICE, Listed, RequestList


@dataclass(frozen=True)
class Replayed:
    """The times of a replay, and the drives as it left them at the instant *end*."""

    tally: ReplayTally
    drives: Drives
    end: float


class Replay:
    """Built first, so that whatever is wrong is found before anything is written; then run."""

    def __init__(
        self, sheet: DriveSheet, requests: RequestList, asking: type[Asking], scheduler: Callable[[], Scheduler],
        foretold: Foretold | None,
    ) -> None:  # fmt: skip
        self.env = simpy.Environment()
        self.drives = Drives(self.env, sheet, scheduler)
        self._asking = asking
        self._rows: Iterator[Listed] = iter(requests if foretold is None else foretold.beside(requests))
        predicted = max(asking.quantities, requests.measured, key=len)
        self._apart = SERVICE in predicted
        self.tally = ReplayTally([
            *(QuantitySeries(quantity, PREDICTED) for quantity in predicted),
            *(QuantitySeries(quantity, MEASURED) for quantity in requests.measured),
            *([QuantitySeries(RESPONSE, DISKSIM)] if foretold is not None else []),
        ])  # fmt: skip

    def run(self, also: Done | None = None) -> Replayed:
        """Ask for everything; *also* is told of each request that is done, in that order."""
        add, apart = self.tally.add, self._apart

        def done(row: Listed, service: Service) -> None:
            response = fsum(service)
            predicted = (response - service.queue, response) if apart else (response,)
            add(row.op, predicted + row.known)
            if also is not None:
                also(row, service)

        self._asking(self.env, self._rows, self.drives, done)
        self.env.run()
        return Replayed(self.tally, self.drives, self.env.now)
