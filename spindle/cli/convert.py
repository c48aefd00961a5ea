"""``spindle convert``: writes the requests of any trace in a format of another tool."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_trace, limit_of, open_trace, passed_over, read_with_bar
from spindle.output.text import plural
from spindle.sim.error import UserError, unknown
from spindle.traces.opening import MANY_DEVICES
from spindle.traces.writer import COMPRESSORS, WRITERS, write_trace
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

ABOUT = f"""\
Write the requests of a trace in another format: {", ".join(WRITERS)}.
csv has all that was asked for, and when; oracleGeneral is libCacheSim's, with whole seconds, and
for each reference when its object is used next; the others have bytes of devices only, and no
objects by key. Measured values of a request, such as its response time, are in none of them.
A file whose name ends in {", ".join(COMPRESSORS)} is compressed."""

EXAMPLES = """\
  spindle convert conversation_trace.jsonl blocks.csv --to csv
  spindle convert trace.csv trace.fio --to fio3
  spindle convert cluster.csv cluster.bin --to oracleGeneral --format twitter --limit 100000"""


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("convert", ABOUT, EXAMPLES)
    add_trace(parser)
    parser.add_argument("out", metavar="OUT", help="the file to write")
    parser.add_argument("--to", metavar="FORMAT", help=f"{' | '.join(WRITERS)}")
    options = parser.take(arguments)
    if options.to is None:
        raise UserError(f"convert: --to must say which format to write, of {', '.join(WRITERS)}")
    if options.to not in WRITERS:
        raise unknown("format to write a trace in", options.to, WRITERS)
    path = outputs([Path(options.trace)], {"OUT": options.out})["OUT"]
    assert path is not None
    trace = open_trace(options, MANY_DEVICES)
    written = _Counted(trace, limit_of(options))
    write_trace(written, path, options.to)
    lines = [f"{options.trace}, {trace.format.name}", *passed_over(trace)]
    return finish("\n".join([*lines, f"{path}: {plural(written.requests, 'request')}, {options.to}"]))


class _Counted:
    """The records of a trace, counted as *requests* while they are read."""

    def __init__(self, trace: Trace, limit: int) -> None:
        self.requests = 0
        self._trace = trace
        self._limit = limit

    def __iter__(self) -> Iterator[Record]:
        for record in read_with_bar(self._trace, self._limit, "writing"):
            self.requests += 1
            yield record
