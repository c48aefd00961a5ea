"""The output of blkparse: a line an event, in the default format; the events of one kind are the requests.

Source: blkparse(1). Of one request there are many events. Q is a request to the block layer, before any merge, which
fio replays; D is a request issued to the drive, C one that it completed.
"""

import re
from functools import partial

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import SPACE, Field, Shape, whole
from spindle.workloads.traces.text import TextFormat

SECTOR = 512
KINDS = {"blkparse": ("Q", "queued"), "blkparse-issued": ("D", "issued"), "blkparse-completed": ("C", "completed")}
_HEAD = r"\s*\d{1,4},\d{1,8}\s+\d{1,9}\s+\d{1,10}\s+\d{1,10}\.\d{9}\s+\d{1,10}\s+"
_SUMMARY = re.compile(r"(?:CPU\d+|Total) \(").match
_NOTICE = re.compile(r"Input file .* added\s*").fullmatch


class BlkparseLines:
    """The requests are the events of kind *action*."""

    columns = None
    notes = ()
    began: float | None = None

    def __init__(self, action: str) -> None:
        self.shape = Shape(
            [Field("device", r"\d{1,4},\d{1,8}", "two numbers with a comma between them", "device"), whole("CPU"),
             whole("sequence"), Field("time", r"\d{1,10}\.\d{9}", "seconds with nine decimals", "time"), whole("pid"),
             Field("action", action, action), Field("RWBS", "[A-Z]{1,8}", "letters such as R, W, D, S and M"),
             whole("sector", "first"), Field("+", r"\+", "a plus sign"), whole("count", "length")],
            SPACE, longer=True,
        )  # fmt: skip
        # Other events; and commands and flushes, which are of the kind, but have no sectors.
        self._other = re.compile(
            rf"{_HEAD}(?:(?!{action}\s)[A-Za-z]{{1,2}}\s.*|{action}\s+[A-Z]{{1,8}}\s+(?:\d+\s+)?[(\[].*)", re.ASCII
        ).fullmatch
        self._over = False

    def parse(self, line: str) -> Record | None:
        match = self.shape.match(line)
        if match is None:
            self._pass(line)
            return None
        device, _, _, time, _, _, kind, sector, _, count = match.groups()
        if "D" in kind or count == "0":
            return None
        op = WRITE if "W" in kind else READ if "R" in kind else None
        return None if op is None else Record(float(time), device, op, int(sector) * SECTOR, int(count) * SECTOR)

    def _pass(self, line: str) -> None:
        """Other events; and the summary, which is what comes last."""
        if not self._over and self._other(line) is None and _NOTICE(line) is None:
            if _SUMMARY(line) is None:
                raise self.shape.wrong(line)
            self._over = True


ACTIONS = [
    TextFormat(name, (".blkparse", ".blkparse.txt"), f"a request is an event {action}, that one was {done}",
               partial(BlkparseLines, action))
    for name, (action, done) in KINDS.items()
]  # fmt: skip
"""One format for each kind."""
