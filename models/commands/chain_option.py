"""The option ``--chains`` of commands that replay requests in an open loop."""

from collections.abc import Callable
from functools import partial

from models.commands.arguments import ArgumentParser
from models.commands.values import number
from sim.error import UserError, shown
from workloads.traces.replay.chains import Chained, Links
from workloads.traces.replay.hosts import Host

LONGEST = 10.0
"""Seconds. Who comes later than that after a read hardly waited for it."""


def add_option(parser: ArgumentParser) -> None:
    parser.add_argument("--chains", metavar="DELAY", help="a request that came within so long, such as 5ms, after a "
                        "read of its device was done follows it here too; needs measured times; default none does")


def chained(text: str) -> Callable[..., Host]:
    """The host of an open loop with chains of up to *text*, which is seconds unless it names its unit."""
    seconds = number("--chains", text, "s")
    if not 0.0 < seconds <= LONGEST:
        raise UserError(f"--chains must be more than 0 and at most {LONGEST:g} s, such as 5ms, not {shown(text)}")
    return partial(Chained, links=Links(seconds))
