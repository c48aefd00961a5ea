"""Scripts of terminals as data: the steps Think, Type, Call, Loop and Choose, and scripts made of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum, inf
from random import Random

from spindle.sim.streams import Constant, Distribution


@dataclass(frozen=True)
class Think:
    """The user thinks.

    >>> Think(Exponential(5.0)).time.mean
    5.0
    """

    time: Distribution


@dataclass(frozen=True)
class Type:
    """The user types *characters* at the script's typing speed.

    >>> Type(80).characters
    80
    """

    characters: int


@dataclass(frozen=True)
class Call:
    """The user presses RETURN: the typed characters go down the line, *program* runs, and its reply is read.

    *program* is performed by the machine's software; *name* is the name of its responses in a result.

    >>> Call(program=None, name="inquiry").name
    'inquiry'
    """

    program: object
    name: str


@dataclass(frozen=True)
class Loop:
    """*steps* over and over: *times* times, or until the script stops where that is None.

    >>> Loop((Think(Constant(5.0)), Type(10)), times=3).times
    3
    """

    steps: tuple["Step", ...]
    times: int | None = None


@dataclass(frozen=True)
class Choose:
    """One of *branches*, drawn anew each time that the user comes here; each as often as its weight in their sum.

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


Step = Think | Type | Call | Loop | Choose


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
            case Loop(inner, _):
                yield from calls(inner)
            case Choose(_, branches):
                for branch in branches:
                    yield from calls(branch)
