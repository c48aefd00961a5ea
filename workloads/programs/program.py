"""A program as data: its segments in memory and, for each answer a user may give, the acts it performs.

Nothing here depends on a machine, whose software performs the acts in its own way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from sim.streams import Constant, Distribution


class Intrinsic(Enum):
    """The calls of the IMAGE data base that programs make."""

    FIND = "DBFIND"
    GET_CHAINED = "DBGET mode 5"
    GET_SERIAL = "DBGET mode 2"
    GET_DIRECTED = "DBGET mode 4"
    GET_KEYED = "DBGET mode 7"
    PUT = "DBPUT"
    UPDATE = "DBUPDATE"
    DELETE = "DBDELETE"
    CONTROL = "DBLOCK, DBUNLOCK, DBINFO, DBBEGIN, DBEND"


@dataclass(frozen=True)
class Compute:
    """CPU time on a machine of 1.0 MIPS, seconds."""

    time: Distribution


@dataclass(frozen=True)
class DataBaseCalls:
    """*times* calls of one data base intrinsic on one data set."""

    intrinsic: Intrinsic
    data_set: str
    times: Distribution = Constant(1)


@dataclass(frozen=True)
class ReadFile:
    """*times* records of *record* bytes read from a file: on from where the session left it, or at random."""

    file: str
    record: int
    times: Distribution = Constant(1)
    sequential: bool = True


@dataclass(frozen=True)
class WriteFile:
    """*times* records of *record* bytes written to a file: on from where the session left it, or at random."""

    file: str
    record: int
    times: Distribution = Constant(1)
    sequential: bool = True


@dataclass(frozen=True)
class KeyedFile:
    """*times* reads of a record by key in a KSAM file: key blocks, then the record."""

    file: str
    times: Distribution = Constant(1)


@dataclass(frozen=True)
class Reply:
    """*characters* to the terminal; the first one ends the response time."""

    characters: int


@dataclass(frozen=True)
class Subsystem:
    """Code segments, *shared* by all sessions or each session's own, and *work* extra data segments of a session."""

    name: str
    code_segments: int
    segment_bytes: int
    work_segments: int = 0
    work_bytes: int = 0
    shared: bool = True


@dataclass(frozen=True)
class Enter:
    """The acts after this one are done in *subsystem*: an editor, a compiler, the user's own program."""

    subsystem: Subsystem


Act = Compute | DataBaseCalls | ReadFile | WriteFile | KeyedFile | Reply | Enter


@dataclass(frozen=True)
class Program:
    """A program: *code_segments* of *segment_bytes* shared by its sessions; a stack and extra data for each session.

    *starting* is what RUN performs; *answers* maps the first word that a user may type to what it sets off.
    """

    name: str
    code_segments: int
    segment_bytes: int
    stack_bytes: int
    starting: tuple[Act, ...]
    answers: Mapping[str, tuple[Act, ...]]
    work_segments: int = 0
    work_bytes: int = 0

    @property
    def main(self) -> Subsystem:
        """Where every answer begins."""
        return Subsystem(self.name, self.code_segments, self.segment_bytes, self.work_segments, self.work_bytes)

    def acts(self) -> Iterator[Act]:
        """Everything that the program may do."""
        yield from self.starting
        for acts in self.answers.values():
            yield from acts


@dataclass(frozen=True)
class Answer:
    """The argument of a script's Call to a machine's software: *acts* to perform as a session of *program*."""

    program: Program
    acts: tuple[Act, ...]
