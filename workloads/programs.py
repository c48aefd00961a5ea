"""Describes a program as data: its segments in memory and, for each input of a user, the acts that it performs.

Nothing here depends on a machine: the software of each machine performs the acts in its own way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from random import Random

from spindle.sim.streams import Constant, Distribution


class Intrinsic(Enum):
    """The calls of IMAGE, HP's data base, that programs make."""

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
    """An act that takes CPU *time*, in seconds on a machine of 1.0 MIPS."""

    time: Distribution


@dataclass(frozen=True)
class DataBaseCalls:
    """An act of *times* calls of one intrinsic (procedure) of the data base on one data set (a file of it)."""

    intrinsic: Intrinsic
    data_set: str
    times: Distribution = Constant(1)


@dataclass(frozen=True)
class ReadFile:
    """An act that reads *times* records of *record* bytes from a file: from where the session left it, or at random."""

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
    """*characters* to the terminal; the first one ends the response time.

    *says* are texts that a script may look for, and the percents of replies that have them.
    """

    characters: int
    says: tuple[tuple[str, float], ...] = ()

    def draw(self, random: Random) -> Iterator[str]:
        """Yield the text of one reply, if it has one."""
        mark = 0.0 if not self.says or self.says[0][1] >= 100.0 else random.random() * 100.0
        for text, percent in self.says:
            mark -= percent
            if mark < 0.0:
                yield text
                return


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
    """Enters *subsystem* for the acts that follow: an editor, a compiler, the user's own program."""

    subsystem: Subsystem


Act = Compute | DataBaseCalls | ReadFile | WriteFile | KeyedFile | Reply | Enter


@dataclass(frozen=True)
class Program:
    """A program: *code_segments* of *segment_bytes* shared by its sessions; a stack and extra data for each session.

    *starting* is performed by RUN; *answers* maps the first word that a user may type to its work.
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
        """Return the subsystem in which every answer begins."""
        return Subsystem(self.name, self.code_segments, self.segment_bytes, self.work_segments, self.work_bytes)

    def acts(self) -> Iterator[Act]:
        """Yield every act that the program may perform."""
        yield from self.starting
        for acts in self.answers.values():
            yield from acts

    def texts(self) -> list[str]:
        """Return every text that a reply of the program may have, once."""
        return list(dict.fromkeys(text for act in self.acts() if isinstance(act, Reply) for text, _ in act.says))


@dataclass(frozen=True)
class Answer:
    """The argument of a script's Call to a machine's software: *acts* to perform as a session of *program*."""

    program: Program
    acts: tuple[Act, ...]
