"""Prints the errors of drive models against measured times.

``spindle drive --errors`` is of one drive, ``--all`` of each drive in a folder; ``--rules`` tries rules that change
values of drive files.
"""

from pathlib import Path

from spindle.cli.named_files import present_folder
from spindle.cli.printing import finish
from spindle.lab.drives import errors as tables
from spindle.lab.drives import leave_one_out
from spindle.lab.drives.errors import ErrorBudget, budget
from spindle.lab.drives.timed_requests import disksim_times, timed_requests
from spindle.output.base_units import in_base_units
from spindle.output.text import json_text
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.extracted import AT_THEIR_WORD
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.error import UserError

DRIVE_FILE, REQUESTS_FILE = "drive.yaml", "requests.csv"
"""Names of the two files in the folder of a drive: its description, and requests timed on it."""
MAX_DRIVES = 1000
"""Most drives of one table."""
MIN_DRIVES = 3
"""Least drives for --rules, which chooses a rule on all drives but one and judges it on that one."""


def print_errors(sheet: DriveSheet, requests: Path, as_json: bool) -> int:
    """Print the errors of the model of the drive file *sheet*, by group of the timed *requests*; the exit status."""
    one = _budget(sheet, requests)
    return finish(json_text(in_base_units(tables.numbers(one))) if as_json else "\n".join(tables.one_drive_page(one)))


def print_all(folder: Path, as_json: bool) -> int:
    """Print a line of errors for each drive below *folder*; the exit status."""
    budgets = {place.name: _budget(read_sheet(place / DRIVE_FILE), place / REQUESTS_FILE)
               for place in drive_folders(folder)}  # fmt: skip
    if as_json:
        return finish(json_text({name: in_base_units(tables.numbers(each)) for name, each in budgets.items()}))
    return finish("\n".join(tables.all_drives_page(budgets)))


def print_rules(folder: Path, as_json: bool) -> int:
    """Print the errors with each rule, and with all, on drives that were left out in choosing it; the exit status."""
    drives = {place.name: _read_measured(place) for place in drive_folders(folder)}
    if len(drives) < MIN_DRIVES:
        raise UserError(f"--rules: {folder} has {len(drives)} drives; to leave one out takes at least {MIN_DRIVES}")
    known = leave_one_out.RuledDrives(drives)
    if as_json:
        return finish(json_text(in_base_units(leave_one_out.numbers(known))))
    left_out = leave_one_out.left_out_table(leave_one_out.leave_each_out(known))
    return finish("\n".join([*leave_one_out.rules_table(known), "", *left_out]))


def drive_folders(folder: Path) -> list[Path]:
    """Return the folders in *folder* of one drive each: its drive file, and requests that were timed one by one."""
    inside = sorted(present_folder("--all", folder).iterdir())
    places = [place for place in inside if (place / DRIVE_FILE).is_file() and _has_times(place / REQUESTS_FILE)]
    if not places:
        raise UserError(f"--all: no folder in {folder} has {DRIVE_FILE} and {REQUESTS_FILE} with gap_before_ms and "
                        "measured_ms")  # fmt: skip
    return places[:MAX_DRIVES]


def _has_times(requests: Path) -> bool:
    """Tell if the header of a list has the columns of requests issued one after another, with measured times."""
    if not requests.is_file():
        return False
    with requests.open(encoding="utf-8", errors="replace") as lines:
        head = lines.readline(1 << 12).strip().split(",")
    return {"gap_before_ms", "measured_ms"} <= set(head)


def _budget(sheet: DriveSheet, requests: Path) -> ErrorBudget:
    asked = timed_requests(requests, sheet)
    return budget(_disc(sheet, requests), asked, disksim_times(requests, len(asked)))


def _read_measured(place: Path) -> leave_one_out.MeasuredDrive:
    sheet = read_sheet(place / DRIVE_FILE, AT_THEIR_WORD)
    asked = timed_requests(place / REQUESTS_FILE, sheet)
    disksim = disksim_times(place / REQUESTS_FILE, len(asked))
    return leave_one_out.MeasuredDrive(_disc(sheet, place / REQUESTS_FILE), asked, disksim)


def _disc(sheet: DriveSheet, requests: Path) -> DiscType:
    if sheet.bus is not None:
        raise UserError(f"{requests}: the sheet names a bus, {sheet.bus}; --errors takes only drives without one")
    if not isinstance(sheet.disc, DiscType):
        raise UserError(f"{requests}: --errors takes discs, not flash such as {sheet.disc.name}")
    return sheet.disc
