"""Scripts of users at terminals, as data: steps such as Think, Type and Call, and tests that choose between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf
from random import Random
from typing import Protocol

from spindle.sim.streams import Constant, Distribution


@dataclass(frozen=True)
class Think:
    """A step: the user thinks for a *time*.

    >>> Think(Exponential(5.0)).time.mean
    5.0
    """

    time: Distribution


@dataclass(frozen=True)
class Type:
    """A step: the user types *characters* at the script's typing speed; *local* ones stay in the terminal until sent.

    >>> Type(80).characters
    80
    """

    characters: int
    local: bool = False


@dataclass(frozen=True)
class Call:
    """A step: the user presses RETURN, the typed characters are sent, *program* runs, and its reply is read.

    *program* is performed by the machine's software; *name* is the name of its responses in a result. *block* are the
    characters that a terminal sends with RETURN: those of a form in block mode, or of a function key.

    >>> Call(program=None, name="inquiry").name
    'inquiry'
    """

    program: object
    name: str
    block: int = 0


class Test(Protocol):
    """A condition on replies to the last inquiry, *said*, and on the terminal's own *counters*."""

    def holds(self, said: Sequence[str], counters: Mapping[str, int]) -> bool: ...


@dataclass(frozen=True)
class Said:
    """A test that is true if a reply to the last inquiry contains *text*.

    >>> Said("OUT").holds(["OUT OF STOCK"], {})
    True
    """

    text: str

    def holds(self, said: Sequence[str], counters: Mapping[str, int]) -> bool:
        return any(self.text in reply for reply in said)


@dataclass(frozen=True)
class Counted:
    """A test that is true once the terminal's counter *name* has reached *least*.

    >>> Counted("SALES", 2).holds([], {"SALES": 1})
    False
    """

    name: str
    least: int

    def holds(self, said: Sequence[str], counters: Mapping[str, int]) -> bool:
        return counters.get(self.name, 0) >= self.least


@dataclass(frozen=True)
class Count:
    """A step that adds one to the terminal's counter *name*, or sets it to 0 where *clear* is true."""

    name: str
    clear: bool = False


@dataclass(frozen=True)
class Expect:
    """A step that ends the run in error unless a reply to the last inquiry contains the text of *said*."""

    said: Said


@dataclass(frozen=True)
class If:
    """A choice: the user does *steps* where *test* is true at that time, else the steps *otherwise*.

    >>> If(Said("OUT OF STOCK"), (Type(10),)).otherwise
    ()
    """

    test: Test
    steps: tuple["Step", ...]
    otherwise: tuple["Step", ...] = ()


@dataclass(frozen=True)
class Deal:
    """A step that does the steps of one of *records*, which all terminals of the script take in turn, over and over.

    Where several steps take from one *pack*, a terminal gets no record of it twice before all have been taken.
    """

    pack: str
    records: tuple[tuple["Step", ...], ...]


@dataclass(frozen=True)
class Loop:
    """A loop of *steps*: *times* times, or *until* a test is true after a round, or until the script stops.

    >>> Loop((Think(Constant(5.0)), Type(10)), times=3).times
    3
    """

    steps: tuple["Step", ...]
    times: int | None = None
    until: Test | None = None


@dataclass(frozen=True)
class Choose:
    """A random choice of one of *branches*, drawn each time, with a probability in proportion to its weight.

    >>> Choose((3.0, 1.0), ((Think(Constant(1.0)),), (Type(80),))).weights
    (3.0, 1.0)
    """

    weights: tuple[float, ...]
    branches: tuple[tuple["Step", ...], ...]

    def __post_init__(self) -> None:
        if not self.branches or len(self.weights) != len(self.branches):
            raise ValueError(f"{len(self.weights)} weights do not fit {len(self.branches)} branches")
        if not all(0.0 < weight < inf for weight in self.weights):
            raise ValueError(f"weights must be positive and finite, not {self.weights!r}")

    def draw(self, random: Random) -> tuple["Step", ...]:
        mark = random.random() * fsum(self.weights)
        for weight, branch in zip(self.weights, self.branches, strict=True):
            mark -= weight
            if mark < 0.0:
                return branch
        return self.branches[-1]  # where rounding left nothing to the last


Step = Think | Type | Call | Loop | Choose | If | Deal | Count | Expect


@dataclass(frozen=True)
class Script:
    """A script for *terminals* users, who log on from *start* on, *stagger* seconds apart, and work until *stop*.

    *baud* is the line's speed in bits a second (ten bits a character), *typing* characters a second.

    >>> Script("clerks", (Think(Constant(5.0)), Type(10)), terminals=21).terminals
    21
    """

    name: str
    steps: tuple[Step, ...]
    terminals: int = 1
    baud: float = 9600.0
    typing: float = 4.0
    start: Distribution = Constant(0.0)
    stagger: float = 0.0
    stop: float = inf


def calls(steps: tuple[Step, ...]) -> Iterator[Call]:
    """Yield all calls that *steps* may make, each once for every place where it stands."""
    for step in steps:
        match step:
            case Call():
                yield step
            case Loop(inner):
                yield from calls(inner)
            case Choose(_, branches) | Deal(_, branches):
                for branch in branches:
                    yield from calls(branch)
            case If(_, held, otherwise):
                yield from calls(held)
                yield from calls(otherwise)
