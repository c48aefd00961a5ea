"""Two exercises on one drive: how long an access takes, by phase, and in which order a queue is served."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import fmean

import pandas as pd
import simpy

from spindle.course.exercise import Answer
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import Look, Sstf
from spindle.sim.disc.seek import PowerSeek
from spindle.sim.request import READ, Request, Span, access
from spindle.sim.units import MS

CYLINDERS, SECTOR = 1000, 512
"""Cylinders of the drive, and bytes of its sectors."""
ARRIVALS = 64
"""Reads over which the mean is taken, their arrivals spread evenly over a revolution."""


@dataclass(frozen=True)
class SeekArithmetic:
    """Asks how long a read of *sectors* on cylinder *target* of *disc* takes, while the arm is on cylinder *start*."""

    disc: DiscType
    start: int
    target: int
    sectors: int

    @classmethod
    def draw(cls, random: Random) -> "SeekArithmetic":
        seek = PowerSeek(random.choice([2, 3, 4]) * MS, random.choice([20, 25, 30]) * MS, 0.5, CYLINDERS)
        disc = DiscType("yours", uniform(CYLINDERS, 4, random.choice([32, 48, 64]), SECTOR),
                        random.choice([2700, 3600, 5400]), seek, overhead=random.choice([1, 2, 3]) * MS)  # fmt: skip
        start = random.randrange(100, 400)
        return cls(disc, start, start + random.randrange(150, 500), random.choice([4, 8, 16]))

    @property
    def track(self) -> int:
        return self.disc.layout.zones[0].sectors_per_track

    @property
    def question(self) -> str:
        seek = self.disc.seek
        assert isinstance(seek, PowerSeek)
        return (
            f"A drive turns {self.disc.rpm:g} times a minute and has {self.track} sectors on a track. A command "
            f"costs {self.disc.overhead / MS:g} ms before the arm moves. A seek over d cylinders takes "
            f"{seek.minimum / MS:g} + {(seek.maximum - seek.minimum) / MS:g} * sqrt((d - 1) / {CYLINDERS - 2}) ms.\n"
            f"The arm stands on cylinder {self.start}. How many ms does a read of {self.sectors} sectors on cylinder "
            f"{self.target} take on the mean, whenever it comes?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate reads at other distances; return the milliseconds of each phase."""
        return pd.DataFrame([{"distance": distance, **self._phases(self.start + distance)}
                             for distance in (0, 1, 10, 100, 550)])  # fmt: skip

    def answer(self) -> float:
        return sum(self._phases(self.target).values())

    def slips(self) -> Mapping[str, Answer]:
        overhead, seek, turn, transfer = self._phases(self.target).values()
        return {
            "Where is the rotational delay?": overhead + seek + transfer,
            "A sector is half a turn away on the mean, not a whole one.": overhead + seek + 2 * turn + transfer,
            "A command costs something before the arm moves.": seek + turn + transfer,
            "The sectors must pass under the head.": overhead + seek + turn,
            "How far does the arm move?": overhead + float(self.disc.seek(self.target)) / MS + turn + transfer,
        }

    def _phases(self, cylinder: int) -> dict[str, float]:
        arm = MovingArm(self.disc)
        span = Span(cylinder * 4 * self.track * SECTOR, self.sectors * SECTOR)
        instants = [each * self.disc.revolution / ARRIVALS for each in range(ARRIVALS)]
        served = [arm.serve(ArmPosition(self.start, 0), instant, READ, span)[0] for instant in instants]
        return {name: fmean(getattr(each, name) for each in served) / MS
                for name in ("overhead", "seek", "rotation", "transfer")}  # fmt: skip


@dataclass(frozen=True)
class QueueOrder:
    """Asks in which order reads on *cylinders* are served, which arrived in that order, while the arm is on *start*."""

    start: int
    cylinders: tuple[int, ...]

    @classmethod
    def draw(cls, random: Random) -> "QueueOrder":
        """Draw a queue in which no two reads are equally near, and the orders FCFS, LOOK and SSTF differ."""
        while True:
            case = cls(random.randrange(300, 700), tuple(random.sample(range(CYLINDERS), 6)))
            orders = {case._order(each) for each in (Fcfs, Look, Sstf)}
            if len(orders) == 3 and case._is_plain():
                return case

    @property
    def question(self) -> str:
        return (
            f"The arm has just read on cylinder {self.start}. Reads on cylinders {', '.join(map(str, self.cylinders))} "
            "wait, and came in this order. In which order does SSTF, shortest seek time first, serve them? "
            "Answer with the list of the cylinders."
        )

    def run(self) -> pd.DataFrame:
        """Simulate three schedulers; return the cylinders that the arm passes with each."""
        rows = []
        for scheduler in (Fcfs, Look, Sstf):
            moves = pairwise([self.start, *self._order(scheduler)])
            rows.append({"order": scheduler.__name__, "cylinders": sum(abs(to - at) for at, to in moves)})
        return pd.DataFrame(rows)

    def answer(self) -> tuple[float, ...]:
        return self._order(Sstf)

    def slips(self) -> Mapping[str, Answer]:
        from_start = tuple(sorted(self.cylinders, key=lambda each: abs(each - self.start)))
        return {
            "That is the order of arrival, FCFS.": self._order(Fcfs),
            "That is LOOK: on in one direction, then back.": self._order(Look),
            "The arm moves: the next one is the nearest to where it stands then.": from_start,
            "These are sorted; where does the arm stand?": tuple(sorted(self.cylinders)),
        }

    def _order(self, scheduler: Callable[[], Scheduler]) -> tuple[int, ...]:
        """Return the cylinders in the order in which a simulated drive with this *scheduler* serves them."""
        env = simpy.Environment()
        disc = DiscType("one", uniform(CYLINDERS, 1, 1, SECTOR), 3600.0, PowerSeek(MS, 30 * MS, 0.5, CYLINDERS))
        drive = Drive(env, disc, scheduler())
        served: list[int] = []
        for cylinder in (self.start, *self.cylinders):
            request = drive.start(access(READ, cylinder * SECTOR, SECTOR, Account("reader")))
            assert request.callbacks is not None
            request.callbacks.append(_append_to(served, cylinder))
        env.run()
        return tuple(served[1:])

    def _is_plain(self) -> bool:
        """Tell if SSTF never meets two reads that are equally near."""
        waiting, at = set(self.cylinders), self.start
        while waiting:
            distances: Sequence[int] = sorted(abs(each - at) for each in waiting)
            if len(distances) > 1 and distances[0] == distances[1]:
                return False
            at = min(waiting, key=lambda each: abs(each - at))
            waiting.remove(at)
        return True


def _append_to(served: list[int], cylinder: int) -> Callable[[Request], None]:
    return lambda request: served.append(cylinder)
