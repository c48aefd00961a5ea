"""What the commands on block traces share: options that name a trace, and a bar while it is read."""

from argparse import Namespace
from collections.abc import Generator
from itertools import islice
from pathlib import Path

from tqdm import tqdm

from models.commands.arguments import ArgumentParser
from models.commands.values import count
from models.traces.followed import followed, whole_size
from workloads.traces.limits import TraceLimits
from workloads.traces.reader import FORMATS, Trace
from workloads.traces.record import Record

SHAPE = "{l_bar}{bar}| {elapsed}, {remaining} left"


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", help="a block trace, perhaps compressed with gzip or zstd")
    parser.add_argument("--format", metavar="NAME", help=f"{', '.join(FORMATS)}; default: found by what is in it")
    parser.add_argument("--skip-bad", metavar="N", default="0", help="pass over so many bad lines; default 0")
    parser.add_argument("--limit", metavar="N", help="the first N requests only")


def opened(options: Namespace) -> Trace:
    limits = TraceLimits(skip_bad=count("--skip-bad", options.skip_bad, least=0))
    return Trace(Path(options.trace), options.format or "", limits)


def watched(trace: Trace, limit: str | None, what: str) -> Generator[Record, None, None]:
    """The records of *trace*, with a progress bar titled *what* on a terminal."""
    if limit is not None:
        most = count("--limit", limit)
        yield from tqdm(islice(trace, most), what, most, leave=False, disable=None, bar_format=SHAPE)
        return
    with tqdm(desc=what, total=whole_size(trace.path), leave=False, disable=None, bar_format=SHAPE) as bar:
        yield from followed(trace, bar.update)


def passed_over(trace: Trace) -> list[str]:
    """A line about the bad lines of *trace*, if there were any."""
    bad, first = trace.faults.bad, trace.faults.kept[:1]
    return [f"{bad:,} bad lines passed over, the first: {first[0]}"] if bad else []
