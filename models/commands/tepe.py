"""``spindle tepe check``: whether a terminal script is right, and what it does."""

from collections.abc import Sequence
from pathlib import Path

from models.commands.arguments import Parser
from sim.mistake import unknown
from workloads import tepe
from workloads.programs import CATALOGUE


def main(arguments: Sequence[str]) -> int:
    examples = "  spindle tepe check workloads/tepe/orders_63.tepe"
    parser = Parser("tepe", "Check TEPE scripts: mistakes as file:line:column, with the line and a caret.", examples)
    parser.add_argument("what", metavar="check")
    parser.add_argument("files", nargs="+", metavar="FILE")
    taken = parser.take(arguments)
    if taken.what != "check":
        raise unknown("tepe command", taken.what, ["check"])
    for file in taken.files:
        described = tepe.describe(tepe.read(Path(file), CATALOGUE))
        print(f"{file}: right")
        print(described)
    return 0
