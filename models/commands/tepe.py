"""``spindle tepe check``: whether a terminal script is right, and what it does."""

from collections.abc import Sequence
from pathlib import Path

from models.commands.arguments import ArgumentParser
from models.commands.printing import finish
from sim.error import unknown
from workloads import drivers, tepe
from workloads.programs import CATALOGUE


def main(arguments: Sequence[str]) -> int:
    examples = "  spindle tepe check workloads/tepe/orders_63.tepe"
    parser = ArgumentParser(
        "tepe", "Check TEPE scripts: mistakes as file:line:column, with the line and a caret.", examples
    )
    parser.add_argument("what", metavar="check")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--drivers", type=int, metavar="N", help="driver machines there are; as many as it takes")
    options = parser.take(arguments)
    if options.what != "check":
        raise unknown("tepe command", options.what, ["check"])
    return finish("\n".join(line for file in options.files for line in _checked(file, options.drivers)))


def _checked(file: str, machines: int | None) -> list[str]:
    scripts = tepe.read(Path(file), CATALOGUE)
    planned = drivers.plan(scripts, machines)
    return [f"{file}: right", tepe.describe(scripts), planned]
