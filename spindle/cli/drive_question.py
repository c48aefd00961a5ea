"""The question of ``spindle drive``: a list of requests on the drive of a sheet; and its answer as data."""

from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from spindle.cli.trace_file import read_with_bar
from spindle.output.base_units import in_base_units
from spindle.questions.field import ask
from spindle.questions.storage import DriveOptions
from spindle.sim.disc.registry import BUSES
from spindle.sim.part_forms import SchedulerForm

if TYPE_CHECKING:
    from spindle.sim.disc.sheet_file.sheet import DriveSheet
    from spindle.traces.replay.drives import Replayed, RequestLoop

VERSION = 2
"""Of the JSON: raised where a name or a unit changes, with a table in CHANGELOG.md."""
OPENED = "an open loop, where there is a queue; {} makes one"


@dataclass(frozen=True)
class DriveQuestion:
    """The loop in which requests come to a drive, the order of its queue, and what drives share."""

    open: bool = ask(False, "issue requests at arrival_s, not after gaps")
    scheduler: SchedulerForm = ask("fcfs", "with --open", needs=("open",), because=OPENED)
    chains: str = ask("", "a request that came within this time, such as 5ms, after a read was done follows it here "
                          "too; needs measured times", metavar="DELAY", needs=("open",), because=OPENED)
    bus: str = ask("", f"what discs share, unless the drive file says:  {', '.join(BUSES)}", metavar="KIND")

    def drive(self, sheet: str) -> DriveOptions:
        """Return the drive in the file *sheet*, or of that name, as a replay asks for it."""
        return DriveOptions(drive=sheet, bus=self.bus, scheduler=self.scheduler)

    def loop(self) -> "RequestLoop":
        from spindle.traces.replay.answer import chained_host
        from spindle.traces.replay.drives import CLOSED, OPEN

        if self.chains:
            return replace(OPEN, host=chained_host(self.chains))
        return OPEN if self.open else CLOSED


ONE_AFTER_ANOTHER = DriveQuestion()


@dataclass(frozen=True)
class DriveAnswer:
    """The *replayed* requests of a list on the drive of a *sheet*."""

    question: DriveQuestion
    sheet: "DriveSheet"
    replayed: "Replayed"

    def data(self, sheet: str, requests: str) -> dict[str, Any]:
        """Return all numbers, in seconds and shares; *sheet* and *requests* are how the files were named."""
        from spindle.traces.replay.page import summary

        return {
            "version": VERSION, "drive": self.sheet.disc.name, "sheet": sheet, "requests": requests,
            "loop": "open" if self.question.open else "closed", "scheduler": self.question.scheduler,
            "makespan": self.replayed.end, "times": in_base_units(summary(self.replayed.tally)),
            "drives": {name: drive.reading() for name, drive in self.replayed.drives.items()},
        }  # fmt: skip


def disksim_path(requests: Path) -> Path:
    """Return the path of DiskSim's answers to *requests*, which may not exist."""
    from spindle.traces.replay.drives import DISKSIM_FILE

    return requests.parent / DISKSIM_FILE


def answer_drive(question: DriveQuestion, name: str, path: Path, out: BinaryIO | None = None) -> DriveAnswer:
    """Replay the list *path* on the drive called *name*; *out* gets a row for each request."""
    from spindle.traces.replay.answer import host_queue, sheet_of
    from spindle.traces.replay.drives import DiskSimAnswers, Replay, request_list
    from spindle.traces.replay.request_rows import BufferOutcomes, RequestRows

    drive = question.drive(name)
    sheet, beside = sheet_of(drive), disksim_path(path)
    requests = request_list(path, sheet)
    disksim = DiskSimAnswers(beside) if beside.is_file() else None
    replay = Replay(sheet, requests, question.loop(), partial(host_queue, drive), disksim)
    outcome = (lambda record: "") if question.open else BufferOutcomes(replay.storage.drives)
    with closing(read_with_bar(requests, 0, "replaying")) as records:
        return DriveAnswer(question, sheet, replay.run(records, None if out is None else RequestRows(out, outcome)))
