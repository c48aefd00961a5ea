"""``spindle drive fit``: fits a drive file to timed requests of a disc, or to the output of fio, a benchmark of I/O."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli.arguments import ArgumentParser, of_kind
from spindle.cli.fields import add_fields, given_fields, read_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.output.base_units import in_base_units
from spindle.output.files import write_whole
from spindle.output.progress import BAR_SHAPE, progress_bar
from spindle.output.text import json_text
from spindle.questions.array import MAX_DRIVES, ArrayOptions
from spindle.questions.field import ask, option_of
from spindle.questions.words import existing_file
from spindle.sim.disc.raid.layout import CHUNK
from spindle.sim.error import UserError
from spindle.sim.units import MS, Bytes

if TYPE_CHECKING:
    from spindle.lab.fio.fit import FioFit
    from spindle.lab.fio.points import FioPoints
    from spindle.lab.fit.page import FittedDrive
    from spindle.lab.fit.sheet_number import SheetNumber
    from spindle.sim.disc.mechanism import DiscType

GEOMETRY_FILE = "drive.yaml"
"""The drive file beside the requests from which the geometry is read, unless --geometry names another."""
MAX_HELD = 0.9
"""The largest share of the requests that may be held out of the fit."""
FIELDS_FOR_LISTS = ("geometry", "against")
"""Options for a list of timed requests, which cannot be given with fio's output."""
FIELDS_FOR_FIO = ("capacity", "host", "raid", "drives", "chunk")
"""Options for fio's output, which cannot be given with a list of timed requests."""


@dataclass(frozen=True)
class FitOptions:
    """Options of ``spindle drive fit``: the measured times, the drive's geometry, and the drive file to write."""

    requests: str = ask("", "what was asked of the drive, and how long it took", first="1", metavar="REQUESTS.csv")
    geometry: str = ask("", f"the layout; default {GEOMETRY_FILE} beside the requests", metavar="DRIVE.yaml")
    held_out: float = ask(0.5, "last share of the requests, which judges the fit; 0 for none", least=0.0, most=MAX_HELD,
                          metavar="SHARE")
    against: str = ask("", "another drive file, judged beside it, with its numbers beside those fitted; default none",
                       metavar="DRIVE.yaml")
    capacity: Bytes = ask(Bytes(0), "of a drive measured by fio; 0 is assumed", "bytes", least=0)
    host: str = ask("auto", "what fio's drive was behind; auto is told by fio's output", words=("auto", "sata", "nvme"),
                    noun="host", metavar="HOST")
    raid: str = ask("", "fio measured an array of this level", metavar="LEVEL")
    drives: int = ask(0, "number of drives in the array", least=0, most=MAX_DRIVES)
    chunk: Bytes = ask(Bytes(CHUNK), "bytes of a chunk of the array", "bytes", needs=("raid",),
                       because="an array; {} gives its level")
    out: str = ask("", "file for the fitted drive; default printed below the findings", metavar="FILE.yaml")
    json: bool = ask(False, "the findings as JSON, instead of the table", needs=("out",),
                     because="a drive file; {} names it")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("drive fit")
    add_fields(parser, FitOptions)
    options = parser.take(arguments)
    asked, given = read_fields(FitOptions, options), given_fields(FitOptions, options)
    from spindle.lab.fio.points import is_fio

    fio = is_fio(Path(asked.requests))
    if strange := [name for name in given if name in (FIELDS_FOR_LISTS if fio else FIELDS_FOR_FIO)]:
        one, other = "a list of requests", "fio's answers at several depths"
        raise UserError(f"{option_of(strange[0])} is for {one if fio else other}, not for {other if fio else one}")
    return _fit_points(asked) if fio else _fit_list(asked)


def _fit_list(asked: FitOptions) -> int:
    """Fit requests that were timed one by one, and print the findings or the drive file; the exit status."""
    from spindle.lab.drives.timed_requests import LOG_SUFFIX, fio_log, timed_requests
    from spindle.lab.fit.geometry import read_geometry
    from spindle.lab.fit.page import MOST_ANSWERS, fit_drive, page, sheet_text
    from spindle.sim.disc.sheet_file.sheet import DriveSheet

    requests = existing_file("REQUESTS.csv", asked.requests)
    place = Path(asked.geometry) if asked.geometry else requests.parent / GEOMETRY_FILE
    if not place.is_file():
        raise UserError(f"{place}: there is no such file; a fit needs the geometry of the drive: --geometry DRIVE.yaml")
    others = [Path(asked.against)] if asked.against else []
    out = outputs([requests, place, *others], {"--out": asked.out})["--out"]
    geometry = read_geometry(place)
    layout = geometry.disc.layout
    timed = (fio_log(requests, layout.sector_bytes, layout.capacity) if requests.suffix == LOG_SUFFIX else
             timed_requests(requests, DriveSheet(geometry.disc, None)))
    against = {str(each): _disc(each) for each in others}
    try:
        with progress_bar(desc="fitting", total=MOST_ANSWERS, bar_format=BAR_SHAPE) as bar:
            drive = fit_drive(geometry, timed, asked.held_out, against,
                              watch=lambda: bar.update(bar.n < MOST_ANSWERS - 1))  # fmt: skip
    except UserError as error:
        raise UserError(f"{requests}: {error}") from None
    lines = [*timed.notes, *page(drive)]
    text = sheet_text(drive.disc, geometry, drive.numbers, lines)
    return _show(out, text, lines, lambda: {**_numbers(drive), "notes": timed.notes}, asked.json)


def _fit_points(asked: FitOptions) -> int:
    """Fit fio's output at several queue depths, and print the findings or the drive file; the exit status."""
    from spindle.lab.fio import fit as fitting  # and scipy, which takes a second
    from spindle.lab.fio.points import read_points

    path = Path(asked.requests)
    out = outputs(path.iterdir() if path.is_dir() else [path], {"--out": asked.out})["--out"]
    raid = ArrayOptions(raid=asked.raid, drives=asked.drives, chunk=asked.chunk).array()
    points = read_points(path)
    try:
        points.check_under_way()
        host = None if asked.host == "auto" else fitting.FioHost(asked.host)
        fit = fitting.fio_fit(points, asked.capacity or None, raid, host)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    fit = replace(fit, remarks=[*fit.remarks, *_not_fitted(points, fit)])
    lines = list(fitting.page(fit))
    return _show(out, fitting.sheet_text(fit, lines), lines, lambda: fitting.numbers(fit), asked.json)


def _not_fitted(points: "FioPoints", fit: "FioFit") -> Iterator[str]:
    """Yield a sentence on each kind of fio's runs in *points* that *fit* did not use."""
    if points.passed_over:
        runs = ", ".join(f"{count} of {pattern}" for pattern, count in sorted(points.passed_over.items()))
        yield f"runs that are not fitted: {runs}; a fit takes reads or writes, at random or in sequence"
    in_sequence = sum(not each.random for each in points.points)
    if in_sequence and all(each.point.random for each in fit.judged):
        yield f"runs that are not fitted: {in_sequence} in sequence, which a fit behind SATA has no use for"


def _show(out: Path | None, sheet: str, lines: Sequence[str], numbers: Callable[[], Any], as_json: bool) -> int:
    """Print the drive file *sheet*, or write it to *out* and print the findings; the exit status."""
    if out is None:
        return finish(sheet.removesuffix("\n"))
    write_whole(out, sheet.encode())
    return finish(json_text(in_base_units(numbers())) if as_json else "\n".join(lines))


def _disc(path: Path) -> "DiscType":
    from spindle.sim.disc.mechanism import DiscType
    from spindle.sim.disc.sheet_file.sheet import read_sheet

    why = f"{path} is flash; requests timed on a disc are compared with discs"
    return of_kind("--against", read_sheet(path).disc, DiscType, why)


def _compare_sheets(number: "SheetNumber", others: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return the values of a number in other drive files, and which of these the measured times contradict."""
    from spindle.lab.fit.other_sheet import contradicts

    says = {name: texts[number.name] for name, texts in others.items() if number.name in texts}
    wrong = [name for name, each in says.items() if contradicts(number, each)]
    return {"against": says, "contradicted": wrong} if says else {}


def _numbers(drive: "FittedDrive") -> dict[str, Any]:
    from spindle.lab.fit.other_sheet import numbers_of
    from spindle.lab.fit.page import source_of

    others = {name: numbers_of(disc, drive.disc) for name, disc in drive.against.items()}
    return {
        "drive": drive.disc.name, "fitted_to": drive.fitted_to, "held_out": drive.held,
        "holds": not drive.failure,
        "judged": {name: {group: {"demerit_percent": 100.0 * one.share, "demerit_ms": one.demerit / MS,
                                  "median_difference_ms": one.apart / MS} for group, one in each.items()}
                   for name, each in drive.judged.items()},
        "numbers": {each.name: {"value": each.value, **source_of(each), **_compare_sheets(each, others)}
                    for each in drive.numbers},
    }  # fmt: skip
