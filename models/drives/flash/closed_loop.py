"""A job of fio's on simulated flash: so many requests under way at any time, and what they take on average."""

import simpy

from models.drives.flash.jobs import FioJob
from sim.account import Account
from sim.disc.flash.drive import FlashDrive
from sim.disc.flash.sheet import FlashType
from sim.request import Request, access
from sim.streams import stream

UNITS, FEWEST, MOST = 8000, 120, 2000
"""Of units, and of requests, for a mean that is within a percent or so."""
SETTLING = 1
"""Requests for each that is under way, before any is counted."""


def seconds_of(job: FioJob, sheet: FlashType, share: float = 1.0) -> float:
    """Seconds of a request of *job* on a drive of *sheet*; of a *share* of the usual number of requests."""
    requests = round(share * max(FEWEST, min(MOST, UNITS * sheet.unit // job.size)))
    return _ClosedLoop(job, sheet, requests).mean()


class _ClosedLoop:
    """Each request that is done is followed at once by another."""

    def __init__(self, job: FioJob, sheet: FlashType, requests: int) -> None:
        self._env = simpy.Environment()
        self._drive = FlashDrive(self._env, sheet)
        self._job = job
        self._account = Account("fio")
        self._random = stream(1, f"fio {job.name}")
        self._places = sheet.capacity // job.size
        self._settling = SETTLING * job.depth
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
        request.callbacks.append(self._answered)

    def _answered(self, request: Request) -> None:
        self._left -= 1
        if self._done > self._settling + self._job.depth:
            self._counted += 1
            self._seconds += self._env.now - request.submitted
        self._ask()
