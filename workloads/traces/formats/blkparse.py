"""Reads the output of blkparse, a line for each event, in its default format or one of -f.

Source: blkparse(1). One request has many events; events of one kind are taken for the requests. Q is a request to the
block layer, before any merge, which fio replays; D is a request issued to the drive, C one that it completed. The time
of a completed request is that of its D, if the file has one, and its response is the time from D to C.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import takewhile

from spindle.sim.error import UserError, quote
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.formats.events import Event, EventLines, Reading
from spindle.workloads.traces.formats.issued import IssuedRequests
from spindle.workloads.traces.operations import Meaning, PassedWords
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.shape import SPACE, Field, Shape, integer
from spindle.workloads.traces.text import TextFormat

DATA_OPS = {Meaning.READ: READ, Meaning.WRITE: WRITE}
"""Operations that move data, by the meaning of their word."""
FLAG_LETTERS = {"R": Meaning.READ, "W": Meaning.WRITE, "": Meaning.SKIP}
"""Meanings of the letters in the column RWBS of flags; with a D a request is a discard."""
EVENT_KIND = {"blkparse": ("Q", "queued"), "blkparse-issued": ("D", "issued"), "blkparse-completed": ("C", "completed")}
"""The kind of event that is a request in each format: its letter and its name."""
_HEAD = r"\s*\d{1,4},\d{1,8}\s+\d{1,9}\s+\d{1,10}\s+\d{1,10}\.\d{9}\s+\d{1,10}\s+"
_SUMMARY = re.compile(r"(?:CPU\d+|Total) \(").match
_NOTICE = re.compile(r"Input file .* added\s*").fullmatch


class BlkparseLines:
    """Reads lines in the default format; the events of kind *action* are the requests."""

    columns = None
    notes = ()
    began: float | None = None

    def __init__(self, action: str) -> None:
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}
        self.shape = Shape(
            [Field("device", r"\d{1,4},\d{1,8}", "two numbers with a comma between them", "device"), integer("CPU"),
             integer("sequence"), Field("time", r"\d{1,10}\.\d{9}", "seconds with nine decimals", "time"),
             integer("pid"),
             Field("action", action, action), Field("RWBS", "[A-Z]{1,8}", "letters such as R, W, D, S and M"),
             integer("sector", "first"), Field("+", r"\+", "a plus sign"), integer("count", "length")],
            SPACE, longer=True,
        )  # fmt: skip
        # Other events; and commands and flushes, which are of the kind, but have no sectors.
        self._other = re.compile(
            rf"{_HEAD}(?:(?!{action}\s)[A-Za-z]{{1,2}}\s.*|{action}\s+[A-Z]{{1,8}}\s+(?:\d+\s+)?[(\[].*)", re.ASCII
        ).fullmatch
        self._over = False
        self._issued = LINES_OF_ISSUED if action == "C" else None
        self._begun = IssuedRequests()

    def parse(self, line: str) -> Record | None:
        match = self.shape.match(line)
        if match is None:
            self._pass(line)
            return None
        device, _, _, time, _, _, kind, sector, _, count = match.groups()
        if count == "0":
            return None
        letter = "" if "D" in kind else next((letter for letter in ("W", "R") if letter in kind), "")
        op = DATA_OPS.get(self.given.get(kind.lower()) or FLAG_LETTERS[letter])
        if op is None:
            self.passed.add(kind, Meaning.SKIP)
            return None
        done, first = _since_first(time), int(sector) * SECTOR
        came = self._begun.end(device, first)
        if came is None and self._begun.any:
            return None
        response = None if came is None else done - came
        return Record(done if came is None else came, device, op, first, int(count) * SECTOR, response)

    def _pass(self, line: str) -> None:
        """Pass over other events, of which those of issue are noted, and the summary, which comes last."""
        if self._issued is not None and (issued := self._issued(line)) is not None:
            self._begun.begin(issued[1], int(issued[3]) * SECTOR, _since_first(issued[2]))
            return
        if not self._over and self._other(line) is None and _NOTICE(line) is None:
            if _SUMMARY(line) is None:
                raise self.shape.wrong(line)
            self._over = True


LINES_OF_ISSUED = re.compile(
    r"\s*(\d{1,4},\d{1,8})(?:\s+\d{1,10}){2}\s+(\d{1,10}\.\d{9})\s+\d{1,10}\s+D\s+[A-Z]{1,8}\s+(\d{1,18})\s+\+\s.*",
    re.ASCII).fullmatch  # fmt: skip
"""Matches an event of issue: device, time and sector."""

WRAPPED = (1 << 64) // 10**9 % (1 << 32), (1 << 64) % 10**9
"""Seconds and nanoseconds that blkparse prints just below 0, which wraps 64 bits of nanoseconds and 32 of seconds."""
EARLIEST = 1000
"""Seconds by which an event may come before the first."""


def _since_first(time: str) -> float:
    """Return the seconds in *time*, below 0 for an event before the first."""
    seconds = float(time)
    if not 0 < WRAPPED[0] + 1 - seconds < EARLIEST:
        return seconds
    whole, nanoseconds = time.split(".")
    return int(whole) - WRAPPED[0] + (int(nanoseconds) - WRAPPED[1]) / 10**9


ACTIONS = [
    TextFormat(name, (".blkparse", ".blkparse.txt"), f"a request is an event {action}, that one was {done}",
               partial(BlkparseLines, action))
    for name, (action, done) in EVENT_KIND.items()
]  # fmt: skip
"""One format for each kind."""


# Output that was formatted otherwise, with blkparse -f.

SPECIFIERS = {
    "a": "[A-Za-z]{1,2}", "c": r"\d{1,5}", "C": r"[^\x00-\x1f]{0,64}?", "d": "[A-Z]{1,8}", "D": r"\d{1,4},\d{1,8}",
    "e": r"-?\d{1,10}", "m": r"\d{1,8}", "M": r"\d{1,8}", "n": r"\d{1,10}", "N": r"\d{1,13}", "p": r"\d{1,10}",
    "P": r"[0-9a-fA-F ().]{0,999}?", "s": r"\d{1,10}", "S": r"\d{1,18}", "t": r"\d{1,9}", "T": r"\d{1,10}",
    "u": r"\d{1,18}(?:\.\d{1,9})?", "U": r"\d{1,20}", "z": r"\d\d:\d\d:\d\d\.\d{1,9}",
}  # fmt: skip
"""The form of each field, by its letter in blkparse(1)."""
ITEM = re.compile(r"%(?:-?\d{0,4})([A-Za-z])|([ \t]+)|([^% \t]+)")
ASKED = ("Q", "I", "D", "C")
LONGEST = 4096
NEEDS = "a request is a line with a sector and a size"


def with_form(form: str) -> TextFormat:
    """Return the format that ``blkparse -f`` *form* prints; of several kinds of events the file's first is read."""
    form = form.removesuffix("\\n")
    letters = [match[1] for match in ITEM.finditer(form) if match[1]]
    if "S" not in letters or not {"n", "N"} & set(letters) or set(letters) - SPECIFIERS.keys():
        raise UserError(f"{quote(form)} is no format of blkparse with a sector, %S, and a size, %n or %N")
    if len(set(letters)) < len(letters) or "".join(match[0] for match in ITEM.finditer(form)) != form:
        raise UserError(f"{quote(form)} is no format of blkparse, or has a field twice")
    pattern = re.compile(_pattern(form), re.ASCII)
    return TextFormat("blkparse -f", (), NEEDS, lambda: EventLines(lambda: _format_reader(pattern)))


def _pattern(form: str) -> str:
    """Return the pattern of lines of *form*; where a field has a width, blanks may stand around it."""
    patterns = []
    for letter, blank, literal in (match.groups() for match in ITEM.finditer(form)):
        patterns.append("[ \t]++" if blank else
                     f"[ \t]*+(?P<{letter}>{SPECIFIERS[letter]})" if letter else f"[ \t]*+{re.escape(literal)}")
    return "".join([*patterns, r"\s*"])


def _format_reader(pattern: re.Pattern[str]) -> Reading:
    asked, over = "", False

    def read(line: str) -> Event | None:
        nonlocal asked, over
        over = over or _SUMMARY(line) is not None
        if over or _NOTICE(line) is not None:
            return None
        match = pattern.fullmatch(line[:LONGEST])
        if match is None:
            raise ValueError
        found = match.groupdict()
        kind = found.get("a", "Q")
        asked = asked or (kind if kind in ASKED else "")
        sectors = found.get("n") or found["N"]
        if kind != asked or not int(sectors):
            return None
        device = found.get("D") or ",".join(filter(None, (found.get("M"), found.get("m"))))
        return Event(found.get("d", "R"), device, found["S"], sectors, _seconds(found),
                     sectors=SECTOR if "n" in found else 1)  # fmt: skip

    return read


def _seconds(found: Mapping[str, str]) -> str:
    if "T" in found:
        return f"{found['T']}.{found.get('t', '0'):0>9}"
    if "z" not in found:
        return ""
    hours, minutes, seconds = found["z"].split(":")
    return f"{60 * (60 * int(hours) + int(minutes)) + int(seconds[:2])}{seconds[2:]}"


KINDS_OF_CELLS = (("%T.%t", r"\d{1,10}\.\d{9}"), ("%D", r"\d{1,4},\d{1,8}"), ("%a", "[ABCDFGIMPQSTUX]|UT"),
                  ("%d", "[RWDFN][SMABF]{0,4}"), ("number", r"\d{1,18}"))  # fmt: skip

FEWEST_LINES = 2
"""Fewest lines from which a format is recognised."""
FEW_COMMAS = 3
"""Fewest commas in a line that separate its fields; the numbers of a device have one between them."""


def form_of(lines: Sequence[str]) -> str:
    """Recognise the format of *lines*: a plus between sector and blocks, or blocks and bytes that agree."""
    events = [line.strip() for line in takewhile(lambda line: _SUMMARY(line) is None, lines) if line.strip()]
    commas = bool(events) and events[0].count(",") >= FEW_COMMAS
    rows = [re.split(r"([ \t]*,[ \t]*)" if commas else r"([ \t]+)", line) for line in events]
    if len(rows) < FEWEST_LINES or len({len(row) for row in rows}) > 1:
        return ""
    columns = list(zip(*rows, strict=True))
    marks = [", " if commas else " "] * (len(columns) // 2)
    kinds = [_kind(cells) for cells in columns[::2]]
    for place in range(len(kinds)):
        three = kinds[place : place + 3]
        if three == ["number", "+", "number"]:
            kinds[place], kinds[place + 2] = "%S", "%n"
        elif three == ["number"] * 3 and all(
            int(blocks) * SECTOR == int(size) for blocks, size in zip(columns[2 * place + 2], columns[2 * place + 4],
                                                                      strict=True)):  # fmt: skip
            kinds[place : place + 3] = "%S", "%n", "%N"
    kinds = _others(kinds)
    letters = [kind for kind in kinds if kind != "+"]
    if not {"%S", "%T.%t"} <= set(letters) or len(set(letters)) < len(letters):
        return ""
    return "".join(f"{kind}{mark}" for kind, mark in zip(kinds, [*marks, ""], strict=True))


def _kind(cells: Sequence[str]) -> str:
    if set(cells) == {"+"}:
        return "+"
    fits = (kind for kind, pattern in KINDS_OF_CELLS if all(re.fullmatch(pattern, cell, re.ASCII) for cell in cells))
    return next(fits, "%C")


def _others(kinds: Sequence[str]) -> list[str]:
    """Take other numbers for fields of whole numbers, which are not read."""
    letters = iter("psceUmM")
    return [f"%{next(letters, 's')}" if kind == "number" else kind for kind in kinds]
