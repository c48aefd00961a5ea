"""``spindle measure``: runs the programs of buffered I/O on the user's machine, and predicts their times."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from spindle.cli import measure_drive
from spindle.cli.arguments import ABSENT, ArgumentParser, or_default, outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import SHAPE
from spindle.lab.measure.table import MeasuredRow, read, write
from spindle.output.progress import progress_bar
from spindle.questions.words import number, size
from spindle.sim.error import UserError

ABOUT = """\
Run the programs of the stdio lecture (workloads/stdio) for real, with blocks of many sizes, on
files in a folder of yours, which are removed afterwards. Some of the measured rows give the cost of
calls, pages and the drive; the simulation predicts the others from these, and both are shown.
Programs that wait for nothing are compared by processor time, those that wait for the drive by the
wall clock, in a table each. It measures on Linux alone; --from works anywhere. On a machine that
does other work, quartiles are wide and predictions poor. A solid-state drive itself is measured by
fio, which gives a sheet: spindle measure --drive --help."""

EXAMPLES = """\
  spindle measure /tmp --quick
  spindle measure . --out measured.csv --plot measured.png
  spindle measure --from measured.csv --json"""

USUAL_SIZE, USUAL_SECONDS, QUICK_SECONDS = "10M", 60.0, 3.0
MIN_SECONDS, MAX_SECONDS = 0.1, 3600.0
MEASURING_OPTIONS = ("size", "seconds", "quick", "out")


def main(arguments: Sequence[str]) -> int:
    if any(each.split("=")[0] == "--drive" for each in arguments):
        return measure_drive.main(arguments)
    options = _parser().take(arguments)
    kept = None if options.file is None else Path(options.file)
    files = outputs([] if kept is None else [kept], {"--out": options.out, "--plot": options.plot})
    rows, head, left_out = _laboratory(options) if kept is None else _read_kept(options, kept)
    if (path := files["--out"]) is not None:
        write(rows, path, head)
    # Imported here, as below, because scipy and matplotlib take a second.
    from spindle.lab.measure.fit import compare
    from spindle.lab.measure.page import numbers, page

    compared = compare(rows, head, _bar("predicting"))
    if (path := files["--plot"]) is not None:
        from spindle.lab.measure.page import picture
        from spindle.studies.plots.style import save

        save(picture(compared, ", ".join(head[name] for name in ("kernel", "file system") if name in head)), path)
    if options.json:
        return finish(json.dumps(numbers(compared, head, left_out), indent=2))
    return finish("\n".join(page(compared, head, left_out)))


def _parser() -> ArgumentParser:
    parser = ArgumentParser("measure", ABOUT, EXAMPLES)
    parser.add_argument("folder", metavar="DIR", nargs="?", help="folder to write in, on the drive to be measured")
    parser.add_argument("--drive", metavar="PATH", help="a drive instead, by fio; default none; see --drive --help")
    parser.add_argument("--from", dest="file", metavar="FILE.csv", help="measure nothing; read what --out wrote before")
    parser.add_argument("--size", metavar="BYTES", help=f"size of each file, whole MiB; default {USUAL_SIZE}")
    parser.add_argument("--seconds", metavar="N", help=f"to measure, about; default {USUAL_SECONDS:g}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SECONDS:g} seconds, for a first look")
    parser.add_argument("--out", metavar="FILE.csv", help="a row for each program and block")
    parser.add_argument("--plot", metavar="FILE.png", help="rates by size of block, measured and predicted")
    parser.add_argument("--json", action="store_true", help="all numbers, as JSON")
    return parser


def _read_kept(options: Namespace, path: Path) -> tuple[list[MeasuredRow], Mapping[str, str], list[str]]:
    if options.folder is not None:
        raise UserError("measure takes either a folder to measure in or --from, what was measured before")
    for option in MEASURING_OPTIONS:
        if getattr(options, option) not in ABSENT:
            raise UserError(f"--{option} is for a measurement, and --from makes none")
    rows, head = read(path)
    return rows, head, []


def _laboratory(options: Namespace) -> tuple[list[MeasuredRow], Mapping[str, str], list[str]]:
    if options.folder is None:
        raise UserError("measure needs a folder to measure in, or --from FILE.csv")
    if options.quick and options.seconds is not None:
        raise UserError("--quick and --seconds both say how long; choose one")
    usual = QUICK_SECONDS if options.quick else USUAL_SECONDS
    seconds = usual if options.seconds is None else number("--seconds", options.seconds)
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise UserError(f"--seconds must lie between {MIN_SECONDS:g} and {MAX_SECONDS:g}, not be {seconds:g}")
    if sys.platform != "linux":
        raise UserError("measure needs Linux; --from reads what was measured there")
    from spindle.lab.measure.laboratory import Laboratory, environment

    folder = Path(options.folder)
    laboratory = Laboratory(folder, size("--size", or_default(options.size, USUAL_SIZE)), seconds, _bar("measuring"))
    results = laboratory.work()
    return results.rows, environment(folder), results.left_out


def _bar(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    return partial(progress_bar, desc=what, bar_format=SHAPE)
