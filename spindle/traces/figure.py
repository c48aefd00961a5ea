"""Answers ``spindle figure``: miss ratios of several traces under several policies, as a figure for a paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spindle.questions.field import ask, spell
from spindle.sim import user_parts
from spindle.sim.error import UserError
from spindle.sim.units import Bytes
from spindle.traces.curve.question import CURVE_POLICIES
from spindle.traces.opening import MANY_DEVICES, TraceOptions

if TYPE_CHECKING:
    from pandas import DataFrame

MISS_LABEL, HIT_LABEL = "miss ratio", "hit ratio"
"""Labels of the axis of ratios."""
MAX_TRACES, MAX_SHARES = 1000, 40
"""Most traces of a figure, and most cache sizes."""
USUAL_SHARES = "0.1%,0.3%,1%,3%,10%,30%"
"""Default cache sizes, as shares of the blocks or objects that a trace uses."""


@dataclass(frozen=True)
class FigureQuestion:
    """Ratios of traces in caches that hold shares of what each trace uses."""

    source: TraceOptions = TraceOptions()
    policy: str = ask("fifo,lru,s3-fifo", f"{' | '.join(CURVE_POLICIES)}, perhaps with arguments", whole=True,
                      metavar="NAME,...")
    block: Bytes = ask(Bytes(4096), "bytes of a block, as 512 or 64K", "bytes", least=1)
    sizes: str = ask(USUAL_SHARES, "caches, as shares of the blocks or objects that a trace uses", whole=True,
                     metavar="SHARE,...")
    show: str = ask("misses", "what is drawn", words=("misses", "hits"), noun="ratio", metavar="WHAT")
    against: str = ask("", "draw the miss ratio of each policy over that of this one: a mark for each trace, and the "
                           "mean over traces with its 95 % interval", whole=True, metavar="NAME")  # fmt: skip

    def policies(self) -> list[str]:
        """Return the names of the policies; UserError where one is unknown, twice, or missing for a comparison."""
        from spindle.traces.curves import policy_of  # and numpy, which no help text needs

        names = user_parts.split(self.policy)
        for name in (*names, *([self.against] if self.against else [])):
            policy_of(name)
        if len(set(names)) < len(names):
            raise UserError(f"{spell('policy')} names one twice")
        if names == [self.against]:
            raise UserError(f"{spell('against')} {self.against} compares other policies with it, and {spell('policy')} "
                            "names no other")  # fmt: skip
        if self.against and self.show == "hits":
            raise UserError(f"{spell('against')} compares misses, and not hits: leave out {spell('show')}")
        return names

    def shares(self) -> list[float]:
        """Return the shares, ascending."""
        texts = [each.strip() for each in self.sizes.split(",")]
        try:
            shares = sorted({float(text.removesuffix("%")) / 100.0 for text in texts})
        except ValueError:
            shares = []
        if not shares or not all(text.endswith("%") for text in texts) or not all(0.0 < each <= 1.0 for each in shares):
            raise UserError(f"{spell('sizes')} takes shares above 0% and up to 100%, as {USUAL_SHARES}, not "
                            f"{self.sizes}")  # fmt: skip
        if len(shares) > MAX_SHARES:
            raise UserError(f"{spell('sizes')} takes at most {MAX_SHARES} shares, not {len(shares)}")
        return shares


class FigureRow(NamedTuple):
    """The ratio of a *policy* on a *trace* in a cache of *size* blocks or objects, a *share* of those used."""

    trace: str
    policy: str
    share: float
    size: int
    references: int
    hit_ratio: float

    @property
    def miss_ratio(self) -> float:
        return 1.0 - self.hit_ratio


def figure_table(question: FigureQuestion, traces: Sequence[str | Path]) -> "DataFrame":
    """Return a row for each trace, policy and share; with what it is relative to, where that is asked for."""
    from pandas import DataFrame

    if not 1 <= len(traces) <= MAX_TRACES:
        raise UserError(f"a figure is of 1 to {MAX_TRACES} traces, not {len(traces)}")
    names, policies, shares = _names(traces), question.policies(), question.shares()
    needed = [*policies, *([question.against] if question.against and question.against not in policies else [])]
    rows = [row for name, trace in names.items() for row in _rows_of(question, name, trace, needed, shares)]
    table = DataFrame([{**row._asdict(), "miss_ratio": row.miss_ratio} for row in rows])
    if not question.against:
        return table
    base = table[table["policy"] == question.against].set_index(["trace", "share"])["miss_ratio"]
    places = list(zip(table["trace"], table["share"], strict=True))
    table["relative_misses"] = table["miss_ratio"].to_numpy() / base.loc[places].to_numpy()
    return table[table["policy"] != question.against].reset_index(drop=True)


def _rows_of(
    question: FigureQuestion, name: str, path: str | Path, policies: Sequence[str], shares: Sequence[float]
) -> list[FigureRow]:
    from spindle.traces.blocks import collect_references, count_different
    from spindle.traces.curves import hit_curves, rows_within_bounds

    trace = question.source.open(path, MANY_DEVICES)
    string = collect_references(trace, int(question.block), question.source.limit or None, columns=())
    used = count_different(string.blocks)
    sizes = {share: max(1, round(share * used)) for share in shares}
    found = rows_within_bounds(hit_curves(string.blocks, policies, sorted(set(sizes.values())), drops=string.drops))
    hits = {(row.policy, row.cache_blocks): row for row in found}
    return [FigureRow(name, policy, share, size, hits[policy, size].refs, hits[policy, size].hit_ratio)
            for policy in policies for share, size in sizes.items()]  # fmt: skip


def _names(traces: Sequence[str | Path]) -> dict[str, str | Path]:
    """Return *traces* by the names for their panels: whole paths where files in two folders have one name."""
    if len({*map(str, traces)}) < len(traces):
        raise UserError("a trace is named twice")
    short = {_file_name(trace): trace for trace in traces}
    return short if len(short) == len(traces) else {str(trace): trace for trace in traces}


def _file_name(path: str | Path) -> str:
    """Return the name of a file without what says how it is packed."""
    name = Path(path).name
    for suffix in (".gz", ".xz", ".zst", ".bz2", ".csv", ".txt", ".bin", ".jsonl", ".lis"):
        name = name.removesuffix(suffix)
    return name or Path(path).name
