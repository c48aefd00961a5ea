"""The software of an HP3000: it performs the acts of a program for a session, in the session's segments."""

from collections.abc import Callable

from models.hp3000.image import DataBase, Standing
from models.hp3000.segments import Segment, SegmentManager
from models.hp3000.volumes import Volumes
from sim.account import Account, Part
from sim.clock import Wait
from sim.file import OpenFile
from sim.machine import Machine
from sim.request import Hint
from sim.streams import Distribution, pick
from sim.terminal import Session
from sim.units import KIB
from workloads.programs.program import (
    Act,
    Answer,
    Compute,
    KeyedFile,
    Program,
    ReadFile,
    Reply,
    WriteFile,
)
from workloads.programs.program import DataBase as DataBaseCall

FILE_BYTES = 192 * KIB
"""Every development session has files of its own; their size is assumed."""

KSAM_BYTES = 1024 * KIB
KSAM_KEY_BLOCK = 2048
"""KSAM key blocks of 1024 words (KSAM manual, app. B)."""

Transfer = Callable[[OpenFile, int, int, Account], Wait]


class Work:
    """What the software keeps for a session: its stack, its files by name, and where it stands in the data base."""

    def __init__(self, stack: Segment) -> None:
        self.stack = stack
        self.files: dict[str, OpenFile] = {}
        self.standing: Standing = {}


class Software:
    """Performs answers of programs.

    A process that has used up a *quantum* goes on at a less urgent level, a quantum at a time, as in
    MPE's circular subqueue; *level* is where an answer begins.
    """

    def __init__(
        self, machine: Machine, segments: SegmentManager, volumes: Volumes, data_base: DataBase, mips: float,
        block_records: int, quantum: float, level: int,
    ) -> None:
        self._machine = machine
        self._segments = segments
        self._volumes = volumes
        self._data_base = data_base
        self._speed = 1.0 / mips
        self._block_records = block_records
        self._quantum = quantum
        self._level = level
        self._code: dict[str, list[Segment]] = {}
        self._shared: dict[str, OpenFile] = {}

    def prepare(self, program: Program, session: Session) -> None:
        """Give *session* a stack and its files, and *program* its code segments, before anybody logs on."""
        if program.name not in self._code:
            self._code[program.name] = [
                self._segments.segment(f"{program.name} code {number}", program.segment_bytes, written=False)
                for number in range(program.code_segments)
            ]
        if session.state is None:
            stack = self._segments.segment(f"stack of {session.name}", program.stack_bytes, written=True)
            session.state = Work(stack)
        for acts in (program.starting, *program.answers.values()):
            for act in acts:
                self._open(act, session.state)

    def _open(self, act: Act, work: Work) -> None:
        if isinstance(act, ReadFile | WriteFile) and act.file not in work.files:
            file = self._volumes.build(act.file, FILE_BYTES)
            work.files[act.file] = OpenFile(file, Hint.SEQUENTIAL if act.sequential else Hint.RANDOM)
        elif isinstance(act, KeyedFile) and act.file not in self._shared:
            self._shared[act.file] = OpenFile(self._volumes.build(act.file, KSAM_BYTES), Hint.RANDOM)

    def perform(self, answer: object, session: Session) -> Wait:
        """All acts of *answer*, each in a code segment of its program."""
        assert isinstance(answer, Answer)
        assert isinstance(session.state, Work)
        need, account = self._segments.need, session.account
        code = self._code[answer.program.name]
        for number, act in enumerate(answer.acts):
            yield from need(session.state.stack, account)
            yield from need(code[number % len(code)], account)
            yield from self._act(act, session)

    def _act(self, act: Act, session: Session) -> Wait:
        match act:
            case Compute(time):
                return self._compute(time.draw(session.random) * self._speed, session.account)
            case DataBaseCall(intrinsic, data_set, times):
                count = _count(times, session)
                standing, random = session.state.standing, session.random
                return self._data_base.call(intrinsic, data_set, count, standing, random, session.account)
            case ReadFile(name, record, times, sequential):
                return self._records(session, name, record, _count(times, session), sequential, self._machine.read)
            case WriteFile(name, record, times, sequential):
                return self._records(session, name, record, _count(times, session), sequential, self._machine.write)
            case KeyedFile(name, times):
                return self._keyed(self._shared[name], _count(times, session), session)
            case Reply(characters):
                return session.reply(characters)

    def _compute(self, seconds: float, account: Account) -> Wait:
        level = self._level
        while seconds > 0.0:
            yield self._machine.cpu.burst(min(seconds, self._quantum), level, Part.CPU, account)
            seconds -= self._quantum
            level = self._level + 1

    def _records(
        self, session: Session, name: str, record: int, count: int, sequential: bool, transfer: Transfer
    ) -> Wait:
        """*count* records, blocked: the disc is asked for a block when a record lies in another one than the last."""
        file, account, blocked = session.state.files[name], session.account, self._block_records
        block = record * blocked
        records = file.file.size // block * blocked
        for _ in range(count):
            number = file.position % records if sequential else pick(session.random, records)
            file.position = number + 1
            if number % blocked == 0 or not sequential:
                yield from transfer(file, number // blocked * block, block, account)
                file.position = number + 1

    def _keyed(self, file: OpenFile, count: int, session: Session) -> Wait:
        """A leaf of the key tree, whose upper levels stay in KSAM's own buffers, and the record's block."""
        blocks = file.file.size // KSAM_KEY_BLOCK
        for _ in range(count):
            for _ in range(2):
                yield from self._machine.read(
                    file, pick(session.random, blocks) * KSAM_KEY_BLOCK, KSAM_KEY_BLOCK, session.account
                )


def _count(times: Distribution, session: Session) -> int:
    return max(1, round(times.draw(session.random)))
