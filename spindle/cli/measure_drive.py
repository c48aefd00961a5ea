"""``spindle measure --drive``: measures a solid-state drive by fio, a benchmark of I/O, and fits a drive file to it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.fields import take_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.output.base_units import in_base_units
from spindle.output.files import write_whole
from spindle.output.progress import BAR_SHAPE, progress_bar
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.sim.error import UserError
from spindle.sim.units import US

if TYPE_CHECKING:
    from spindle.lab.flash.fio_answer import MeasuredFlash

JOB_SECONDS, MIN_SECONDS, MAX_SECONDS = 5.0, 0.1, 600.0
"""Seconds of each job of fio: the usual number, the least and the most."""
MEASURING_FIELDS = ("drive", "seconds", "write_too", "destroy", "kept")
"""Options of a measurement, which cannot be given with --from, as that reads an earlier one."""


@dataclass(frozen=True)
class MeasureDriveOptions:
    """Options of ``spindle measure --drive``: the drive to measure, or the output of fio that was kept."""

    drive: str = ask("", "the drive to measure; default the one of --from", metavar="PATH", bare="")
    from_: str = ask("", "measure nothing; read what --kept wrote before", metavar="FILE.json",
                     excludes=MEASURING_FIELDS)  # fmt: skip
    seconds: float = ask(JOB_SECONDS, "of each job of fio", "s", least=MIN_SECONDS, most=MAX_SECONDS)
    write_too: bool = ask(False, "writes, too, which destroys what is on the drive")
    destroy: str = ask("", "the drive once more, to confirm --write-too", metavar="PATH", needs=("write_too",),
                       because="confirming {}, without which nothing is written")
    kept: str = ask("", "keep fio's answers, for --from; default not kept", metavar="FILE.json")
    out: str = ask("", "file for the fitted drive; default printed below the findings", metavar="FILE.yaml")
    json: bool = ask(False, "the findings as JSON, instead of the table", needs=("out",),
                     because="a drive file; {} names it")


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("measure --drive", MeasureDriveOptions, arguments)
    reads = [Path(each) for each in (asked.from_, asked.drive) if each]
    files = outputs(reads, {"--out": asked.out, "--kept": asked.kept})
    from spindle.lab.flash.fio_answer import read_kept

    drive = read_kept(Path(asked.from_)) if asked.from_ else _measure(asked.drive, asked)
    if (kept := files["--kept"]) is not None:
        write_whole(kept, drive.text().encode())
    return finish(_fit(drive, files["--out"], asked.json))


def _measure(path: str, asked: MeasureDriveOptions) -> "MeasuredFlash":
    if not path:
        raise UserError("measure --drive needs the PATH of a drive, or --from FILE.json")
    if asked.write_too and asked.destroy != path:
        raise UserError(f"--write-too destroys all that is on {path}; confirm it: --destroy {path}")
    if sys.platform != "linux":
        raise UserError("measure --drive needs Linux; --from reads what was measured there")
    from spindle.lab.flash.fio_job import GRID, IN_SEQUENCE, WRITE_JOBS
    from spindle.lab.flash.run_fio import check_fio, measure
    from spindle.lab.flash.target import target

    check_fio()
    jobs = [*GRID, *IN_SEQUENCE, *(WRITE_JOBS if asked.write_too else ())]
    watched = partial(progress_bar, desc="fio", bar_format=BAR_SHAPE)
    return measure(target(path, asked.write_too), jobs, asked.seconds, watched)


def _fit(drive: "MeasuredFlash", out: Path | None, as_json: bool) -> str:
    # Imported here because scipy takes a second.
    from spindle.lab.flash.page import judge, page, sheet_text

    flash = judge(drive)
    lines = list(page(flash))
    text = sheet_text(flash, lines)
    if out is None:
        return text.removesuffix("\n")
    write_whole(out, text.encode())
    if not as_json:
        return "\n".join(lines)
    return json_text(in_base_units({
        "drive": flash.sheet.name, "capacity": flash.sheet.capacity,
        "jobs": [{"job": each.answer.job.name, "measured_us": each.answer.seconds / US,
                  "predicted_us": each.predicted / US, "error": each.error, "kind": each.kind} for each in flash.jobs],
        "numbers": {each.name: {"value": each.value, "source": each.source, "bears": each.bears}
                    for each in flash.numbers},
    }))  # fmt: skip
