"""``spindle measure``: times small programs of buffered I/O on this machine, and compares with predicted times."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli.fields import take_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.output.base_units import in_base_units
from spindle.output.files import write_whole
from spindle.output.progress import BAR_SHAPE, progress_bar
from spindle.output.text import json_text
from spindle.questions.field import ask, spell
from spindle.sim.error import UserError
from spindle.sim.units import MIB, Bytes

if TYPE_CHECKING:
    from spindle.lab.measure.fit import Comparison
    from spindle.lab.measure.table import MeasuredRow

USUAL_SECONDS, QUICK_SECONDS = 60.0, 3.0
"""Seconds that a measurement takes in all, and with --quick."""
MIN_SECONDS, MAX_SECONDS = 0.1, 3600.0
"""Bounds of --seconds."""
MEASURING_FIELDS = ("folder", "size", "seconds", "quick", "out")
"""Options of a measurement, which cannot be given with --from, as that reads an earlier one."""


@dataclass(frozen=True)
class MeasureQuestion:
    """Options on what is measured: programs in *folder*, or an earlier measurement in a file."""

    folder: str = ask("", "folder to write in, on the drive to be measured", first="?", metavar="DIR")
    from_: str = ask("", "measure nothing; read what --out wrote before", metavar="FILE.csv", excludes=MEASURING_FIELDS)
    size: Bytes = ask(Bytes(10 * MIB), "size of each file, whole MiB", "bytes", least=1)
    seconds: float = ask(USUAL_SECONDS, "to measure, about", "s", least=MIN_SECONDS, most=MAX_SECONDS,
                         excludes=("quick",))
    quick: bool = ask(False, f"{QUICK_SECONDS:g} seconds, for a first look")


A_MINUTE = MeasureQuestion()
"""A measurement of the usual length."""


@dataclass(frozen=True)
class MeasureOptions:
    """Options of ``spindle measure``: what is measured, and the output."""

    drive: str = ask("", "a drive instead, by fio; default none; see --drive --help", metavar="PATH")
    question: MeasureQuestion = A_MINUTE
    out: str = ask("", "a row for each program and block", metavar="FILE.csv")
    machine: str = ask("", "the fitted machine, which run unix_stdio --machine takes", metavar="FILE.py")
    plot: str = ask("", "rates by size of block, measured and predicted", metavar="FILE.png")
    json: bool = ask(False, "all numbers, as JSON")


def main(arguments: Sequence[str]) -> int:
    if any(each.split("=")[0] == "--drive" for each in arguments):
        from spindle.cli import measure_drive

        return measure_drive.main(arguments)
    asked = take_fields("measure", MeasureOptions, arguments)
    if asked.machine and not asked.machine.endswith(".py"):
        raise UserError(f"--machine must name a file that ends in .py, not {asked.machine!r}")
    before = asked.question.from_
    named = {"--out": asked.out, "--machine": asked.machine, "--plot": asked.plot}
    files = outputs([Path(before)] if before else [], named)
    # Imported here, as below, because scipy and matplotlib take a second.
    from spindle.lab.measure.fit import compare
    from spindle.lab.measure.machine_file import machine_text
    from spindle.lab.measure.page import page
    from spindle.lab.measure.table import write

    rows, head, left_out = measured_rows(asked.question)
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
        return finish(json_text(_data(compared, head, left_out)))
    return finish("\n".join(page(compared, head, left_out)))


def measured_data(question: MeasureQuestion) -> dict[str, Any]:
    """Measure, or read an earlier measurement; return measured and predicted numbers, in seconds and shares."""
    from spindle.lab.measure.fit import compare

    rows, head, left_out = measured_rows(question)
    return _data(compare(rows, head, _bar("predicting")), head, left_out)


def _data(compared: "Comparison", head: Mapping[str, str], left_out: Sequence[str]) -> dict[str, Any]:
    from spindle.lab.measure.page import numbers

    data: dict[str, Any] = in_base_units(numbers(compared, head, left_out))
    return data


def measured_rows(asked: MeasureQuestion) -> "tuple[list[MeasuredRow], Mapping[str, str], list[str]]":
    """Return the measured rows, the description of the machine, and a sentence on each program left out."""
    if asked.from_:
        from spindle.lab.measure.table import read

        return (*read(Path(asked.from_)), [])
    if not asked.folder:
        raise UserError(f"measure needs a folder to measure in, or {spell('from_')} FILE.csv")
    if sys.platform != "linux":
        raise UserError(f"measure needs Linux; {spell('from_')} reads what was measured there")
    from spindle.lab.measure.laboratory import Laboratory, environment

    folder, seconds = Path(asked.folder), QUICK_SECONDS if asked.quick else asked.seconds
    laboratory = Laboratory(folder, asked.size, seconds, _bar("measuring"))
    results = laboratory.work()
    return results.rows, environment(folder), results.left_out


def _bar(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    return partial(progress_bar, desc=what, bar_format=BAR_SHAPE)
