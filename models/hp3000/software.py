"""Models the software of an HP3000: sessions, a loader, and the acts of the programs that sessions run.

The loader gives sessions memory segments and files. Acts compute, call the data base, use files, and reply.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spindle.models.hp3000.data_sets import Positions
from spindle.models.hp3000.discs import Volumes
from spindle.models.hp3000.files import KEY_BLOCK_BYTES, Buffers, KsamFile, RecordFile
from spindle.models.hp3000.files import size as ksam_size
from spindle.models.hp3000.image import DataBase
from spindle.models.hp3000.load_sheets import Uses, file_size, uses_of
from spindle.models.hp3000.memory import MpeSegment, SegmentManager
from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.clock import CPU, LINE, Account, Wait, pause
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.request import Hint
from spindle.sim.streams import Distribution
from spindle.sim.terminal import Session
from spindle.workloads import programs
from spindle.workloads.programs import DataBaseCalls as DataBaseCall

# State of a session: its segments, its open files, and its positions in the data base.

class SubsystemPlace:
    """A session's place in a subsystem, such as a compiler: its *code* segments, *stack*, and *work* data segments."""

    def __init__(self, stack: MpeSegment, code: Sequence[MpeSegment], work: Sequence[MpeSegment]) -> None:
        self._needs = [(stack, segment, *work) for segment in code]
        self._step = 0

    def step(self) -> tuple[MpeSegment, ...]:
        """Move to the next code segment; return the segments that a process needs there."""
        self._step = step = (self._step + 1) % len(self._needs)
        return self._needs[step]


class SessionWork:
    """The state of a session: its *stack*, its *programs*, its *places* by subsystem, and its open files by name.

    It also has its *positions* in the data base, and *owed*: CPU seconds that its next computing takes in addition.
    """

    def __init__(self, stack: MpeSegment) -> None:
        self.stack = stack
        self.programs: list[programs.Program] = []
        self.places: dict[str, SubsystemPlace] = {}
        self.files: dict[tuple[str, bool], RecordFile] = {}
        self.keyed: dict[str, KsamFile] = {}
        self.positions = Positions()
        self.owed = 0.0


# The loader: builds the segments and files that programs need, and gives each session its own before it logs on.

class Loader:
    """Loads programs: gives sessions their memory segments, from *segments*, and their files, on *volumes*."""

    def __init__(self, segments: SegmentManager, volumes: Volumes, parameters: MpeParameters) -> None:
        self._segments = segments
        self._volumes = volumes
        self._parameters = parameters
        self._code: dict[str, list[MpeSegment]] = {}
        self._own: dict[tuple[str, str], File] = {}
        self._shared: dict[str, File] = {}

    def prepare(self, program: programs.Program, name: str, work: SessionWork | None) -> SessionWork:
        """Prepare session *name* to run *program*, and add the segments and files that it lacks."""
        if work is None:
            work = SessionWork(self._segments.stack(name, self._bytes(program.stack_bytes)))
        work.programs.append(program)
        self._enter(program.main, name, work)
        uses = uses_of(program.acts())
        for act in program.acts():
            self._open(act, name, work, uses)
        return work

    def _open(self, act: programs.Act, name: str, work: SessionWork, uses: Uses) -> None:
        match act:
            case programs.Enter(subsystem):
                self._enter(subsystem, name, work)
            case programs.ReadFile(file, record, _, sequential) | programs.WriteFile(file, record, _, sequential):
                if (file, sequential) not in work.files:
                    size = file_size(self._parameters.file_bytes, uses[file])
                    work.files[file, sequential] = self._records(file, size, record, sequential, name)
            case programs.KeyedFile(file):
                if file not in work.keyed:
                    work.keyed[file] = self._open_keyed(file, name)

    def _enter(self, subsystem: programs.Subsystem, name: str, work: SessionWork) -> None:
        if subsystem.name in work.places:
            return
        owner = subsystem.name if subsystem.shared else f"{subsystem.name} of {name}"
        if owner not in self._code:
            self._code[owner] = self._segments.code(
                owner, subsystem.code_segments, self._bytes(subsystem.segment_bytes), "" if subsystem.shared else name
            )
        size = self._bytes(subsystem.work_bytes)
        extra = [
            self._segments.data(f"{subsystem.name} data {number} of {name}", size, name)
            for number in range(subsystem.work_segments)
        ]
        work.places[subsystem.name] = SubsystemPlace(work.stack, self._code[owner], extra)

    def _bytes(self, size: int) -> int:
        return max(1, round(size * self._parameters.program_scale))

    def _records(self, file: str, bytes_: int, record: int, sequential: bool, name: str) -> RecordFile:
        if (name, file) not in self._own:
            self._own[name, file] = self._volumes.build(f"{file} of {name}", bytes_)
        parameters = self._parameters
        opened = OpenFile(self._own[name, file], Hint.SEQUENTIAL if sequential else Hint.RANDOM)
        size = parameters.file_buffers * record * parameters.block_records
        segment = self._segments.data(f"buffers of {file} of {name}", size, name)
        return RecordFile(opened, record, parameters.block_records, Buffers(parameters.file_buffers), segment)

    def _open_keyed(self, file: str, name: str) -> KsamFile:
        buffers, records = self._parameters.key_buffers, self._parameters.keyed_records
        if file not in self._shared:
            self._shared[file] = self._volumes.build(file, ksam_size(records))
        segment = self._segments.data(f"key buffers of {file} of {name}", buffers * KEY_BLOCK_BYTES, name)
        return KsamFile(OpenFile(self._shared[file], Hint.RANDOM), records, Buffers(buffers), segment)


class MpeSoftware:
    """Carries out the answers of programs. *costs* are the parameters with their CPU times on this machine.

    MPE dispatches sessions in its circular subqueue. Of that, this is modelled: a process that has used up a quantum
    goes on as less urgent, a quantum at a time in turn with others like it, until it has finished computing; after a
    wait it is as urgent as at first. The exact rule of MPE is not published here.

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
        self._performing: Mapping[type[programs.Act], Callable[[Any, Session, SubsystemPlace], Wait]] = {
            DataBaseCall: self._call, programs.Compute: self._compute, programs.ReadFile: self._read,
            programs.WriteFile: self._write, programs.KeyedFile: self._find_keyed, programs.Reply: self._reply,
        }  # fmt: skip

    def prepare(self, program: programs.Program, session: Session) -> None:
        """Give *session* all that it needs to run *program*, before the first log-on."""
        if session.state is not None and program in session.state.programs:
            return
        session.state = self._loader.prepare(program, session.name, session.state)
        if any(isinstance(act, DataBaseCall) for act in program.acts()):
            self._data_base.open(session.name)

    def perform(self, answer: object, session: Session) -> Iterator[Wait]:
        """Carry out all acts of *answer*, each in a code segment of its program or of the subsystem that it entered."""
        assert isinstance(answer, programs.Answer)
        work, account, costs = session.state, session.account, self._costs
        assert isinstance(work, SessionWork)
        if costs.terminal_delay:
            yield self._delay(costs.terminal_delay, account)
        work.owed += costs.dispatch + costs.terminal_message
        work.positions.begin()
        place = work.places[answer.program.name]
        for act in answer.acts:
            if type(act) is programs.Enter:
                place = work.places[act.subsystem.name]
                continue
            absent = self._need(place.step(), account)
            if absent is not None:
                yield absent
            yield self._performing[type(act)](act, session, place)

    def _delay(self, seconds: float, account: Account) -> Wait:
        began = self._machine.env.now
        yield pause(self._machine.env, seconds)
        account.charge(LINE, began, self._machine.env.now)

    def _call(self, call: DataBaseCall, session: Session, place: SubsystemPlace) -> Wait:
        random, positions = session.random, session.state.positions
        count = int(call.times.draw(random) * self._costs.calls_scale + random.random())
        return self._data_base.call(call.intrinsic, call.data_set, count, positions, random, session.account)

    def _reply(self, reply: programs.Reply, session: Session, place: SubsystemPlace) -> Wait:
        session.state.owed += self._costs.terminal_message
        session.said.extend(reply.draw(session.random))
        return session.reply(reply.characters)

    def _records(self, times: Distribution, session: Session) -> int:
        return max(1, round(times.draw(session.random) * self._costs.records_scale))

    def _compute(self, compute: programs.Compute, session: Session, place: SubsystemPlace) -> Wait:
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

    def _read(self, read: programs.ReadFile, session: Session, place: SubsystemPlace) -> Wait:
        """Read records; for each block, the file's buffers and the next code segment are needed."""
        work, account = session.state, session.account
        file, count = work.files[read.file, read.sequential], self._records(read.times, session)
        for block in file.following(count) if read.sequential else file.nearby(count, self._costs.near, session.random):
            if not file.buffers.have(block):
                absent = self._need(place.step() + file.segments, account)
                if absent is not None:
                    yield from absent
                yield from file.read(self._machine, block, account)

    def _write(self, write: programs.WriteFile, session: Session, place: SubsystemPlace) -> Wait:
        """Write new records, block by block as they fill; or change others, whose blocks are read before."""
        work, account = session.state, session.account
        file, count = work.files[write.file, write.sequential], self._records(write.times, session)
        near = self._costs.near
        for block in file.complete_blocks(count) if write.sequential else file.nearby(count, near, session.random):
            absent = self._need(place.step() + file.segments, account)
            if absent is not None:
                yield from absent
            if not file.buffers.have(block) and not write.sequential:
                yield from file.read(self._machine, block, account)
            yield from file.write(self._machine, block, account)

    def _find_keyed(self, keyed: programs.KeyedFile, session: Session, place: SubsystemPlace) -> Wait:
        file = session.state.keyed[keyed.file]
        for _ in range(max(1, round(keyed.times.draw(session.random)))):
            absent = self._need(file.segments, session.account)
            if absent is not None:
                yield from absent
            yield from file.find(self._machine, self._costs.near, session.random, session.account)
