"""Users of Software Tools at terminals: they think, type a command, and wait for it to begin to answer."""

from sim.error import UserError
from sim.script import Call, Choose, Loop, Script, Step, Think, Type
from sim.streams import Exponential, Uniform
from workloads.software_tools.commands import MIX, Pipeline

CHARACTERS = 18
"""A usual command line."""
MOST_USERS = 1000


def users(
    count: int, think: float, mix: tuple[tuple[float, Pipeline], ...] = MIX, characters: int = CHARACTERS
) -> Script:
    """*count* users who think *think* seconds on the average before they type each command of *mix*."""
    if not 1 <= count <= MOST_USERS:
        raise UserError(f"users must be between 1 and {MOST_USERS}, not {count!r}")
    branches = tuple((Type(characters), Call(command, command.name)) for _, command in mix)
    command = Choose(tuple(weight for weight, _ in mix), branches)
    steps: tuple[Step, ...] = (Loop((Think(Exponential(think)), command)),)
    return Script("user", steps, terminals=count, start=Uniform(0.0, think))
