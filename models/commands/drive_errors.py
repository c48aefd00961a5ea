"""``spindle drive --errors`` and ``--all``: where the errors of one drive lie, and those of all drives in a folder."""

import json
from pathlib import Path

from models.commands.printing import finish
from models.drives import tables, together
from models.drives.errors import ErrorBudget, budget
from models.drives.left_out import MeasuredDrive, RuledScores, all_judged, table
from models.drives.timed import foretold_times, timed_requests
from sim.disc.mechanism import DiscType
from sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from sim.error import UserError

SHEET, REQUESTS = "drive.yaml", "requests.csv"
MOST_DRIVES = 1000
LEAST_DRIVES = 3


def errors(sheet: DriveSheet, requests: Path, as_json: bool) -> int:
    """Print where the model of *sheet* errs on the *requests* that were timed on the drive."""
    one = _budget(sheet, requests)
    return finish(json.dumps(tables.numbers(one), indent=2) if as_json else "\n".join(tables.of_one(one)))


def all_of(folder: Path, as_json: bool) -> int:
    """Print a line for each drive below *folder*."""
    budgets = {place.name: _budget(read_sheet(place / SHEET), place / REQUESTS) for place in drive_folders(folder)}
    if as_json:
        return finish(json.dumps({name: tables.numbers(each) for name, each in budgets.items()}, indent=2))
    return finish("\n".join(tables.of_all(budgets)))


def rules_of(folder: Path, as_json: bool) -> int:
    """Print how rules of the electronics, each alone and all at once, fare on a drive without which they are chosen."""
    drives = {place.name: _measured(place) for place in drive_folders(folder)}
    if len(drives) < LEAST_DRIVES:
        raise UserError(f"--rules: {folder} has {len(drives)} drives; to leave one out takes at least {LEAST_DRIVES}")
    known = RuledScores(drives)
    rules, all_at_once = all_judged(known), together.left_out(known)
    if not as_json:
        return finish("\n".join([*table(rules), "", *together.table(all_at_once)]))
    alone = {each.rule.name: {"scores": each.scores, "chosen_without": {name: each.chosen(name) for name in drives}}
             for each in rules}  # fmt: skip
    at_once = {name: {"chosen": each.choices, **each.figures} for name, each in all_at_once.items()}
    return finish(json.dumps({"each_alone": alone, "all_at_once": at_once}, indent=2))


def drive_folders(folder: Path) -> list[Path]:
    """Those in *folder* that hold a drive: its sheet, and requests that were timed one by one."""
    if not folder.is_dir():
        raise UserError(f"--all: there is no folder {folder}")
    places = [place for place in sorted(folder.iterdir()) if (place / SHEET).is_file() and _timed(place / REQUESTS)]
    if not places:
        raise UserError(f"--all: no folder in {folder} has {SHEET} and {REQUESTS} with gap_before_ms and measured_ms")
    return places[:MOST_DRIVES]


def _timed(requests: Path) -> bool:
    """Whether the header of a list has what a closed loop needs; others, of open loops, may lie beside them."""
    if not requests.is_file():
        return False
    with requests.open(encoding="utf-8", errors="replace") as lines:
        head = lines.readline(1 << 12).strip().split(",")
    return {"gap_before_ms", "measured_ms"} <= set(head)


def _budget(sheet: DriveSheet, requests: Path) -> ErrorBudget:
    asked = timed_requests(requests, sheet)
    return budget(_disc(sheet, requests), asked, foretold_times(requests, len(asked)))


def _measured(place: Path) -> MeasuredDrive:
    sheet = read_sheet(place / SHEET)
    asked = timed_requests(place / REQUESTS, sheet)
    return MeasuredDrive(_disc(sheet, place / REQUESTS), asked, foretold_times(place / REQUESTS, len(asked)))


def _disc(sheet: DriveSheet, requests: Path) -> DiscType:
    if sheet.bus is not None:
        raise UserError(f"{requests}: the sheet names a bus, {sheet.bus}; errors are told only of drives without one")
    if not isinstance(sheet.disc, DiscType):
        raise UserError(f"{requests}: errors are told of discs, not of flash such as {sheet.disc.name}")
    return sheet.disc
