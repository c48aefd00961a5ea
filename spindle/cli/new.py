"""``spindle new``: a commented file to begin with, of a machine, a policy or a script."""

from collections.abc import Sequence
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, new_file
from spindle.cli.printing import finish
from spindle.output.files import write_whole
from spindle.sim.error import UserError, unknown

TEMPLATES = Path(__file__).with_name("templates")
NEXT = {
    "machine.py": "spindle run {}:MACHINE",
    "policy.py": "spindle check {}:Mine",
    "script.tepe": "spindle run hp3000 --script {} --minutes 5",
    "drive.yaml": "spindle replay TRACE --drive {}",
}
"""The files to begin with, and what is done with each."""
EXAMPLES = "  spindle new machine.py\n  spindle new policy.py --out mine/lru2.py\n  spindle new script.tepe"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("new", "Write a commented file to begin with.", EXAMPLES)
    parser.add_argument("kind", metavar="KIND", help=" | ".join(NEXT))
    parser.add_argument("--out", metavar="FILE", help="default KIND, in this folder; nothing is overwritten")
    options = parser.take(arguments)
    if options.kind not in NEXT:
        raise unknown("kind of file", options.kind, NEXT)
    path = new_file("--out", options.kind if options.out is None else options.out)
    if path.exists():
        raise UserError(f"{path} is there already, and is not overwritten; name another by --out")
    write_whole(path, _text(options.kind).replace(options.kind, str(path)).encode("utf-8"))
    return finish(f"{path}: next {NEXT[options.kind].format(path)}")


def _text(kind: str) -> str:
    if kind == "drive.yaml":
        from spindle.sim.disc.sheet_file.sheet import TEMPLATES as SHEETS

        return SHEETS["disc"].read_text("utf-8")
    return (TEMPLATES / kind).read_text("utf-8")
