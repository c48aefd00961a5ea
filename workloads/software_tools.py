"""Makes the commands of Software Tools users (Jacobson's load): tools in a row, joined by temporary files.

Software Tools are Unix-like commands, after the book of Kernighan and Plauger. Jacobson 1982, 1 and 3.2: every tool
reads its arguments (:AR) and its variables (:VA), pipes are short temporary files, and the mix of tools is not
published; the mix below is a guess.
"""

from dataclasses import dataclass

from spindle.sim.error import UserError
from spindle.sim.script import Call, Choose, Loop, Script, Step, Think, Type
from spindle.sim.streams import Exponential, Uniform


@dataclass(frozen=True)
class Tool:
    """A program; *work* is its CPU time as a multiple of a usual tool's."""

    name: str
    work: float = 1.0


@dataclass(frozen=True)
class Pipeline:
    """A command of *tools* in a row: the first reads *inputs* files on average, the last prints *characters*.

    With *entries* the last prints a line for each of as many logged-on users, and reads their :AR and :VA for it;
    with an *output* it writes a file as well.
    """

    tools: tuple[Tool, ...]
    inputs: float
    characters: int
    output: bool = False
    entries: int = 0

    @property
    def name(self) -> str:
        return " | ".join(tool.name for tool in self.tools)


LIST = Pipeline((Tool("ls", 0.5),), inputs=0.0, characters=300)
WHO = Pipeline((Tool("who", 0.5),), inputs=0.0, characters=0, entries=20)
TYPE = Pipeline((Tool("cat", 0.5),), inputs=2.0, characters=600)
FIND = Pipeline((Tool("find"),), inputs=5.0, characters=200)
SORT = Pipeline((Tool("cat", 0.5), Tool("sort", 2.0)), inputs=3.0, characters=300)
WORD_LIST = Pipeline((Tool("translit"), Tool("sort", 2.0), Tool("uniq")), inputs=3.0, characters=200)
EDIT = Pipeline((Tool("ed"),), inputs=2.0, characters=80, output=True)
FORMAT = Pipeline((Tool("format", 3.0), Tool("print")), inputs=4.0, characters=400)
COMPILE = Pipeline((Tool("ratfor", 3.0), Tool("fc", 3.0)), inputs=4.0, characters=120, output=True)

Mix = tuple[tuple[float, Pipeline], ...]
MIX: Mix = (
    (10.0, LIST), (5.0, WHO), (15.0, TYPE), (10.0, FIND), (20.0, SORT), (10.0, WORD_LIST), (15.0, EDIT), (5.0, FORMAT),
    (10.0, COMPILE),
)
"""Each command with its weight."""
SHELL_TOOLS = {"ls": LIST, "who": WHO, "cat": TYPE, "find": FIND, "sort": SORT, "words": WORD_LIST, "ed": EDIT,
            "format": FORMAT, "compile": COMPILE}  # fmt: skip
"""Commands by the names of a mix."""
CHARACTERS = 18
"""Characters of a usual command line."""
MAX_USERS = 1000


def users(
    count: int, think: float, mix: Mix = MIX, characters: int = CHARACTERS
) -> Script:
    """Script *count* users who think *think* seconds on the average before they type each command of *mix*."""
    if not 1 <= count <= MAX_USERS:
        raise UserError(f"users must be between 1 and {MAX_USERS}, not {count!r}")
    branches = tuple((Type(characters), Call(command, command.name)) for _, command in mix)
    command = Choose(tuple(weight for weight, _ in mix), branches)
    steps: tuple[Step, ...] = (Loop((Think(Exponential(think)), command)),)
    return Script("user", steps, terminals=count, start=Uniform(0.0, think))
