"""Flash whose sheet is known, and what fio would say of it: a loop of its own on the mechanism, a percent of noise."""

from collections.abc import Iterable
from heapq import heapreplace
from random import Random
from typing import Any

from spindle.lab.flash.fio_job import FioJob
from spindle.sim.disc.flash.mechanism import Flash
from spindle.sim.disc.flash.sheet import FlashType, Nand, nvme, sata
from spindle.sim.disc.virtual import HOME
from spindle.sim.request import READ, Span
from spindle.sim.units import GIB, KIB, US

KNOWN = FlashType(
    name="Known", capacity=1 * GIB,
    nand=Nand(channels=4, ways=4, planes=2, blocks=48, pages=128, page_bytes=8 * KIB, read=70 * US, program=600 * US,
              erase=3e-3, bus=330e6),
    front=sata(540e6, 12 * US, (510e6, 20 * US)),
)  # fmt: skip
OTHER = FlashType(
    name="Other", capacity=1 * GIB,
    nand=Nand(channels=2, ways=8, planes=4, blocks=96, pages=64, page_bytes=4 * KIB, read=55 * US, program=900 * US,
              erase=3e-3, bus=800e6),
    front=nvme(2300e6, 9 * US, queues=4),
)  # fmt: skip
NOISE = 0.01


def fio(sheet: FlashType, jobs: Iterable[FioJob], seed: int = 7) -> list[dict[str, Any]]:
    """What fio says of each of *jobs*."""
    random = Random(seed)
    return [_said(job, seconds(sheet, job, random) * random.gauss(1.0, NOISE)) for job in jobs]


def seconds(sheet: FlashType, job: FioJob, random: Random) -> float:
    """The mean of a request, in a closed loop of as many as are under way."""
    flash, places = Flash(sheet), sheet.capacity // job.size
    count = 3 * job.depth + max(100, min(1000, 3000 * 4 * KIB // job.size))
    ends, total = [0.0] * job.depth, 0.0
    for number in range(count):
        place = random.randrange(places) if job.random else number
        service, _ = flash.serve(HOME, ends[0], job.op, Span(place * job.size, job.size))
        heapreplace(ends, ends[0] + service.total)
        if number >= 3 * job.depth:
            total += service.total
    return total / (count - 3 * job.depth)


def _said(job: FioJob, mean: float) -> dict[str, Any]:
    done = {"total_ios": round(job.depth / mean), "lat_ns": {"min": 1, "mean": 1e9 * mean, "N": 1000}}
    sides = ("read", "write") if job.op is READ else ("write", "read")
    return {"fio version": "fio-3.33", "jobs": [{
        "jobname": job.pattern, "error": 0, "job options": {
            "name": job.pattern, "rw": job.pattern, "bs": str(job.size), "iodepth": str(job.depth)},
        sides[0]: done, sides[1]: {"total_ios": 0, "lat_ns": {"mean": 0.0}},
    }]}  # fmt: skip
