"""``spindle drive --errors``, ``--all`` and ``--rules``: where the errors of one drive lie, and of all in a folder."""

from pathlib import Path

from spindle.cli.arguments import present_folder
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

SHEET, REQUESTS = "drive.yaml", "requests.csv"
MAX_DRIVES = 1000
MIN_DRIVES = 3


def print_errors(sheet: DriveSheet, requests: Path, as_json: bool) -> int:
    """Print the errors of the model of *sheet*, by group of the *requests* that were timed on the drive."""
    one = _budget(sheet, requests)
    return finish(json_text(in_base_units(tables.numbers(one))) if as_json else "\n".join(tables.one_drive_page(one)))


def print_all(folder: Path, as_json: bool) -> int:
    """Print a line for each drive below *folder*."""
    budgets = {place.name: _budget(read_sheet(place / SHEET), place / REQUESTS) for place in drive_folders(folder)}
    if as_json:
        return finish(json_text({name: in_base_units(tables.numbers(each)) for name, each in budgets.items()}))
    return finish("\n".join(tables.all_drives_page(budgets)))


def print_rules(folder: Path, as_json: bool) -> int:
    """Print the errors of rules, each alone and all at once, on drives that did not take part in choosing them."""
    drives = {place.name: _read_measured(place) for place in drive_folders(folder)}
    if len(drives) < MIN_DRIVES:
        raise UserError(f"--rules: {folder} has {len(drives)} drives; to leave one out takes at least {MIN_DRIVES}")
    known = leave_one_out.RuledDrives(drives)
    if as_json:
        return finish(json_text(in_base_units(leave_one_out.numbers(known))))
    left_out = leave_one_out.left_out_table(leave_one_out.leave_each_out(known))
    return finish("\n".join([*leave_one_out.rules_table(known), "", *left_out]))


def drive_folders(folder: Path) -> list[Path]:
    """Return the folders in *folder* that hold a drive: its sheet, and requests that were timed one by one."""
    inside = sorted(present_folder("--all", folder).iterdir())
    places = [place for place in inside if (place / SHEET).is_file() and _has_times(place / REQUESTS)]
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


def _read_measured(place: Path) -> leave_one_out.MeasuredDrive:
    sheet = read_sheet(place / SHEET, AT_THEIR_WORD)
    asked = timed_requests(place / REQUESTS, sheet)
    disksim = disksim_times(place / REQUESTS, len(asked))
    return leave_one_out.MeasuredDrive(_disc(sheet, place / REQUESTS), asked, disksim)


def _disc(sheet: DriveSheet, requests: Path) -> DiscType:
    if sheet.bus is not None:
        raise UserError(f"{requests}: the sheet names a bus, {sheet.bus}; --errors takes only drives without one")
    if not isinstance(sheet.disc, DiscType):
        raise UserError(f"{requests}: --errors takes discs, not flash such as {sheet.disc.name}")
    return sheet.disc
