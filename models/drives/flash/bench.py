"""fio, run job by job on a drive; what it says is kept as it is."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.drives.flash.answer import MeasuredFlash, check_armless, measured, parsed
from models.drives.flash.jobs import FioJob
from models.drives.flash.target import FlashTarget
from sim.error import UserError
from sim.request import READ

FIO = "fio"
WARM_UP = 0.2
"""Of the seconds of a job, before them, which do not count."""
GRACE = 120.0
"""Seconds that fio may take beyond those it was given."""

Watched = Callable[[Sequence[FioJob]], Iterable[FioJob]]


def check_fio() -> None:
    """UserError where there is no fio."""
    if shutil.which(FIO) is None:
        raise UserError("measure --drive runs fio, which is not here: apt install fio, or dnf install fio")


def measure(target: FlashTarget, jobs: Sequence[FioJob], seconds: float, watched: Watched) -> MeasuredFlash:
    """Each of *jobs* for so many *seconds*; *watched* hands them on. UserError as soon as an arm shows."""
    drive = measured(target.name, target.capacity, [])
    with TemporaryDirectory(prefix="spindle-fio-") as folder:
        for job in watched(jobs):
            drive = measured(drive.name, drive.capacity, [*drive.texts, _run(target, job, seconds, Path(folder))])
            check_armless(drive)
    return drive


def command(target: FlashTarget, job: FioJob, seconds: float, out: Path) -> list[str]:
    """The words of fio's command line; --readonly makes it refuse to write."""
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
        ran = subprocess.run(command(target, job, seconds, out), cwd=folder, stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, errors="replace", timeout=(1 + WARM_UP) * seconds + GRACE,
                             check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UserError(f"fio, {job.name}: it did not end {GRACE:g} s after its time") from None
    except OSError as error:
        raise UserError(f"fio cannot be run: {error.strerror}") from None
    if ran.returncode:
        lines = [line.strip() for line in (ran.stdout + ran.stderr).splitlines() if line.strip()]
        raise UserError(f"fio, {job.name}: {lines[-1] if lines else f'it ended with status {ran.returncode}'}")
    return parsed(f"fio, {job.name}", out.read_text("utf-8", "replace") if out.exists() else "")
