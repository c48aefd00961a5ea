"""Simulates the tags of a drive whose cache is behind them: a command has one from its arrival to its answer."""

from functools import partial

import simpy

from spindle.sim.clock import Account, Ledger, Phase, happen
from spindle.sim.disc.drive import Drive, Scheduler
from spindle.sim.request import Access, Hint, Op, Request, Span, ledger_of
from spindle.traces.replay.storage import Ask


class Tags:
    """The *depth* tags: as many commands at a time go to *behind*; *host* queues the others and chooses the next.

    Commands complete out of order, as soon as each is done.
    """

    def __init__(self, env: simpy.Environment, behind: Ask, drive: Drive, host: Scheduler, depth: int) -> None:
        host.attach(drive.mechanism)
        self._env = env
        self._behind = behind
        self._drive = drive
        self._host = host
        self._free = depth
        self._account = Account("host")

    def __call__(self, op: Op, span: Span) -> Request:
        access = Access(op, span, span, None, Hint.NONE, False, self._account)
        request = Request(self._env, access, Ledger("host"))
        if self._free:
            self._pass_on(request)
        else:
            self._host.add(request)
        return request

    def _pass_on(self, request: Request) -> None:
        self._free -= 1
        now = self._env.now
        if now > request.submitted:
            ledger_of(request).charge(Phase.QUEUE, request.submitted, now)
        answer = self._behind(request.access.op, request.access.span)
        assert answer.callbacks is not None
        answer.callbacks.append(partial(self._finish, request))

    def _finish(self, request: Request, answer: Request) -> None:
        """Finish a command; one that waits in the host gets the tag before one submitted because of this answer."""
        ledger_of(request).charge_all(answer.pieces())
        self._free += 1
        if len(self._host):
            self._pass_on(self._host.take(self._drive.arm, self._env.now))
        happen(request)
