"""Programs of the HP 3000's users as data: the acts that the machine's software performs for each answer of a user; and
the catalogue of five: ORDERS, COBOL, FORTRAN, BASIC, and MPE itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from random import Random

from spindle.sim.streams import Constant, Distribution, Exponential, Uniform
from spindle.sim.units import KIB, MS

# A program as data: its segments in memory and, for each answer that a user may give, the acts that it performs.
#
# Nothing here depends on a machine, whose software performs the acts in its own way.

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
    """*characters* to the terminal; the first one ends the response time.

    *says* are texts that a script may look for, and the percents of replies that have them.
    """

    characters: int
    says: tuple[tuple[str, float], ...] = ()

    def draw(self, random: Random) -> Iterator[str]:
        """Yield the text of one reply, if it has one."""
        mark = random.random() * 100.0 if len(self.says) > 1 else 0.0
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


# COBOL, FORTRAN and BASIC development sessions: edit, compile, test.
#
# McBride & Boles (1983) name the three languages and what their programmers do; all numbers are assumed, so
# that 38 such sessions take about 35 disc accesses a second and leave the CPU half idle. A session moves between
# an editor that all share, its language's compiler, and a program of its own, so that its working set is largest
# while it compiles.

_RECORD = 80
_SEGMENT = 14 * KIB
_EDITOR = Subsystem("EDITOR", 6, _SEGMENT, work_segments=1, work_bytes=4 * KIB)


def _development(name: str, compile_cpu: float, code_segments: int) -> Program:
    """Build a language's development session: compilers differ in size and in the CPU time of a compilation."""
    compiler = Subsystem(f"{name} compiler", code_segments, _SEGMENT, work_segments=1, work_bytes=12 * KIB)
    own = Subsystem(f"{name} test", 2, 4 * KIB, shared=False)
    return Program(
        name=name,
        code_segments=2,
        segment_bytes=_SEGMENT,
        stack_bytes=20 * KIB,
        starting=(Compute(Constant(80 * MS)), ReadFile("SOURCE", _RECORD, Constant(20)), Reply(60)),
        answers={
            "EDIT": (
                Enter(_EDITOR),
                Compute(Exponential(15 * MS)),
                ReadFile("SOURCE", _RECORD, Uniform(1, 4), sequential=False),
                WriteFile("WORK", _RECORD, Constant(1), sequential=False),
                Reply(80),
            ),
            "COMPILE": (
                Compute(Constant(50 * MS)),
                Reply(40),
                Enter(compiler),
                ReadFile("SOURCE", _RECORD, Uniform(900, 1700)),
                Compute(Exponential(compile_cpu)),
                WriteFile("OBJECT", 128, Uniform(300, 700)),
                Reply(120),
            ),
            "TEST": (
                Enter(own),
                Compute(Exponential(60 * MS)),
                ReadFile("TESTDATA", 128, Uniform(900, 1800)),
                Reply(200),
            ),
        },
    )


COBOL = _development("COBOL", 800 * MS, 14)
FORTRAN = _development("FORTRAN", 600 * MS, 10)
BASIC = _development("BASIC", 300 * MS, 8)


# ORDERS: order entry against an IMAGE data base with 56 data sets and a couple of KSAM files.
#
# McBride & Boles (1983) give the data sets and the kinds of file; how many calls an answer takes and what it
# computes is assumed: about thirteen calls an answer, six of them without a block, and a CPU that is less than
# half busy with 63 clerks.

_FORM = Reply(400)

ORDERS = Program(
    name="ORDERS",
    code_segments=8,
    segment_bytes=12 * KIB,
    stack_bytes=16 * KIB,
    starting=(Compute(Constant(60 * MS)), DataBaseCalls(Intrinsic.GET_KEYED, "CONTROL"), _FORM),
    answers={
        "FIND": (
            Compute(Exponential(15 * MS)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(6)),
            DataBaseCalls(Intrinsic.GET_KEYED, "CUSTOMER"),
            DataBaseCalls(Intrinsic.FIND, "ORDER"),
            DataBaseCalls(Intrinsic.GET_CHAINED, "ORDER", Uniform(1, 8)),
            _FORM,
        ),
        "STOCK": (
            Compute(Exponential(10 * MS)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(6)),
            DataBaseCalls(Intrinsic.GET_KEYED, "PART"),
            DataBaseCalls(Intrinsic.GET_CHAINED, "STOCK", Uniform(1, 5)),
            KeyedFile("PRICES"),
            _FORM,
        ),
        "ORDER": (
            Compute(Exponential(25 * MS)),
            DataBaseCalls(Intrinsic.GET_KEYED, "CUSTOMER"),
            DataBaseCalls(Intrinsic.GET_KEYED, "PART", Uniform(1, 4)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(10)),
            DataBaseCalls(Intrinsic.UPDATE, "STOCK", Constant(1)),
            DataBaseCalls(Intrinsic.PUT, "ORDER"),
            _FORM,
        ),
        "LIST": (
            Compute(Exponential(20 * MS)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(6)),
            DataBaseCalls(Intrinsic.GET_SERIAL, "INVOICE", Uniform(5, 25)),
            Reply(1200),
        ),
    },
)


# MPE: the command interpreter, which answers a line that begins with a colon.
#
# The commands are those of MPE; what each computes and looks up in the system's directory is assumed. HELLO is a
# tenth of a second of CPU, some look-ups of user, group and account, and the message of the day.

_DIRECTORY = "DIRECTORY"


def _command(cpu: float, look_ups: int, reply: int) -> tuple[Act, ...]:
    return Compute(Exponential(cpu)), KeyedFile(_DIRECTORY, Constant(look_ups)), Reply(reply, ((":", 100.0),))


MPE = Program(
    name="MPE",
    code_segments=4,
    segment_bytes=8 * KIB,
    stack_bytes=8 * KIB,
    starting=(Reply(1, ((":", 100.0),)),),
    answers={
        "HELLO": _command(100 * MS, 4, 300), "BYE": _command(60 * MS, 1, 120), "SHOWTIME": _command(5 * MS, 1, 40),
        "SHOWJOB": _command(30 * MS, 1, 600), "LISTF": _command(40 * MS, 6, 500), "FILE": _command(5 * MS, 1, 1),
        "BUILD": _command(40 * MS, 3, 1), "PURGE": _command(30 * MS, 3, 1), "RENAME": _command(30 * MS, 4, 1),
        "STREAM": _command(80 * MS, 4, 20), "REPORT": _command(60 * MS, 8, 400), "SETMSG": _command(5 * MS, 1, 1),
    },
)  # fmt: skip


CATALOGUE: Mapping[str, Program] = {program.name: program for program in (ORDERS, COBOL, FORTRAN, BASIC, MPE)}
