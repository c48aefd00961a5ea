"""The rebuild of a drive that failed: md's recovery, unit by unit, which gives way to requests of the host."""

import simpy

from spindle.sim.clock import Account, Wait, pause
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.members import Gathering, Member
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Request, Span
from spindle.sim.units import KIB, MB

SLOWEST, FASTEST = 1 * MB, 200 * MB
"""Bytes a second of md's speed_limit_min and speed_limit_max: with requests of the host about, and without."""


def rebuild(
    raid: Raid, drive: int, spare: Member, slowest: float = SLOWEST, fastest: float = FASTEST, unit: int = 512 * KIB
) -> Wait:
    """Put *spare* in the place of number *drive*, which failed, and write on it what the others say; to be spawned.

    While requests of the host come it goes no faster than *slowest*, md's rule.
    """
    if not 0.0 < slowest <= fastest or unit < raid.kind.page:
        raise UserError(f"{raid.name}: a rebuild needs positive speeds and a unit of a page at least")
    raid.members.replace(drive, spare)
    account, first, capacity = Account("rebuild"), 0, raid.members.capacity
    while first < capacity:
        began, asked = raid.env.now, raid.issued
        span = Span(first, min(unit, capacity - first))
        yield _copy(raid, drive, span, account)
        first = span.end
        raid.members.rebuilt(drive, first)
        raid.rebuilt_bytes += span.length
        busy = raid.issued > asked or raid.completed < raid.issued
        rest = began + span.length / (slowest if busy else fastest) - raid.env.now
        if rest > 0.0:
            yield pause(raid.env, rest)


def _copy(raid: Raid, drive: int, span: Span, account: Account) -> simpy.Event:
    """Happens when *span* of *drive* has been computed from the others and written."""
    done = raid.env.event()

    def written(_: Request) -> None:
        done.succeed()

    def read(_: Request) -> None:
        raid.members.ask(drive, WRITE, span, account, written)

    wanted = raid.sources(drive, span)
    gathering = Gathering(len(wanted), read)
    for each, there in wanted:
        raid.members.ask(each, READ, there, account, gathering)
    return done
