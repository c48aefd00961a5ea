"""Which traces have lines so simple that they may be read by columns, and what stands in those."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.traces.faults import Format, Wrong
from spindle.workloads.traces.formats import msr, published
from spindle.workloads.traces.formats.plain import PlainLines
from spindle.workloads.traces.formats.rows import OPS
from spindle.workloads.traces.shape import ANYTHING, Field, choice, whole, word
from spindle.workloads.traces.text import TextFormat

UNREAD = Field("", ANYTHING, "anything")
MSR = (whole("Timestamp", "clock"), word("Hostname", "device"), whole("DiskNumber", "device"),
       choice("Type", msr.OPS, "op"), whole("Offset", "first"), whole("Size", "length"),
       whole("ResponseTime", "response", 1 / msr.TICKS))  # fmt: skip


@dataclass(frozen=True)
class QuickPlan:
    """*skip* lines, and then *fields* between *mark*; times are in *ticks* a second where these are given.

    The parts of a device's name are joined by points.
    """

    fields: tuple[Field, ...]
    mark: str = ","
    skip: int = 0
    ticks: float = 0.0
    ops: Mapping[str, Op] = field(default_factory=lambda: OPS)

    @property
    def keyed(self) -> bool:
        return any(each.part == "key" for each in self.fields)


def quick_plan(format: Format, lines: Sequence[str]) -> QuickPlan | None:
    """How to read a file of *format* that begins with *lines* by columns; None where these are not simple."""
    if format.name in _PLANS:
        return _PLANS[format.name](lines)
    parser = format.parser() if isinstance(format, TextFormat) else None
    return _chosen(parser, lines) if isinstance(parser, PlainLines) else None


def _msr(lines: Sequence[str]) -> QuickPlan:
    return QuickPlan(MSR, skip=int(lines[0].strip().lower() == msr.HEADER), ticks=msr.TICKS)


def _spc(lines: Sequence[str]) -> QuickPlan:
    more = max(0, lines[0].count(",") + 1 - len(published.SPC_1))
    return QuickPlan((*published.SPC_1, *[UNREAD] * more))


def _meta(lines: Sequence[str]) -> QuickPlan | None:
    names = [name.strip() for name in lines[0].split(",")]
    if len(set(names)) < len(names) or not any(head <= set(names) for head in published.META_HEADS):
        return None  # of a column that stands there twice, the one that is read might not be the one that is wrong
    return QuickPlan(tuple(published.META.get(name, UNREAD) for name in names), skip=1)


def _chosen(parser: PlainLines, lines: Sequence[str]) -> QuickPlan | None:
    """Columns by the header, or by the caller: what *parser* makes of the first line that is no comment."""
    skip = -1
    while not parser.begun:
        skip += 1
        if skip == len(lines):
            return None
        line = lines[skip]
        try:
            parser.parse(line)
        except Wrong:
            if line and not line.isspace():
                return None
    shape, mark, line = parser.shape, parser.mark, lines[skip]
    if mark == " ":
        return None
    skip += not (shape.longer and shape.match(line))
    more = line.count(mark) + 1 - len(shape.fields)
    return QuickPlan((*map(_named_once(), shape.fields), *[UNREAD] * more), mark, skip)


def _named_once() -> Callable[[Field], Field]:
    """A function that takes from fields in turn the part that an earlier one has become."""
    parts: set[str] = set()

    def once(field: Field) -> Field:
        known = field.part in parts
        parts.add(field.part)
        return replace(field, part="") if known else field

    return once


_PLANS: Mapping[str, Callable[[Sequence[str]], QuickPlan | None]] = {
    "msr": _msr, "spc": _spc, "meta": _meta,
    "alibaba": lambda lines: QuickPlan(published.ALIBABA),
    "tencent": lambda lines: QuickPlan(published.TENCENT, ops={"0": READ, "1": WRITE}),
    "twitter": lambda lines: QuickPlan(published.TWITTER),
}  # fmt: skip
