"""``spindle drive``: replays requests on the drive of a sheet beside measured times; errors of one or many drives."""

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from math import fsum
from pathlib import Path
from textwrap import wrap

from spindle.cli.arguments import ABSENT, ArgumentParser, or_default, outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import read_with_bar
from spindle.lab.drives import errors as tables
from spindle.lab.drives import unknown_host
from spindle.lab.drives.errors import COLUMNS, ErrorBudget, budget
from spindle.lab.drives.leave_one_out import (
    MeasuredDrive,
    RuledDrives,
    leave_each_out,
    left_out_table,
    numbers,
    rules_table,
)
from spindle.lab.drives.timed_requests import disksim_times, timed_requests
from spindle.output.files import draft
from spindle.output.text import json_text
from spindle.questions.storage import DriveOptions
from spindle.sim.disc.drive import Scheduler
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.registry import BUSES, SCHEDULERS
from spindle.sim.disc.sheet_file.sheet import TEMPLATES, DriveSheet, read_sheet, sheets_to_copy
from spindle.sim.error import UserError
from spindle.sim.forms import choose
from spindle.traces.replay.answer import USUAL_CHAINS, chain_limit, chained_host, host_queue, sheet_of
from spindle.traces.replay.drives import (
    CLOSED,
    DISKSIM_FILE,
    OPEN,
    DiskSimAnswers,
    Replay,
    Replayed,
    RequestLoop,
    request_list,
)
from spindle.traces.replay.page import BufferOutcomes, RequestRows, page, summary

# ``spindle drive --errors`` and ``--all``: where the errors of one drive lie, and those of all drives in a folder.

SHEET, REQUESTS = "drive.yaml", "requests.csv"
MAX_DRIVES = 1000
MIN_DRIVES = 3


def print_errors(sheet: DriveSheet, requests: Path, as_json: bool) -> int:
    """Print the errors of the model of *sheet*, by group of the *requests* that were timed on the drive."""
    one = _budget(sheet, requests)
    return finish(json.dumps(tables.numbers(one), indent=2) if as_json else "\n".join(tables.one_drive_page(one)))


def print_all(folder: Path, as_json: bool) -> int:
    """Print a line for each drive below *folder*."""
    budgets = {place.name: _budget(read_sheet(place / SHEET), place / REQUESTS) for place in drive_folders(folder)}
    if as_json:
        return finish(json.dumps({name: tables.numbers(each) for name, each in budgets.items()}, indent=2))
    return finish("\n".join(tables.all_drives_page(budgets)))


def print_rules(folder: Path, as_json: bool) -> int:
    """Print the errors of rules, each alone and all at once, on drives that did not take part in choosing them."""
    drives = {place.name: _read_measured(place) for place in drive_folders(folder)}
    if len(drives) < MIN_DRIVES:
        raise UserError(f"--rules: {folder} has {len(drives)} drives; to leave one out takes at least {MIN_DRIVES}")
    known = RuledDrives(drives)
    if as_json:
        return finish(json.dumps(numbers(known), indent=2))
    return finish("\n".join([*rules_table(known), "", *left_out_table(leave_each_out(known))]))


def drive_folders(folder: Path) -> list[Path]:
    """Return the folders in *folder* that hold a drive: its sheet, and requests that were timed one by one."""
    if not folder.is_dir():
        raise UserError(f"--all: there is no folder {folder}")
    places = [place for place in sorted(folder.iterdir()) if (place / SHEET).is_file() and _has_times(place / REQUESTS)]
    if not places:
        raise UserError(f"--all: no folder in {folder} has {SHEET} and {REQUESTS} with gap_before_ms and measured_ms")
    return places[:MAX_DRIVES]


def _has_times(requests: Path) -> bool:
    """Tell if the header of a list has the columns for a closed loop; lists of open loops may lie next to it."""
    if not requests.is_file():
        return False
    with requests.open(encoding="utf-8", errors="replace") as lines:
        head = lines.readline(1 << 12).strip().split(",")
    return {"gap_before_ms", "measured_ms"} <= set(head)


def _budget(sheet: DriveSheet, requests: Path) -> ErrorBudget:
    asked = timed_requests(requests, sheet)
    return budget(_disc(sheet, requests), asked, disksim_times(requests, len(asked)))


def _read_measured(place: Path) -> MeasuredDrive:
    sheet = read_sheet(place / SHEET)
    asked = timed_requests(place / REQUESTS, sheet)
    return MeasuredDrive(_disc(sheet, place / REQUESTS), asked, disksim_times(place / REQUESTS, len(asked)))


def _disc(sheet: DriveSheet, requests: Path) -> DiscType:
    if sheet.bus is not None:
        raise UserError(f"{requests}: the sheet names a bus, {sheet.bus}; --errors takes only drives without one")
    if not isinstance(sheet.disc, DiscType):
        raise UserError(f"{requests}: --errors takes discs, not flash such as {sheet.disc.name}")
    return sheet.disc


ABOUT = """\
Replay requests on the drive that a sheet describes, and compare with measured times.

The list is CSV: op (R or W), lba, sectors, and gap_before_ms: the next request is issued
this time after the model has completed the one before. With --open, requests are issued at
arrival_s instead. It may have seq; disc, one drive for each name; what was measured,
measured_ms, or service_ms and queue_ms; and lba256 or lba512 where the drive's own
sectors have another size. `spindle replay` takes it as well.
DiskSim's answers are shown too where disksim_predicted.csv (seq, disksim_ms) lies beside it.
`spindle drive fit` makes the sheet of requests that were timed and of the drive's geometry."""

EXAMPLES = """\
  spindle drive --template > drive.yaml
  spindle drive drive.yaml requests.csv
  spindle drive drive.yaml requests.csv --out predicted.csv --plot distributions.png
  spindle drive drive.yaml requests.csv --errors
  spindle drive --all measured
  spindle drive fit --help
  spindle drive drive.yaml arrivals.csv --open --scheduler c-look --json"""


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["fit"]:
        from spindle.cli.drive_fit import main as fit  # which loads SciPy, for a second

        return fit(arguments[1:])
    options = _parser().take(arguments)
    if options.template is not None:
        return finish(choose("template", options.template, sheets_to_copy()).read_text("utf-8").removesuffix("\n"))
    if options.all is not None:
        _refuse_beside(options)
        return (print_rules if options.rules else print_all)(Path(options.all), options.json)
    if options.rules:
        raise UserError("--rules needs --all FOLDER: a rule is chosen on all drives but one")
    if options.requests is None:
        raise UserError("drive needs DRIVE.yaml and REQUESTS.csv; --template prints a sheet")
    if options.readings:
        return _readings(options)
    return _errors(options) if options.errors else _compare(options)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("drive", ABOUT, EXAMPLES)
    parser.add_argument("sheet", metavar="DRIVE.yaml", nargs="?", help="the sheet of the drive; or the name of a "
                        "known drive, or FILE.py:NAME")
    parser.add_argument("requests", metavar="REQUESTS.csv", nargs="?", help="the list of requests")
    parser.add_argument("--template", metavar="KIND", nargs="?", const="disc", help="print a sheet with its keys "
                        f"explained, and end: {' | '.join(TEMPLATES)}, or the sheet of a known drive; default disc")
    parser.add_argument("--errors", action="store_true", help="where the errors lie, request by request")
    parser.add_argument("--all", metavar="FOLDER", help="instead of both: every folder in it that holds drive.yaml and "
                        "requests.csv, a line each; default none")
    parser.add_argument("--rules", action="store_true", help="with --all: rules that change what sheets say, "
                        "chosen on all drives but one and judged on that one; takes minutes")
    parser.add_argument("--open", action="store_true", help="issue requests at arrival_s, not after gaps")
    parser.add_argument("--scheduler", metavar="NAME", help=f"with --open: {' | '.join(SCHEDULERS)}; default fcfs")
    parser.add_argument("--chains", metavar="DELAY", help="a request that came within this time, such as 5ms, after "
                        "a read was done follows it here too; needs measured times; default none")
    parser.add_argument("--readings", action="store_true", help="with --open: for each day of measured responses the "
                        "range over orders of the host's queue, with and without chains")
    parser.add_argument("--bus", metavar="KIND", help=f"what discs share, unless the sheet says: {', '.join(BUSES)}")
    parser.add_argument("--out", metavar="FILE.csv", help="a row for each request: predicted time and its parts")
    parser.add_argument("--plot", metavar="FILE.png", help="the distributions of response time")
    parser.add_argument("--json", action="store_true", help="all numbers, as JSON")
    return parser


def _errors(options: Namespace) -> int:
    """Print the errors by group of requests."""
    _scheduler(options)
    _refuse_beside(options)
    return print_errors(_sheet(options), Path(options.requests), options.json)


def _readings(options: Namespace) -> int:
    """Print the range of answers over the unknown order of the host's queue."""
    if not options.open:
        raise UserError("--readings needs --open: in a closed loop there is never a queue")
    if given := [name for name in ("scheduler", "errors", "out", "plot") if getattr(options, name) not in ABSENT]:
        raise UserError(f"--readings takes every order and prints a table: --{given[0]} does not go with it")
    chains = chain_limit(or_default(options.chains, USUAL_CHAINS))
    found = unknown_host.readings(_sheet(options), Path(options.requests), chains)
    rows = list(unknown_host.rows(found))
    return finish(json.dumps(rows, indent=2) if options.json else "\n".join(unknown_host.page(found)))


def _compare(options: Namespace) -> int:
    """Print the drive's answers and the measured times as a page or as JSON, and draw them."""
    scheduler, requests = _scheduler(options), Path(options.requests)
    reads = [Path(options.sheet), requests, _disksim_path(requests)]
    files = outputs(reads, {"--out": options.out, "--plot": options.plot})
    sheet = _sheet(options)
    replayed = _replay(options, sheet, scheduler, files["--out"])
    if (plot := files["--plot"]) is not None:
        _draw(plot, sheet, replayed)
    return finish(_as_json(options, sheet, replayed) if options.json else _as_text(options, sheet, replayed))


def _refuse_beside(options: Namespace) -> None:
    """Raise UserError for an option that has no meaning with --errors or --all."""
    what = "--errors" if options.all is None else "--all"
    strange = ("open", "chains", "readings", "scheduler", "out", "plot", "bus")
    given = [name for name in strange if getattr(options, name) not in ABSENT]
    given += [name for name in ("sheet", "errors") if options.all is not None and getattr(options, name)]
    if given:
        name = "a sheet" if given[0] == "sheet" else f"--{given[0]}"
        raise UserError(f"{what} asks one request after the other and prints a table: {name} does not go with it")


def _sheet(options: Namespace) -> DriveSheet:
    return sheet_of(DriveOptions(drive=options.sheet, bus=or_default(options.bus, "")))


def _scheduler(options: Namespace) -> Callable[[], Scheduler]:
    if options.scheduler is not None and not options.open:
        raise UserError("--scheduler needs --open: in a closed loop there is never a queue to choose from")
    order = or_default(options.scheduler, "fcfs")
    choose("scheduler", order, SCHEDULERS)
    return partial(host_queue, DriveOptions(scheduler=order))


def _loop(options: Namespace) -> RequestLoop:
    if options.chains is None:
        return OPEN if options.open else CLOSED
    if not options.open:
        raise UserError("--chains needs --open: in a closed loop each request follows the one before")
    return replace(OPEN, host=chained_host(options.chains))


def _disksim_path(requests: Path) -> Path:
    """Return the path of DiskSim's answers to *requests*, which may not exist."""
    return requests.parent / DISKSIM_FILE


def _replay(
    options: Namespace, sheet: DriveSheet, scheduler: Callable[[], Scheduler], out: Path | None
) -> Replayed:
    path = Path(options.requests)
    beside = _disksim_path(path)
    requests = request_list(path, sheet)
    disksim = DiskSimAnswers(beside) if beside.is_file() else None
    replay = Replay(sheet, requests, _loop(options), scheduler, disksim)
    outcome = (lambda record: "") if options.open else BufferOutcomes(replay.storage.drives)
    with closing(read_with_bar(requests, 0, "replaying")) as records:
        if out is None:
            return replay.run(records)
        with draft(out) as file:
            return replay.run(records, RequestRows(file, outcome))


def _as_json(options: Namespace, sheet: DriveSheet, replayed: Replayed) -> str:
    head = {
        "drive": sheet.disc.name, "sheet": options.sheet, "requests": options.requests,
        "loop": "open" if options.open else "closed", "scheduler": or_default(options.scheduler, "fcfs"),
        "simulated_seconds": replayed.end, "times": summary(replayed.tally),
        "drives": {name: drive.reading() for name, drive in replayed.drives.items()},
    }  # fmt: skip
    return json_text(head)


def _as_text(options: Namespace, sheet: DriveSheet, replayed: Replayed) -> str:
    loop = f"open, {or_default(options.scheduler, 'fcfs')}" if options.open else "closed loop"
    drives = list(replayed.drives.values())
    discs = "" if len(drives) == 1 else f", {len(drives)} discs" + (f" on one {sheet.bus}" if sheet.bus else "")
    lines = [sheet.disc.name, f"{replayed.tally.count():,} requests of {options.requests}, {loop}{discs}"]
    lines += wrap(sheet.disc.notes, COLUMNS)
    counted = [drive.mechanism.reading() for drive in drives]
    if counted[0]:
        totals = {name: fsum(each[name] for each in counted) for name in counted[0]}
        counts = ", ".join(f"{name.replace('_', ' ')} {total:,.0f}" for name, total in totals.items())
        lines += wrap(counts, COLUMNS)
    return "\n".join([*lines, *page(summary(replayed.tally))])


def _draw(path: Path, sheet: DriveSheet, replayed: Replayed) -> None:
    # Imported here, because matplotlib takes a second.
    from spindle.studies.plots.style import save
    from spindle.traces.pictures import picture

    save(picture(replayed.tally, sheet.disc.name), path)
