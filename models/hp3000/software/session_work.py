"""What the software keeps for a session: its segments, the files it has open, and where it stands in the data base."""

from collections.abc import Sequence

from models.hp3000.files.ksam import KsamFile
from models.hp3000.files.record_file import RecordFile
from models.hp3000.image.data_set import Standing
from models.hp3000.memory.segments import MpeSegment


class SubsystemPlace:
    """A subsystem as a session works in it: *code* segment by segment, with *stack* and *work* extra data segments."""

    def __init__(self, stack: MpeSegment, code: Sequence[MpeSegment], work: Sequence[MpeSegment]) -> None:
        self._needs = [(stack, segment, *work) for segment in code]
        self._step = 0

    def step(self) -> tuple[MpeSegment, ...]:
        """On to the next code segment: what a process needs there."""
        self._step = step = (self._step + 1) % len(self._needs)
        return self._needs[step]


class SessionWork:
    """A session's *stack*, its *places* by subsystem, its open files by name, and its *standing*."""

    def __init__(self, stack: MpeSegment) -> None:
        self.stack = stack
        self.places: dict[str, SubsystemPlace] = {}
        self.files: dict[tuple[str, bool], RecordFile] = {}
        self.keyed: dict[str, KsamFile] = {}
        self.standing = Standing()
        self.owed = 0.0
