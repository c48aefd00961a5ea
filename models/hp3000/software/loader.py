"""The loader: builds the segments and files that programs need, and gives each session its own before it logs on."""

from models.hp3000.discs.volumes import Volumes
from models.hp3000.files.buffers import Buffers
from models.hp3000.files.ksam import KEY_BLOCK, KsamFile
from models.hp3000.files.ksam import size as ksam_size
from models.hp3000.files.record_file import RecordFile
from models.hp3000.memory.segments import MpeSegment, SegmentManager
from models.hp3000.parameters import MpeParameters
from models.hp3000.software.session_work import SessionWork, SubsystemPlace
from sim.file import File, OpenFile
from sim.request import Hint
from workloads.programs.program import Act, Enter, KeyedFile, Program, ReadFile, Subsystem, WriteFile


class Loader:
    """Gives sessions what they need of *segments* and *volumes*."""

    def __init__(self, segments: SegmentManager, volumes: Volumes, parameters: MpeParameters) -> None:
        self._segments = segments
        self._volumes = volumes
        self._parameters = parameters
        self._code: dict[str, list[MpeSegment]] = {}
        self._own: dict[tuple[str, str], File] = {}
        self._shared: dict[str, File] = {}

    def prepare(self, program: Program, name: str, work: SessionWork | None) -> SessionWork:
        """What session *name* needs to run *program*, beside what it has."""
        if work is None:
            work = SessionWork(self._segments.stack(name, self._bytes(program.stack_bytes)))
        self._enter(program.main, name, work)
        for act in program.acts():
            self._open(act, name, work)
        return work

    def _open(self, act: Act, name: str, work: SessionWork) -> None:
        match act:
            case Enter(subsystem):
                self._enter(subsystem, name, work)
            case ReadFile(file, record, _, sequential) | WriteFile(file, record, _, sequential):
                if (file, sequential) not in work.files:
                    work.files[file, sequential] = self._records(file, record, sequential, name)
            case KeyedFile(file):
                if file not in work.keyed:
                    work.keyed[file] = self._keyed(file, name)

    def _enter(self, subsystem: Subsystem, name: str, work: SessionWork) -> None:
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

    def _records(self, file: str, record: int, sequential: bool, name: str) -> RecordFile:
        if (name, file) not in self._own:
            self._own[name, file] = self._volumes.build(f"{file} of {name}", self._parameters.file_bytes)
        parameters = self._parameters
        opened = OpenFile(self._own[name, file], Hint.SEQUENTIAL if sequential else Hint.RANDOM)
        size = parameters.file_buffers * record * parameters.block_records
        segment = self._segments.data(f"buffers of {file} of {name}", size, name)
        return RecordFile(opened, record, parameters.block_records, Buffers(parameters.file_buffers), segment)

    def _keyed(self, file: str, name: str) -> KsamFile:
        buffers, records = self._parameters.key_buffers, self._parameters.keyed_records
        if file not in self._shared:
            self._shared[file] = self._volumes.build(file, ksam_size(records))
        segment = self._segments.data(f"key buffers of {file} of {name}", buffers * KEY_BLOCK, name)
        return KsamFile(OpenFile(self._shared[file], Hint.RANDOM), records, Buffers(buffers), segment)
