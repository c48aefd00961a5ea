"""The software of an HP3000: it performs the acts of a program for a session, in the session's segments."""

from collections.abc import Callable, Mapping
from typing import Any

from models.hp3000.image.data_base import DataBase
from models.hp3000.memory.segments import SegmentManager
from models.hp3000.parameters import MpeParameters
from models.hp3000.software.loader import Loader
from models.hp3000.software.session_work import SessionWork, SubsystemPlace
from sim.account import CPU, LINE, Account
from sim.clock import Wait, pause
from sim.machine import Machine
from sim.streams import Distribution
from sim.terminal import Session
from workloads.programs.program import (
    Act,
    Answer,
    Compute,
    Enter,
    KeyedFile,
    Program,
    ReadFile,
    Reply,
    WriteFile,
)
from workloads.programs.program import DataBaseCalls as DataBaseCall


class MpeSoftware:
    """Performs answers of programs. *costs* are the parameters with their CPU times on this machine.

    MPE dispatches sessions in its circular subqueue. What is taken from it here is that a process that has used
    up a quantum goes on as less urgent, a quantum at a time in turn with others like it, until it has computed
    what it had to; it is as urgent as at first when it has waited. The exact rule of MPE is not published here.

    The CPU time of an answer's terminal messages, and of dispatching the process, is spent where it first computes.
    """

    def __init__(
        self, machine: Machine, segments: SegmentManager, loader: Loader, data_base: DataBase,
        costs: MpeParameters, level: int,
    ) -> None:
        self._machine = machine
        self._need = segments.need
        self._loader = loader
        self._data_base = data_base
        self._costs = costs
        self._level = level
        self._performing: Mapping[type[Act], Callable[[Any, Session, SubsystemPlace], Wait]] = {
            DataBaseCall: self._call, Compute: self._compute, ReadFile: self._read, WriteFile: self._write,
            KeyedFile: self._keyed, Reply: self._reply,
        }  # fmt: skip

    def prepare(self, program: Program, session: Session) -> None:
        """Give *session* all that it needs to run *program*, before the first log-on."""
        session.state = self._loader.prepare(program, session.name, session.state)
        if any(isinstance(act, DataBaseCall) for act in program.acts()):
            self._data_base.open(session.name)

    def perform(self, answer: object, session: Session) -> Wait:
        """All acts of *answer*, each in a code segment of its program or of the subsystem that it entered."""
        assert isinstance(answer, Answer)
        work, account, costs = session.state, session.account, self._costs
        assert isinstance(work, SessionWork)
        if costs.terminal_delay:
            yield from self._delay(costs.terminal_delay, account)
        work.owed += costs.dispatch + costs.terminal_message
        work.standing.begin()
        place = work.places[answer.program.name]
        for act in answer.acts:
            if type(act) is Enter:
                place = work.places[act.subsystem.name]
                continue
            absent = self._need(place.step(), account)
            if absent is not None:
                yield from absent
            yield from self._performing[type(act)](act, session, place)

    def _delay(self, seconds: float, account: Account) -> Wait:
        began = self._machine.env.now
        yield pause(self._machine.env, seconds)
        account.charge(LINE, began, self._machine.env.now)

    def _call(self, call: DataBaseCall, session: Session, place: SubsystemPlace) -> Wait:
        random, standing = session.random, session.state.standing
        count = int(call.times.draw(random) * self._costs.calls_scale + random.random())
        return self._data_base.call(call.intrinsic, call.data_set, count, standing, random, session.account)

    def _reply(self, reply: Reply, session: Session, place: SubsystemPlace) -> Wait:
        session.state.owed += self._costs.terminal_message
        return session.reply(reply.characters)

    def _records(self, times: Distribution, session: Session) -> int:
        return max(1, round(times.draw(session.random) * self._costs.records_scale))

    def _compute(self, compute: Compute, session: Session, place: SubsystemPlace) -> Wait:
        """Compute, a quantum at a time, each in another code segment."""
        work, level, quantum = session.state, self._level, self._costs.slice
        seconds, work.owed = self._costs.cpu(compute.time.draw(session.random)) + work.owed, 0.0
        while seconds > 0.0:
            yield self._machine.cpu.burst(min(seconds, quantum), level, CPU, session.account)
            seconds -= quantum
            level = self._level + 1
            if seconds > 0.0:
                absent = self._need(place.step(), session.account)
                if absent is not None:
                    yield from absent

    def _read(self, read: ReadFile, session: Session, place: SubsystemPlace) -> Wait:
        """So many records; for each block, the file's buffers and the next code segment are needed."""
        work, account = session.state, session.account
        file, count = work.files[read.file, read.sequential], self._records(read.times, session)
        for block in file.following(count) if read.sequential else file.nearby(count, self._costs.near, session.random):
            if not file.buffers.have(block):
                absent = self._need(place.step() + file.segments, account)
                if absent is not None:
                    yield from absent
                yield from file.read(self._machine, block, account)

    def _write(self, write: WriteFile, session: Session, place: SubsystemPlace) -> Wait:
        """So many new records, block by block as they fill; or in place of others, whose blocks are read before."""
        work, account = session.state, session.account
        file, count = work.files[write.file, write.sequential], self._records(write.times, session)
        for block in file.filled(count) if write.sequential else file.nearby(count, self._costs.near, session.random):
            absent = self._need(place.step() + file.segments, account)
            if absent is not None:
                yield from absent
            if not file.buffers.have(block) and not write.sequential:
                yield from file.read(self._machine, block, account)
            yield from file.write(self._machine, block, account)

    def _keyed(self, keyed: KeyedFile, session: Session, place: SubsystemPlace) -> Wait:
        file = session.state.keyed[keyed.file]
        for _ in range(max(1, round(keyed.times.draw(session.random)))):
            absent = self._need(file.segments, session.account)
            if absent is not None:
                yield from absent
            yield from file.find(self._machine, self._costs.near, session.random, session.account)
