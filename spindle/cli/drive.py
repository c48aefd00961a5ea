"""``spindle drive``: replays a list of requests on the drive of a drive file, and compares with measured times."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from textwrap import wrap

from spindle.cli.drive_question import (
    NEEDS_OPEN,
    ONE_AFTER_ANOTHER,
    DriveAnswer,
    DriveQuestion,
    answer_drive,
    disksim_path,
)
from spindle.cli.fields import take_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.output.base_units import in_base_units
from spindle.output.files import draft
from spindle.output.text import json_text, plural
from spindle.questions.field import ask
from spindle.sim.error import UserError

PAGE_WIDTH = 80
"""Columns of the text of the answer."""
ONE_DRIVE_FIELDS = ("sheet", "errors", "open", "chains", "readings", "scheduler", "bus", "out", "plot")
"""Options on one drive, which cannot be given with --all, a table of many drives."""
FIELDS_WITHOUT_ERRORS = ("open", "chains", "readings", "scheduler", "bus", "out", "plot")
"""Options that cannot be given with --errors, which replays requests one after another."""


@dataclass(frozen=True)
class DriveCommand:
    """Options of ``spindle drive``: a drive file and a list of requests, or a table of a model's errors."""

    template: str = ask("", "print a drive file with its keys explained, and end: disc | flash, or that of a known "
                            "drive; default disc", metavar="KIND", bare="disc")
    sheet: str = ask("", "the file of the drive; or the name of a known drive, or FILE.py:NAME", first="?",
                     metavar="DRIVE.yaml")
    requests: str = ask("", "the list of requests", first="?", metavar="REQUESTS.csv")
    errors: bool = ask(False, "where the errors lie, request by request", excludes=FIELDS_WITHOUT_ERRORS)
    all: str = ask("", "instead of both: every folder in it that holds drive.yaml and requests.csv, a line each",
                   metavar="FOLDER", excludes=ONE_DRIVE_FIELDS)
    rules: bool = ask(False, "with --all: rules that change what files say, chosen on all drives but one and judged "
                             "on that one; takes minutes", needs=("all",),
                      because="a FOLDER of drives, all but one of which choose a rule; {} names it")
    question: DriveQuestion = ONE_AFTER_ANOTHER
    readings: bool = ask(False, "with --open: for each day of measured responses the range over orders of the host's "
                                "queue, with and without chains", needs=("open",), because=NEEDS_OPEN,
                         excludes=("scheduler", "out", "plot"))
    out: str = ask("", "a row for each request: predicted time and its parts", metavar="FILE.csv")
    plot: str = ask("", "the distributions of response time", metavar="FILE.png")
    json: bool = ask(False, "all numbers, as JSON")


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
    """Print the model's errors against measured times, by group of requests; the exit status."""
    from spindle.cli.drive_errors import print_errors
    from spindle.traces.replay.answer import sheet_of

    return print_errors(sheet_of(asked.question.drive(asked.sheet)), Path(asked.requests), asked.json)


def _readings(asked: DriveCommand) -> int:
    """Print the range of responses over the orders in which the host may have queued requests; the exit status."""
    from spindle.lab.drives import unknown_host
    from spindle.traces.replay.answer import USUAL_CHAINS, chain_limit, sheet_of

    chains = chain_limit(asked.question.chains or USUAL_CHAINS)
    found = unknown_host.readings(sheet_of(asked.question.drive(asked.sheet)), Path(asked.requests), chains)
    rows = list(unknown_host.rows(found))
    return finish(json_text(in_base_units(rows)) if asked.json else "\n".join(unknown_host.page(found)))


def _compare(asked: DriveCommand) -> int:
    """Print the simulated and the measured times as text or as JSON, and draw them where asked; the exit status."""
    requests = Path(asked.requests)
    files = outputs([Path(asked.sheet), requests, disksim_path(requests)], {"--out": asked.out, "--plot": asked.plot})
    with nullcontext() if files["--out"] is None else draft(files["--out"]) as out:
        answer = answer_drive(asked.question, asked.sheet, requests, out)
    if (plot := files["--plot"]) is not None:
        _draw(plot, answer)
    if asked.json:
        return finish(json_text(answer.data(asked.sheet, asked.requests)))
    return finish(_as_text(answer, asked.requests))


def _as_text(answer: DriveAnswer, requests: str) -> str:
    from spindle.sim.disc.flash.drive import words_of_wear
    from spindle.traces.replay.page import page, summary

    sheet, replayed, question = answer.sheet, answer.replayed, answer.question
    loop = f"open, {question.scheduler}" if question.open else "closed loop"
    drives = list(replayed.drives.values())
    discs = "" if len(drives) == 1 else f", {len(drives)} discs" + (f" on one {sheet.bus}" if sheet.bus else "")
    lines = [sheet.disc.name, f"{plural(replayed.tally.count(), 'request')} of {requests}, {loop}{discs}"]
    lines += [*wrap(sheet.disc.notes, PAGE_WIDTH), *answer.idle]
    counted = [drive.mechanism.reading() for drive in drives]
    totals = {name: fsum(each[name] for each in counted) for name in counted[0]}
    counts = ", ".join(f"{name.replace('_', ' ')} {total:,.0f}" for name, total in totals.items())
    lines += [*wrap(counts, PAGE_WIDTH), *words_of_wear(totals)]
    return "\n".join([*lines, *page(summary(replayed.tally))])


def _draw(path: Path, answer: DriveAnswer) -> None:
    # Imported here, because matplotlib takes a second.
    from spindle.studies.plots.files import save
    from spindle.traces.pictures import picture

    save(picture(answer.replayed.tally, answer.sheet.disc.name), path)
