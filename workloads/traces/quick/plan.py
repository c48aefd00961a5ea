"""Which traces have lines so simple that they may be read by columns, and what stands in those."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sim.request import READ, WRITE, Op
from workloads.traces.formats import msr, plain, published, spc
from workloads.traces.formats.rows import OPS
from workloads.traces.shape import ANYTHING, Field, choice, clock, key, number, whole, word
from workloads.traces.text import MARK

UNREAD = Field("", ANYTHING, "anything")
MSR = (clock("Timestamp"), word("Hostname", "device"), whole("DiskNumber", "device"), choice("Type", msr.OPS, "op"),
       whole("Offset", "first"), whole("Size", "length"), whole("ResponseTime"))  # fmt: skip
SPC = (whole("ASU", "device"), whole("LBA", "first", spc.SECTOR), whole("Size", "length"),
       choice("Opcode", spc.OPS, "op"), number("Timestamp", "time"))  # fmt: skip
NAMED = (*plain.KNOWN.values(), *(replace(UNREAD, name=name) for name in plain.PASSED))
"""What a header may name."""


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


def quick_plan(format: str, head: bytes) -> QuickPlan | None:
    """How to read a file that begins with *head* by columns; None where its format has no simple lines."""
    lines = [line.strip("\r") for line in head.decode("utf-8", "replace").removeprefix(MARK).split("\n")]
    return _PLANS[format](lines) if format in _PLANS and lines else None


def _msr(lines: Sequence[str]) -> QuickPlan:
    return QuickPlan(MSR, skip=int(lines[0].strip().lower() == msr.HEADER), ticks=msr.TICKS)


def _spc(lines: Sequence[str]) -> QuickPlan:
    more = max(0, lines[0].count(",") + 1 - len(SPC))
    return QuickPlan((*SPC, *[UNREAD] * more))


def _meta(lines: Sequence[str]) -> QuickPlan:
    names = [name.strip() for name in lines[0].split(",")]
    return QuickPlan(tuple(published.META.get(name, UNREAD) for name in names), skip=1)


def _named(lines: Sequence[str]) -> QuickPlan | None:
    """Columns by the header, each of them known."""
    skip = next((place for place, line in enumerate(lines) if not line.startswith("#")), 0)
    mark = max(plain.MARKS, key=lines[skip].count)
    names = [name.strip() for name in lines[skip].split(mark)]
    known = {each.name: each for each in NAMED}
    fields = [known.get(name) for name in names]
    counted = [name for name, field in zip(names, fields, strict=True) if field and field.unit == 0]
    sizes = {int("".join(filter(str.isdigit, name)) or plain.SECTOR) for name in counted}
    if None in fields or len(set(names)) < len(names) or len(sizes) > 1:
        return None
    sector = sizes.pop() if sizes else plain.SECTOR
    asked = {field.part for field in fields if field}
    if not ({"first", "length"} <= asked or "key" in asked):
        return None
    made = {"key": key("key", mark)} | ({"op": replace(UNREAD, name="op", part="op")} if "key" in asked else {})
    wanted = [made.get(field.name) or replace(field, unit=field.unit or sector) for field in fields if field]
    return QuickPlan(tuple(wanted), mark, skip + 1)


_PLANS: Mapping[str, Callable[[Sequence[str]], QuickPlan | None]] = {
    "msr": _msr, "spc": _spc, "csv": _named, "meta": _meta,
    "alibaba": lambda lines: QuickPlan(published.ALIBABA),
    "tencent": lambda lines: QuickPlan(published.TENCENT, ops={"0": READ, "1": WRITE}),
    "twitter": lambda lines: QuickPlan(published.TWITTER),
}  # fmt: skip
