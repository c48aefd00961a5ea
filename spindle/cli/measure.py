"""``spindle measure``: runs the programs of buffered I/O on the user's machine, and predicts their times."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.output.base_units import in_base_units
from spindle.output.files import write_whole
from spindle.output.progress import SHAPE, progress_bar
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.sim.error import UserError
from spindle.sim.units import MIB, Bytes

if TYPE_CHECKING:
    from spindle.lab.measure.table import MeasuredRow

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
  spindle measure --from measured.csv --machine mine.py"""

USUAL_SECONDS, QUICK_SECONDS = 60.0, 3.0
MIN_SECONDS, MAX_SECONDS = 0.1, 3600.0
OF_FOLDER = ("folder", "size", "seconds", "quick", "out")
"""Fields of a measurement, of which --from makes none."""


@dataclass(frozen=True)
class MeasureOptions:
    """A measurement in *folder*, or what was measured before."""

    folder: str = ask("", "folder to write in, on the drive to be measured", first="?", metavar="DIR")
    drive: str = ask("", "a drive instead, by fio; default none; see --drive --help", metavar="PATH")
    from_: str = ask("", "measure nothing; read what --out wrote before", metavar="FILE.csv", excludes=OF_FOLDER)
    size: Bytes = ask(Bytes(10 * MIB), "size of each file, whole MiB", "bytes", least=1)
    seconds: float = ask(USUAL_SECONDS, "to measure, about", "s", least=MIN_SECONDS, most=MAX_SECONDS,
                         excludes=("quick",))
    quick: bool = ask(False, f"{QUICK_SECONDS:g} seconds, for a first look")
    out: str = ask("", "a row for each program and block", metavar="FILE.csv")
    machine: str = ask("", "the fitted machine, which run unix_stdio --machine takes", metavar="FILE.py")
    plot: str = ask("", "rates by size of block, measured and predicted", metavar="FILE.png")
    json: bool = ask(False, "all numbers, as JSON")


def main(arguments: Sequence[str]) -> int:
    if any(each.split("=")[0] == "--drive" for each in arguments):
        from spindle.cli import measure_drive

        return measure_drive.main(arguments)
    asked = take_fields(ArgumentParser("measure", ABOUT, EXAMPLES), MeasureOptions, arguments)
    if asked.machine and not asked.machine.endswith(".py"):
        raise UserError(f"--machine must name a file that ends in .py, not {asked.machine!r}")
    named = {"--out": asked.out, "--machine": asked.machine, "--plot": asked.plot}
    files = outputs([Path(asked.from_)] if asked.from_ else [], named)
    # Imported here, as below, because scipy and matplotlib take a second.
    from spindle.lab.measure.fit import compare
    from spindle.lab.measure.machine_file import machine_text
    from spindle.lab.measure.page import numbers, page
    from spindle.lab.measure.table import read, write

    rows, head, left_out = (*read(Path(asked.from_)), []) if asked.from_ else _laboratory(asked)
    if (path := files["--out"]) is not None:
        write(rows, path, head)
    compared = compare(rows, head, _bar("predicting"))
    if (path := files["--machine"]) is not None:
        write_whole(path, machine_text(compared.fit, head).encode())
    if (path := files["--plot"]) is not None:
        from spindle.lab.measure.page import picture
        from spindle.studies.plots.files import save

        save(picture(compared, ", ".join(head[name] for name in ("kernel", "file system") if name in head)), path)
    if asked.json:
        return finish(json_text(in_base_units(numbers(compared, head, left_out))))
    return finish("\n".join(page(compared, head, left_out)))


def _laboratory(asked: MeasureOptions) -> "tuple[list[MeasuredRow], Mapping[str, str], list[str]]":
    if not asked.folder:
        raise UserError("measure needs a folder to measure in, or --from FILE.csv")
    if sys.platform != "linux":
        raise UserError("measure needs Linux; --from reads what was measured there")
    from spindle.lab.measure.laboratory import Laboratory, environment

    folder, seconds = Path(asked.folder), QUICK_SECONDS if asked.quick else asked.seconds
    laboratory = Laboratory(folder, asked.size, seconds, _bar("measuring"))
    results = laboratory.work()
    return results.rows, environment(folder), results.left_out


def _bar(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    return partial(progress_bar, desc=what, bar_format=SHAPE)
