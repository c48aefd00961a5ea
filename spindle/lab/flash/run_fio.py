"""Runs fio on a drive, job by job, and stops as soon as its results show that the drive has an arm."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spindle.lab.flash.fio_answer import MeasuredFlash, parse_object, read_outputs
from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.target import FlashTarget
from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.sim.units import KIB, MS

AT_DEPTH_1, AT_DEPTH_32 = FioJob(READ, 4 * KIB, 1), FioJob(READ, 4 * KIB, 32)
ARM_READ = 1.5 * MS
ARM_SPEEDUP = 4.0
"""A drive has an arm if a read of 4 KB takes more than ARM_READ and depth 32 is less than ARM_SPEEDUP times as fast."""


def check_armless(drive: MeasuredFlash) -> None:
    """Raise UserError if jobs AT_DEPTH_1 and AT_DEPTH_32 are answered, and as by a drive with an arm."""
    answers = {each.job: each for each in drive.answers}
    if AT_DEPTH_1 not in answers or AT_DEPTH_32 not in answers:
        return
    seconds, faster = answers[AT_DEPTH_1].seconds, answers[AT_DEPTH_32].rate / answers[AT_DEPTH_1].rate
    if seconds > ARM_READ and faster < ARM_SPEEDUP:
        raise UserError(f"{drive.name} is like a disc with an arm: 4 KB take {seconds / MS:.3g} ms, and with 32 under "
                        f"way come {faster:.2g} times as fast; fit it to fio's latency log: spindle drive fit --help")


FIO = "fio"
WARM_UP = 0.2
"""Time that fio runs before it counts, as a share of a job's seconds."""
GRACE = 120.0
"""Seconds that fio may run longer than it was told to."""

Watched = Callable[[Sequence[FioJob]], Iterable[FioJob]]


def check_fio() -> None:
    """Raise UserError if fio is not installed."""
    if shutil.which(FIO) is None:
        raise UserError("measure --drive runs fio, which is not here: apt install fio, or dnf install fio")


def measure(target: FlashTarget, jobs: Sequence[FioJob], seconds: float, watched: Watched) -> MeasuredFlash:
    """Run each of *jobs* for *seconds* seconds, as *watched* yields them; UserError as soon as an arm shows."""
    drive = read_outputs(target.name, target.capacity, [])
    with TemporaryDirectory(prefix="spindle-fio-") as folder:
        for job in watched(jobs):
            drive = read_outputs(drive.name, drive.capacity, [*drive.texts, _run(target, job, seconds, Path(folder))])
            check_armless(drive)
    return drive


def command(target: FlashTarget, job: FioJob, seconds: float, out: Path) -> list[str]:
    """Return the words of fio's command line; --readonly makes fio refuse to write."""
    return [
        FIO, f"--name={job.pattern}", *target.options, *(["--readonly"] if job.op is READ else []),
        f"--rw={job.pattern}", f"--bs={job.size}", f"--iodepth={job.depth}", "--norandommap", "--randrepeat=0",
        f"--size={target.capacity // job.size * job.size}", "--time_based", f"--runtime={_ms(seconds)}",
        f"--ramp_time={_ms(WARM_UP * seconds)}", "--output-format=json", f"--output={out}",
    ]  # fmt: skip


def _ms(seconds: float) -> str:
    return f"{max(1, round(1e3 * seconds))}ms"


def _run(target: FlashTarget, job: FioJob, seconds: float, folder: Path) -> Mapping[str, Any]:
    out = folder / "fio.json"
    try:
        ran = subprocess.run(command(target, job, seconds, out), cwd=folder, stdin=subprocess.DEVNULL,
                             capture_output=True, errors="replace", timeout=(1 + WARM_UP) * seconds + GRACE,
                             check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UserError(f"fio, {job.name}: it did not end {GRACE:g} s after its time") from None
    except OSError as error:
        raise UserError(f"fio cannot be run: {error.strerror}") from None
    if ran.returncode:
        lines = [line.strip() for line in (ran.stdout + ran.stderr).splitlines() if line.strip()]
        raise UserError(f"fio, {job.name}: {lines[-1] if lines else f'it ended with status {ran.returncode}'}")
    return parse_object(f"fio, {job.name}", out.read_text("utf-8", "replace") if out.exists() else "")
