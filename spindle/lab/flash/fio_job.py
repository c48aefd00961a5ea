"""Lists the jobs that fio runs on a flash drive: random reads of four sizes at six depths, and a few more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import KIB


@dataclass(frozen=True)
class FioJob:
    """A job of fio: requests of *size* bytes, *depth* of them under way at any time, at *random* or in sequence."""

    op: Op
    size: int
    depth: int
    random: bool = True

    @property
    def pattern(self) -> str:
        """fio's name of the access pattern."""
        return ("rand" if self.random else "") + ("read" if self.op is READ else "write")

    @property
    def name(self) -> str:
        return f"{self.pattern} {self.size // KIB} KiB, {self.depth} under way"


DEPTHS = (1, 2, 4, 8, 16, 32)
FITTED: Mapping[int, tuple[int, ...]] = {
    4 * KIB: (1, 4, 32), 16 * KIB: (2, 8, 32), 64 * KIB: (1, 4, 16), 256 * KIB: (1, 8, 32),
}  # fmt: skip
"""Depths that are fitted to, by size: half of GRID, its corners and every other point within."""
FITTED_SIZES = tuple(FITTED)
GRID: Sequence[FioJob] = [FioJob(READ, size, depth) for size in FITTED_SIZES for depth in DEPTHS]
IN_SEQUENCE: Sequence[FioJob] = [FioJob(READ, 256 * KIB, depth, False) for depth in (1, 8)]
"""Jobs in sequence, judged separately: drives read ahead, and the model's flash does not."""
WRITE_JOBS: Sequence[FioJob] = [
    FioJob(WRITE, 256 * KIB, 8, False), FioJob(WRITE, 4 * KIB, 1), FioJob(WRITE, 4 * KIB, 32),
    FioJob(WRITE, 4 * KIB, 8), FioJob(WRITE, 64 * KIB, 4),
]  # fmt: skip
"""Writes. The first three are fitted to: each makes another part busy, the link, the controller or the flash."""
FITTED_WRITES = 3


def is_fitted(job: FioJob) -> bool:
    """Tell if the fit may see *job*; else it is held out."""
    if job.op is WRITE:
        return job in WRITE_JOBS[:FITTED_WRITES]
    return job.random and job.depth in FITTED.get(job.size, ())
