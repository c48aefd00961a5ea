"""The options of ``spindle drive`` on how requests come to the drive, the replay by them, and its answer as data."""

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
"""Version of the JSON output: raised when a name or a unit in it changes, with a table in CHANGELOG.md."""
NEEDS_OPEN = "an open loop, where there is a queue; {} makes one"
"""The end of the message where an option is given that needs --open."""


@dataclass(frozen=True)
class DriveQuestion:
    """Options on how requests come to the drive: the loop, the order of its queue, and the bus that drives share."""

    open: bool = ask(False, "issue requests at arrival_s, not after gaps")
    scheduler: SchedulerForm = ask("fcfs", "with --open", needs=("open",), because=NEEDS_OPEN)
    chains: str = ask("", "a request that came within this time, such as 5ms, after a read was done follows it here "
                          "too; needs measured times", metavar="DELAY", needs=("open",), because=NEEDS_OPEN)
    bus: str = ask("", f"what discs share, unless the drive file says:  {', '.join(BUSES)}", metavar="KIND")

    def drive(self, sheet: str) -> DriveOptions:
        """Return the options of a replay for the drive in the file *sheet*, or for the known drive of that name."""
        return DriveOptions(drive=sheet, bus=self.bus, scheduler=self.scheduler)

    def loop(self) -> "RequestLoop":
        from spindle.traces.replay.answer import chained_host
        from spindle.traces.replay.drives import CLOSED, OPEN

        if self.chains:
            return replace(OPEN, host=chained_host(self.chains))
        return OPEN if self.open else CLOSED


ONE_AFTER_ANOTHER = DriveQuestion()
"""Requests that are each issued when the one before is done."""


@dataclass(frozen=True)
class DriveAnswer:
    """The answer of ``spindle drive``: *replayed* requests of a list on the drive of the drive file *sheet*."""

    question: DriveQuestion
    sheet: "DriveSheet"
    replayed: "Replayed"

    @property
    def idle(self) -> list[str]:
        """Return a sentence on each option that changed nothing."""
        from spindle.questions.idle import without_arm  # and drives, which a help text needs not

        return [*without_arm(self.question.scheduler, self.sheet.disc)]

    def data(self, sheet: str, requests: str) -> dict[str, Any]:
        """Return all numbers, in seconds and shares; *sheet* and *requests* are the names of the files as given."""
        from spindle.traces.replay.page import summary

        return {
            "version": VERSION, "drive": self.sheet.disc.name, "sheet": sheet, "requests": requests,
            "loop": "open" if self.question.open else "closed", "scheduler": self.question.scheduler,
            "makespan": self.replayed.end, "times": in_base_units(summary(self.replayed.tally)),
            "drives": {name: drive.reading() for name, drive in self.replayed.drives.items()}, "notes": self.idle,
        }  # fmt: skip


def disksim_path(requests: Path) -> Path:
    """Return the path of the times that DiskSim, another simulator, gives for *requests*; it may not exist."""
    from spindle.traces.replay.drives import DISKSIM_FILE

    return requests.parent / DISKSIM_FILE


def answer_drive(question: DriveQuestion, name: str, path: Path, out: BinaryIO | None = None) -> DriveAnswer:
    """Replay the list *path* on the drive called *name*, and write a row for each request to *out*."""
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
