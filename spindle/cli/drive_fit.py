"""``spindle drive fit``: a drive sheet from timed requests and the drive's geometry, or from fio's answers."""

import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.fields import add_fields, read_fields, refuse_fields
from spindle.cli.printing import finish
from spindle.cli.trace_file import SHAPE
from spindle.lab.drives.timed_requests import LOG_SUFFIX, fio_log, timed_requests
from spindle.lab.fio.points import is_fio, read_points
from spindle.lab.fit.confidence import SheetNumber, contradicts, numbers_of
from spindle.lab.fit.geometry import read_geometry
from spindle.lab.fit.page import ANSWERS, FittedDrive, fit_drive, page, sheet_text, source_of
from spindle.output.files import draft, write_whole
from spindle.output.progress import progress_bar
from spindle.questions.array import ArrayOptions
from spindle.questions.words import existing_file, size
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.error import UserError
from spindle.sim.units import MS

ABOUT = """\
Fit a drive sheet to requests that were timed on the drive one by one.

The list is CSV as `spindle drive` takes it: gap_before_ms, op, lba, sectors, measured_ms; or,
with .log at its end, fio's latency log of one job with iodepth=1 and log_offset=1. Of the
geometry only the layout and the nominal speed are read: zones, sectors in a track, heads, spares.
What is fitted: the speed, the skews and where zones begin, the seek curve, what the electronics
and the link take, what the buffer does. Each number is either fitted, with the range of other values
that the data also allow, or assumed where the data do not determine it. The rest of the requests
is held out and judges it.

Or fio's own answers at several depths: its JSON or what it prints, in a file or a folder, or a table
(rw, iodepth, numjobs, bs, requests, iops, latency_mean_ms, p50_ms, p95_ms, p99_ms, p999_ms). Flash and
discs are recognised, and NVMe by more than SATA can carry, or by --host; half of the depths are fitted
to, and the others predicted. --raid says that the drive is an array."""

EXAMPLES = """\
  spindle drive fit examples/timed.csv --geometry examples/drive.yaml
  spindle drive fit examples/timed.csv --geometry examples/drive.yaml --out fitted.yaml
  spindle drive fit fio-answers/ --out mine.yaml
  spindle drive fit md0.csv --raid 5 --drives 8 --chunk 512K"""

BESIDE = "drive.yaml"
USUAL_HELD = 0.5
MAX_HELD = 0.9


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("drive fit", ABOUT, EXAMPLES)
    parser.add_argument("requests", metavar="REQUESTS.csv", help="what was asked of the drive, and how long it took")
    parser.add_argument("--geometry", metavar="DRIVE.yaml", help=f"the layout; default {BESIDE} beside the requests")
    parser.add_argument("--held-out", metavar="SHARE", type=_share, default=USUAL_HELD,
                        help=f"last share of the requests, which judges the fit; 0 for none; default {USUAL_HELD}")
    parser.add_argument("--against", metavar="DRIVE.yaml", help="another sheet, judged beside it, with its numbers "
                        "beside those fitted; default none")
    parser.add_argument("--capacity", metavar="BYTES", help="of a drive measured by fio; default assumed")
    parser.add_argument("--host", choices=("sata", "nvme"), help="what fio's drive was behind; default told by rates")
    add_fields(parser, ArrayOptions, ("bitmap", "delayed", "failed", "rebuild", "ure"),
               {"raid": "fio measured an array of this level; default none", "drives": "number of drives in the array"})
    parser.add_argument("--out", metavar="FILE.yaml", help="file for the sheet; default printed below the findings")
    parser.add_argument("--json", action="store_true", help="the findings as JSON, instead of the table")
    options = parser.take(arguments)
    if options.json and options.out is None:
        raise UserError("--json prints no sheet; name a file for that: --out FILE.yaml")
    if is_fio(Path(options.requests)):
        return _fio(options)
    why = "is for fio's answers at several depths, not for a list of requests"
    refuse_fields(ArrayOptions, options, why)
    if given := [name for name in ("capacity", "host") if getattr(options, name) is not None]:
        raise UserError(f"--{given[0]} {why}")
    requests = existing_file("REQUESTS.csv", options.requests)
    place = requests.parent / BESIDE if options.geometry is None else Path(options.geometry)
    if not place.is_file():
        raise UserError(f"{place}: there is no such file; a fit needs the geometry of the drive: --geometry DRIVE.yaml")
    others = [Path(options.against)] if options.against is not None else []
    out = outputs([requests, place, *others], {"--out": options.out})["--out"]
    geometry = read_geometry(place)
    layout = geometry.disc.layout
    asked = (fio_log(requests, layout.sector_bytes, layout.capacity) if requests.suffix == LOG_SUFFIX else
             timed_requests(requests, DriveSheet(geometry.disc, None)))
    against = {str(each): _disc(each) for each in others}
    try:
        with progress_bar(desc="fitting", total=ANSWERS, bar_format=SHAPE) as bar:
            drive = fit_drive(geometry, asked, options.held_out, against,
                                 watch=lambda: bar.update(bar.n < ANSWERS - 1))
    except UserError as error:
        raise UserError(f"{requests}: {error}") from None
    lines = [*asked.notes, *page(drive)]
    text = sheet_text(drive.disc, geometry, drive.numbers, lines)
    if out is None:
        return finish(text.removesuffix("\n"))
    with draft(out) as file:
        file.write(text.encode())
    return finish(json.dumps({**_numbers(drive), "notes": asked.notes}, indent=2) if options.json else "\n".join(lines))


def _fio(options: Namespace) -> int:
    """Fit fio's answers at several depths, and print the findings or the sheet."""
    # Imported here because scipy takes a second.
    from spindle.lab.fio import fit as fitting

    path = Path(options.requests)
    if strange := [each for each in ("geometry", "against") if getattr(options, each) is not None]:
        raise UserError(f"--{strange[0]} is for a list of requests, not for fio's answers at several depths")
    out = outputs([] if path.is_dir() else [path], {"--out": options.out})["--out"]
    raid = read_fields(ArrayOptions, options).array()
    capacity = None if options.capacity is None else size("--capacity", options.capacity)
    points = read_points(path)
    try:
        fit = fitting.fio_fit(points, capacity, raid, None if options.host is None else fitting.FioHost(options.host))
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    lines = list(fitting.page(fit))
    text = fitting.sheet_text(fit, lines)
    if out is None:
        return finish(text.removesuffix("\n"))
    write_whole(out, text.encode())
    return finish(json.dumps(fitting.numbers(fit), indent=2) if options.json else "\n".join(lines))


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= MAX_HELD:
        raise ArgumentTypeError(f"must be a share from 0 to {MAX_HELD}, not {text!r}")
    return share


def _disc(path: Path) -> DiscType:
    disc = read_sheet(path).disc
    if not isinstance(disc, DiscType):
        raise UserError(f"--against: {path} is flash; requests timed on a disc are compared with discs")
    return disc


def _compare_sheets(number: SheetNumber, others: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return what other sheets give for a number, and which of them the data contradict."""
    says = {name: texts[number.name] for name, texts in others.items() if number.name in texts}
    wrong = [name for name, each in says.items() if contradicts(number, each)]
    return {"against": says, "contradicted": wrong} if says else {}


def _numbers(drive: FittedDrive) -> dict[str, Any]:
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
