"""Simulates a job of fio on flash: keeps a fixed number of requests under way, and returns their mean time."""

import simpy

from spindle.lab.flash.fio_job import FioJob
from spindle.sim.clock import Account
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.request import Request, access
from spindle.sim.streams import stream

SIMULATED_UNITS, MIN_SIMULATED, MAX_SIMULATED = 8000, 120, 2000
"""Units of a simulated job, and the bounds of its requests, for a mean within a percent or so."""
SETTLING_ROUNDS = 1
"""Completed requests for each one under way before the first that counts."""


def seconds_of(job: FioJob, sheet: FlashType, share: float = 1.0) -> float:
    """Simulate *job* on a drive of *sheet*, with a *share* of the usual requests; return mean seconds of a request."""
    requests = round(share * max(MIN_SIMULATED, min(MAX_SIMULATED, SIMULATED_UNITS * sheet.unit // job.size)))
    return _ClosedLoop(job, sheet, requests).mean()


class _ClosedLoop:
    """The simulation of a job: as soon as a request is done another is started."""

    def __init__(self, job: FioJob, sheet: FlashType, requests: int) -> None:
        self._env = simpy.Environment()
        self._drive = FlashDrive(self._env, sheet)
        self._job = job
        self._account = Account("fio")
        self._random = stream(1, f"fio {job.name}")
        self._places = sheet.capacity // job.size
        self._settling = SETTLING_ROUNDS * job.depth
        self._left = self._settling + requests
        self._done = self._counted = 0
        self._seconds = 0.0

    def mean(self) -> float:
        for _ in range(self._job.depth):
            self._ask()
        while self._left > 0:
            self._env.step()
        return self._seconds / self._counted

    def _ask(self) -> None:
        place = int(self._random.random() * self._places) if self._job.random else self._done % self._places
        request = self._drive.start(access(self._job.op, place * self._job.size, self._job.size, self._account))
        self._done += 1
        assert request.callbacks is not None
        request.callbacks.append(self._finish)

    def _finish(self, request: Request) -> None:
        self._left -= 1
        if self._done > self._settling + self._job.depth:
            self._counted += 1
            self._seconds += self._env.now - request.submitted
        self._ask()
