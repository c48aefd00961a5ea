"""``spindle drive``: replays requests on the drive of a sheet, and compares with measured times."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from spindle.cli.arguments import outputs
from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.cli.trace_file import read_with_bar
from spindle.output.base_units import in_base_units
from spindle.output.files import draft
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.questions.storage import DriveOptions
from spindle.sim.disc.registry import BUSES
from spindle.sim.error import UserError
from spindle.sim.part_forms import SchedulerForm

if TYPE_CHECKING:
    from spindle.sim.disc.sheet_file.sheet import DriveSheet
    from spindle.traces.replay.drives import Replayed, RequestLoop

PAGE_WIDTH = 80
VERSION = 2
"""Of the JSON: raised where a name or a unit changes, with a table in CHANGELOG.md."""


OPENED = "an open loop, where there is a queue; {} makes one"
OF_ONE_DRIVE = ("sheet", "errors", "open", "chains", "readings", "scheduler", "bus", "out", "plot")
"""Fields of one drive, which a table of many does not take."""
IN_A_TABLE = ("open", "chains", "readings", "scheduler", "bus", "out", "plot")


@dataclass(frozen=True)
class DriveCommand:
    """Requests on the drive of a sheet, or tables of errors."""

    template: str = ask("", "print a drive file with its keys explained, and end: disc | flash, or that of a known "
                            "drive; default disc", metavar="KIND", bare="disc")
    sheet: str = ask("", "the file of the drive; or the name of a known drive, or FILE.py:NAME", first="?",
                     metavar="DRIVE.yaml")
    requests: str = ask("", "the list of requests", first="?", metavar="REQUESTS.csv")
    errors: bool = ask(False, "where the errors lie, request by request", excludes=IN_A_TABLE)
    all: str = ask("", "instead of both: every folder in it that holds drive.yaml and requests.csv, a line each",
                   metavar="FOLDER", excludes=OF_ONE_DRIVE)
    rules: bool = ask(False, "with --all: rules that change what files say, chosen on all drives but one and judged "
                             "on that one; takes minutes", needs=("all",),
                      because="a FOLDER of drives, all but one of which choose a rule; {} names it")
    open: bool = ask(False, "issue requests at arrival_s, not after gaps")
    scheduler: SchedulerForm = ask("fcfs", "with --open", needs=("open",), because=OPENED)
    chains: str = ask("", "a request that came within this time, such as 5ms, after a read was done follows it here "
                          "too; needs measured times", metavar="DELAY", needs=("open",), because=OPENED)
    readings: bool = ask(False, "with --open: for each day of measured responses the range over orders of the host's "
                                "queue, with and without chains", needs=("open",), because=OPENED,
                         excludes=("scheduler", "out", "plot"))
    bus: str = ask("", f"what discs share, unless the drive file says:  {', '.join(BUSES)}", metavar="KIND")
    out: str = ask("", "a row for each request: predicted time and its parts", metavar="FILE.csv")
    plot: str = ask("", "the distributions of response time", metavar="FILE.png")
    json: bool = ask(False, "all numbers, as JSON")

    def drive(self) -> DriveOptions:
        return DriveOptions(drive=self.sheet, bus=self.bus, scheduler=self.scheduler)


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["fit"]:
        from spindle.cli.drive_fit import main as fit

        return fit(arguments[1:])
    asked = take_fields("drive", DriveCommand, arguments)
    if asked.template:
        from spindle.sim.disc.sheet_file.sheet import sheets_to_copy
        from spindle.sim.forms import choose

        return finish(choose("template", asked.template, sheets_to_copy()).read_text("utf-8").removesuffix("\n"))
    if asked.all:
        from spindle.cli.drive_errors import print_all, print_rules

        return (print_rules if asked.rules else print_all)(Path(asked.all), asked.json)
    if not asked.requests:
        raise UserError("drive needs DRIVE.yaml and REQUESTS.csv; --template prints a drive file")
    return _readings(asked) if asked.readings else _errors(asked) if asked.errors else _compare(asked)


def _errors(asked: DriveCommand) -> int:
    """Print the errors by group of requests."""
    from spindle.cli.drive_errors import print_errors
    from spindle.traces.replay.answer import sheet_of

    return print_errors(sheet_of(asked.drive()), Path(asked.requests), asked.json)


def _readings(asked: DriveCommand) -> int:
    """Print the range of answers over the unknown order of the host's queue."""
    from spindle.lab.drives import unknown_host
    from spindle.traces.replay.answer import USUAL_CHAINS, chain_limit, sheet_of

    chains = chain_limit(asked.chains or USUAL_CHAINS)
    found = unknown_host.readings(sheet_of(asked.drive()), Path(asked.requests), chains)
    rows = list(unknown_host.rows(found))
    return finish(json_text(in_base_units(rows)) if asked.json else "\n".join(unknown_host.page(found)))


def _compare(asked: DriveCommand) -> int:
    """Print the drive's answers and the measured times as a page or as JSON, and draw them."""
    from spindle.traces.replay.answer import sheet_of

    requests = Path(asked.requests)
    files = outputs([Path(asked.sheet), requests, _disksim_path(requests)], {"--out": asked.out, "--plot": asked.plot})
    sheet = sheet_of(asked.drive())
    replayed = _replay(asked, sheet, files["--out"])
    if (plot := files["--plot"]) is not None:
        _draw(plot, sheet, replayed)
    return finish(_as_json(asked, sheet, replayed) if asked.json else _as_text(asked, sheet, replayed))


def _loop(asked: DriveCommand) -> "RequestLoop":
    from spindle.traces.replay.answer import chained_host
    from spindle.traces.replay.drives import CLOSED, OPEN

    if asked.chains:
        return replace(OPEN, host=chained_host(asked.chains))
    return OPEN if asked.open else CLOSED


def _disksim_path(requests: Path) -> Path:
    """Return the path of DiskSim's answers to *requests*, which may not exist."""
    from spindle.traces.replay.drives import DISKSIM_FILE

    return requests.parent / DISKSIM_FILE


def _replay(asked: DriveCommand, sheet: "DriveSheet", out: Path | None) -> "Replayed":
    from spindle.traces.replay.answer import host_queue
    from spindle.traces.replay.drives import DiskSimAnswers, Replay, request_list
    from spindle.traces.replay.page import BufferOutcomes, RequestRows

    path = Path(asked.requests)
    beside, requests = _disksim_path(path), request_list(path, sheet)
    disksim = DiskSimAnswers(beside) if beside.is_file() else None
    replay = Replay(sheet, requests, _loop(asked), partial(host_queue, asked.drive()), disksim)
    outcome = (lambda record: "") if asked.open else BufferOutcomes(replay.storage.drives)
    with closing(read_with_bar(requests, 0, "replaying")) as records:
        if out is None:
            return replay.run(records)
        with draft(out) as file:
            return replay.run(records, RequestRows(file, outcome))


def _as_json(asked: DriveCommand, sheet: "DriveSheet", replayed: "Replayed") -> str:
    from spindle.traces.replay.page import summary

    return json_text({
        "version": VERSION, "drive": sheet.disc.name, "sheet": asked.sheet, "requests": asked.requests,
        "loop": "open" if asked.open else "closed", "scheduler": asked.scheduler, "makespan": replayed.end,
        "times": in_base_units(summary(replayed.tally)),
        "drives": {name: drive.reading() for name, drive in replayed.drives.items()},
    })  # fmt: skip


def _as_text(asked: DriveCommand, sheet: "DriveSheet", replayed: "Replayed") -> str:
    from spindle.sim.disc.flash.drive import words_of_wear
    from spindle.traces.replay.page import page, summary

    loop = f"open, {asked.scheduler}" if asked.open else "closed loop"
    drives = list(replayed.drives.values())
    discs = "" if len(drives) == 1 else f", {len(drives)} discs" + (f" on one {sheet.bus}" if sheet.bus else "")
    lines = [sheet.disc.name, f"{replayed.tally.count():,} requests of {asked.requests}, {loop}{discs}"]
    lines += wrap(sheet.disc.notes, PAGE_WIDTH)
    counted = [drive.mechanism.reading() for drive in drives]
    if counted[0]:
        totals = {name: fsum(each[name] for each in counted) for name in counted[0]}
        counts = ", ".join(f"{name.replace('_', ' ')} {total:,.0f}" for name, total in totals.items())
        lines += [*wrap(counts, PAGE_WIDTH), *words_of_wear(totals)]
    return "\n".join([*lines, *page(summary(replayed.tally))])


def _draw(path: Path, sheet: "DriveSheet", replayed: "Replayed") -> None:
    # Imported here, because matplotlib takes a second.
    from spindle.studies.plots.files import save
    from spindle.traces.pictures import picture

    save(picture(replayed.tally, sheet.disc.name), path)
