"""Reads a trace in two ways, for tests: line by line, and by columns from its first line on."""

from collections.abc import Iterator
from contextlib import closing

from spindle.sim.error import UserError
from spindle.workloads.traces import source
from spindle.workloads.traces.batch import Batch, Stretch
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record


def line_by_line(trace: Trace) -> Iterator[Record]:
    some = False
    with closing(source.pieces(trace.path, trace.limits)) as pieces:
        faults = Faults(trace.limits.skip_bad)
        for record in trace.format.records(str(trace.path), pieces, faults, trace.limits):
            some = True
            yield record
    if not some:
        raise UserError(f"{trace.path}: there is no request in it: {trace.format.needs}")


def parts(trace: Trace, piece: int = 0) -> Iterator[Stretch]:
    """The file in pieces: its first line or record, and then of *piece* bytes, or all the others at once."""
    with closing(source.pieces(trace.path, trace.limits)) as whole:
        content = b"".join(whole)
    first = content.find(b"\n") + 1 or 24
    rest = content[first:]
    size = piece or len(rest) or 1
    pieces = [content[:first], *[rest[at : at + size] for at in range(0, len(rest), size)]]
    faults = Faults(trace.limits.skip_bad)
    for part in trace.format.stretches(str(trace.path), iter(pieces), faults, trace.limits):
        if part.requests if isinstance(part, Batch) else part:
            yield part


def by_columns(trace: Trace, piece: int = 0) -> Iterator[Record]:
    some = False
    for part in parts(trace, piece):
        some = True
        yield from part.records() if isinstance(part, Batch) else part
    if not some:
        raise UserError(f"{trace.path}: there is no request in it: {trace.format.needs}")
