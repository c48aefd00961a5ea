"""Simulates fio's load on NVMe flash under blk-mq, the block layer of Linux with a queue for each CPU.

Each process has a CPU and a queue of its own, so none waits for room in a shared queue. The model of flash computes the
phases of a request as soon as it arrives; so a heap of instants replaces the event loop, in a quarter of the time.
"""

from collections import deque
from heapq import heappop, heappush

from spindle.lab.fio.load import FioLoad, LoadAnswer, answer_of
from spindle.sim.disc.flash.mechanism import Flash
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.virtual import HOME
from spindle.sim.request import Span
from spindle.sim.streams import stream

MAX_TAGS = 1023
"""Requests of one NVMe queue under Linux: it has 1,024 entries (io_queue_depth of drivers/nvme/host/pci.c), of which
one stays empty (NVM Express Base Specification)."""
SETTLING_ROUNDS = 2
"""Completed requests for each one under way before the first that counts."""


def answer_on_cpus(load: FioLoad, sheet: FlashType, requests: int, cpu: float) -> LoadAnswer:
    """Return the answer of a new drive to *load*, whose processes take *cpu* seconds of their own CPU a request."""
    jobs = _Jobs(load, sheet, cpu)
    times, seconds = jobs.run(max(requests, 2 * load.level))
    return answer_of(jobs.level, times, seconds)


class _Jobs:
    """The processes of a load: each starts a request as soon as one is done; it waits for their CPU, then for a tag."""

    def __init__(self, load: FioLoad, sheet: FlashType, cpu: float) -> None:
        self._load, self._flash, self._cpu = load, Flash(sheet), cpu
        self._tags = sheet.front.tags
        self._random = stream(1, f"fio {load.op.value} {load.level}").random
        self._places = max(1, load.span // load.size)
        self._at = [int(self._random() * self._places) for _ in range(load.jobs)]
        self._free = [0.0] * load.jobs
        self._entering: list[tuple[float, int, float]] = []
        self._leaving: list[tuple[float, int, float]] = []
        self._waiting: deque[tuple[int, float]] = deque()
        depth = min(load.level // load.jobs, MAX_TAGS)
        self.level = depth * load.jobs
        for job in range(load.jobs):
            for _ in range(depth):
                self._ask(job, 0.0)

    def run(self, requests: int) -> tuple[list[float], float]:
        """Return the seconds of each of *requests* requests, and of all these together."""
        settled, _ = self._go_on(SETTLING_ROUNDS * self.level)
        last, times = self._go_on(requests)
        return times, last - settled

    def _go_on(self, requests: int) -> tuple[float, list[float]]:
        """Simulate until *requests* more are done; return that instant, and the seconds of each."""
        entering, leaving, times = self._entering, self._leaving, list[float]()
        now = 0.0
        while len(times) < requests:
            if entering and (not leaving or entering[0][0] <= leaving[0][0]):
                now, job, asked = heappop(entering)
                self._enter(job, asked, now)
            else:
                now, job, asked = heappop(leaving)
                times.append(now - asked)
                if self._waiting:
                    self._serve(*self._waiting.popleft(), now)
                self._ask(job, now)
        return now, times

    def _ask(self, job: int, now: float) -> None:
        free = self._free[job]
        self._free[job] = enters = (now if now > free else free) + self._cpu
        heappush(self._entering, (enters, job, now))

    def _enter(self, job: int, asked: float, now: float) -> None:
        if len(self._leaving) < self._tags:
            self._serve(job, asked, now)
        else:
            self._waiting.append((job, asked))

    def _serve(self, job: int, asked: float, now: float) -> None:
        load = self._load
        place = self._at[job] % self._places if load.sequential else int(self._random() * self._places)
        self._at[job] += 1
        service, _ = self._flash.serve(HOME, now, load.op, Span(place * load.size, load.size))
        heappush(self._leaving, (now + service.total, job, asked))
