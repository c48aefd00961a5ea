"""What the software keeps for a session: its segments, the files it has open, and where it stands in the data base."""

from collections.abc import Sequence

from models.hp3000.files.ksam import KsamFile
from models.hp3000.files.record_file import RecordFile
from models.hp3000.image.data_set import Standing
from models.hp3000.memory.segments import Segment


class Place:
    """A subsystem as a session works in it: *code* segment by segment, with *work* extra data segments."""

    def __init__(self, code: Sequence[Segment], work: Sequence[Segment]) -> None:
        self._code = code
        self._work = work
        self._step = 0

    def step(self, stack: Segment) -> tuple[Segment, ...]:
        """On to the next code segment: what a process needs there."""
        self._step = step = (self._step + 1) % len(self._code)
        return (stack, self._code[step], *self._work)


class Work:
    """A session's *stack*, its *places* by subsystem, its open files by name, and its *standing*."""

    def __init__(self, stack: Segment) -> None:
        self.stack = stack
        self.places: dict[str, Place] = {}
        self.files: dict[tuple[str, bool], RecordFile] = {}
        self.keyed: dict[str, KsamFile] = {}
        self.standing: Standing = {}
        self.owed = 0.0
