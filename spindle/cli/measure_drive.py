"""``spindle measure --drive``: measures a solid-state drive by fio, and fits and judges its sheet."""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import SHAPE
from spindle.lab.flash.bench import GRID, IN_SEQUENCE, WRITES, MeasuredFlash, check_fio, measure, read_kept, target
from spindle.output.files import write_whole
from spindle.output.progress import progress_bar
from spindle.questions.words import number
from spindle.sim.error import UserError
from spindle.sim.units import US

ABOUT = """\
Measure a solid-state drive by fio, and fit a sheet of flash to half of what it said.

PATH is a block device, a large file on the drive, or an NBD export (nbd://host/name). It is only
read: 4 to 256 KiB at random, 1 to 32 requests under way, and in sequence. Half of that is fitted
to, the other half held out, and the sheet must predict it within 10 %. Each number of the sheet is
either fitted, with the range of other values that the data also allow, or assumed where the data do
not determine it. Blocks never written are answered without reading flash: fill the drive first.
--write-too measures writes as well, which destroys what is on the drive. A disc with an arm is
recognised and refused: spindle drive fit is for it."""

EXAMPLES = """\
  spindle measure --drive /dev/nvme0n1 --out mine.yaml
  spindle measure --drive big.file --seconds 1 --kept fio.json
  spindle measure --drive --from fio.json --json --out mine.yaml
  spindle measure --drive /dev/sdx --write-too --destroy /dev/sdx"""

SECONDS, MIN_SECONDS, MAX_SECONDS = 5.0, 0.1, 600.0
FIO_OPTIONS = ("seconds", "write_too", "destroy", "kept")


def main(arguments: Sequence[str]) -> int:
    options = parser().take(arguments)
    reads = [Path(each) for each in (options.file, options.drive) if each is not None and Path(each).exists()]
    files = outputs(reads, {"--out": options.out, "--kept": options.kept})
    if options.json and options.out is None:
        raise UserError("--json prints no sheet; name a file for that: --out FILE.yaml")
    if options.file is None:
        drive = _measure(options)
    elif options.drive is not None or any(getattr(options, each) for each in FIO_OPTIONS):
        raise UserError("--from FILE.json measures nothing: PATH, --seconds, --kept and --write-too are not for it")
    else:
        drive = read_kept(Path(options.file))
    if (path := files["--kept"]) is not None:
        write_whole(path, drive.text().encode())
    return finish(_fit(drive, files["--out"], options.json))


def parser() -> ArgumentParser:
    made = ArgumentParser("measure --drive", ABOUT, EXAMPLES)
    made.add_argument("--drive", metavar="PATH", nargs="?", help="the drive to measure; default the one of --from")
    made.add_argument("--from", dest="file", metavar="FILE.json", help="measure nothing; read what --kept wrote before")
    made.add_argument("--seconds", metavar="N", help=f"of each of {len(GRID) + len(IN_SEQUENCE)} jobs; default "
                      f"{SECONDS:g}")  # fmt: skip
    made.add_argument("--write-too", action="store_true", help="writes, too, which destroys what is on the drive")
    made.add_argument("--destroy", metavar="PATH", help="the drive once more, to confirm --write-too; default none")
    made.add_argument("--kept", metavar="FILE.json", help="keep fio's answers, for --from; default not kept")
    made.add_argument("--out", metavar="FILE.yaml", help="file for the sheet; default printed below the findings")
    made.add_argument("--json", action="store_true", help="the findings as JSON, instead of the table")
    return made


def _measure(options: Any) -> MeasuredFlash:
    if options.drive is None:
        raise UserError("measure --drive needs the PATH of a drive, or --from FILE.json")
    seconds = SECONDS if options.seconds is None else number("--seconds", options.seconds, "s")
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise UserError(f"--seconds must lie between {MIN_SECONDS:g} and {MAX_SECONDS:g}, not be {seconds:g}")
    if options.write_too and options.destroy != options.drive:
        raise UserError(f"--write-too destroys all that is on {options.drive}; confirm it: --destroy {options.drive}")
    if options.destroy is not None and not options.write_too:
        raise UserError("--destroy confirms --write-too, without which nothing is written")
    if sys.platform != "linux":
        raise UserError("measure --drive needs Linux; --from reads what was measured there")
    check_fio()
    jobs = [*GRID, *IN_SEQUENCE, *(WRITES if options.write_too else ())]
    watched = partial(progress_bar, desc="fio", bar_format=SHAPE)
    return measure(target(options.drive, options.write_too), jobs, seconds, watched)


def _fit(drive: MeasuredFlash, out: Path | None, as_json: bool) -> str:
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
    return json.dumps({
        "drive": flash.sheet.name, "capacity": flash.sheet.capacity,
        "jobs": [{"job": each.answer.job.name, "measured_us": each.answer.seconds / US,
                  "predicted_us": each.predicted / US, "error": each.error, "kind": each.kind} for each in flash.jobs],
        "numbers": {each.name: {"value": each.value, "source": each.source, "bears": each.bears}
                    for each in flash.numbers},
    }, indent=2)  # fmt: skip
